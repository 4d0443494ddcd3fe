"""Loops: the third repeat is not run, and the next one stops the run through a card."""

import itertools
from collections.abc import Iterator
from typing import ClassVar

import pytest

from agent_core.model import events as ev
from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.proposal import Touchpoint
from agent_core.tools.base import Arguments, Outcome, Privileges, Tool, ToolContext
from agent_core.tools.registry import TOOLS
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, turn

DONE = turn(text="done")


def cycle(period: int, rounds: int) -> list[dict[str, object]]:
    return [turn(call("files_search", pattern=f"p{n % period}")) for n in range(period * rounds)]


@pytest.mark.parametrize("period", [1, 2, 3, 8])
async def test_the_call_that_would_complete_a_third_repeat_is_not_run(make_lab: MakeLab, period: int) -> None:
    lab = make_lab(*cycle(period, 3), DONE)
    lab.write_profile(limits="")
    lab.profile.write_text(lab.profile.read_text().replace("steps = 20", "steps = 60"))
    harness = await lab.open()
    session = await lab.start(harness)

    (loop,) = await lab.events(harness, session, ev.LoopDetected)
    assert isinstance(loop.data, ev.LoopDetected)
    assert (loop.data.period, loop.data.stops) == (period, False)
    finished = [c.finished for c in (await lab.state(harness, session)).calls.values() if c.finished is not None]
    assert [f.ran for f in finished].count(False) == 1
    assert "Not run" in lab.model.results()[0]["content"]
    assert (await lab.result(harness, session))["stop_reason"] == "completed"


async def test_the_next_repeat_stops_the_run_through_an_exception_card(make_lab: MakeLab) -> None:
    lab = make_lab(*cycle(1, 6), DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    card = await lab.card(harness)
    assert card.touchpoint is Touchpoint.EXCEPTION
    assert card.facts["kind"] == "loop_detected"

    await lab.decide(harness, card.proposal, "abandon")

    assert (await lab.result(harness, session))["stop_reason"] == "loop_detected"


async def test_another_way_reaches_the_model_and_the_run_goes_on(make_lab: MakeLab) -> None:
    lab = make_lab(*cycle(1, 4), DONE)
    harness = await lab.open()
    session = await lab.start(harness)

    await lab.decide(harness, (await lab.card(harness)).proposal, "other_way", answer="list the folder instead")

    assert "list the folder instead" in str(lab.model.messages()[-1])
    assert (await lab.result(harness, session))["stop_reason"] == "completed"


async def test_an_exception_card_that_nobody_answers_stops_the_run(make_lab: MakeLab) -> None:
    lab = make_lab(*cycle(1, 4), DONE)
    harness = await lab.open()
    session = await lab.start(harness)

    lab.clock.advance(5 * 3600)
    await harness.desk.expire(session)
    await harness.supervisor.wait(session)

    assert (await lab.result(harness, session))["stop_reason"] == "loop_detected"


async def test_three_equal_calls_in_one_message_are_caught(make_lab: MakeLab) -> None:
    lab = make_lab(turn(*(call("files_list", path=".") for _ in range(3))), DONE)
    harness = await lab.open()
    session = await lab.start(harness)

    ran = [c.finished.ran for c in (await lab.state(harness, session)).calls.values() if c.finished is not None]
    assert ran == [True, True, False]


async def test_polling_with_changing_results_is_no_loop(make_lab: MakeLab) -> None:
    rule = '[[rules]]\ntool = "files_write"\nwhen = { path = "log.txt" }\nverdict = "allow"\n'
    turns = []
    for n in range(4):
        turns += [turn(call("files_write", path="log.txt", content=str(n))), turn(call("files_read", path="log.txt"))]
    lab = make_lab(*turns, DONE)
    lab.write_profile(rule)
    harness = await lab.open()
    session = await lab.start(harness, "count in log.txt")

    assert not await lab.events(harness, session, ev.LoopDetected)
    assert (await lab.result(harness, session))["stop_reason"] == "completed"


class LongAnswer(Tool[Arguments]):
    """Always the same hundred thousands of characters, but for one in the middle where it counts."""

    name = "long_answer"
    description = "Answers at length."
    arguments = Arguments
    privileges = Privileges()
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE
    counter: ClassVar[Iterator[int]] = itertools.repeat(0)

    def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        """One more."""
        return Outcome(result={"text": "a" * 300_000 + str(next(self.counter)) + "b" * 300_000}, summary="long")


@pytest.mark.parametrize(
    ("counter", "loops"), [(itertools.repeat(0), 1), (itertools.count(10), 0)], ids=["same", "new"]
)
async def test_very_long_results_are_the_same_only_if_all_of_them_is(
    make_lab: MakeLab, monkeypatch: pytest.MonkeyPatch, counter: Iterator[int], loops: int
) -> None:
    monkeypatch.setattr(LongAnswer, "counter", counter)
    lab = make_lab(*[turn(call("long_answer"))] * 3, DONE)
    lab.write_profile(tools=("long_answer",))
    harness = await lab.open(tools=(*TOOLS, LongAnswer()))

    session = await lab.start(harness)

    assert len(await lab.events(harness, session, ev.LoopDetected)) == loops
