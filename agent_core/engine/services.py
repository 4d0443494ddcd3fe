"""Services: opens the model's service for a profile, with the key and address that belong together."""

import asyncio
from collections.abc import Callable, Mapping

from agent_core.config.profile import Profile
from agent_core.config.secrets import ModelKey, ModelKeys
from agent_core.model.clock import Clock
from agent_core.policy.redaction import Redactor
from agent_core.providers.base import Provider
from agent_core.providers.registry import open_provider

MODEL_KEY_NAME = "model_key"

ProviderFor = Callable[[Profile], Provider]


class ModelServices:
    """Providers of this process. Sessions on the same address and key share one."""

    def __init__(self, keys: ModelKeys, clock: Clock, provider_for: ProviderFor | None = None) -> None:
        self.keys = keys
        self._clock = clock
        self._provider_for = provider_for
        self._shared: dict[tuple[str, str | None], Provider] = {}
        self._secrets: dict[str, str] = {}

    async def open(self, profile: Profile) -> Provider:
        """The provider of a profile's model. Reads the keyring only when it needs it, off the loop."""
        if self._provider_for is not None:
            return self._provider_for(profile)
        if profile.scripted:
            return open_provider(profile, self._clock, api_key=None)
        found: ModelKey = await asyncio.to_thread(self.keys.current)
        if found.key:
            self._secrets[MODEL_KEY_NAME] = found.key
        pair = (found.address, found.key)
        if pair not in self._shared:
            self._shared[pair] = open_provider(profile, self._clock, api_key=found.key, address=found.address)
        return self._shared[pair]

    def redactor(self, more: Mapping[str, str] | None = None) -> Redactor:
        """Replaces every secret that this process has used."""
        return Redactor({**self._secrets, **(more or {})})

    async def close(self) -> None:
        """Close all connections."""
        for provider in self._shared.values():
            await provider.close()
        self._shared.clear()
