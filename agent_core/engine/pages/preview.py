"""What a card said would change, as a part of a page."""

from collections.abc import Iterator

from agent_core.engine.pages.parts import diff, facts, grid, listed, text
from agent_core.model.patch import patch_lines
from agent_core.model.proposal import (
    Change,
    CommandChange,
    FieldsChange,
    FileChange,
    ImageChange,
    MessageChange,
    Picture,
    PlanChange,
    PlannedStep,
    TableChange,
    TextChange,
    WhatChanges,
)


def preview(change: WhatChanges) -> Iterator[str]:
    """Its headline, every part of it, and what does not happen."""
    if change.unavailable:
        yield f"<p>No preview: {text(change.unavailable)}</p>"
        return
    yield f"<p>{text(change.headline)}</p>"
    for part in change.parts:
        yield _part(part)
    yield listed(change.not_happening)


def _part(part: Change) -> str:
    match part:
        case TextChange():
            return f"<p>{text(part.path)}</p>" + diff(patch_lines(part))
        case FieldsChange():
            rows = [(row.sign.value, row.field, row.before or "", row.after or "") for row in part.rows]
            return f"<p>{text(part.title)}</p>" + grid(("", "field", "before", "after"), rows)
        case TableChange():
            cells = [(row.sign.value, *row.cells, row.flag or "") for row in part.rows]
            return f"<p>{text(part.path)}</p>" + grid(("", *part.columns, ""), cells)
        case MessageChange():
            head = facts([("To", ", ".join(part.to)), ("Subject", part.subject)])
            return f"{head}<pre>{text(part.body)}</pre>"
        case FileChange():
            return facts([(part.action, part.path), ("To", part.target), ("Files", part.files), ("Bytes", part.size)])
        case ImageChange():
            sides = [("Before", part.before), ("After", part.after)]
            return f"<p>{text(part.path)}</p>" + facts((name, _picture(picture)) for name, picture in sides)
        case PlanChange():
            columns = ("", "step", "goal", "after", "asks", "before")
            return grid(columns, [_planned(planned) for planned in part.steps])
        case CommandChange():
            return f"<p>{text(part.where)}</p><pre>{text(part.command)}</pre>"


def _picture(picture: Picture | None) -> str:
    return "no file" if picture is None else f"{picture.form}, {picture.size} bytes, SHA-256 {picture.sha256}"


def _planned(planned: PlannedStep) -> tuple[str, ...]:
    step, before = planned.step, planned.before
    asks = f"{planned.asks.value}: {planned.asks_because}" if planned.asks_because else planned.asks.value
    return (
        planned.sign.value,
        step.id,
        step.goal,
        ", ".join(step.after),
        asks,
        before.goal if before is not None else "",
    )
