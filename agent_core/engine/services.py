"""Services: opens the model's service for a profile, with the key and address that belong together."""

import asyncio
from collections.abc import Callable

from agent_core.config.known_secrets import secrets_in
from agent_core.config.profile import Profile
from agent_core.config.secrets import ModelKey, ModelKeys
from agent_core.engine.redacting import RedactingProvider
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
        self._secrets = secrets_in(keys.environ)
        self._redactor = Redactor(self._secrets)

    async def open(self, profile: Profile) -> Provider:
        """The provider of a profile's model. Reads the keyring only when it needs it, off the loop."""
        return RedactingProvider(await self._open(profile), self.redactor)

    async def learn(self, profile: Profile) -> ModelKey | None:
        """Read the key that the profile's model needs, so that no text with it gets in; None where it needs none."""
        if profile.scripted:
            return None
        found: ModelKey = await asyncio.to_thread(self.keys.current)
        if found.key and found.key not in self._secrets.values():
            self._secrets[MODEL_KEY_NAME] = found.key
            self._redactor = Redactor(self._secrets)
        return found

    def redactor(self) -> Redactor:
        """Replaces every secret of the environment, and every one that this process has used."""
        return self._redactor

    async def _open(self, profile: Profile) -> Provider:
        if self._provider_for is not None:
            return self._provider_for(profile)
        found = await self.learn(profile)
        if found is None:
            return open_provider(profile, self._clock, api_key=None)
        pair = (found.address, found.key)
        if pair not in self._shared:
            self._shared[pair] = open_provider(profile, self._clock, api_key=found.key, address=found.address)
        return self._shared[pair]

    async def close(self) -> None:
        """Close all connections."""
        for provider in self._shared.values():
            await provider.close()
        self._shared.clear()
