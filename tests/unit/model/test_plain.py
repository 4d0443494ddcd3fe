"""Plain data: what scripts read says every field, also those that the journal leaves out."""

from datetime import UTC, datetime
from decimal import Decimal

from agent_core.engine.exporting import event_json
from agent_core.model.action import Rationale, Source
from agent_core.model.budget import LimitName
from agent_core.model.events import Event, LimitChanged
from agent_core.model.plain import plain
from agent_core.model.proposal import TextChange


def test_defaults_are_written_out_at_every_depth() -> None:
    assert plain({"why": [Rationale(why="asked")]}) == {"why": [{"why": "asked", "risks": "", "evidence": []}]}
    assert plain(Source(name="a.txt"))["age_seconds"] is None


def test_values_are_those_that_json_has() -> None:
    at = datetime(2026, 3, 2, tzinfo=UTC)

    assert plain((Decimal("0.10"), at, LimitName.STEPS, None, 1)) == ["0.10", "2026-03-02T00:00:00Z", "steps", None, 1]


def test_a_block_of_a_card_keeps_its_kind() -> None:
    block = TextChange(path="a.txt", before=None, after="x", added=1, removed=0)

    assert plain(block)["type"] == "text"


def test_a_trace_line_says_that_no_reason_was_given() -> None:
    changed = LimitChanged(limit=LimitName.STEPS, old="3", new="30", by="bar", why="")
    event = Event(
        seq=1, at=datetime(2026, 3, 2, tzinfo=UTC), session="s", run="r", step=1, data=changed, prev="", digest=""
    )

    assert event_json(event)["data"] == {"limit": "steps", "old": "3", "new": "30", "by": "bar", "why": ""}
