"""`verify`, `export` and `audit`: is the journal what it was, a session as a file, and who decided what."""

import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from agent_core.config.toml_source import nearest
from agent_core.engine.audit_files import csv_bytes
from agent_core.engine.harness import Harness
from agent_core.engine.summary import instant_text
from agent_core.model.audit import AuditEntry, AuditQuery
from agent_core.model.errors import InputError
from console.engine_room import run
from console.output import Output
from ui.hostile import visible_line

EVERYTHING = 1_000_000
FORMS = ("jsonl", "html", "otel")


def verify(environ: Mapping[str, str], output: Output, session: str | None) -> int:
    """Check chains and signatures; exit 5 where one was altered, naming the first bad event."""

    async def work(harness: Harness) -> int:
        findings = await harness.reader.verify(session)
        ok = all(finding.ok for finding in findings)
        if output.as_json:
            rows = [
                {"session": f.session, "ok": f.ok, "first_bad_seq": f.first_bad_seq, "reason": f.reason}
                for f in findings
            ]
            output.value({"ok": ok, "sessions": rows})
        for finding in findings:
            said = "ok" if finding.ok else f"ALTERED at event {finding.first_bad_seq}: {finding.reason}"
            output.line(f"{finding.session}  {said}")
        return 0 if ok else 5

    return run(environ, work)


def export(environ: Mapping[str, str], output: Output, *, session: str, form: str, out: Path) -> int:
    """Write a session to a file."""
    if form not in FORMS:
        raise InputError(f'--format cannot be "{form}"{nearest(form, FORMS)}')
    if out.is_dir() or not out.parent.is_dir():
        raise InputError(f"--out must name a file in a folder that exists, not {out}")

    async def work(harness: Harness) -> int:
        found = await harness.reader.find(session)
        await harness.reader.export(found, form, out)
        if output.as_json:
            output.value({"session": found, "format": form, "out": str(out)})
        output.line(f"Session {found} is written to {out}.")
        return 0

    return run(environ, work)


def audit(
    environ: Mapping[str, str],
    output: Output,
    *,
    text: str,
    by: str | None,
    session: str | None,
    as_csv: bool,
    record: str | None,
    out: Path | None,
) -> int:
    """Every card with its decisions, what happened last first; exit 5 where a chain or a signature does not hold."""
    if record is not None and out is None:
        raise InputError("--record needs --out, the HTML file to write")

    async def work(harness: Harness) -> int:
        if record is not None and out is not None:
            card = await harness.desk.find(record)
            await harness.records.export_record(card, out)
            if output.as_json:
                output.value({"record": card, "format": "html", "out": str(out)})
            output.line(f"The record of {card} is written to {out}.")
            return 0
        sessions = [await harness.reader.find(session)] if session else []
        query = AuditQuery(text=text, operators=[by] if by else [], sessions=sessions, limit=EVERYTHING)
        page = await harness.records.audit(query)
        if out is not None:
            form = "csv" if as_csv else "jsonl"
            await harness.records.export_audit(query, form, out)
            if output.as_json:
                output.value({"cards": page.total, "format": form, "out": str(out)})
            output.line(f"{page.total} cards are written to {out}.")
        elif output.as_json:
            output.value({"entries": [msgspec.to_builtins(entry) for entry in page.entries], "broken": page.broken})
        elif as_csv:
            sys.stdout.buffer.write(csv_bytes(page.entries))
            sys.stdout.buffer.flush()
        else:
            for entry in page.entries:
                output.line(_audit_line(entry))
            if not page.entries:
                output.line("No cards.")
        sound = not page.broken and not any(one.fault for entry in page.entries for one in entry.decisions)
        return 0 if sound else 5

    return run(environ, work)


def _audit_line(entry: AuditEntry) -> str:
    said = f"{entry.verdict.value.replace('_', ' ')} by {entry.by}" if entry.verdict is not None else entry.status.value
    took = f" after {entry.decisions[-1].open_seconds:.0f} s" if entry.decisions else ""
    outcome = f" · {entry.outcome.replace('_', ' ')}" if entry.outcome else ""
    marks = "".join(f" · {word}" for word, on in (("demo", entry.demo), ("drill", entry.drill)) if on)
    faults = [entry.chain_fault, *(one.fault for one in entry.decisions)]
    fault = next((f" · FAULT: {found}" for found in faults if found), "")
    when = instant_text(entry.at)
    return visible_line(
        f"{when}  {entry.proposal} · {entry.tier.value} · {entry.title} · {said}{took}{outcome}{marks}{fault}"
    )
