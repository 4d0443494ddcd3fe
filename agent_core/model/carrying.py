"""Carrying: the part of a session's fold that takes in the history it was forked with. Pure."""

from agent_core.model import events as ev
from agent_core.model.budget import Limits
from agent_core.model.run import (
    CallState,
    CallStatus,
    HistoryEntry,
    HistoryKind,
    RequestState,
    RunState,
    SessionState,
)


def carry_in(state: SessionState, event: ev.Event, data: ev.SessionForked) -> None:
    """Take in what a session was forked with, as an earlier run that is not counted."""
    state.forked = data
    run = RunState(data.source, event.at, Limits(), "", data.by, step=data.step, notes=dict(data.notes), inherited=True)
    state.runs.insert(0, run)  # earlier than whatever happens here
    for turn in data.turns:
        _carry(state, run, turn, data.seq)
    if data.note:
        state.history.append(HistoryEntry(HistoryKind.NOTE, data.note))


def _carry(state: SessionState, run: RunState, turn: ev.CarriedTurn, source_seq: int) -> None:
    """Take in one turn of the source: settled, with its places in time before everything that happens here."""
    request_id = turn.requested.request_id
    request = RequestState(
        request_id, run.run, turn.step, turn.requested, turn.requested_at, turn.requested_seq - source_seq - 1
    )
    request.responded, request.responded_at = turn.responded, turn.responded_at
    state.requests[request_id] = request
    run.requests.append(request_id)
    for said in turn.said:
        state.history.append(HistoryEntry(HistoryKind.NOTE if said.note else HistoryKind.OPERATOR, said.text))
    state.history.append(HistoryEntry(HistoryKind.RESPONSE, request_id=request_id))
    for asked, carried in zip(turn.responded.calls, turn.calls, strict=True):
        given = turn.responded.content[asked.block].get("input")
        state.calls[asked.call_id] = CallState(
            call_id=asked.call_id,
            tool_use_id=asked.tool_use_id,
            tool=asked.tool,
            run=run.run,
            step=turn.step,
            asked_input=given if isinstance(given, dict) else {},
            asked_at=carried.asked_at,
            status=CallStatus.FINISHED,
            judged=carried.judged,
            finished=carried.finished,
            finished_at=carried.finished_at,
            finished_seq=carried.finished_seq - source_seq - 1,
        )
        request.calls.append(asked.call_id)
        run.calls.append(asked.call_id)
    if turn.calls:
        state.history.append(HistoryEntry(HistoryKind.RESULTS, request_id=request_id))
