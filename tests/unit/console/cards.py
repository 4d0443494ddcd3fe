"""Cards for the tests of this room."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from agent_core.model.action import Rationale, Reversibility, Source, Tier
from agent_core.model.proposal import (
    VERDICTS,
    Check,
    CheckResult,
    Confidence,
    DeadlineOutcome,
    KeyFigure,
    Proposal,
    TextChange,
    Touchpoint,
    WhatChanges,
)

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def card(touchpoint: Touchpoint = Touchpoint.APPROVAL, **changes: Any) -> Proposal:
    """A card that asks to write a file, or another one."""
    proposal = Proposal(
        proposal="p-1",
        session="s-1",
        run="r-1",
        step=3,
        touchpoint=touchpoint,
        summary="Write report.txt",
        opened_at=NOW,
        approve_by=NOW + timedelta(minutes=15),
        deadline_outcome=DeadlineOutcome.CANCEL,
        deadline_text="Without a decision the call is not made.",
        verdicts=list(VERDICTS[touchpoint]),
        tool="files_write",
        arguments={"path": "report.txt", "content": "one\ntwo\n"},
        what_changes=WhatChanges(
            headline="1 file changed",
            parts=[TextChange(path="report.txt", before="one\n", after="one\ntwo\n", added=1, removed=0)],
        ),
        confidence=Confidence(
            score=0.9,
            threshold=0.85,
            below_threshold=False,
            checks=[Check(name="arguments", result=CheckResult.PASS, weight=1, detail="fit the schema")],
        ),
        why=Rationale(why="asked for", risks="none", evidence=["notes.txt"]),
        could_go_wrong=["It replaces what was there."],
        reversibility=Reversibility.REVERSIBLE,
        way_back="The old bytes are kept.",
        sources=[Source(name="notes.txt", age_seconds=60, limit_seconds=600)],
    )
    return msgspec.structs.replace(proposal, **changes)


def irreversible(**changes: Any) -> Proposal:
    """A card of the gravest tier."""
    return card(
        reversibility=Reversibility.IRREVERSIBLE,
        tier=Tier.R3,
        key_figure=KeyFigure(label="number of recipients", value="38"),
        **changes,
    )
