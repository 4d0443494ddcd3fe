"""Passphrases of operators: asked for at the terminal, or read from a file descriptor. Never from an argument."""

import getpass
import os
import sys
from collections.abc import Mapping

from agent_core.config.values import shown
from agent_core.engine.harness import Harness
from agent_core.model.errors import DecisionRefused, InputError

DESCRIPTOR = "PILOTHOUSE_PASSPHRASE_FD"
"""Names an open file descriptor whose first line is the passphrase: arguments and environments are seen by others."""


async def unlock(harness: Harness, operator: str, environ: Mapping[str, str]) -> None:
    """Let an operator decide who decides with a passphrase. Raises DecisionRefused (locked, wrong_passphrase)."""
    if await harness.desk.is_locked(operator):
        await harness.desk.unlock(operator, ask(environ, f"Passphrase of {operator}: "))


def ask(environ: Mapping[str, str], prompt: str) -> str:
    """A passphrase from the descriptor, else from the terminal. Raises DecisionRefused (locked), InputError."""
    named = environ.get(DESCRIPTOR)
    if named is not None:
        return _from_descriptor(named)
    if not sys.stdin.isatty():
        raise DecisionRefused(
            f"a passphrase is needed: decide at a terminal, or give it through {DESCRIPTOR}", "locked"
        )
    return getpass.getpass(prompt)


def _from_descriptor(named: str) -> str:
    try:
        with os.fdopen(int(named), encoding="utf-8", closefd=False) as given:
            line = given.readline()
    except (OSError, ValueError) as error:
        raise InputError(f"{DESCRIPTOR} must be the number of an open file descriptor, not {shown(named)}") from error
    return line.rstrip("\r\n")
