"""Tools whose effects an outside ledger counts: of all three effect classes, and of every reversibility.

The ledger is a file that only these tools write, one line an effect: `TOOL KEY`. Appending a line is one system call,
so a process that is killed has either left it or not. Around the effect stands an audit event, where it can be killed.
"""

import os
import sys
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.proposal import WhatChanges
from agent_core.tools.base import Arguments, Outcome, Preview, Privileges, ProbeAnswer, Tool, ToolContext

EFFECT = "torture.effect"
"""The audit event just before and just after an effect."""
LEDGER = "ledger.txt"


class EntryArguments(Arguments):
    """What is entered."""

    ref: str = Field(min_length=1, max_length=200)


class LedgerTool(Tool[EntryArguments]):
    """A tool that enters a line into the ledger beside its workspace."""

    description = "Enters a line into the ledger outside."
    arguments = EntryArguments
    privileges = Privileges(writes=["the ledger"])
    probes: ClassVar[bool] = False

    def preview(self, arguments: EntryArguments, context: ToolContext) -> Preview:
        """Names the entry."""
        change = WhatChanges(headline=f"1 line in the ledger: {arguments.ref}")
        return Preview(summary=f"{self.name} {arguments.ref}", what_changes=change)

    def run(self, arguments: EntryArguments, context: ToolContext) -> Outcome:
        """Enter the line."""
        context.check_cancelled()
        sys.audit(EFFECT, "before")
        line = f"{self.name} {context.idempotency_key} {arguments.ref}\n".encode()
        descriptor = os.open(ledger_of(context.workspace), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)
        sys.audit(EFFECT, "after")
        return Outcome(result={"entered": arguments.ref}, summary=f"Entered {arguments.ref}.")

    def probe(self, arguments: EntryArguments, context: ToolContext) -> ProbeAnswer | None:
        """Whether the ledger has the line, for tools that can tell."""
        if not self.probes:
            return None
        found = any(key == context.idempotency_key for _, key, _ in entries(ledger_of(context.workspace)))
        return ProbeAnswer(happened=found, detail="the ledger was read")


class Look(LedgerTool):
    """Reads only; its line counts how often it looked."""

    name = "look"
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE


class Put(LedgerTool):
    """The same key twice is one entry."""

    name = "put"
    effect_class = EffectClass.IDEMPOTENT_BY_KEY
    reversibility = Reversibility.REVERSIBLE


class Post(LedgerTool):
    """Every run is an entry; it can be taken back, and nobody can ask whether it happened."""

    name = "post"
    effect_class = EffectClass.NON_IDEMPOTENT
    reversibility = Reversibility.REVERSIBLE


class Transfer(LedgerTool):
    """Every run is an entry, and the ledger can be asked."""

    name = "transfer"
    effect_class = EffectClass.NON_IDEMPOTENT
    reversibility = Reversibility.PARTLY_REVERSIBLE
    probes = True


class Pay(LedgerTool):
    """Every run is an entry for good."""

    name = "pay"
    effect_class = EffectClass.NON_IDEMPOTENT
    reversibility = Reversibility.IRREVERSIBLE


LEDGER_TOOLS: tuple[Tool, ...] = (Look(), Put(), Post(), Transfer(), Pay())
ONCE = frozenset({"post", "transfer", "pay"})
"""Tools whose effect may happen once."""


def ledger_of(workspace: Path) -> Path:
    """Where the ledger of a workspace lies: outside of it."""
    return workspace.parent / LEDGER


def entries(ledger: Path) -> list[tuple[str, str, str]]:
    """Every effect that really happened: tool, key, reference."""
    try:
        lines = ledger.read_text().splitlines()
    except FileNotFoundError:
        return []
    found = [tuple(line.split(" ", 2)) for line in lines]
    return [(tool, key, ref) for tool, key, ref in found]
