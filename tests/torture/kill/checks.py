"""What must be so after any number of kills, once the session has been brought to its end."""

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.ids import HOME_SESSION
from agent_core.model.intents import SessionQuery
from agent_core.model.proposal import Touchpoint
from agent_core.model.state import CallState, CallStatus, SessionState
from tests.support.history_rules import raw_problems
from tests.torture.kill.story import StoryLab
from tests.torture.kill.worker import FACTS
from tests.torture.ledger_tools import ONCE, Look, entries, ledger_of

_SETTLED = (CallStatus.FINISHED, CallStatus.UNKNOWN)


def integrity_problems(root: Path) -> list[str]:
    """What SQLite's own check says of the database as the kill left it."""
    path = root / "pilothouse-home" / "pilothouse.db"
    if not path.exists() or path.stat().st_size == 0:
        return []
    with closing(sqlite3.connect(path)) as database:
        found = database.execute("PRAGMA integrity_check").fetchall()
    return [] if found == [("ok",)] else [f"integrity: {found[0][0]}"]


async def end_problems(root: Path, seed: int) -> list[str]:
    """Everything that is wrong with a story that was killed, resumed and brought to its end."""
    made = StoryLab(root, seed)
    harness = await made.open(works=False)
    try:
        rows = await harness.reader.sessions(SessionQuery())
        if len(rows) != 1:
            return [f"resume: {len(rows)} sessions instead of one"]
        session = rows[0].session
        state = await made.state(harness, session)
        events = [*await harness.reader.events(session), *await harness.reader.events(HOME_SESSION)]
        problems = [] if rows[0].stop_reason == "completed" else [f"resume: it ended {rows[0].stop_reason}"]
        problems += [f"chain: {found.reason}" for found in await harness.reader.verify() if not found.ok]
        problems += _lost(root, events)
        problems += [problem for call in state.calls.values() for problem in _call_problems(state, call)]
        problems += _effects(made, state)
        problems += _files(made, state)
        return problems + await _history(made, harness, session)
    finally:
        await made.close()


def _lost(root: Path, events: list[ev.Event]) -> list[str]:
    """Whatever a process was told is saved must be there, unaltered."""
    saved = {event.digest for event in events}
    decided = {
        event.data.decision.decision: event.data.decision for event in events if isinstance(event.data, ev.DecisionMade)
    }
    problems = []
    for line in (root / FACTS).read_bytes().splitlines():
        fact: dict[str, Any] = msgspec.json.decode(line)
        if "event" in fact:
            if fact["event"] not in saved:
                problems.append("lost: an event that was reported saved")
            continue
        made = decided.get(fact["decision"])
        if made is None:
            problems.append("decision: one that was acknowledged is gone")
        elif (made.verdict.value, made.proposal, made.arguments) != (
            fact["verdict"], fact["proposal"], fact.get("arguments")
        ):  # fmt: skip
            problems.append("decision: one was altered")
    return problems


def _call_problems(state: SessionState, call: CallState) -> list[str]:
    problems = []
    if call.status not in _SETTLED:
        problems.append(f"call: {call.tool} ended {call.status.value}")
    cards = [state.proposals[card].proposal.touchpoint for card in call.proposals]
    if call.unknown is not None and Touchpoint.OUTCOME_UNKNOWN not in cards:
        problems.append(f"unknown: {call.tool} has no card")
    return problems


def _effects(made: StoryLab, state: SessionState) -> list[str]:
    """What really happened, against what the journal says of it."""
    happened = Counter((tool, key) for tool, key, _ in entries(ledger_of(made.workspace)))
    problems = [
        f"repeated: {tool} happened {count} times"
        for (tool, _), count in happened.items()
        if tool in ONCE and count > 1
    ]
    refs = {key: ref for _, key, ref in entries(ledger_of(made.workspace))}
    for call in state.calls.values():
        key = f"{state.session}/{call.call_id}"
        if call.tool in ONCE and call.finished is not None and call.status is CallStatus.FINISHED:
            took_over = call.decision is not None and call.decision.verdict.value == "take_over"
            if (happened[call.tool, key] > 0) is not (call.finished.ok and not took_over):
                problems.append(
                    f"effect: {call.tool} says ok={call.finished.ok}, the ledger {happened[call.tool, key]}"
                )
        modified = call.decision.arguments if call.decision is not None else None
        if key in refs and modified is not None and refs[key] != modified["ref"]:
            problems.append(f"binding: {call.tool} ran other arguments than the operator gave")
    # A read has no effect, so it may begin before its response is saved; a kill then leaves nothing of either.
    acted = [(tool, key) for tool, key in happened if tool != Look.name]
    known = {f"{state.session}/{call_id}" for call_id in state.calls}
    problems += [f"effect: {tool} ran without a call" for tool, key in acted if key not in known]
    return problems


def _files(made: StoryLab, state: SessionState) -> list[str]:
    """Edits, moves and deletions of files happened once, exactly where the journal says so."""
    problems = []
    for call in state.calls.values():
        if call.finished is None or call.decision is None or call.decision.digest is None:
            continue
        given, ok = call.arguments, call.finished.ok
        if call.tool == "files_edit":
            text = (made.workspace / given["path"]).read_text()
            if text.count(given["new"].split("\n")[0]) != int(ok):
                problems.append(f"effect: an edit says ok={ok}, the file {text!r}")
        elif call.tool == "files_move":
            if (made.workspace / given["target"]).exists() is not ok or (
                made.workspace / given["source"]
            ).exists() is ok:
                problems.append(f"effect: a move says ok={ok}, the files differ")
        elif call.tool == "files_delete" and (made.workspace / given["path"]).exists() is ok:
            problems.append(f"effect: a deletion says ok={ok}, the file differs")
    return problems


async def _history(made: StoryLab, harness: Harness, session: str) -> list[str]:
    return [f"history: {problem}" for request in made.model.requests for problem in raw_problems(request.messages)]
