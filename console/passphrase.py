"""Passphrases of operators: asked for at the terminal, or read from a file descriptor. Never from an argument."""

import contextlib
import getpass
import os
import sys
from collections.abc import Iterator, Mapping

from agent_core.config.values import shown
from agent_core.engine.harness import Harness
from agent_core.model.errors import LOCKED, DecisionRefused, InputError
from console.daemon import in_daemon

DESCRIPTOR = "PILOTHOUSE_PASSPHRASE_FD"
"""Names an open file descriptor with one passphrase a line, the old one first where it is changed.

Arguments and environments are seen by others.
"""


async def unlock(harness: Harness, operator: str, environ: Mapping[str, str]) -> None:
    """Let an operator decide who decides with a passphrase. Raises DecisionRefused (locked, wrong_passphrase).

    Agents work on while it is asked for.
    """
    if await harness.desk.is_locked(operator):
        await harness.desk.unlock(operator, await _ask_beside(environ, f"Passphrase of {operator}: "))


async def _ask_beside(environ: Mapping[str, str], prompt: str) -> str:
    if DESCRIPTOR in environ or not sys.stdin.isatty():
        return ask(environ, prompt)
    with _echo_kept():
        given = await in_daemon(lambda: getpass.getpass(prompt))
    if not given:
        raise DecisionRefused("a passphrase is needed, and none was given", LOCKED)
    return given


@contextlib.contextmanager
def _echo_kept() -> Iterator[None]:
    """The terminal as it was, whatever happens: a question that is given up must not leave it mute."""
    try:
        import termios
    except ImportError:  # where there is none, asking for a passphrase leaves no mark on the terminal
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def ask(environ: Mapping[str, str], prompt: str) -> str:
    """A passphrase from the descriptor, else from the terminal. Raises DecisionRefused (locked), InputError."""
    named = environ.get(DESCRIPTOR)
    if named is not None:
        return _from_descriptor(named)
    if not sys.stdin.isatty():
        raise DecisionRefused(f"a passphrase is needed: decide at a terminal, or give it through {DESCRIPTOR}", LOCKED)
    return getpass.getpass(prompt)


def _from_descriptor(named: str) -> str:
    """Its next line; what follows stays there for the next question."""
    line = b""
    try:
        while (letter := os.read(int(named), 1)) not in (b"", b"\n"):
            line += letter
        return line.decode().rstrip("\r")
    except (OSError, ValueError) as error:
        raise InputError(f"{DESCRIPTOR} must be the number of an open file descriptor, not {shown(named)}") from error
