"""An agent profile, looked at before it runs: what it names is there, and what it will cost is known."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from agent_core.config.profile import Profile
from agent_core.config.secrets import ModelKeys, SystemKeyring
from agent_core.model.errors import InputError
from agent_core.providers.pricing import PriceBook
from agent_core.providers.registry import stated_price
from console.installation import Finding, Health


def agent_findings(profile: Profile, environ: Mapping[str, str]) -> Iterator[Finding]:
    """What a run of the profile would meet first: its script or its model's key, and its price."""
    try:
        price = stated_price(profile)
    except InputError as error:
        yield Finding(name="script", health=Health.FAULT, detail=str(error), advice="A run of this agent is refused.")
        return
    if not profile.scripted:
        yield _key(environ)
    known = price is not None or PriceBook().price(profile.model, datetime.now(UTC)) is not None
    yield Finding(
        name="price",
        health=Health.OK if known else Health.NOTE,
        detail=f"of {profile.model}: {'known' if known else 'unknown'}",
        advice=""
        if known
        else "Its cost shows as unknown and its tokens are limited; state it in [price] of the profile.",
    )


def _key(environ: Mapping[str, str]) -> Finding:
    found = ModelKeys(environ, SystemKeyring()).current()
    detail = f"{found.hint} for {found.address}"
    if found.key is not None:
        return Finding(name="model key", health=Health.OK, detail=detail)
    advice = "Set ANTHROPIC_API_KEY, or keep a key in the settings of the console. A server of your own may need none."
    return Finding(name="model key", health=Health.NOTE, detail=detail, advice=advice)
