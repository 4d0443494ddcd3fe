"""What has happened is not done again, whatever comes between: questions, retries, restarts, kills, new settings."""

import asyncio
import shutil
import sqlite3
import threading

from agent_core.engine.facade import BusMessage
from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.intents import Decide, StartRun
from agent_core.model.proposal import TextChange, Via
from agent_core.tools.base import Arguments, Outcome, Tool, ToolContext, fail
from agent_core.tools.registry import TOOLS
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import Lab, call, turn
from tests.support.history_rules import raw_problems
from tests.support.virtual_clock import VirtualClock

DONE = turn(text="done")
WRITE = turn(call("files_write", path="out.txt", content="v1"))
MAIL = call("email_send", to="ann@example.com", subject="Report", body="It is done.")
ALLOW_WRITES = '[[rules]]\ntool = "files_write"\nwhen = { path = "*.txt" }\nverdict = "allow"\n'


def mails(lab: Lab) -> int:
    return len(list(lab.home.outbox.glob("*.eml")))


async def started(lab: Lab, harness: Harness, session: str) -> list[str]:
    """The tools of all calls that began, in order."""
    found = [event.data for event in await lab.events(harness, session, ev.CallStarted)]
    return [data.tool for data in found if isinstance(data, ev.CallStarted)]


async def test_answering_one_of_two_questions_repeats_nothing_and_leaves_the_other_open(make_lab: MakeLab) -> None:
    asked = turn(
        call("files_write", path="out.txt", content="v1"),
        call("ask_operator", question="first?"),
        call("ask_operator", question="second?"),
    )
    lab = make_lab(asked, DONE)
    lab.write_profile(ALLOW_WRITES)
    harness = await lab.open()
    session = await lab.start(harness, "write v1 to out.txt")
    first, second = await lab.cards(harness)

    await lab.decide(harness, first.proposal, "answer", answer="yes")
    await lab.close()
    again = await lab.open()
    await lab.resume(again, session)

    assert [card.proposal for card in await lab.cards(again)] == [second.proposal]
    assert await started(lab, again, session) == ["files_write"]
    assert len(lab.model.requests) == 1
    await lab.decide(again, second.proposal, "answer", answer="no")
    assert await started(lab, again, session) == ["files_write"]
    assert len(lab.model.results()) == 3


async def test_a_request_that_is_tried_again_repeats_no_call_of_the_step_before(make_lab: MakeLab) -> None:
    overload = {"status": 529, "type": "overloaded_error"}
    lab = make_lab(turn(MAIL), {**DONE, "faults": [overload, {"drop_after": 2}, overload]})
    harness = await lab.open()
    session = await lab.start(harness)

    await lab.decide(harness, (await lab.card(harness)).proposal, "approve", reason="asked for")

    assert mails(lab) == 1
    assert await started(lab, harness, session) == ["email_send"]
    assert len(lab.model.requests) == 5
    assert len({bytes(request.messages[-1]) for request in lab.model.requests[1:]}) == 1, "each attempt says the same"


async def test_the_key_of_a_call_comes_from_the_journal_and_never_from_the_model(make_lab: MakeLab) -> None:
    chosen = call("files_write", path="out.txt", content="v1", idempotency_key="unique-1")
    lab = make_lab(turn(chosen), WRITE, DONE)
    lab.write_profile(ALLOW_WRITES)
    harness = await lab.open()
    session = await lab.start(harness, "write v1 to out.txt")

    (refused,) = lab.model.results(1)
    assert "idempotency_key is not an argument" in refused["content"]
    (begun,) = await lab.events(harness, session, ev.CallStarted)
    assert isinstance(begun.data, ev.CallStarted)
    assert begun.data.idempotency_key == f"{session}/{begun.data.call_id}"


class NoArguments(Arguments):
    """Nothing is asked."""


class Flaky(Tool[NoArguments]):
    """A read that never works and says that it may later."""

    name = "files_search"
    description = "Fails."
    arguments = NoArguments
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE
    real = False

    def run(self, arguments: NoArguments, context: ToolContext) -> Outcome:
        """Fail."""
        fail("busy", "Not now.", retryable=True)


async def test_a_call_killed_between_its_attempts_goes_on_with_the_next_number(make_lab: MakeLab) -> None:
    tools = [Flaky() if tool.name == Flaky.name else tool for tool in TOOLS]
    lab = make_lab(turn(call("files_search")), DONE)
    harness = await lab.open(tools=tools)
    killed = lab.root / "killed.db"

    def hear(message: BusMessage) -> None:
        """What a kill right after the second failed attempt would leave."""
        if isinstance(message, ev.Event) and isinstance(message.data, ev.CallRetried) and message.data.attempt == 2:
            with sqlite3.connect(lab.home.database) as source, sqlite3.connect(killed) as copy:
                source.backup(copy)

    harness.bus.subscribe(hear)
    session = await lab.start(harness)
    live = await attempts(lab, harness, session)
    await lab.close()
    shutil.rmtree(lab.home.heads)
    for left in lab.home.data.glob("pilothouse.db*"):
        left.unlink()
    killed.rename(lab.home.database)

    again = await lab.open(tools=tools)
    await lab.resume(again, session)

    assert await attempts(lab, again, session) == live
    assert len(live) >= 3
    assert (await lab.result(again, session))["spend"]["tool_calls"] == 1


async def attempts(lab: Lab, harness: Harness, session: str) -> list[int]:
    found = [event.data for event in await lab.events(harness, session, ev.CallStarted)]
    return [data.attempt for data in found if isinstance(data, ev.CallStarted)]


async def test_an_approval_is_kept_over_a_restart_with_other_settings(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    recorder = await lab.open(works=False)
    session = await lab.start(recorder)
    await lab.decide(recorder, (await lab.card(recorder)).proposal, "approve")
    await lab.close()
    lab.home.settings.write_text('[policies]\nconfidence = 0.99\napprove_within = "2h"\n[general]\ntheme = "dark"\n')

    again = await lab.open()
    await lab.resume(again, session)

    kinds = await lab.kinds(again, session)
    assert (kinds.count("proposal_opened"), kinds.count("call_started")) == (1, 1)
    assert (lab.workspace / "out.txt").read_text() == "v1"
    assert (await lab.result(again, session))["stop_reason"] == "completed"


async def test_an_approval_whose_call_could_not_begin_waits_and_runs_once_later(make_lab: MakeLab) -> None:
    lab = make_lab(turn(MAIL), DONE, clock=VirtualClock(passes=1.0))
    harness = await lab.open()
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal
    kept = lab.root / "kept.db"

    await harness.desk.decide(Decide(proposal=card, verdict="approve", by="bar", via=Via.CONSOLE, reason="asked for"))
    lab.home.database.rename(kept)
    lab.clock.advance(60)
    await harness.supervisor.wait(session)
    assert mails(lab) == 0, "what cannot be announced does not begin"
    await lab.close()
    for left in lab.home.data.glob("pilothouse.db*"):
        left.unlink()
    kept.rename(lab.home.database)

    again = await lab.open(takes_decided=True)
    await again.supervisor.wait(session)

    assert mails(lab) == 1
    assert await lab.cards(again) == []
    assert await started(lab, again, session) == ["email_send"]


async def test_approving_a_call_while_a_rule_comes_to_allow_it_runs_it_once(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, turn(call("files_write", path="more.txt", content="v2")), DONE)
    harness = await lab.open()
    session = await lab.start(harness, "write v1 to out.txt and v2 to more.txt")

    lab.write_profile(ALLOW_WRITES)
    await lab.decide(harness, (await lab.card(harness)).proposal, "approve")

    assert await started(lab, harness, session) == ["files_write", "files_write"]
    assert (lab.workspace / "more.txt").read_text() == "v2", "the rule holds from the next call on"
    assert (await lab.result(harness, session))["stop_reason"] == "completed"
    assert all(not raw_problems(request.messages) for request in lab.model.requests)


async def test_cards_of_an_earlier_process_are_there_at_once_and_hold_up_no_new_session(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    old = [await lab.start(harness, f"goal {number}") for number in range(3)]
    before = {card.proposal: card.approve_by for card in await lab.cards(harness)}
    await lab.close()

    again = await lab.open(takes_decided=True)
    async with asyncio.timeout(1):
        assert {card.proposal: card.approve_by for card in await lab.cards(again)} == before
    new = await lab.start(again, "new")

    (card,) = [card for card in await lab.cards(again) if card.session == new]
    await lab.decide(again, card.proposal, "approve")
    assert (await lab.result(again, new))["stop_reason"] == "completed"
    assert {card.session for card in await lab.cards(again)} == set(old)


async def test_sessions_whose_decision_has_come_all_go_on_though_another_program_locks_the_database(
    make_lab: MakeLab,
) -> None:
    lab = make_lab(WRITE, DONE)
    recorder = await lab.open(works=False)
    sessions = [await lab.start(recorder, f"goal {number}") for number in range(6)]
    for card in await lab.cards(recorder):
        await lab.decide(recorder, card.proposal, "reject", reason="no")
    await lab.close()
    other = sqlite3.connect(lab.home.database, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    release = threading.Timer(1.0, lambda: other.execute("ROLLBACK"))
    release.start()

    console = await lab.open(takes_decided=True)
    for session in sessions:
        await console.supervisor.wait(session)

    release.join()
    other.close()
    assert {(await lab.result(console, session))["status"] for session in sessions} == {"ended"}


async def test_the_card_shows_the_place_that_will_be_written_and_binds_just_that(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("files_write", path="./sub/../out.txt", content="v1")), DONE)
    (lab.workspace / "sub").mkdir()
    harness = await lab.open()
    session = await lab.start(harness)
    card = await lab.card(harness)
    assert card.summary.startswith("Write out.txt"), "a spelling is not what happens"
    assert [part.path for part in card.what_changes.parts if isinstance(part, TextChange)] == ["out.txt"]

    await lab.decide(harness, card.proposal, "approve")

    (begun,) = await lab.events(harness, session, ev.CallStarted)
    assert isinstance(begun.data, ev.CallStarted)
    assert (begun.data.digest, begun.data.arguments) == (card.digest, card.arguments)
    assert (lab.workspace / "out.txt").read_text() == "v1"


async def test_each_of_three_parallel_calls_is_answered_though_one_never_ends(make_lab: MakeLab) -> None:
    hanging = Hanging()
    lab = make_lab(turn(call("files_list", path="."), call("files_search"), call("files_read", path="a.txt")), DONE)
    (lab.workspace / "a.txt").write_text("one")
    harness = await lab.open(tools=[hanging if tool.name == hanging.name else tool for tool in TOOLS])
    start = StartRun(profile=str(lab.profile), goal="look", workspace=str(lab.workspace), by="bar")
    session = await harness.supervisor.start(start)
    try:
        await asyncio.to_thread(hanging.begun.wait, 10)
        await harness.supervisor.stop(session, "bar")
        await harness.supervisor.wait(session)
    finally:
        hanging.let_go.set()
    await lab.resume(harness, session, "go on")

    results = lab.model.results()
    assert [result["tool_use_id"] for result in results] == ["toolu_0_0", "toolu_0_1", "toolu_0_2"]
    assert [result.get("is_error", False) for result in results] == [False, True, False]
    assert not raw_problems(lab.model.requests[-1].messages)


class Hanging(Flaky):
    """A read that ends when the test lets it."""

    def __init__(self) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()

    def run(self, arguments: NoArguments, context: ToolContext) -> Outcome:
        """Wait for the test."""
        self.begun.set()
        self.let_go.wait(20)
        return Outcome(result={}, summary="Waited")
