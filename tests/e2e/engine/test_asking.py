"""Asking the agent about a card: it may only read, the history stays as it is, and the card comes back changed."""

import asyncio
from typing import Any

import pytest

from agent_core.model import events as ev
from agent_core.model.errors import DecisionRefused, ProviderError, ProviderFault
from agent_core.model.intents import Decide
from agent_core.model.proposal import Via
from agent_core.providers.base import ModelRequest, ModelResponse
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import Lab, call, eventually, turn

WRITE = turn(call("files_write", path="out.txt", content="new"))
ASKS = "asks before deciding"


def answers(*branches: dict[str, Any], then: str = "understood") -> dict[str, Any]:
    """The turn after the write: what the script says when somebody asks, and what it says later."""
    return turn(text=then, branches=[{"if_contains": ASKS, **branch} for branch in branches])


async def asked(lab: Lab, question: str = "Why this file?") -> tuple[Any, str, str]:
    harness = await lab.open()
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await lab.decide(harness, card, "ask", answer=question)
    return harness, session, card


async def test_the_card_comes_back_with_the_answer_its_clock_running_on(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, answers({"text": "Because the goal names it."}))
    harness = await lab.open()
    await lab.start(harness)
    before = await lab.card(harness)

    await lab.decide(harness, before.proposal, "ask", answer="Why this file?")

    card = await lab.card(harness)
    (answer,) = card.answers
    assert (answer.question, answer.answer, answer.asked_by, answer.failed) == (
        "Why this file?",
        "Because the goal names it.",
        "bar",
        False,
    )
    assert card.approve_by == before.approve_by
    assert card.digest == before.digest
    assert card.changed == ["The agent answered bar's question."]
    assert not (lab.workspace / "out.txt").exists()


async def test_the_question_leaves_the_main_conversation_byte_equal(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, answers({"text": "Because."}))
    harness, session, card = await asked(lab)
    await lab.decide(harness, card, "approve")

    undisturbed = make_lab(WRITE, turn(text="understood"))
    other = await undisturbed.open()
    await undisturbed.start(other)
    await undisturbed.decide(other, (await undisturbed.card(other)).proposal, "approve")

    main, side = [r for r in lab.model.requests if not r.side], [r for r in lab.model.requests if r.side]
    assert len(side) == 1
    for mine, theirs in zip(main, undisturbed.model.requests, strict=True):
        assert [bytes(m) for m in mine.messages][:2] == [bytes(m) for m in theirs.messages][:2]
        assert (bytes(mine.system), bytes(mine.tools)) == (bytes(theirs.system), bytes(theirs.tools))
    assert [bytes(m) for m in side[0].messages][:2] == [bytes(m) for m in main[1].messages][:2]
    assert bytes(side[0].tools) == bytes(main[1].tools)
    assert ASKS not in str(lab.model.messages())
    state = await lab.state(harness, session)
    assert state.run.spend.steps == 2
    assert (lab.workspace / "out.txt").read_text() == "new"


async def test_it_reads_for_its_answer_and_the_card_names_what_it_read(make_lab: MakeLab) -> None:
    read = {"tools": [call("files_read", path="facts.txt")], "if_contains": ASKS}
    lab = make_lab(WRITE, turn(branches=[read], text="understood"), turn(text="x", branches=[
        {"if_contains": "The sum is 42", "text": "The file says 42."}
    ]))  # fmt: skip
    (lab.workspace / "facts.txt").write_text("The sum is 42\n")
    harness, session, card = await asked(lab)

    (answer,) = (await lab.card(harness)).answers
    assert answer.answer == "The file says 42."
    assert any("facts.txt" in source.name for source in answer.evidence)
    (event,) = await lab.events(harness, session, ev.SideRead)
    assert isinstance(event.data, ev.SideRead)
    assert event.data.ok
    state = await lab.state(harness, session)
    assert event.data.call_id not in state.calls
    assert state.run.spend.tool_calls == 1
    await lab.decide(harness, card, "approve")
    assert (await lab.result(harness, session))["stop_reason"] == "completed"


@pytest.mark.parametrize(
    "tool", [call("files_write", path="x", content="y"), call("files_delete", path="facts.txt"), call("no_such_tool")]
)
async def test_whatever_is_no_read_is_refused_and_changes_nothing(make_lab: MakeLab, tool: dict[str, Any]) -> None:
    lab = make_lab(WRITE, answers({"tools": [tool]}), turn(branches=[{"if_contains": "error", "text": "I could not."}]))
    (lab.workspace / "facts.txt").write_text("kept")
    harness, session, _ = await asked(lab)

    (event,) = await lab.events(harness, session, ev.SideRead)
    assert isinstance(event.data, ev.SideRead)
    assert not event.data.ok
    assert not event.data.ran
    assert sorted(path.name for path in lab.workspace.iterdir()) == ["facts.txt"]
    assert (await lab.card(harness)).answers[0].answer == "I could not."


async def test_an_agent_that_only_reads_on_comes_back_without_an_answer(make_lab: MakeLab) -> None:
    endless = {"if_contains": "", "tools": [call("files_list", path=".")]}
    lab = make_lab(WRITE, *[turn(text="later", branches=[endless])] * 8)
    harness, session, _ = await asked(lab)

    (answer,) = (await lab.card(harness)).answers
    assert answer.failed
    assert len(await lab.events(harness, session, ev.SideAsked)) == 5


async def test_a_second_question_waits_for_the_first_answer_and_quotes_it(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, answers({"text": "Because."}))
    harness, _, card = await asked(lab)

    await lab.decide(harness, card, "ask", answer="And then?")

    assert [answer.question for answer in (await lab.card(harness)).answers] == ["Why this file?", "And then?"]
    assert "Because." in str(lab.model.messages()[-1])


async def test_a_question_of_an_earlier_process_is_answered_by_the_next(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, answers({"text": "Because."}))
    harness = await lab.open()
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await lab.close()
    recorder = await lab.open(works=False)
    await recorder.desk.decide(Decide(proposal=card, verdict="ask", answer="Why?", by="bar", via=Via.CLI))
    (entry,) = await recorder.desk.open_proposals()
    assert entry.with_agent
    with pytest.raises(DecisionRefused, match="still answering"):
        await recorder.desk.decide(Decide(proposal=card, verdict="ask", answer="Again?", by="bar", via=Via.CLI))
    await lab.close()

    later = await lab.open()
    await lab.resume(later, session)

    (entry,) = await later.desk.open_proposals()
    assert not entry.with_agent
    assert entry.proposal.answers[0].answer == "Because."


async def test_its_tokens_and_cost_count_and_its_step_does_not(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, answers({"text": "Because.", "usage": {"input_tokens": 1000, "output_tokens": 100}}))
    lab.write_profile("[price]\ninput = 3\noutput = 15\n")
    harness = await lab.open()
    session = await lab.start(harness)
    before = (await lab.state(harness, session)).run.spend
    card = (await lab.card(harness)).proposal

    await lab.decide(harness, card, "ask", answer="Why?")

    after = (await lab.state(harness, session)).run.spend
    assert after.input_tokens == before.input_tokens + 1000
    assert before.cost_usd is not None
    assert after.cost_usd is not None
    assert after.cost_usd > before.cost_usd
    assert after.steps == before.steps
    day = await harness.reader.day_budget()
    assert day.spent_usd == after.cost_usd


async def test_a_spent_budget_leaves_no_answer_and_the_card_says_so(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, answers({"text": "never said"}))
    harness = await lab.open()
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal
    spent = (await lab.state(harness, session)).run.spend.tokens
    await harness.supervisor.change_limit(_tokens(session, spent + 600))
    await harness.supervisor.wait(session)

    await lab.decide(harness, card, "ask", answer="Why?")

    (answer,) = (await lab.card(harness)).answers
    assert answer.failed
    assert "limit of tokens" in answer.answer


def _tokens(session: str, value: int) -> Any:
    from agent_core.model.budget import LimitName
    from agent_core.model.intents import ChangeLimit

    return ChangeLimit(session=session, limit=LimitName.TOKENS, value=str(value), by="bar", why="test")


class HeldProvider:
    """Holds every question until it is let go, and plays the script for everything else."""

    name = "held"

    def __init__(self, lab: Lab) -> None:
        self._inner = lab.model
        self.asked = asyncio.Event()

    async def warm(self) -> None:
        """It is always ready."""

    async def stream(self, request: ModelRequest, on_delta: Any) -> ModelResponse:
        """For ever, for a question."""
        if request.side:
            self.asked.set()
            await asyncio.Event().wait()
        return await self._inner.stream(request, on_delta)

    async def close(self) -> None:
        """Nothing is open."""


async def test_a_decision_meanwhile_overtakes_the_answer(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, turn(text="understood"))
    held = HeldProvider(lab)
    harness = await lab.open(provider_for=lambda _: held)
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await harness.desk.decide(Decide(proposal=card, verdict="ask", answer="Why?", by="bar", via=Via.CLI))
    await held.asked.wait()

    await harness.desk.decide(Decide(proposal=card, verdict="approve", by="bar", via=Via.CLI))
    await eventually((lab.workspace / "out.txt").exists)
    await harness.supervisor.wait(session)

    assert (await lab.result(harness, session))["stop_reason"] == "completed"
    (event,) = await lab.events(harness, session, ev.SideAnswered)
    assert isinstance(event.data, ev.SideAnswered)
    assert event.data.fault == "overtaken"


class FailingProvider(HeldProvider):
    """Fails every question with one fault."""

    def __init__(self, lab: Lab, fault: ProviderFault) -> None:
        super().__init__(lab)
        self.fault = fault
        self.tries = 0

    async def stream(self, request: ModelRequest, on_delta: Any) -> ModelResponse:
        """Fail questions."""
        if request.side:
            self.tries += 1
            raise ProviderError(self.fault, "the service says no")
        return await self._inner.stream(request, on_delta)


@pytest.mark.parametrize(("fault", "tries"), [(ProviderFault.OVERLOADED, 3), (ProviderFault.INVALID_REQUEST, 1)])
async def test_a_failing_service_brings_the_card_back_and_never_ends_the_run(
    make_lab: MakeLab, fault: ProviderFault, tries: int
) -> None:
    lab = make_lab(WRITE, turn(text="understood"))
    failing = FailingProvider(lab, fault)
    harness = await lab.open(provider_for=lambda _: failing)
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal

    await lab.decide(harness, card, "ask", answer="Why?")

    back = await lab.card(harness)
    assert (back.proposal, back.answers[0].failed, failing.tries) == (card, True, tries)
    assert "the service says no" in back.answers[0].answer
    await lab.decide(harness, card, "approve")
    assert (await lab.result(harness, session))["stop_reason"] == "completed"
