"""Costs are right to the last digit, and an unknown price is unknown."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from genai_prices import extract_usage
from genai_prices.data_snapshot import get_snapshot
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.profile import Price
from agent_core.model.budget import CostParts, Usage
from agent_core.model.errors import InputError
from agent_core.providers.messages.usage import usage_of
from agent_core.providers.pricing import PriceBook

AT = datetime(2026, 11, 29, tzinfo=UTC)
MODELS = [model.id for model in get_snapshot().find_provider(None, "anthropic", None).models]
OWN = Price(input=Decimal(2), output=Decimal(10), cache_read=Decimal("0.1"), cache_write=Decimal("2.5"))


def raw_usage(
    fresh: int = 0, output: int = 0, read: int = 0, short: int = 0, long: int = 0, **more: Any
) -> dict[str, Any]:
    return {
        "input_tokens": fresh,
        "output_tokens": output,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": short + long,
        "cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long},
        **more,
    }


def cost(raw: dict[str, Any], model: str = "claude-sonnet-4-5", own: Price | None = None) -> CostParts | None:
    return PriceBook().cost(usage_of(raw, final=True), raw, model, AT, own)


def test_cache_writes_for_five_minutes_and_for_an_hour_have_their_own_prices() -> None:
    assert cost(raw_usage(fresh=17, output=100, long=2056)) == CostParts(
        fresh_input=Decimal("0.000051"), cache_write=Decimal("0.012336"), output=Decimal("0.0015")
    )
    assert cost(raw_usage(fresh=3, output=33, read=1111, short=418)) == CostParts(
        fresh_input=Decimal("0.000009"),
        cache_read=Decimal("0.0003333"),
        cache_write=Decimal("0.0015675"),
        output=Decimal("0.000495"),
    )


def test_a_request_above_a_tier_pays_the_tier_for_all_of_it() -> None:
    below, above = cost(raw_usage(fresh=200_000, output=10)), cost(raw_usage(fresh=200_001, output=10))
    assert below is not None
    assert above is not None
    assert below.total == Decimal("0.60015")
    assert above.total == Decimal("1.200231")


@given(
    model=st.sampled_from(MODELS),
    counts=st.lists(st.integers(0, 300_000), min_size=5, max_size=5),
    searches=st.integers(0, 3),
)
def test_every_model_costs_what_the_price_list_says(model: str, counts: list[int], searches: int) -> None:
    raw = raw_usage(*counts, server_tool_use={"web_search_requests": searches})
    listed = extract_usage({"model": model, "usage": raw}, provider_id="anthropic").calc_price(
        genai_request_timestamp=AT
    )
    parts = cost(raw, model)
    assert parts is not None
    if listed.model_price.web_searches_kcount is not None or not searches:
        assert parts.total == listed.total_price


def test_prices_are_those_of_the_time_of_the_request() -> None:
    raw = raw_usage(fresh=250_000)
    usage = usage_of(raw, final=True)
    before, after = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
    book = PriceBook()
    old, new = book.cost(usage, raw, "claude-sonnet-4-6", before), book.cost(usage, raw, "claude-sonnet-4-6", after)
    assert old is not None
    assert new is not None
    assert (old.total, new.total) == (Decimal("1.5"), Decimal("0.75"))


@pytest.mark.parametrize("model", ["claude-unknown-9", "llama3.2", "gpt-4o", ""])
def test_an_unknown_model_has_no_price_and_no_cost(model: str) -> None:
    assert PriceBook().price(model, AT) is None
    assert cost(raw_usage(fresh=10), model) is None


def test_usage_that_is_not_known_for_certain_has_no_cost() -> None:
    raw = {"input_tokens": -5, "output_tokens": None}
    assert PriceBook().cost(usage_of(raw, final=True), raw, "claude-sonnet-4-5", AT) is None
    assert PriceBook().cost(Usage(input_tokens=5, complete=False), {}, "claude-sonnet-4-5", AT) is None


def test_the_profiles_own_price_wins_and_makes_an_unknown_model_known() -> None:
    parts = cost(raw_usage(fresh=1_000_000, output=100_000, read=10, short=4, long=4), "llama3.2", OWN)
    assert parts is not None
    assert parts.total == Decimal("3.000021")
    price = PriceBook().price("llama3.2", AT, OWN)
    assert price is not None
    assert price.source == "profile"


@pytest.mark.parametrize("bad", ["NaN", "Infinity", "-0.01", "sNaN"])
@pytest.mark.parametrize("kind", ["input", "output", "cache_read", "cache_write"])
def test_a_price_that_is_no_price_is_refused(kind: str, bad: str) -> None:
    values = {"input": Decimal(1), "output": Decimal(1), kind: Decimal(bad)}
    with pytest.raises(InputError, match=kind):
        PriceBook().price("llama3.2", AT, Price(**values))


def test_what_iterations_count_beside_the_sums_is_paid_too() -> None:
    compaction = {"type": "compaction", "input_tokens": 60_385, "output_tokens": 592}
    message = {"type": "message", "input_tokens": 682, "output_tokens": 1320}
    parts = cost(raw_usage(fresh=682, output=1320, iterations=[compaction, message]), "claude-opus-4-6")
    assert parts is not None
    assert parts.total == Decimal("0.353135")


def test_an_iteration_of_a_model_without_a_price_makes_the_cost_unknown() -> None:
    advisor = {"type": "advisor_message", "model": "claude-unknown-9", "input_tokens": 1, "output_tokens": 1}
    assert cost(raw_usage(fresh=682, output=1320, iterations=[advisor]), "claude-opus-4-6") is None


@given(
    model=st.sampled_from(MODELS),
    estimated=st.integers(0, 400_000),
    max_tokens=st.integers(0, 20_000),
    shares=st.lists(st.integers(0, 100), min_size=3, max_size=3),
    used=st.integers(0, 100),
)
def test_no_request_within_its_estimate_costs_more_than_was_reserved(
    model: str, estimated: int, max_tokens: int, shares: list[int], used: int
) -> None:
    price = PriceBook().price(model, AT)
    assert price is not None
    whole = sum(shares) or 1
    fresh, read, written = (estimated * share // whole for share in shares)
    usage = Usage(
        input_tokens=fresh,
        cache_read_tokens=read,
        cache_write_5m_tokens=written,
        output_tokens=max_tokens * used // 100,
    )
    assert price.cost(usage).total <= price.upper_bound(estimated, max_tokens)


async def test_the_source_names_the_price_list_and_its_version() -> None:
    book = PriceBook()
    await book.warm()
    price = book.price("claude-sonnet-5-5", AT)
    assert price is not None
    assert price.source.startswith("genai-prices 0.")
