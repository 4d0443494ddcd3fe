"""Outcome unknown: a call that may have happened is never run again by itself; a person or a check says what is so."""

import threading
from typing import Any

import pytest

from agent_core.engine import signals
from agent_core.engine.facade import Notice
from agent_core.model import events as ev
from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.audit import AuditQuery
from agent_core.model.errors import DecisionRefused
from agent_core.model.intents import Decide
from agent_core.model.proposal import Touchpoint, Via, WhatChanges
from agent_core.tools.base import Arguments, CutOff, Outcome, Preview, Privileges, ProbeAnswer, Tool, ToolContext
from agent_core.tools.registry import TOOLS
from tests.e2e.engine.conftest import MakeLab
from tests.support.doubt import start_without_outcome
from tests.support.engine_lab import Lab, call, eventually, turn
from tests.support.history_rules import raw_problems

DONE = turn(text="done")
SEND = turn(call("email_send", to="ann"))


class PostArguments(Arguments):
    """Whom it goes to."""

    to: str


class StuckPost(Tool[PostArguments]):
    """A call that starts and does not come back, until it is let go."""

    name = "email_send"
    description = "Stands in for a service that does not answer."
    arguments = PostArguments
    effect_class = EffectClass.NON_IDEMPOTENT
    reversibility = Reversibility.IRREVERSIBLE
    privileges = Privileges()

    def __init__(self) -> None:
        self.started = threading.Event()
        self.let_go = threading.Event()
        self.runs = 0
        self.answer: ProbeAnswer | None = None

    def preview(self, arguments: PostArguments, context: ToolContext) -> Preview:
        """Nothing to show."""
        return Preview(summary="Post something", what_changes=WhatChanges(headline="Something leaves"))

    def run(self, arguments: PostArguments, context: ToolContext) -> Outcome:
        """Hang."""
        self.runs += 1
        self.started.set()
        self.let_go.wait(10)
        return Outcome(result={"posted": True}, summary="Posted")

    def probe(self, arguments: PostArguments, context: ToolContext) -> ProbeAnswer | None:
        """What the test says."""
        return self.answer


async def stopped_in_the_middle(lab: Lab, post: StuckPost, how: str) -> tuple[Any, str]:
    """A session whose call was cut off after it had started: by a stop, or because the program was closed."""
    harness = await lab.open(tools=[tool for tool in TOOLS if tool.name != post.name] + [post])
    session = await lab.start(harness)
    card = await lab.card(harness)
    await harness.desk.decide(Decide(proposal=card.proposal, verdict="approve", by="bar", via=Via.CLI))
    await eventually(post.started.is_set)
    if how == "stop":
        await harness.supervisor.stop(session, "bar")
        await harness.supervisor.wait(session)
    return harness, session


async def outcomes(harness: Any) -> dict[str, str]:
    """What the audit says came of the call, card by card: the approval tells it, the card about it adds nothing."""
    entries = (await harness.records.audit(AuditQuery())).entries
    return {entry.touchpoint.value: entry.outcome for entry in entries}


@pytest.fixture
def post() -> Any:
    made = StuckPost()
    yield made
    made.let_go.set()


async def test_a_cut_call_becomes_unknown_with_a_card_and_the_run_ends_cancelled(
    make_lab: MakeLab, post: StuckPost
) -> None:
    lab = make_lab(SEND, DONE)
    harness, session = await stopped_in_the_middle(lab, post, "stop")

    card = await lab.card(harness)
    assert card.touchpoint is Touchpoint.OUTCOME_UNKNOWN
    assert card.approve_by is None
    assert card.facts["idempotency_key"]
    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["confidence"]) == ("cancelled", "low")
    assert any("Nobody knows" in gap for gap in result["gaps"])


@pytest.mark.parametrize(("verdict", "failed"), [("happened", False), ("not_happened", True), ("take_over", False)])
async def test_a_persons_word_settles_it_and_the_call_is_never_run_again(
    make_lab: MakeLab, post: StuckPost, verdict: str, failed: bool
) -> None:
    lab = make_lab(SEND, DONE)
    harness, session = await stopped_in_the_middle(lab, post, "stop")
    assert await outcomes(harness) == {"approval": "unknown", "outcome_unknown": ""}

    await lab.decide(harness, (await lab.card(harness)).proposal, verdict, details={"reference": "call with Ann"})
    await lab.resume(harness, session, "go on")

    (result,) = lab.model.results()
    assert result.get("is_error", False) is failed
    assert "call with Ann" in result["content"]
    assert await outcomes(harness) == {"approval": "failed" if failed else "ran", "outcome_unknown": ""}
    assert post.runs == 1
    assert (await lab.result(harness, session))["stop_reason"] == "completed"
    assert not raw_problems(lab.model.requests[-1].messages)


async def test_going_on_waits_for_the_word_about_it(make_lab: MakeLab, post: StuckPost) -> None:
    lab = make_lab(SEND, DONE)
    harness, session = await stopped_in_the_middle(lab, post, "stop")

    await lab.resume(harness, session, "go on")

    assert (await lab.result(harness, session))["status"] == "awaiting_decision"
    assert len(lab.model.requests) == 1


@pytest.mark.parametrize(("found", "closes"), [(True, True), (False, True), (None, False)])
async def test_checking_again_settles_it_only_when_the_check_can_tell(
    make_lab: MakeLab, post: StuckPost, found: bool | None, closes: bool
) -> None:
    lab = make_lab(SEND, DONE)
    harness, _ = await stopped_in_the_middle(lab, post, "stop")
    card = (await lab.card(harness)).proposal
    post.answer = ProbeAnswer(happened=found, detail="the list of sent mail")

    await lab.decide(harness, card, "check_again")

    assert (await lab.cards(harness) == []) is closes
    if not closes:
        assert "the list of sent mail" in str((await lab.card(harness)).facts["probes"])
    assert post.runs == 1


@pytest.mark.parametrize(("found", "settled"), [(True, True), (False, False), (None, False)])
async def test_a_call_whose_line_broke_is_looked_for_at_once_and_only_its_effect_settles_it(
    make_lab: MakeLab, post: StuckPost, found: bool | None, settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(arguments: PostArguments, context: ToolContext) -> Outcome:
        raise CutOff("The line broke.")

    monkeypatch.setattr(post, "run", breaks)
    post.answer = ProbeAnswer(
        happened=found, detail="The list lags.", looked={"sent mail": "as it is", "bills": "none"}
    )
    lab = make_lab(SEND, DONE)
    harness = await lab.open(tools=[tool for tool in TOOLS if tool.name != post.name] + [post])
    session = await lab.start(harness)
    await lab.decide(harness, (await lab.card(harness)).proposal, "approve")
    await harness.supervisor.wait(session)

    assert (await lab.cards(harness) == []) is settled
    if not settled:
        await lab.decide(
            harness, (card := await lab.card(harness)).proposal, "happened", details={"reference": "paper"}
        )
        assert [probe["attempt"] for probe in card.facts["probes"]] == ["sent mail", "bills"]
        assert card.what_changes is not None
        assert card.what_changes.not_happening[:2] == ["Absence is not proof.", "The list lags."]


async def test_a_place_that_is_looked_at_again_is_told_once(make_lab: MakeLab, post: StuckPost) -> None:
    lab = make_lab(SEND, DONE)
    harness, _ = await stopped_in_the_middle(lab, post, "stop")
    card = (await lab.card(harness)).proposal

    for result in ("nothing", "nothing yet"):
        post.answer = ProbeAnswer(happened=None, detail="It lags.", looked={"sent mail": result})
        await lab.decide(harness, card, "check_again")

    (probe,) = (await lab.card(harness)).facts["probes"]
    assert (probe["attempt"], probe["result"]) == ("sent mail", "nothing yet")


async def test_an_open_card_is_checked_by_itself_and_says_only_what_is_new(make_lab: MakeLab, post: StuckPost) -> None:
    lab = make_lab(SEND, DONE)
    harness, session = await stopped_in_the_middle(lab, post, "stop")
    card = (await lab.card(harness)).proposal
    assert not await harness.desk.recheck(card), "it has no check of its own"

    answers = [("nothing", None), ("nothing", None), ("something like it", None), ("gone", False), ("gone", False)]
    told = []
    for result, happened in answers:
        post.answer = ProbeAnswer(happened=happened, detail="The list.", looked={"sent mail": result})
        told.append(await harness.desk.recheck(card))
    assert told == [True, False, True, True, False]
    assert (await lab.card(harness)).proposal == card, "that it is not found is no proof that it did not happen"

    post.answer = ProbeAnswer(happened=True, detail="It stands in the list.")
    assert await harness.desk.recheck(card)
    assert await lab.cards(harness) == []
    await harness.supervisor.wait(session)
    await lab.resume(harness, session, "go on")
    assert "It stands in the list." in lab.model.results()[0]["content"]
    assert post.runs == 1


async def test_an_approval_is_no_verdict_of_it_and_silence_settles_nothing(make_lab: MakeLab, post: StuckPost) -> None:
    lab = make_lab(SEND, DONE)
    harness, session = await stopped_in_the_middle(lab, post, "stop")
    card = (await lab.card(harness)).proposal
    heard: list[Notice] = []
    harness.bus.subscribe(lambda message: heard.append(message) if isinstance(message, Notice) else None)

    with pytest.raises(DecisionRefused):
        await lab.decide(harness, card, "approve")
    for _ in range(2):
        lab.clock.advance(31 * 60)
        await eventually(lambda: bool(heard))
    lab.clock.advance(80 * 3600)
    await harness.desk.expire(session)

    assert (await lab.card(harness)).proposal == card
    assert "proposal_expired" not in await lab.kinds(harness, session)


async def test_closing_gives_a_call_its_grace_and_then_calls_it_unknown(
    make_lab: MakeLab, post: StuckPost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(signals.GRACE, signals.Signal.CLOSE, 0.2)
    lab = make_lab(SEND, DONE)
    _, session = await stopped_in_the_middle(lab, post, "close")
    await lab.close()

    again = await lab.open()
    assert (await lab.result(again, session))["status"] == "awaiting_decision", "the run rests on its card"
    assert [card.touchpoint for card in await lab.cards(again)] == [Touchpoint.OUTCOME_UNKNOWN]


async def test_the_same_call_asked_for_again_is_marked_as_a_repeat(make_lab: MakeLab, post: StuckPost) -> None:
    lab = make_lab(SEND, SEND, DONE)
    harness, session = await stopped_in_the_middle(lab, post, "stop")
    await lab.decide(harness, (await lab.card(harness)).proposal, "happened")
    await lab.resume(harness, session, "go on")

    card = await lab.card(harness)
    assert card.repeat_of is not None
    assert "step 1" in card.repeat_of
    assert any("repeat" in reason for reason in card.verdict_reasons)
    judged = [e.data for e in await lab.events(harness, session, ev.CallJudged)]
    assert len(judged) == 2


async def test_an_edit_that_was_cut_off_before_it_touched_the_file_is_settled_without_a_person(
    make_lab: MakeLab,
) -> None:
    lab = make_lab(turn(call("files_edit", path="a.txt", old="one", new="two")), DONE)
    (lab.workspace / "a.txt").write_text("one\n")
    harness = await lab.open(works=True)
    session = await lab.start(harness)
    card = await lab.card(harness)
    await harness.close()
    recorder = await lab.open(works=False)
    await lab.decide(recorder, card.proposal, "approve")
    await start_without_outcome(recorder, card)
    await recorder.close()

    harness = await lab.open()
    await lab.resume(harness, session)

    assert await lab.cards(harness) == []
    (finished,) = await lab.events(harness, session, ev.CallFinished)
    assert isinstance(finished.data, ev.CallFinished)
    assert finished.data.error is not None
    assert finished.data.error.code == "did_not_happen"
