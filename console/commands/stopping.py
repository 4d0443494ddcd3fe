"""`stop`, `release` and `lift`: from any process, whatever else goes on. The engine is imported after the order."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agent_core.config.operators import who_decides
from agent_core.engine import stopping
from agent_core.model.errors import InputError, StorageError
from console.output import Output
from console.paths import find_home, make_home

if TYPE_CHECKING:
    from agent_core.engine.harness import Harness


def stop(environ: Mapping[str, str], output: Output, *, session: str | None, every: bool, force: bool) -> int:
    """Stop one session at once, or all of them until `release`.

    With `force` their tools' processes are ended, and processes of Pilothouse that do not react. Files tell the
    workers, so that neither a locked database nor a process that hangs can be in the way.
    """
    if every == (session is not None):
        raise InputError("Name one session, or say --all")
    by = who_decides(environ)
    home = make_home(find_home(environ))
    session = stopping.named(home, session) if session is not None else None
    worked = stopping.order(home, session, by, datetime.now(UTC), force=force)
    forced = stopping.end_by_force(home, session) if force else stopping.Forced()
    if session is None:
        _journal_halt(environ, output)
    elif not worked or forced.workers:
        session = _stop_at_rest(environ, session, by)
    if output.as_json:
        named = session or "all"
        output.value({"stopped": named, "by": by, "killed": [*forced.groups], "ended": [*forced.workers]})
    output.line(f"Session {session} is told to stop." if session else "Everything stops until `pilothouse release`.")
    for pid in forced.groups:
        output.line(f"Process group {pid} of a tool was ended.")
    for pid in forced.workers:
        output.line(f"Process {pid} did not react and was ended; what it worked is interrupted.")
    return 0


def release(environ: Mapping[str, str], output: Output) -> int:
    """Lift the halt; fine where there is none."""
    from console.engine_room import run

    by = who_decides(environ)

    async def work(harness: "Harness") -> int:
        await harness.supervisor.release(by)
        if output.as_json:
            output.value({"released": True, "by": by})
        output.line("Agents may start again.")
        return 0

    return run(environ, work)


def lift(environ: Mapping[str, str], output: Output, *, session: str, tool: str) -> int:
    """End the containment of one tool; whoever works the session lets the next call through to the gate."""
    from console.engine_room import run

    by = who_decides(environ)

    async def work(harness: "Harness") -> int:
        found = await harness.reader.find(session)
        await harness.supervisor.lift(found, tool, by)
        if output.as_json:
            output.value({"session": found, "tool": tool, "lifted": True, "by": by})
        output.line(f"{tool} is switched on again in session {found}.")
        return 0

    return run(environ, work)


def _journal_halt(environ: Mapping[str, str], output: Output) -> None:
    """Now if that can be; whoever writes next does it otherwise."""
    from agent_core.engine.halts import journal_halt
    from console.engine_room import run

    async def work(harness: "Harness") -> int:
        await journal_halt(harness.house)
        return 0

    try:
        run(environ, work)
    except StorageError as error:
        output.warning(f"pilothouse: the stop holds, but is journaled later: {error}")


def _stop_at_rest(environ: Mapping[str, str], said: str, by: str) -> str:
    """Stop a session that no process works; gives its id."""
    from console.engine_room import run

    found = said

    async def work(harness: "Harness") -> int:
        nonlocal found
        found = await harness.reader.find(said)
        await harness.supervisor.stop(found, by)
        return 0

    run(environ, work)
    return found
