"""What crosses the facade survives JSON, so the engine can live in a process of its own."""

from pathlib import Path
from typing import Any

import msgspec

from agent_core.engine.cards import card_json, open_card_json
from agent_core.engine.facade import Notice, StreamDelta
from agent_core.engine.summary import result_json, session_json
from agent_core.model import events as ev
from agent_core.model.intents import (
    Decide,
    ForkPlan,
    ForkSession,
    OpenProposal,
    Preflight,
    Receipt,
    SessionQuery,
    SessionSummary,
    TreeBudget,
)
from agent_core.model.proposal import Via
from tests.support.engine_lab import Lab, call, turn

CARD_FIELDS = {
    "proposal", "session", "run", "step", "call_id", "tool", "touchpoint", "status", "summary", "what_changes", "why",
    "confidence", "could_go_wrong", "reversibility", "way_back", "sources", "approve_by", "deadline_outcome",
    "verdicts", "arguments", "schema", "digest",
}  # fmt: skip


def through_json(value: Any, kind: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value), type=kind)


async def test_everything_that_a_session_says_survives_json(tmp_path: Path) -> None:
    asked = turn(call("files_read", path="none"), call("files_write", path="a", content="ä\n"), text="Looking.")
    lab = Lab(tmp_path, asked, turn(text="done"))
    harness = await lab.open()
    heard: list[Any] = []
    harness.bus.subscribe(heard.append)
    session = await lab.start(harness)
    (entry,) = await harness.desk.open_proposals()
    intent = Decide(proposal=entry.proposal.proposal, verdict="approve", by="bar", via=Via.CLI)
    receipt = await harness.desk.decide(through_json(intent, Decide))
    await harness.supervisor.wait(session)

    assert {type(message) for message in heard} == {ev.Event, SessionSummary, StreamDelta}
    for message in heard:
        if isinstance(message, ev.Event):
            assert ev.decode_data(message.kind, ev.encode_data(message.data)) == message.data
        else:
            assert through_json(message, type(message)) == message
    assert through_json(entry, OpenProposal) == entry
    assert through_json(receipt, Receipt) == receipt
    preflight = await harness.supervisor.preflight(session)
    assert through_json(preflight, Preflight) == preflight
    (row,) = await harness.reader.sessions(SessionQuery())
    assert through_json(row, SessionSummary) == row
    plan = await harness.reader.fork_plan(session)
    assert through_json(plan, ForkPlan) == plan
    wish = ForkSession(session=session, by="bar", step=1, goal="again", limits=plan.limits)
    made = await harness.supervisor.fork(through_json(wish, ForkSession))
    await harness.supervisor.wait(made)
    for event in await lab.events(harness, made):
        assert ev.decode_data(event.kind, ev.encode_data(event.data)) == event.data
    tree = await harness.reader.tree_budget(made)
    assert through_json(tree, TreeBudget) == tree
    notice = Notice(kind="k", level="info", text="t")
    assert through_json(notice, Notice) == notice
    await lab.close()


async def test_the_json_of_scripts_has_every_field_that_is_promised(tmp_path: Path) -> None:
    lab = Lab(tmp_path, turn(call("files_write", path="a", content="a")), turn(text="done"))
    harness = await lab.open()
    session = await lab.start(harness)
    (entry,) = await harness.desk.open_proposals()
    (row,) = await harness.reader.sessions(SessionQuery())
    state = await lab.state(harness, session)
    await lab.close()

    card = open_card_json(entry)
    assert card.keys() >= CARD_FIELDS
    assert card["status"] == "open"
    assert card_json(entry.proposal, "expired")["status"] == "expired"
    assert set(card["confidence"]) == {"score", "threshold", "below_threshold", "checks"}
    assert msgspec.json.decode(msgspec.json.encode(card)) == card
    result = result_json(state)
    assert (result["stop_reason"], result["output"], result["completed"], result["confidence"]) == (None,) * 4
    assert set(result["spend"]) == {
        "steps", "tool_calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost_usd",
        "active_seconds",
    }  # fmt: skip
    assert set(session_json(row)) == {
        "session", "goal", "agent", "status", "stop_reason", "step", "started_at", "updated_at", "open_proposals",
        "spend",
    }  # fmt: skip
