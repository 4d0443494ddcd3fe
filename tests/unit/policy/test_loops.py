"""Loops: every planted one is caught by its third repeat; work that gets new answers never is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.policy.loops import LONGEST_PERIOD, REPEATS, WINDOW, SeenCall, repeats, signature

names = st.text("abcdefgh", min_size=1, max_size=3)
periods = pytest.mark.parametrize("period", range(1, LONGEST_PERIOD + 1))


def cycle(period: int, rounds: int, *, known: bool = True) -> list[SeenCall]:
    """Calls that go round in a circle; without results when they stand in one message."""
    return [SeenCall(f"s{n}", f"r{n}" if known else None) for n in range(period)] * rounds


@periods
@pytest.mark.parametrize("known", [True, False], ids=["across turns", "in one message"])
def test_a_planted_loop_is_caught_by_its_third_repeat_and_not_before(period: int, known: bool) -> None:
    calls = cycle(period, REPEATS, known=known)
    for at, call in enumerate(calls):
        caught = repeats(calls[:at], call.signature)
        assert caught == (period if at == len(calls) - 1 else None)


@periods
@given(st.lists(st.tuples(names, names | st.none()), max_size=40))
def test_a_loop_is_caught_whatever_came_before(period: int, before: list[tuple[str, str | None]]) -> None:
    calls = [SeenCall("before " + asked, result) for asked, result in before] + cycle(period, REPEATS)
    assert repeats(calls[:-1], calls[-1].signature) == period


@periods
@given(st.data())
def test_polling_with_changing_results_is_never_a_loop(period: int, data: st.DataObject) -> None:
    calls = cycle(period, data.draw(st.integers(REPEATS, 8)))
    polled = data.draw(st.integers(0, period - 1))
    calls = [SeenCall(c.signature, f"{n}") if n % period == polled else c for n, c in enumerate(calls)]
    for at, call in enumerate(calls):
        if at > period * 2 - 1:
            assert repeats(calls[:at], call.signature) is None


@periods
def test_a_loop_goes_on_after_its_blocked_call_and_is_caught_again(period: int) -> None:
    calls = [*cycle(period, REPEATS)[:-1], SeenCall(f"s{period - 1}", None)]
    assert repeats(calls, "s0") == period


def test_an_answer_handed_in_again_and_again_although_it_was_found_wrong_is_a_loop() -> None:
    """As recorded of an agent at work: only what is asked word for word alike counts, not the tries around it."""
    tries = ["flat{x}", "flag{x}", "flag{x}", "flag{x}", "flag{x}", "'flag{x}'"]
    calls = [SeenCall(f"submit {text}", "wrong flag" if "'" not in text else "flag{x}") for text in tries]
    caught = [repeats(calls[:at], call.signature) for at, call in enumerate(calls)]
    assert caught == [None, None, None, 1, 1, None]


def test_a_result_that_changed_once_in_the_window_is_no_repeat() -> None:
    calls = [SeenCall("a", "old"), SeenCall("write", "ok"), SeenCall("a", "new"), SeenCall("a", "new")]
    assert repeats(calls, "a") is None


def test_what_left_the_window_of_24_calls_is_forgotten() -> None:
    between = [SeenCall(f"x{n}", "r") for n in range(WINDOW)]
    for room, period in ((WINDOW - 4, None), (WINDOW - 3, 1)):
        calls = [SeenCall("a", "old"), *between[:room], *[SeenCall("a", "new")] * 2]
        assert repeats(calls, "a") == period


def test_a_cycle_longer_than_eight_is_not_one() -> None:
    assert repeats(cycle(9, REPEATS)[:-1], "s8") is None


@given(st.lists(st.tuples(names, names | st.none()), max_size=60), names)
def test_nothing_is_flagged_without_three_whole_rounds(history: list[tuple[str, str | None]], asked: str) -> None:
    calls = [SeenCall(*call) for call in history]
    period = repeats(calls, asked)
    if period is not None:
        rounds = [*(call.signature for call in calls), asked][-period * REPEATS :]
        assert rounds == rounds[:period] * REPEATS


def test_the_window_is_long_enough_for_the_longest_loop() -> None:
    """A threshold that no history can reach would be no protection."""
    assert (WINDOW, LONGEST_PERIOD, REPEATS) == (24, 8, 3)
    assert repeats(cycle(LONGEST_PERIOD, REPEATS)[:-1], f"s{LONGEST_PERIOD - 1}") == LONGEST_PERIOD


def test_argument_order_does_not_matter_and_values_do() -> None:
    assert signature("t", {"a": 1, "b": {"c": 2, "d": 3}}) == signature("t", {"b": {"d": 3, "c": 2}, "a": 1})
    different = [("t", {"a": 1}), ("t", {"a": "1"}), ("t", {}), ("u", {"a": 1}), ("t", {"a": [1]}), ("t", {"b": 1})]
    assert len({signature(tool, arguments) for tool, arguments in different}) == len(different)


def nested(levels: int) -> dict[str, Any]:
    """An object in an object in an object."""
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "arguments", [{"n": 2**70}, {"n": 10**5000}, {"n": float("nan")}, {"t": "\ud83d"}, nested(200), nested(50_000)]
)
def test_calls_that_nothing_can_bind_go_round_in_circles_too(arguments: dict[str, Any]) -> None:
    assert signature("t", arguments) == signature("t", dict(arguments))
    assert signature("t", arguments) != signature("u", arguments)


def test_their_argument_order_does_not_matter_either() -> None:
    endless = float("inf")
    assert signature("t", {"a": endless, "b": 1}) == signature("t", {"b": 1, "a": endless})
