"""The card of a call that only reads."""

from collections.abc import Sequence

from agent_core.model.action import Source
from agent_core.model.proposal import Check, WhatChanges
from agent_core.tools.base import Preview


def reading(summary: str, sources: Sequence[Source] = (), checks: Sequence[Check] = ()) -> Preview:
    """A preview that says what would be read and that nothing changes."""
    return Preview(
        summary=summary,
        what_changes=WhatChanges(
            headline="Nothing changes: it only reads", not_happening=["Nothing is written or sent."]
        ),
        checks=list(checks),
        sources=list(sources),
        way_back="There is nothing to take back.",
    )
