"""`verify` and `export`: is the journal what it was, and a session as a file."""

from collections.abc import Mapping
from pathlib import Path

from agent_core.config.toml_source import nearest
from agent_core.engine.harness import Harness
from agent_core.model.errors import InputError, NotInThisVersion
from console.engine_room import run
from console.output import Output

FORMS = ("jsonl", "html", "otel")
AVAILABLE_FORMS = ("jsonl",)


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
    if form not in AVAILABLE_FORMS:
        raise NotInThisVersion(f"The export as {form} is not in this version; use jsonl")
    if out.is_dir() or not out.parent.is_dir():
        raise InputError(f"--out must name a file in a folder that exists, not {out}")

    async def work(harness: Harness) -> int:
        await harness.reader.export(session, form, out)
        if output.as_json:
            output.value({"session": session, "format": form, "out": str(out)})
        output.line(f"Session {session} is written to {out}.")
        return 0

    return run(environ, work)
