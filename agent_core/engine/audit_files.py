"""Audit files: entries as CSV or JSONL, and one decision as a self-contained HTML page. Pure: values in, bytes out."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from agent_core.engine.pages import parts
from agent_core.engine.summary import instant_text
from agent_core.model.audit import AuditDecision, AuditEntry
from agent_core.policy.decisions import changes

COLUMNS: tuple[tuple[str, Callable[[AuditEntry], object]], ...] = (
    ("opened_at", lambda e: instant_text(e.opened_at)),
    ("session", lambda e: e.session),
    ("step", lambda e: e.step),
    ("agent", lambda e: e.agent),
    ("proposal", lambda e: e.proposal),
    ("kind", lambda e: e.touchpoint.value),
    ("tool", lambda e: e.tool),
    ("tier", lambda e: e.tier.value),
    ("title", lambda e: e.title),
    ("confidence", lambda e: e.confidence),
    ("status", lambda e: e.status.value),
    ("presented_at", lambda e: instant_text(e.presented_at)),
    ("presented_by", lambda e: e.presented_by),
    ("verdict", lambda e: e.verdict.value if e.verdict is not None else None),
    ("by", lambda e: e.by),
    ("second_by", lambda e: next((d.by for d in e.decisions if d.awaits_second), None)),
    ("decided_at", lambda e: instant_text(e.closed_at)),
    ("open_seconds", lambda e: e.decisions[-1].open_seconds if e.decisions else None),
    ("reason", lambda e: e.decisions[-1].reason if e.decisions else None),
    ("answer", lambda e: e.decisions[-1].answer if e.decisions else None),
    ("details", lambda e: _json(e.decisions[-1].details) if e.decisions and e.decisions[-1].details else None),
    ("seen", lambda e: ", ".join(e.decisions[-1].seen) if e.decisions else None),
    ("proposed", lambda e: _json(e.proposed)),
    ("executed", lambda e: _json(e.executed) if e.executed is not None else None),
    ("executed_at", lambda e: instant_text(e.executed_at)),
    ("outcome", lambda e: e.outcome),
    ("result", lambda e: e.result),
    ("regret", lambda e: e.regret),
    ("signature_fault", lambda e: next((d.fault for d in e.decisions if d.fault), None)),
    ("chain_fault", lambda e: e.chain_fault),
    ("digest", lambda e: e.digest),
    ("demo", lambda e: e.demo),
    ("drill", lambda e: e.drill),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""How a cell begins that a spreadsheet would take for a formula (OWASP, "CSV Injection")."""


def csv_bytes(entries: Sequence[AuditEntry]) -> bytes:
    """A table for spreadsheets, with a byte order mark; no cell is taken for a formula."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([name for name, _ in COLUMNS])
    for entry in entries:
        writer.writerow([_cell(value(entry)) for _, value in COLUMNS])
    return out.getvalue().encode("utf-8-sig")


def jsonl_bytes(entries: Sequence[AuditEntry]) -> bytes:
    """One entry a line, with everything that is known of it."""
    return b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)


def html_bytes(entry: AuditEntry) -> bytes:
    """One card and its decisions as a page that needs nothing else: no script, no picture, no address."""
    return parts.page(entry.title, _body(entry))


def _cell(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return "" if value is None else value
    text = parts.visible(str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def _body(entry: AuditEntry) -> Iterator[str]:
    yield parts.facts(_facts(entry))
    for one in entry.decisions:
        yield f"<h2>{parts.text(one.verdict.value.replace('_', ' '))} by {parts.text(one.by)}</h2>"
        yield parts.facts(_said(one))
    for answer in entry.answers:
        yield f"<h2>Asked by {parts.text(answer.asked_by)}</h2>"
        yield f"<p>{parts.text(answer.question)}</p><p>{parts.text(answer.answer)}</p>"
    yield f"<h2>Proposed</h2>{parts.data(entry.proposed)}"
    if entry.executed is not None:
        different = changes(entry.proposed, entry.executed)
        said = "; ".join(different) if different else "Exactly as proposed."
        yield f"<h2>Executed</h2><p>{parts.text(said)}</p>{parts.data(entry.executed)}"


def _facts(entry: AuditEntry) -> Iterator[tuple[str, object]]:
    yield "Card", entry.proposal
    yield "Session, step", f"{entry.session}, {entry.step}"
    yield "Agent", f"{entry.agent} {entry.agent_version}"
    yield "Kind, tool", f"{entry.touchpoint.value}, {entry.tool or 'none'}"
    yield "Risk", entry.tier.value
    yield "Confidence", entry.confidence
    yield "Opened", instant_text(entry.opened_at)
    yield "Shown to", f"{entry.presented_by}, {instant_text(entry.presented_at)}" if entry.presented_at else None
    yield "Status", entry.status.value
    yield "Outcome", f"{entry.outcome} {entry.result}".strip()
    yield "Executed at", instant_text(entry.executed_at)
    yield "Versions", entry.versions
    yield "Digest", entry.digest
    yield "Chain", entry.chain_fault or "holds"
    yield "Regret", f"{entry.regret_by}: {entry.regret}" if entry.regret else None
    yield "Marks", ", ".join(word for word, on in (("demo", entry.demo), ("drill", entry.drill)) if on)
    yield "What a careful person sees", entry.lesson or None


def _said(one: AuditDecision) -> Iterator[tuple[str, object]]:
    yield "When", instant_text(one.at)
    yield "Through", one.via.value
    yield "Open for", f"{one.open_seconds:.1f} s"
    yield "Reason", one.reason
    yield "Answer", one.answer
    yield "Details", _json(one.details) if one.details else None
    yield "Looked at", ", ".join(one.seen) or "nothing recorded"
    yield "Signature", one.fault or "valid"
    yield "Note", "first of two approvals" if one.awaits_second else "taken back" if one.undone else None
