"""Which service plays the model that a profile names."""

from agent_core.config.profile import Price, Profile
from agent_core.model.clock import Clock
from agent_core.providers.anthropic import OFFICIAL_ADDRESS, STALL_SECONDS, AnthropicProvider
from agent_core.providers.base import Provider
from agent_core.providers.scripted import ScriptedProvider, load_script

LOCAL_STALL_SECONDS = 300.0
"""A server on the own machine sends no pings and may read a long prompt for minutes before its first word."""


def open_provider(profile: Profile, clock: Clock, *, api_key: str | None, address: str = OFFICIAL_ADDRESS) -> Provider:
    """The provider of a profile's model. Key and address come from the same place; scripts need neither.

    Raises InputError where the profile names a script that cannot be read.
    """
    if profile.scripted:
        return ScriptedProvider(load_script(profile.model), clock)
    stall = STALL_SECONDS if address.rstrip("/") == OFFICIAL_ADDRESS else LOCAL_STALL_SECONDS
    return AnthropicProvider(api_key=api_key, clock=clock, base_url=address, stall_seconds=stall)


def stated_price(profile: Profile) -> Price | None:
    """The price that the profile states, or its script; None where the price list has to know."""
    if profile.price is None and profile.scripted:
        return load_script(profile.model).price
    return profile.price
