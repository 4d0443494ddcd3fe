"""`run`, `resume` and `fork`: sessions in the terminal."""

import sys
from collections.abc import Mapping
from pathlib import Path

from agent_core.config.operators import who_decides
from agent_core.engine.harness import Harness
from agent_core.model.errors import InputError
from agent_core.model.intents import ForkSession, StartRun
from console.deciding import Decider, decider_for
from console.engine_room import run as run_engine
from console.headless import HeadlessSession
from console.output import Output


def start(
    environ: Mapping[str, str], output: Output, *, agent: str, goal: str, workspace: Path, decide: str | None
) -> int:
    """Open a session and work it until it rests."""
    if not goal.strip():
        raise InputError("--goal must say what the agent is to do")
    folder = _folder(workspace)
    decider, by = _decider(decide), who_decides(environ)

    async def work(harness: Harness) -> int:
        headless = HeadlessSession(harness, decider, output, by, environ)
        with headless.attended():
            session = await harness.supervisor.start(StartRun(profile=agent, goal=goal, workspace=str(folder), by=by))
            await headless.work(session)
        return await headless.report(session)

    return run_engine(environ, work, works=True)


def resume(environ: Mapping[str, str], output: Output, *, session: str, decide: str | None, message: str | None) -> int:
    """Go on with a session. With open cards and nobody to answer them it stays as it is: no request is made."""
    decider, by = _decider(decide), who_decides(environ)

    async def work(harness: Harness) -> int:
        headless = HeadlessSession(harness, decider, output, by, environ)
        with headless.attended():
            found = await harness.reader.find(session)
            await harness.supervisor.resume(found, by, message)
            await headless.work(found)
        return await headless.report(found)

    return run_engine(environ, work, works=True)


def fork(
    environ: Mapping[str, str],
    output: Output,
    *,
    session: str,
    step: int | None,
    goal: str | None,
    decide: str | None,
) -> int:
    """Begin a session with what another one had come to, and work it until it rests."""
    decider, by = _decider(decide), who_decides(environ)

    async def work(harness: Harness) -> int:
        headless = HeadlessSession(harness, decider, output, by, environ)
        with headless.attended():
            source = await harness.reader.find(session)
            made = await harness.supervisor.fork(ForkSession(session=source, by=by, step=step, goal=goal))
            await headless.work(made)
        return await headless.report(made)

    return run_engine(environ, work, works=True)


def _decider(mode: str | None) -> Decider:
    return decider_for(mode, at_terminal=sys.stdin.isatty() and sys.stderr.isatty())


def _folder(workspace: Path) -> Path:
    try:
        folder = workspace.expanduser().resolve()
        is_folder = folder.is_dir()
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"--workspace cannot be used: {error}") from None
    if not is_folder:
        raise InputError(f"--workspace must be a folder that exists, not {workspace}")
    return folder
