"""How the window is to look, read by itself before anything else: the settings are read strictly a little later."""

import tomllib
from dataclasses import dataclass
from typing import Any

from agent_core.config.home import Home

THEMES = ("system", "light", "dark")


@dataclass(frozen=True, slots=True)
class Look:
    """Theme, text size in percent, whether changes show at once instead of moving, whether contrast is always high."""

    theme: str = "system"
    scale: int = 100
    reduced_motion: bool = False
    high_contrast: bool = False
    """False: as the desktop has it."""


def look_of(home: Home) -> Look:
    """The look of a home. What is not as it should be counts as not set: the settings say so once they are read."""
    try:
        with home.settings.open("rb") as file:
            general: Any = tomllib.load(file).get("general", {})
    except (OSError, ValueError):
        return Look()
    if not isinstance(general, dict):
        return Look()
    theme, scale = general.get("theme"), general.get("scale")
    return Look(
        theme=theme if theme in THEMES else "system",
        scale=scale if isinstance(scale, int) and not isinstance(scale, bool) else 100,
        reduced_motion=general.get("reduced_motion") is True,
        high_contrast=general.get("high_contrast") is True,
    )
