"""The look is read before the settings are, and never refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.home import Home
from agent_core.config.look import Look, look_of
from agent_core.config.settings import Settings


@given(
    theme=st.sampled_from(["system", "light", "dark"]),
    scale=st.integers(90, 150),
    still=st.booleans(),
    strong=st.booleans(),
)
def test_it_is_what_the_settings_say(
    tmp_path_factory: pytest.TempPathFactory, theme: str, scale: int, still: bool, strong: bool
) -> None:
    home = Home.at(tmp_path_factory.mktemp("home"))
    home.create()
    settings = Settings.open(home)
    for name, value in (("theme", theme), ("scale", scale), ("reduced_motion", still), ("high_contrast", strong)):
        settings.change(f"general.{name}", value)

    assert look_of(home) == Look(theme, scale, still, strong)


@pytest.mark.parametrize(
    "text", ["", "general = 3", "[general]\ntheme = 7\nscale = true\nreduced_motion = 'yes'", "theme =", "\xff"]
)
def test_what_cannot_be_understood_counts_as_not_set(tmp_path: Path, text: str) -> None:
    home = Home.at(tmp_path)
    home.settings.write_bytes(text.encode("latin-1"))

    assert look_of(home) == Look()


def test_no_file_means_the_usual_look(tmp_path: Path) -> None:
    assert look_of(Home.at(tmp_path)) == Look()
