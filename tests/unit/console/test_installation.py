"""What the doctor makes of what it finds: each check by itself, on figures that no test machine has."""

from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import pytest

from agent_core.config.home import Home
from agent_core.config.secret_store import StoreState
from console.installation import (
    Health,
    clock_finding,
    findings,
    fonts_finding,
    keyring_finding,
    sqlite_finding,
)
from ui.tokens import FONT_FILES

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("version", "health"),
    [
        ((3, 36, 0), Health.FAULT),
        ((3, 37, 0), Health.NOTE),
        ((3, 51, 2), Health.NOTE),
        ((3, 51, 3), Health.OK),
        ((4, 0, 0), Health.OK),
    ],
)
def test_a_version_of_sqlite_is_too_old_or_has_a_known_fault_or_is_fine(
    version: tuple[int, ...], health: Health
) -> None:
    found = sqlite_finding(version)

    assert found.health is health
    assert found.detail.startswith(".".join(map(str, version)))
    assert bool(found.advice) is (health is not Health.OK)


@pytest.mark.parametrize(
    ("installed", "recorded", "health", "words"),
    [
        (NOW - DAY, None, Health.OK, "2026-03-02 09:00 UTC"),
        (NOW - DAY, NOW, Health.OK, "2026-03-02 09:00 UTC"),
        (NOW - DAY, NOW + timedelta(minutes=4), Health.OK, "2026-03-02 09:00 UTC"),
        (NOW + DAY, None, Health.FAULT, "earlier than this program was installed"),
        (NOW - DAY, NOW + DAY, Health.NOTE, "earlier than the newest record of this home (2026-03-03 09:00 UTC)"),
    ],
)
def test_a_clock_before_what_has_happened_is_wrong(
    installed: datetime, recorded: datetime | None, health: Health, words: str
) -> None:
    found = clock_finding(NOW, installed, recorded)

    assert found.health is health
    assert words in found.detail
    assert ("Set the time" in found.advice) is (health is not Health.OK)


@pytest.mark.parametrize("state", StoreState)
def test_each_state_of_the_keyring_says_what_becomes_of_the_keys(state: StoreState) -> None:
    found = keyring_finding(state, "Some words.")

    assert found.health is (Health.OK if state is StoreState.USABLE else Health.NOTE)
    assert ("Unlock it" in found.advice) is (state in (StoreState.LOCKED, StoreState.SLOW))
    assert state is StoreState.USABLE or "one session only" in found.advice


def test_every_font_of_the_window_has_to_be_there(tmp_path: Path) -> None:
    assert fonts_finding(files("resources") / "fonts").health is Health.OK
    for name in FONT_FILES[1:]:
        (tmp_path / name).touch()

    found = fonts_finding(tmp_path)

    assert found.health is Health.FAULT
    assert found.detail == f"missing: {FONT_FILES[0]}"


def test_what_cannot_be_looked_at_is_a_fault_and_hides_no_other_check(home: Path) -> None:
    odd = Home.at(home)
    odd.keys.mkdir()
    (odd.keys / "1234.key").symlink_to("nowhere")

    found = {each.name: each for each in findings(odd, {"PILOTHOUSE_OPERATOR": "anna"})}

    assert found["operator key"].health is Health.FAULT
    assert "cannot be looked at" in found["operator key"].detail
    assert found["fonts"].health is Health.OK
    assert list(found)[-1] == "sandbox"
