"""`backup` and `restore`: the database as a file, and back."""

from collections.abc import Mapping
from pathlib import Path

from agent_core.config.operators import who_decides
from agent_core.engine.harness import Harness
from agent_core.model.errors import InputError
from console.engine_room import run
from console.output import Output
from console.passphrase import unlock


def backup(environ: Mapping[str, str], output: Output, *, out: Path | None) -> int:
    """Copy the database while agents work; into the home's backups unless a file is named."""
    if out is not None and (out.is_dir() or not out.absolute().parent.is_dir()):
        raise InputError(f"--out must name a file in a folder that exists, not {out}")
    target = out.absolute() if out is not None else None

    async def work(harness: Harness) -> int:
        path = await harness.archive.backup(target)
        if output.as_json:
            output.value({"backup": str(path)})
        output.line(f"Backed up to {path}.")
        return 0

    return run(environ, work)


def restore(environ: Mapping[str, str], output: Output, *, source: Path) -> int:
    """Put a backup back; what was there before is backed up first."""
    by, file = who_decides(environ), source.absolute()

    async def work(harness: Harness) -> int:
        await unlock(harness, by, environ)
        set_back = await harness.archive.restore(file, by)
        if output.as_json:
            output.value({"restored": str(source), "by": by, "set_back": set_back})
        output.line(f"{source} is put back. What was there before lies in {harness.house.home.backups}.")
        for session in set_back:
            output.line(f"Set back: {session}")
        return 0

    return run(environ, work)
