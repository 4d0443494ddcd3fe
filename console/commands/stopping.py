"""`stop` and `release`: from any process, whatever else is going on."""

from collections.abc import Mapping

from agent_core.config.operators import who_decides
from agent_core.engine.harness import Harness
from agent_core.model.errors import InputError
from agent_core.store.processes import Processes
from console.engine_room import run
from console.output import Output


def stop(environ: Mapping[str, str], output: Output, *, session: str | None, every: bool, force: bool) -> int:
    """Stop one session at once, or all of them until `release`; with `force` their tools' processes are killed."""
    if every == (session is not None):
        raise InputError("name one session, or say --all")
    by = who_decides(environ)

    async def work(harness: Harness) -> int:
        if session is None:
            await harness.supervisor.stop_all(by)
        else:
            await harness.supervisor.stop(session, by)
        killed = _kill(harness, session) if force else []
        if output.as_json:
            output.value({"stopped": session or "all", "by": by, "killed": killed})
        output.line(
            f"Session {session} is told to stop." if session else "Everything stops until `pilothouse release`."
        )
        for pid in killed:
            output.line(f"Process group {pid} was killed.")
        return 0

    return run(environ, work)


def release(environ: Mapping[str, str], output: Output) -> int:
    """Lift the halt; fine where there is none."""
    by = who_decides(environ)

    async def work(harness: Harness) -> int:
        await harness.supervisor.release(by)
        if output.as_json:
            output.value({"released": True, "by": by})
        output.line("Agents may start again.")
        return 0

    return run(environ, work)


def _kill(harness: Harness, session: str | None) -> list[int]:
    processes = Processes(harness.house.home)
    return [group.pid for group in processes.groups(session) if processes.end(group)]
