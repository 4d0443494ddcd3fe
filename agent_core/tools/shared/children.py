"""Child processes of tools: the one way by which a tool starts a program.

Each runs under a keeper (`keeper.py`) in a group of its own, with an environment that holds nothing of ours, and is
recorded before it does anything, so that `pilothouse stop --force` can end it, and it alone. It never outlives its
call, nor us.
"""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import msgspec

from agent_core.tools.base import CutOff, ToolContext, fail
from agent_core.tools.shared import keeper

KEPT = frozenset({
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TERM", "TMPDIR", "TMP", "TEMP",
    "SYSTEMROOT", "COMSPEC", "PATHEXT", "WINDIR", "NUMBER_OF_PROCESSORS",
})  # fmt: skip
"""Variables that a child gets; and those of the language (LC_*). Nothing else: keys travel in variables, and so does
the way to the desktop's keyring (DBUS_SESSION_BUS_ADDRESS)."""

OUTPUT_BYTES = 64 * 1024 * 1024
"""The most that is read back of what a child wrote; the rest is counted, not read."""
_LOOK_SECONDS = 0.02
_KEEPER = [sys.executable, "-I", "-S", "-B", keeper.__file__]


class Caps(msgspec.Struct, frozen=True, kw_only=True):
    """What a program and each process that it starts may take, each for itself; the system ends or refuses the rest."""

    cpu_seconds: int = 600
    data_bytes: int = 4 * 1024**3
    """Memory that it may write to. macOS does not hold this one."""
    file_bytes: int = 1024**3
    """The largest file that it may write, its output among them."""

    def __str__(self) -> str:
        return f"CPU={self.cpu_seconds},DATA={self.data_bytes},FSIZE={self.file_bytes},CORE=0"


class ChildEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a child ended: its exit code (128 and more: a signal), and what it wrote to stdout and stderr together."""

    code: int
    output: bytes
    output_bytes: int
    seconds: float


def run_child(
    command: Sequence[str],
    context: ToolContext,
    *,
    cwd: Path | None = None,
    seconds: float | None = None,
    caps: Caps = Caps(),  # noqa: B008 - frozen
) -> ChildEnd:
    """Run a program to its end. When the call is to end, or after that many seconds, its whole tree is ended.

    Raises CutOff then; ToolFailure (`not_here`) where this version starts no programs.
    """
    if os.name == "nt":
        fail("not_here", "Programs are started on Linux and macOS only in this version.")
    began = time.monotonic()
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            [*_KEEPER, str(caps), *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=cwd or context.workspace,
            env=child_environment(os.environ),
            start_new_session=True,
        )
        try:
            in_time = _keep(child, command, context, None if seconds is None else began + seconds)
        finally:
            _let_go(child)
        if context.cancelled.is_set():
            raise CutOff(f"{command[0]} was ended because its call was to end.")
        if not in_time:
            raise CutOff(f"{command[0]} did not end within {seconds:g} s and was ended.")
        return _end(child.returncode, output, time.monotonic() - began)


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What of an environment a child gets."""
    return {name: value for name, value in environ.items() if name in KEPT or name.startswith("LC_")}


def _keep(child: "subprocess.Popen[bytes]", command: Sequence[str], context: ToolContext, until: float | None) -> bool:
    """Record the keeper, let it begin, and wait; False when the time was up first."""
    record = context.processes.record(child.pid, context.session, " ".join(command))
    try:
        assert child.stdin is not None
        child.stdin.write(b"1")
        child.stdin.flush()
        while child.poll() is None and not context.cancelled.wait(_LOOK_SECONDS):
            if until is not None and time.monotonic() > until:
                return False
        return True
    finally:
        _let_go(child)
        context.processes.forget(record)


def _let_go(child: "subprocess.Popen[bytes]") -> None:
    """The keeper ends its tree once its stdin ends."""
    if child.stdin is not None:
        with contextlib.suppress(BrokenPipeError):  # it has ended
            child.stdin.close()
    child.wait()


def _end(code: int, output: IO[bytes], seconds: float) -> ChildEnd:
    size = output.seek(0, os.SEEK_END)
    output.seek(0)
    return ChildEnd(code=code, output=output.read(OUTPUT_BYTES), output_bytes=size, seconds=seconds)
