"""Estimates lie above what services counted, add up, and follow the newest count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.context.slots import Measured, estimate
from agent_core.model.context import Slot

RECORDED = [
    # bytes of messages, tools and system prompt; tokens that the service counted
    (119, 213, 317, 423),
    (1329, 213, 317, 771),
    (550, 101, 2, 678),
    (1953, 1761, 113, 1543),
    (1608, 124, 2, 566),
    (4163, 2, 16, 1592),
    (7213, 2, 30, 1532),
    (92, 2, 2, 46),
    (67, 2, 2, 13),
]

slots = st.sampled_from([Slot.SYSTEM, Slot.TOOLS, Slot.HISTORY, Slot.RESULTS, Slot.NOTES])
sizes_of_anything = st.dictionaries(slots, st.integers(0, 10**6), min_size=1)


@pytest.mark.parametrize(("messages", "tools", "system", "counted"), RECORDED)
def test_the_bound_lies_above_what_services_counted(messages: int, tools: int, system: int, counted: int) -> None:
    sizes = {Slot.SYSTEM: system, Slot.TOOLS: tools, Slot.HISTORY: messages}
    assert estimate(sizes, None).at_most >= counted


@given(sizes_of_anything, st.none() | st.builds(Measured, *[st.integers(0, 10**5)] * 4))
def test_the_slots_add_up_to_the_likely_tokens_and_those_stay_below_the_bound(
    sizes: dict[Slot, int], measured: Measured | None
) -> None:
    result = estimate(sizes, measured)
    assert result.tokens <= result.at_most
    assert min(result.slots.values()) >= 0
    if sum(sizes.values()):
        assert sum(result.slots.values()) == result.tokens


def test_what_was_counted_replaces_its_estimate() -> None:
    sizes = {Slot.HISTORY: 10_000, Slot.RESULTS: 700}
    measured = Measured(context_tokens=5000, output_tokens=100, sent_bytes=9600, response_bytes=400)
    assert estimate(sizes, measured).tokens == 5100 + 200
    assert estimate(sizes, measured).at_most == 5100 + 350
