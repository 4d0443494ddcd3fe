"""Summaries of sessions as rows of `sessions` and back."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from agent_core.model.budget import Limits, Spend
from agent_core.model.intents import SessionSummary
from agent_core.model.proposal import Touchpoint
from agent_core.model.run import SessionStatus
from agent_core.model.text import whole_characters
from agent_core.store.codec import instant, micros
from agent_core.store.money import to_nano
from agent_core.store.statements import SUMMARY_COLUMNS

_JSON = msgspec.json.Encoder(decimal_format="string")


def summary_row(summary: SessionSummary) -> tuple[Any, ...]:
    """The values of a row, in the order of `SUMMARY_COLUMNS`."""
    cost = summary.spend.cost_usd
    return (
        summary.session,
        whole_characters(summary.goal),
        whole_characters(summary.agent),
        summary.agent_version,
        summary.model,
        summary.pattern,
        whole_characters(summary.workspace),
        summary.status.value,
        summary.stop_reason,
        summary.pause_reason,
        summary.step,
        micros(summary.started_at),
        micros(summary.updated_at),
        _JSON.encode(summary.open_proposals).decode(),
        len(summary.open_proposals),
        None if summary.nearest_deadline is None else micros(summary.nearest_deadline),
        None if summary.urgent_touchpoint is None else summary.urgent_touchpoint.value,
        _JSON.encode(summary.spend).decode(),
        _JSON.encode(summary.limits).decode(),
        None if cost is None else to_nano(cost),
        int(summary.demo),
        summary.decided_yes,
        summary.decided_no,
        summary.decided_edited,
        whole_characters(summary.message),
    )


def summary_of(row: Sequence[Any] | sqlite3.Row) -> SessionSummary:
    """The summary of a row whose values are in the order of `SUMMARY_COLUMNS`."""
    value = dict(zip(SUMMARY_COLUMNS, row, strict=True))
    touchpoint = value["urgent_touchpoint"]
    return SessionSummary(
        session=value["session"],
        goal=value["goal"],
        agent=value["agent"],
        agent_version=value["agent_version"],
        model=value["model"],
        pattern=value["pattern"],
        workspace=value["workspace"],
        status=SessionStatus(value["status"]),
        stop_reason=value["stop_reason"],
        pause_reason=value["pause_reason"],
        step=value["step"],
        started_at=instant(value["started_at"]),
        updated_at=instant(value["updated_at"]),
        open_proposals=msgspec.json.decode(value["open_proposals"], type=list[str]),
        spend=msgspec.json.decode(value["spend"], type=Spend),
        limits=msgspec.json.decode(value["limits"], type=Limits),
        demo=bool(value["demo"]),
        nearest_deadline=_maybe(value["nearest_deadline"]),
        urgent_touchpoint=None if touchpoint is None else Touchpoint(touchpoint),
        decided_yes=value["decided_yes"],
        decided_no=value["decided_no"],
        decided_edited=value["decided_edited"],
        message=value["message"],
    )


def _maybe(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else instant(microseconds)
