"""The react pattern: pure, total, and never ahead of a decision."""

import asyncio
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.engine.commands import AwaitDecisions, Idle, JudgeCalls, RequestModel, ResolveUnknown, RunCalls
from agent_core.engine.patterns import PATTERNS, pattern_for
from agent_core.engine.patterns.react import next_command
from agent_core.model import events as ev
from agent_core.model.proposal import OPEN_VERDICTS
from agent_core.model.state import CallStatus, SessionState, fold
from tests.support.engine_lab import Lab, call, turn
from tests.support.virtual_clock import START

NOW = START + timedelta(hours=1)

calls = st.sampled_from(
    [
        call("files_list", path="."),
        call("files_read", path="a.txt"),
        call("files_write", path="a.txt", content="x"),
        call("email_send", to="ann@example.com", subject="s", body="b"),
        call("ask_operator", question="which?"),
        call("nobody", x=1),
        call("files_write", path="../out", content="x"),
    ]
)
scripts = st.lists(st.lists(calls, min_size=1, max_size=3), max_size=3)
answers = st.lists(st.sampled_from(["approve", "reject", "take_over", "leave"]), max_size=6)


async def play(script: list[list[dict[str, Any]]], verdicts: list[str]) -> list[ev.Event]:
    """A real session of that script, its cards answered in that order; gives its events."""
    with tempfile.TemporaryDirectory() as folder:
        lab = Lab(Path(folder), *(turn(*asked) for asked in script), turn(text="done"))
        harness = await lab.open()
        heard: list[ev.Event] = []
        harness.bus.subscribe(lambda message: heard.append(message) if isinstance(message, ev.Event) else None)
        session = await lab.start(harness)
        for verdict in verdicts:
            cards = await lab.cards(harness)
            if not cards or verdict == "leave":
                break
            question = cards[0].touchpoint == "question"
            more = {"answer": "this"} if question else {}
            await lab.decide(harness, cards[0].proposal, "answer" if question else verdict, **more)
        events = list(await harness.reader.events(session))
        assert [event for event in heard if event.session == session] == events, "screens hear what is saved"
        await lab.close()
        return events


@settings(max_examples=15)
@given(scripts, answers)
def test_over_every_prefix_of_a_history_the_pattern_is_total_and_obeys_the_gate(
    script: list[list[dict[str, Any]]], verdicts: list[str]
) -> None:
    events = asyncio.run(play(script, verdicts))
    for length in range(1, len(events) + 1):
        state = fold(events[:length])
        command = next_command(state, NOW)
        assert command == next_command(fold(events[:length]), NOW), "the same state gives the same command"
        check_obedience(state, command)
    assert isinstance(next_command(fold(events), NOW), Idle | AwaitDecisions), "a session that rests, rests"


def check_obedience(state: SessionState, command: object) -> None:
    if isinstance(command, RunCalls):
        for call_id in command.calls:
            found = state.calls[call_id]
            allowed = found.status is CallStatus.JUDGED and found.judged is not None
            approved = found.status is CallStatus.APPROVED and found.decision is not None
            assert allowed or approved
            assert found.finished is None
        assert all(c.status is not CallStatus.ASKED for c in state.calls.values()), "all are judged before one runs"
    if isinstance(command, RequestModel):
        unanswered = [c for c in state.calls.values() if c.status is not CallStatus.FINISHED]
        assert not unanswered, "a response is answered when all its calls have a result"
    if isinstance(command, JudgeCalls):
        assert all(state.calls[c].status is CallStatus.ASKED for c in command.calls)
    if isinstance(command, AwaitDecisions):
        waiting = [state.proposals[proposal].proposal for proposal in command.proposals]
        assert waiting, "what waits for a person has a card"
        assert all(set(card.verdicts) - OPEN_VERDICTS for card in waiting), "and each card a verdict that closes it"
    if isinstance(command, ResolveUnknown):
        assert all(state.calls[c].status is CallStatus.STARTED for c in command.calls)


@settings(max_examples=10)
@given(scripts, answers, st.data())
def test_folding_in_two_halves_is_folding_at_once(
    script: list[list[dict[str, Any]]], verdicts: list[str], data: st.DataObject
) -> None:
    from agent_core.model.state import advance

    events = asyncio.run(play(script, verdicts))
    cut = data.draw(st.integers(0, len(events)))
    state = fold(events[:cut])
    for event in events[cut:]:
        advance(state, event)
    assert state == fold(events)


def test_a_session_without_a_run_rests() -> None:
    assert next_command(SessionState("s-1"), NOW) == Idle()


def test_every_pattern_can_be_found_by_its_name() -> None:
    for name, strategy in PATTERNS:
        assert pattern_for(name) is strategy
