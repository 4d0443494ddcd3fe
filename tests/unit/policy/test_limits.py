"""Limits: reserve, lower, refuse; never overshoot."""

import dataclasses
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.budget import LimitName, Limits, Scope, Spend
from agent_core.model.errors import InputError
from agent_core.model.state import StopReason, with_limit
from agent_core.policy.limits import (
    LEAST_OUTPUT,
    RESERVE_OUTPUT,
    STOP_REASONS,
    Allowance,
    LimitHit,
    Reservation,
    SharedLimit,
    call_hit,
    calls_allowed,
    limit_text,
    parse_limit,
    request_allowance,
    sound_limits,
    spent_of,
    suggest,
)


def price(input_tokens: int, output_tokens: int) -> Decimal:
    """Five and twenty-five dollars per million tokens."""
    return (Decimal(input_tokens) * 5 + Decimal(output_tokens) * 25) / 1_000_000


def ask(**parts: Any) -> Allowance | LimitHit:
    """The allowance of a plain request, with some parts changed."""
    spend = Spend(**parts.pop("spend", {}))
    limits = Limits(**parts.pop("limits", {}))
    rest: dict[str, Any] = {"input_estimate": 1000, "max_tokens": 8192, "price_of": price, **parts}
    return request_allowance(limits, spend, rest.pop("reserved", ()), **rest)


def test_a_request_within_all_limits_gets_its_whole_length_and_books_it() -> None:
    allowed = ask()
    assert allowed == Allowance(max_tokens=8192, reservation=Reservation(tokens=9192, cost_usd=price(1000, 8192)))


def test_the_answer_is_shortened_to_what_is_left_after_the_reserve() -> None:
    limits = {"tokens": 10_000}
    left = 10_000 - (1000 + RESERVE_OUTPUT) - 1000
    assert ask(limits=limits, spend={"input_tokens": 0}) == Allowance(
        max_tokens=left, reservation=Reservation(tokens=1000 + left, cost_usd=price(1000, left))
    )


@pytest.mark.parametrize(("spare", "fits"), [(LEAST_OUTPUT, True), (LEAST_OUTPUT - 1, False)])
def test_below_512_tokens_of_answer_the_limit_counts_as_reached(spare: int, fits: bool) -> None:
    tokens = 2 * 1000 + RESERVE_OUTPUT + spare
    assert isinstance(ask(limits={"tokens": tokens}), Allowance) is fits
    money = price(1000, RESERVE_OUTPUT) + price(1000, spare)
    assert isinstance(ask(limits={"cost_usd": money}), Allowance) is fits
    if not fits:
        assert ask(limits={"tokens": tokens}) == LimitHit(limit=LimitName.TOKENS, value=str(tokens), spent="0")


def test_a_profile_that_wants_short_answers_gets_them() -> None:
    allowed = ask(max_tokens=100)
    assert isinstance(allowed, Allowance)
    assert allowed.max_tokens == 100


def test_the_closing_request_spends_the_reserve_and_lies_outside_steps_and_time() -> None:
    over: dict[str, Any] = {
        "limits": {"tokens": 30_000, "steps": 5, "seconds": 60.0},
        "spend": {"input_tokens": 30_000 - 1000 - RESERVE_OUTPUT, "steps": 5, "active_seconds": 61.0},
    }
    assert isinstance(ask(**over), LimitHit)
    closing = ask(**over, closing=True)
    assert isinstance(closing, Allowance)
    assert closing.max_tokens == RESERVE_OUTPUT
    assert closing.reservation.tokens == 1000 + RESERVE_OUTPUT


@pytest.mark.parametrize("name", ["steps", "tokens", "seconds", "cost_usd"])
def test_zero_allows_nothing_not_even_a_closing_request(name: str) -> None:
    for closing in (False, True):
        hit = ask(limits={name: Decimal(0) if name == "cost_usd" else 0}, closing=closing)
        assert isinstance(hit, LimitHit)
        assert hit.limit.value == name
        assert hit.value == "0"


def test_the_reserve_and_the_least_answer_are_those_that_are_promised() -> None:
    assert (RESERVE_OUTPUT, LEAST_OUTPUT) == (1024, 512)


def test_requests_in_flight_count_as_spent() -> None:
    flying = Reservation(tokens=400_000, cost_usd=Decimal("1.90"))
    hit = ask(reserved=[flying], limits={"cost_usd": Decimal("1.93")})
    assert isinstance(hit, LimitHit)
    assert hit.limit is LimitName.COST_USD
    assert isinstance(ask(reserved=[flying], limits={"tokens": 402_000}), LimitHit)


@pytest.mark.parametrize(
    ("done", "flying", "fits"), [(0, 0, True), (1, 0, True), (0, 1, True), (2, 0, False), (1, 1, False), (0, 2, False)]
)
def test_steps_done_and_in_flight_together_stay_within_the_limit(done: int, flying: int, fits: bool) -> None:
    asked = ask(
        limits={"steps": 2}, spend={"steps": done}, reserved=[Reservation(tokens=1, cost_usd=Decimal(0))] * flying
    )
    assert asked == LimitHit(limit=LimitName.STEPS, value="2", spent=str(done)) or fits
    assert isinstance(asked, Allowance) is fits


@pytest.mark.parametrize(("name", "value"), [("steps", 1), ("seconds", 0.5)])
def test_the_smallest_limit_allows_one_request_and_its_closing(name: str, value: float) -> None:
    for closing in (False, True):
        assert isinstance(ask(limits={name: value}, closing=closing), Allowance)


def test_active_time_ends_a_run_when_it_is_reached() -> None:
    assert isinstance(ask(limits={"seconds": 60.0}, spend={"active_seconds": 59.99}), Allowance)
    for spent in (60.0, 60.01):
        hit = ask(limits={"seconds": 60.0}, spend={"active_seconds": spent})
        assert hit == LimitHit(limit=LimitName.SECONDS, value="60", spent=limit_text(spent))


def test_a_request_of_unknown_cost_in_flight_counts_at_list_price() -> None:
    flying = Reservation(tokens=70_000, cost_usd=None)
    assert isinstance(ask(reserved=[flying]), LimitHit)
    assert isinstance(ask(reserved=[Reservation(tokens=70_000, cost_usd=Decimal(0))]), Allowance)


def test_an_unknown_price_leaves_the_cost_unlimited_and_the_token_limit_standing() -> None:
    allowed = ask(price_of=None, limits={"cost_usd": Decimal(0)})
    assert isinstance(allowed, Allowance)
    assert allowed.reservation.cost_usd is None
    assert isinstance(ask(price_of=None, limits={"tokens": 100}), LimitHit)


def test_what_was_spent_at_an_unknown_cost_counts_at_list_price() -> None:
    spend: dict[str, Any] = {
        "cost_usd": None,
        "input_tokens": 1_000,
        "cache_read_tokens": 20_000,
        "cache_write_tokens": 30_000,
        "output_tokens": 80_000,
        "lost_tokens": 4_000,
        "cost_bound_usd": Decimal("0.01"),
    }
    hit = ask(spend=spend)
    assert isinstance(hit, LimitHit)
    assert hit.limit is LimitName.COST_USD
    assert hit.spent == format(price(55_000, 84_000) + Decimal("0.01"), "f")


def test_possible_costs_of_lost_requests_count() -> None:
    assert isinstance(ask(spend={"cost_bound_usd": Decimal(2)}), LimitHit)
    assert isinstance(ask(spend={"lost_tokens": 500_000}, price_of=None), LimitHit)


def test_the_limit_of_a_tree_is_named_as_such_and_the_tightest_is_told() -> None:
    tree = SharedLimit(scope=Scope.TREE, limit_usd=Decimal("1.00"), spent_usd=Decimal("0.999"))
    day = SharedLimit(scope=Scope.DAY, limit_usd=Decimal("5.00"), spent_usd=Decimal("4.50"))
    hit = ask(shared=[day, tree])
    assert hit == LimitHit(limit=LimitName.TREE_COST_USD, value="1.00", spent="0.999", scope=Scope.TREE)
    assert isinstance(hit, LimitHit)
    assert hit.stop_reason is StopReason.COST_LIMIT


def test_the_day_limit_is_named_as_such() -> None:
    five, most, flying = Decimal("5.00"), Decimal("4.50"), Decimal("0.49")
    day = SharedLimit(scope=Scope.DAY, limit_usd=five, spent_usd=most, reserved_usd=flying)
    assert ask(shared=[day]) == LimitHit(limit=LimitName.COST_USD, value="5.00", spent="4.50", scope=Scope.DAY)
    assert isinstance(ask(shared=[dataclasses.replace(day, reserved_usd=Decimal(0))]), Allowance)


def test_every_limit_has_its_stop_reason() -> None:
    assert {name: STOP_REASONS[name].value for name in LimitName} == {
        "steps": "step_limit",
        "tool_calls": "tool_call_limit",
        "tokens": "token_limit",
        "cost_usd": "cost_limit",
        "seconds": "time_limit",
        "tree_cost_usd": "cost_limit",
    }
    hit = ask(limits={"steps": 0})
    assert isinstance(hit, LimitHit)
    assert hit.stop_reason is StopReason.STEP_LIMIT


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 20))
def test_a_batch_starts_its_first_calls_and_never_more_than_the_limit(limit: int, used: int, wanted: int) -> None:
    limits, spend = Limits(tool_calls=limit), Spend(tool_calls=used)
    allowed = calls_allowed(limits, spend, wanted)
    assert 0 <= allowed <= wanted
    assert allowed == 0 or used + allowed <= limit
    assert allowed == wanted or used + allowed >= limit
    hit = call_hit(limits, spend)
    assert (hit is not None) == (calls_allowed(limits, spend, 1) == 0)


def test_eight_parallel_calls_under_a_limit_of_six_start_six() -> None:
    assert calls_allowed(Limits(tool_calls=6), Spend(), 8) == 6


def test_no_call_starts_after_the_time_is_up() -> None:
    late = Spend(active_seconds=900.0)
    assert calls_allowed(Limits(), late, 3) == 0
    assert call_hit(Limits(), late) == LimitHit(limit=LimitName.SECONDS, value="900", spent="900")


# ------------------------------------------------------------------------------------- nothing overshoots


class Run:
    """A run as the engine books it: what it spent, and what its requests in flight may still use."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.spend, self.flying = limits, Spend(), list[Reservation]()

    def land(self, at: int, used: float, known: bool) -> None:
        """A request comes back with some share of what it reserved, or is lost."""
        reservation = self.flying.pop(at)
        assert reservation.cost_usd is not None
        tokens, cost = int(reservation.tokens * used), reservation.cost_usd * Decimal(used)
        spend = msgspec.structs.replace(self.spend, steps=self.spend.steps + 1)
        if known:
            assert spend.cost_usd is not None
            parts: dict[str, Any] = {"input_tokens": spend.input_tokens + tokens, "cost_usd": spend.cost_usd + cost}
        else:
            bound = spend.cost_bound_usd + reservation.cost_usd
            parts = {"lost_tokens": spend.lost_tokens + reservation.tokens, "cost_bound_usd": bound}
        self.spend = msgspec.structs.replace(spend, **parts)

    @property
    def booked(self) -> Decimal:
        """Everything that it has cost or may cost."""
        flying = sum((r.cost_usd or Decimal(0) for r in self.flying), Decimal(0))
        return (self.spend.cost_usd or Decimal(0)) + self.spend.cost_bound_usd + flying


actions = st.lists(
    st.tuples(st.integers(0, 3), st.booleans(), st.integers(1, 40_000), st.floats(0, 1), st.booleans()),
    min_size=10,
    max_size=40,
)
some_limits = st.builds(
    Limits,
    steps=st.sampled_from([0, 1, 2, 3, 40]),
    tokens=st.sampled_from([0, 20_000, 100_000, 10**7]),
    cost_usd=st.sampled_from([Decimal(0), Decimal("0.05"), Decimal("0.5"), Decimal(99)]),
)


some_shared = st.sampled_from([Decimal("0.3"), Decimal(1), Decimal(99)])


def booked(runs: Sequence[Run]) -> Decimal:
    return sum((run.booked for run in runs), Decimal(0))


@given(st.lists(some_limits, min_size=4, max_size=4), some_shared, some_shared, actions)
def test_parallel_runs_never_overshoot_any_limit(
    limits: list[Limits], day_usd: Decimal, tree_usd: Decimal, doings: Any
) -> None:
    runs = [Run(limit) for limit in limits]
    trees = [runs[:3], runs[3:]]
    for which, starts, size, share, known in doings:
        run = runs[which]
        if starts:
            shared = [
                SharedLimit(scope=Scope.DAY, limit_usd=day_usd, spent_usd=Decimal(0), reserved_usd=booked(runs)),
                SharedLimit(scope=Scope.TREE, limit_usd=tree_usd, spent_usd=booked(trees[which == 3])),
            ]
            allowed = request_allowance(
                run.limits, run.spend, run.flying, input_estimate=size, max_tokens=8192, price_of=price, shared=shared
            )
            if isinstance(allowed, Allowance):
                assert LEAST_OUTPUT <= allowed.max_tokens <= 8192
                run.flying.append(allowed.reservation)
        elif run.flying:
            run.land(int(share * (len(run.flying) - 1)), share, known)
        assert run.spend.tokens + sum(r.tokens for r in run.flying) <= run.limits.tokens
        assert run.limits.cost_usd is not None
        assert run.booked <= run.limits.cost_usd
        assert run.spend.steps + len(run.flying) <= run.limits.steps
        assert booked(runs) <= day_usd
        assert all(booked(tree) <= tree_usd for tree in trees)


@given(some_limits, st.integers(1, 40_000), st.integers(1, 9000))
def test_whenever_a_request_was_allowed_the_closing_one_still_fits(limits: Limits, size: int, wanted: int) -> None:
    allowed = request_allowance(limits, Spend(), (), input_estimate=size, max_tokens=wanted, price_of=price)
    if isinstance(allowed, Allowance):
        cost = allowed.reservation.cost_usd
        spent = Spend(steps=1, input_tokens=allowed.reservation.tokens, cost_usd=cost)
        closing = request_allowance(
            limits, spent, (), input_estimate=size, max_tokens=wanted, price_of=price, closing=True
        )
        assert isinstance(closing, Allowance)
        assert closing.max_tokens == min(RESERVE_OUTPUT, wanted)


# ------------------------------------------------------------------------------------- values and suggestions


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        (LimitName.STEPS, "40", 40),
        (LimitName.STEPS, 40, 40),
        (LimitName.STEPS, " 0 ", 0),
        (LimitName.COST_USD, "1.30", Decimal("1.30")),
        (LimitName.COST_USD, 0.1, Decimal("0.1")),
        (LimitName.COST_USD, 2, Decimal(2)),
        (LimitName.SECONDS, "90", 90.0),
        (LimitName.SECONDS, "15m", 900.0),
        (LimitName.SECONDS, 1.5, 1.5),
    ],
)
def test_a_limit_is_read_as_it_was_meant(name: LimitName, written: object, value: object) -> None:
    read = parse_limit(name, written)
    assert read == value
    assert type(read) is type(value)


BAD_TEXTS = [
    "",
    " ",
    "-1",
    "nan",
    "inf",
    "-inf",
    "1e400",
    "lots",
    "1,000",
    "0x10",
    "١",
    "1_000",
    "9" * 5000,
    "+5",
    "5 5",
]
BAD_VALUES = [None, True, [], {}, -1, float("nan"), float("inf"), float("-inf"), 10**30, Decimal("NaN"), b"5"]


@pytest.mark.parametrize("name", LimitName)
@pytest.mark.parametrize("written", [*BAD_TEXTS, *BAD_VALUES], ids=repr)
def test_what_cannot_be_a_limit_is_refused_in_one_sentence(name: LimitName, written: object) -> None:
    with pytest.raises(InputError) as refusal:
        parse_limit(name, written)
    assert str(refusal.value).startswith(f"The limit {name.value} ")
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 250


@given(st.sampled_from(LimitName), st.integers(0, 10**9), st.decimals(0, 10**6, places=6))
def test_a_limit_survives_the_journal(name: LimitName, count: int, money: Decimal) -> None:
    value = {LimitName.COST_USD: money, LimitName.SECONDS: count / 1000}.get(name, count)
    read = parse_limit(name, value if name is not LimitName.SECONDS else min(count / 1000, 10**7))
    assert with_limit(Limits(), name, limit_text(read)).get(name) == read


def test_the_spend_of_a_limit_is_unknown_and_never_zero_where_the_cost_is_unknown() -> None:
    assert spent_of(LimitName.COST_USD, Spend(cost_usd=None)) is None
    assert spent_of(LimitName.COST_USD, Spend(cost_usd=Decimal(1), cost_bound_usd=Decimal(2))) == 3
    assert [limit_text(value) for value in (None, 0, 1.0, 1.2345, Decimal("1E+2"))] == [
        "none",
        "0",
        "1",
        "1.2345",
        "100",
    ]
    assert spent_of(LimitName.SECONDS, Spend(active_seconds=1.5)) == 1.5
    assert spent_of(LimitName.TOOL_CALLS, Spend(steps=1, tool_calls=2)) == 2
    assert spent_of(LimitName.TOKENS, Spend(input_tokens=1, cache_read_tokens=2, lost_tokens=3)) == 6


def test_suggestions_are_the_99th_percentile_with_headroom() -> None:
    history = [Spend(steps=n, tool_calls=n, input_tokens=n, cost_usd=Decimal(n) / 100) for n in range(1, 101)]
    suggested = suggest(history)
    assert suggested is not None
    assert (suggested.steps, suggested.tokens, suggested.cost_usd) == (124, 124, Decimal("1.24"))
    assert suggest(history[:4]) is None
    unknown = suggest([Spend(cost_usd=None)] * 9)
    assert unknown is not None
    assert unknown.cost_usd is None
    assert (unknown.steps, unknown.tokens, unknown.seconds) == (1, 1, 1.0)
    five = suggest([Spend(cost_usd=Decimal("0.10"))] * 5 + [Spend(cost_usd=None)])
    assert five is not None
    assert five.cost_usd == Decimal("0.13")


@given(st.lists(st.integers(0, 10**6), min_size=5, max_size=60))
def test_a_suggestion_would_have_let_99_of_100_runs_end(steps: list[int]) -> None:
    suggested = suggest([Spend(steps=n) for n in steps])
    assert suggested is not None
    assert suggested.steps > 0
    assert sum(n <= suggested.steps for n in steps) >= 0.99 * len(steps)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, -0.5, True, "nan", "-1", "", [], Decimal("NaN")])
@pytest.mark.parametrize("name", LimitName)
def test_limits_that_come_as_a_value_are_held_to_what_can_be_meant(name: LimitName, value: Any) -> None:
    with pytest.raises(InputError, match=name.value):
        sound_limits(msgspec.structs.replace(Limits(), **{name.value: value}))


def test_sound_limits_stay_as_they_are() -> None:
    for limits in (Limits(), Limits(cost_usd=None), Limits(steps=0, seconds=0.0, tree_cost_usd=Decimal("0.00"))):
        assert sound_limits(limits) == limits
    for name in (LimitName.STEPS, LimitName.TOKENS, LimitName.SECONDS):
        with pytest.raises(InputError):
            sound_limits(msgspec.structs.replace(Limits(), **{name.value: None}))
