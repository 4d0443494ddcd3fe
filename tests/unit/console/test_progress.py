"""One readable line an event, whatever text it carries."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from agent_core.model import events as ev
from agent_core.model.action import ToolError
from agent_core.model.budget import LimitName, Usage
from console.progress import lines_for
from tests.unit.console.cards import NOW, card

HOSTILE = "pay \u202e00.1\x1b[2J\nsecond line"


def event(data: ev.EventData) -> ev.Event:
    return ev.Event(seq=1, at=NOW, session="s-1", run="r-1", step=3, data=data, prev="", digest="")


def said(data: ev.EventData) -> list[str]:
    return list(lines_for(event(data)))


CALL: dict[str, Any] = {"call_id": "c", "tool_use_id": "t", "tool": "files_write"}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (ev.CallFinished(**CALL, ok=True, summary="Wrote out.txt"), "✓ files_write: Wrote out.txt"),
        (
            ev.CallFinished(**CALL, ok=False, error=ToolError(code="x", message="no such file")),
            "✗ files_write: no such",
        ),
        (ev.ProposalOpened(proposal=card()), "■ approval: Write report.txt [p-1]"),
        (ev.LimitChanged(limit=LimitName.STEPS, old="12", new="20", by="eva"), "steps: 12 → 20, by eva"),
        (ev.RunPaused(reason="closed"), "paused (closed)"),
        (ev.RunResumed(by="eva"), "goes on, by eva"),
    ],
)
def test_what_happened_is_one_line(data: ev.EventData, expected: str) -> None:
    (line,) = said(data)

    assert expected in line


def test_the_end_says_why_what_and_what_is_missing() -> None:
    stop = ev.RunStopped(stop_reason="step_limit", completed=False, output="so far", gaps=["the sum"], confidence="low")

    assert said(stop) == ["ended: step limit (confidence low)", "so far", "missing: the sum"]


@pytest.mark.parametrize(("cost", "told"), [(Decimal("0.0123"), "$0.01"), (None, "cost unknown")])
def test_the_models_words_come_with_their_cost_and_without_control_characters(cost: Decimal | None, told: str) -> None:
    response = ev.ModelResponded(
        request_id="q",
        attempt=1,
        model="m",
        content=[{"type": "text", "text": HOSTILE}],
        finish_reason="end_turn",
        usage=Usage(),
        cost_usd=cost,
    )

    first, second = said(response)

    assert first == f"  3  pay \\u202e00.1\\u001b[2J  ({told})"
    assert second == "     second line"


@pytest.mark.parametrize(
    "data",
    [
        ev.CallFinished(**CALL, ok=True, summary=HOSTILE),
        ev.CallUnknown(**CALL, why=HOSTILE),
        ev.ProposalWithdrawn(proposal="p", why=HOSTILE),
        ev.AlertRaised(alert="a", message=HOSTILE),
        ev.RunPaused(reason="operator", detail=HOSTILE),
        ev.SessionOpened(goal=HOSTILE, agent=HOSTILE, agent_version="v", profile={}, workspace=HOSTILE, by="b"),
    ],
)
def test_text_from_outside_stays_on_its_line(data: ev.EventData) -> None:
    for line in said(data):
        assert "\n" not in line
        assert "\x1b" not in line
        assert "\u202e" not in line


def test_what_only_machines_read_says_nothing() -> None:
    assert said(ev.NoteWritten(key="k", text="t")) == []


@pytest.mark.parametrize("message", ["It cannot be reached.", "It is overloaded (HTTP 529): Overloaded"])
@pytest.mark.parametrize(("wait", "told"), [(4.0, "4 s"), (3.2, "4 s"), (0.3, "1 s"), (-1.0, "1 s")])
def test_a_failed_attempt_says_when_the_next_one_comes(message: str, wait: float, told: str) -> None:
    failed = ev.ModelFailed(
        request_id="q", attempt=2, fault="connection", message=message, retry_at=NOW + timedelta(seconds=wait)
    )
    assert said(failed) == [f"  3  attempt 2: {message.rstrip('.')}. Trying again in {told}."]


def test_why_the_service_failed_is_said_once_with_the_end() -> None:
    no_key = "There is no key: set one."
    failed = ev.ModelFailed(request_id="q", attempt=1, fault="no_key", message=no_key)
    stop = ev.RunStopped(
        stop_reason="provider_failed",
        completed=False,
        output=None,
        gaps=[no_key],
        confidence="low",
        detail=no_key,
    )

    assert said(failed) + said(stop) == [
        "  3  attempt 1 failed: no key",
        "ended: provider failed (confidence low)",
        f"missing: {no_key}",
    ]


def test_an_attempt_that_nobody_saw_fail_is_named_too() -> None:
    failed = ev.ModelFailed(request_id="q", attempt=2, fault="interrupted", message="The process ended.")
    assert said(failed) == ["  3  attempt 2 failed: interrupted"]


def test_what_no_gap_says_stands_behind_the_end() -> None:
    stop = ev.RunStopped(stop_reason="completed", completed=True, output="42", gaps=[], confidence="high", detail="x")
    assert said(stop) == ["completed (confidence high), x", "42"]
