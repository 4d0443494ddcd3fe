"""Cards as plain text: every field, whole, with hidden characters visible. Nothing is cut off."""

import json
from collections.abc import Iterator
from datetime import datetime

from agent_core.model.patch import patch_lines
from agent_core.model.proposal import (
    Change,
    CheckResult,
    CommandChange,
    FieldChange,
    FieldsChange,
    FileChange,
    ImageChange,
    MessageChange,
    Picture,
    PlanChange,
    PlannedStep,
    Proposal,
    TableChange,
    TextChange,
    Touchpoint,
    Verdict,
    WhatChanges,
)
from ui.formatting import age, byte_size, countdown, plural
from ui.hostile import visible, visible_line
from ui.models import plan_words

_BINDING = (Touchpoint.APPROVAL, Touchpoint.CONFIDENCE)
"""Cards whose facts only bind the approval to its call; a reader finds nothing new in them."""

_MARK = {CheckResult.PASS: "ok", CheckResult.WARN: "look", CheckResult.FAIL: "FAIL", CheckResult.NOT_APPLICABLE: "–"}

_TAKES = {
    Verdict.MODIFY: "--args, the complete new arguments as JSON",
    Verdict.EDIT: "--args, the complete new arguments as JSON",
    Verdict.EXTEND: """--args, the new limits such as '{"cost_usd": "3.00"}'""",
    Verdict.ESCALATE: """--args '{"to": "NAME"}'""",
    Verdict.POSTPONE: """--args '{"until": "2026-12-31T18:00:00Z"}'""",
    Verdict.HAPPENED: """--args '{"reference": "how you know"}'""",
    Verdict.NOT_HAPPENED: """--args '{"reference": "how you know"}'""",
    Verdict.ANSWER: "--answer",
    Verdict.ASK: "--answer, your question to the agent",
    Verdict.OTHER_WAY: "--answer, what to do instead",
}
"""What a verdict takes on the command line beside --reason, which each of them takes."""


def card_lines(card: Proposal, now: datetime) -> Iterator[str]:
    """The whole card, line by line."""
    where = f"step {card.step}" + (f" · {card.tool}" if card.tool else "")
    gravity = f" · {card.reversibility.value.replace('_', ' ')} ({card.tier.value})" if card.reversibility else ""
    yield f"── {card.touchpoint.value.replace('_', ' ')} · {where}{gravity}"
    yield visible_line(card.summary)
    if card.what_changes is not None:
        yield from _section("What changes", what_changes_lines(card.what_changes))
    yield from _section("Arguments", _argument_lines(card))
    yield from _section("Why, in the model's words", _why_lines(card))
    yield from _section("Confidence", _confidence_lines(card))
    yield from _section("What could go wrong", [visible_line(risk) for risk in card.could_go_wrong] or ["not given"])
    yield from _section("Way back", [visible_line(card.way_back or "none is known")])
    yield from _section("Sources", _source_lines(card))
    yield from _section("Why it asks", [visible_line(reason) for reason in card.verdict_reasons])
    yield from _section("Options", [visible_line(option) for option in card.options])
    if card.touchpoint not in _BINDING:
        yield from _section("Facts", _fact_lines(card))
    if card.repeat_of:
        yield visible_line(f"Looks like a repeat of {card.repeat_of}")
    yield from _section("If nobody decides", [_deadline(card, now)])


def what_changes_lines(change: WhatChanges) -> Iterator[str]:
    """The preview: its headline and every part of it."""
    if change.unavailable:
        yield f"no preview: {visible_line(change.unavailable)}"
        return
    yield visible_line(change.headline)
    for part in change.parts:
        yield from _part_lines(part)
    for calm in change.not_happening:
        yield visible_line(calm)


def decide_lines(card: Proposal) -> Iterator[str]:
    """How each verdict of the card is given on the command line."""
    takes = {word: _TAKES.get(Verdict(word), "") for word in verdict_words(card)}
    width = max(map(len, takes))
    lines = [f"{word:{width}}  {with_what}".rstrip() for word, with_what in takes.items()]
    yield from _section(f"To decide, pilothouse decide {card.proposal} with one of", lines)


def verdict_words(card: Proposal) -> list[str]:
    """The verdicts that this card takes."""
    return [*(verdict.value for verdict in card.verdicts), Verdict.POSTPONE.value]


def _section(title: str, lines: Iterator[str] | list[str]) -> Iterator[str]:
    rows = list(lines)
    if rows:
        yield f"  {title}:"
        yield from (f"    {row}" for row in rows)


def _argument_lines(card: Proposal) -> Iterator[str]:
    for name, value in card.arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines = _shown_lines(text)
        yield f"{visible_line(name)}: {lines[0]}"
        yield from (f"  {line}" for line in lines[1:])


def _shown_lines(text: str) -> list[str]:
    """The lines of a text; a break at its end begins none."""
    return visible(text).removesuffix("\n").split("\n")


def _why_lines(card: Proposal) -> Iterator[str]:
    if card.why is None:
        if card.tool is not None:
            yield "the model gave no reason"
        return
    yield visible_line(card.why.why or "no reason given")
    if card.why.risks:
        yield f"risks: {visible_line(card.why.risks)}"
    for evidence in card.why.evidence:
        yield f"evidence: {visible_line(evidence)}"


def _confidence_lines(card: Proposal) -> Iterator[str]:
    if card.confidence is None or card.confidence.score is None:
        return
    below = " · BELOW THE THRESHOLD" if card.confidence.below_threshold else ""
    yield f"{card.confidence.score:.2f} of {card.confidence.threshold:.2f} wanted{below}"
    for check in card.confidence.checks:
        detail = f": {visible_line(check.detail)}" if check.detail else ""
        yield f"{_MARK[check.result]:>4}  {visible_line(check.name)}{detail}"


def _source_lines(card: Proposal) -> Iterator[str]:
    for source in card.sources:
        old = "age unknown" if source.age_seconds is None else f"{age(source.age_seconds)} old"
        limit = "" if source.limit_seconds is None else f" of {age(source.limit_seconds)} allowed"
        yield visible_line(f"{source.name} ({old}{limit}{', untrusted' if source.untrusted else ''})")


def _fact_lines(card: Proposal) -> Iterator[str]:
    """A line a fact; of a list, a line an entry."""
    for name, value in card.facts.items():
        for entry in value if isinstance(value, list) else [value]:
            yield visible_line(f"{name}: {_in_words(entry)}")


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        return " · ".join(f"{name} {_in_words(entry)}" for name, entry in value.items())
    return str(value)


def _deadline(card: Proposal, now: datetime) -> str:
    if card.approve_by is None:
        return visible_line(card.deadline_text)
    left = (card.approve_by - now).total_seconds()
    return visible_line(f"{card.deadline_text} ({countdown(left)} left)")


def _part_lines(part: Change) -> Iterator[str]:
    match part:
        case TextChange():
            yield from _text_lines(part)
        case TableChange():
            yield from _table_lines(part)
        case FieldsChange():
            yield visible_line(part.title)
            yield from (_field_line(row) for row in part.rows)
        case MessageChange():
            yield f"to: {visible_line(', '.join(part.to))}"
            yield f"subject: {visible_line(part.subject)}"
            yield from (f"| {line}" for line in _shown_lines(part.body))
        case FileChange():
            size = "" if part.size is None else f", {byte_size(part.size)}"
            target = f" → {part.target}" if part.target else ""
            yield visible_line(f"{part.action}: {part.path}{target} ({plural(part.files, 'file')}{size})")
            why = {flag.name: f"   ! {flag.why}" for flag in part.flagged}
            yield from (visible_line(f"  {name}{why.get(name, '')}") for name in part.names)
        case ImageChange():
            yield visible_line(part.path)
            yield from (visible_line(_picture_line(*side)) for side in (("before", part.before), ("after", part.after)))
        case PlanChange():
            yield from _plan_lines(part)
        case CommandChange():
            yield f"$ {visible_line(part.command)}"
            yield f"  in {visible_line(part.where)}"


def _picture_line(side: str, picture: Picture | None) -> str:
    if picture is None:
        return f"  {side}: no file"
    return f"  {side}: {picture.form}, {byte_size(picture.size)}, SHA-256 {picture.sha256}"


def _text_lines(part: TextChange) -> Iterator[str]:
    kind = "new file" if part.before is None else "removed" if part.after is None else "changed"
    yield visible_line(f"{part.path} ({kind}, +{part.added} −{part.removed} lines)")
    yield from map(visible_line, patch_lines(part))


def _table_lines(part: TableChange) -> Iterator[str]:
    yield visible_line(f"{part.path}: {' | '.join(part.columns)}")
    for row in part.rows:
        old = f"   (was {' | '.join(row.before)})" if row.before else ""
        flag = f"   ! {row.flag}" if row.flag else ""
        yield visible_line(f"{row.sign.value} {' | '.join(row.cells)}{old}{flag}")
    if part.unchanged:
        yield f"  {plural(part.unchanged, 'row')} unchanged"
    yield from (_field_line(row) for row in part.totals)


def _plan_lines(part: PlanChange) -> Iterator[str]:
    if part.against:
        yield visible_line(f"against {part.against}")
    for planned in part.steps:
        step = planned.step
        yield visible_line(f"{planned.sign.value} {step.id}: {step.goal} ({plan_words.means(step)})")
        yield visible_line(f"      {' · '.join(_step_facts(planned))}")
    if part.done:
        yield visible_line(f"done already: {', '.join(part.done)}")


def _step_facts(planned: PlannedStep) -> Iterator[str]:
    if planned.step.after:
        yield f"after {', '.join(planned.step.after)}"
    yield plan_words.asks(planned)
    if planned.reversibility is not None:
        yield planned.reversibility.value.replace("_", " ")


def _field_line(row: FieldChange) -> str:
    if row.before is not None and row.after is not None and row.before != row.after:
        return visible_line(f"{row.sign.value} {row.field}: {row.before} → {row.after}")
    return visible_line(f"{row.sign.value} {row.field}: {row.after if row.after is not None else row.before}")
