from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui import formatting as f

NOW = datetime(2026, 11, 30, 9, 49, 27, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 ms"), (0.214, "214 ms"), (0.9999, "1 s"), (5.9, "5.9 s"), (9.97, "10 s"), (41, "41 s"), (59.4, "59 s"),
     (59.6, "1 min"), (161, "2 min 41 s"), (900, "15 min"), (7_080, "1 h 58 min"), (273_600, "3 d 4 h"), (-5, "0 ms")],
)  # fmt: skip
def test_duration(seconds: float, text: str) -> None:
    assert f.duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(766, "12:46"), (59.99, "less than 1 minute"), (60, "1:00"), (0.4, "less than 1 minute"), (0, "0:00"),
     (-30, "0:00"), (3_599, "59:59"), (3_600, "1 h"), (7_080, "1 h 58 min"), (21_600, "6 h"), (183_600, "2 d 3 h")],
)  # fmt: skip
def test_countdown(seconds: float, text: str) -> None:
    assert f.countdown(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(59, "less than 1 minute"), (1, "less than 1 minute"), (0, "no time"), (-9, "no time"), (60, "1 minute"),
     (119, "1 minute"), (7_080, "1 hour 58 minutes"), (3_600, "1 hour"), (7_200, "2 hours")],
)  # fmt: skip
def test_countdown_in_words(seconds: float, text: str) -> None:
    assert f.countdown_words(seconds) == text


@given(st.floats(allow_nan=True, allow_infinity=True) | st.integers(-(10**12), 10**12) | st.none())
def test_no_figure_raises_or_goes_below_zero(value: float | None) -> None:
    for function in (f.duration, f.countdown, f.countdown_words, f.stopwatch, f.age, f.byte_size):
        assert "-" not in function(value)
    for function in (f.money, f.count, f.compact_count, f.percent):
        assert function(value)


@given(st.floats(0, 1e6), st.floats(0, 1e4))
def test_a_countdown_never_shows_more_time_than_is_left(seconds: float, passed: float) -> None:
    minutes, rest = divmod(int(seconds), 60)
    if 60 <= seconds < 3_600:
        assert f.countdown(seconds) == f"{minutes}:{rest:02d}"


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "$0.00"), (0.31, "$0.31"), (0.0042, "$0.0042"), (Decimal("0.012"), "$0.01"), (1_204.5, "$1,204.50"),
     (-2, "−$2.00"), (Decimal(20), "$20.00"), (0.00999, "$0.0100"), (0.01, "$0.01"), (-0.000001, "$0.0000"),
     (None, "–"), (float("nan"), "–")],
)  # fmt: skip
def test_money(amount: float | Decimal | None, text: str) -> None:
    assert f.money(amount) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (15, "15"), (999, "999"), (1_000, "1k"), (6_100, "6.1k"), (7_000, "7k"), (9_960, "10k"),
     (312_000, "312k"),
     (999_499, "999k"), (999_950, "1M"), (1_020_000, "1.02M"), (1_500_000, "1.5M"), (12_340_000, "12.3M"),
     (3_400_000_000, "3.4B"), (-6_100, "−6.1k")],
)  # fmt: skip
def test_compact_count(number: int, text: str) -> None:
    assert f.compact_count(number) == text


def test_counts_percents_and_sizes() -> None:
    assert f.count(1_284) == "1,284"
    assert [f.percent(s) for s in (0, 0.001, 0.93, 0.999, 1, 1.02)] == ["0 %", "1 %", "93 %", "99 %", "100 %", "102 %"]
    assert [f.byte_size(n) for n in (0, 999, 1_200, 48_000_000)] == ["0 B", "999 B", "1.2 kB", "48 MB"]
    assert [f.plural(n, "decision") for n in (0, 1, 4)] == ["0 decisions", "1 decision", "4 decisions"]
    assert f.plural(2, "reply", "replies") == "2 replies"


def test_ages_and_stopwatch() -> None:
    assert [f.age(s) for s in (59, 120, 3_700, 9 * 86_400)] == ["59 s", "2 min", "1 h", "9 d"]
    assert [f.stopwatch(s) for s in (440, 900, 3_723, -1)] == ["7:20", "15:00", "1:02:03", "0:00"]


@pytest.mark.parametrize(
    ("moment", "text"),
    [(NOW.replace(hour=9, minute=36), "today 09:36"), (NOW.replace(day=29, hour=17, minute=52), "yesterday 17:52"),
     (NOW.replace(day=27, hour=17, minute=52), "Fri 17:52"), (NOW.replace(month=10, day=2), "2 Oct"),
     (NOW.replace(year=2025, month=10, day=2), "2 Oct 2025")],
)  # fmt: skip
def test_days(moment: datetime, text: str) -> None:
    assert f.day_and_time(moment, NOW) == text


def test_clock_and_ago() -> None:
    assert (f.clock_time(NOW), f.clock_time(NOW, seconds=False)) == ("09:49:27", "09:49")
    assert f.ago(NOW.replace(minute=47), NOW) == "2 min ago"
    assert f.ago(NOW.replace(day=20), NOW) == "20 Nov"
