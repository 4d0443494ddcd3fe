"""Durations, money and counts: read exactly, or refused in words."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.values import (
    BadValue,
    as_count,
    as_duration,
    as_instant,
    as_money,
    as_share,
    shown,
    written_duration,
)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("15m", 900), ("4h", 14_400), ("2d", 172_800), ("1.5h", 5400)]
)
def test_durations(text: str, seconds: float) -> None:
    assert as_duration(text) == seconds


@pytest.mark.parametrize("bad", ["", "4", "h", "0s", "-1h", "4 hours", "1e3s", "nan", "٤h", 4, None, True, "9999d"])
def test_bad_durations(bad: object) -> None:
    with pytest.raises(BadValue):
        as_duration(bad)


@given(st.integers(1, 366 * 86_400))
def test_a_written_duration_reads_back_the_same(seconds: int) -> None:
    assert as_duration(written_duration(seconds)) == seconds


@given(st.floats(0, 10**6, allow_subnormal=False))
def test_a_float_is_read_as_the_decimal_that_it_prints(value: float) -> None:
    assert as_money(value) == Decimal(repr(value))


@given(st.one_of(st.none(), st.booleans(), st.floats(max_value=-0.001), st.lists(st.integers()), st.text()))
def test_money_is_an_amount_or_refused(value: object) -> None:
    try:
        amount = as_money(value)
    except BadValue:
        return
    assert isinstance(value, str)
    assert amount.is_finite()
    assert amount >= 0


@pytest.mark.parametrize("bad", [True, 1.0, "1", None, -1, 10**13, float("nan")])
def test_bad_counts(bad: object) -> None:
    with pytest.raises(BadValue):
        as_count(bad)


@pytest.mark.parametrize("bad", [True, 1.01, -0.01, float("nan"), "0.5"])
def test_bad_shares(bad: object) -> None:
    with pytest.raises(BadValue):
        as_share(bad)


def test_an_instant_needs_a_zone_and_comes_out_in_utc() -> None:
    assert as_instant("2026-11-01T01:30:00-04:00").isoformat() == "2026-11-01T05:30:00+00:00"
    for bad in ("2026-11-01T01:30:00", "", "tomorrow", 3, None):
        with pytest.raises(BadValue):
            as_instant(bad)


@given(st.text())
def test_a_refused_value_is_quoted_on_one_short_line(text: str) -> None:
    quoted = shown(text)

    assert len(quoted) <= 60
    assert quoted.isprintable()
