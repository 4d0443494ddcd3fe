"""Cards as the engine opens them: what holds for all of them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.profile import GateSettings
from agent_core.engine.openings import Frame


def frame(now: datetime, window: float) -> Frame:
    return Frame(proposal="p-1", session="s-1", run="r-1", step=1, now=now, gate=GateSettings(approve_within=window))


@pytest.mark.parametrize("before", [timedelta(minutes=30), timedelta(0), timedelta(minutes=-30)])
@pytest.mark.parametrize("change", [datetime(2026, 11, 1, 6, tzinfo=UTC), datetime(2026, 3, 8, 7, tzinfo=UTC)])
def test_a_deadline_across_a_change_of_clocks_is_exactly_its_window_later(change: datetime, before: timedelta) -> None:
    opened = (change - before).astimezone(ZoneInfo("America/New_York"))

    deadline = frame(opened.astimezone(UTC), 3600).approve_by

    assert deadline.timestamp() - opened.timestamp() == 3600


@given(st.datetimes(timezones=st.just(UTC)), st.integers(1, 10**6))
def test_a_deadline_is_an_instant_of_utc(now: datetime, window: int) -> None:
    if now.year < 9000:
        assert frame(now, window).approve_by - now == timedelta(seconds=window)
        assert frame(now, window).approve_by.utcoffset() == timedelta(0)
