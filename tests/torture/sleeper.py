"""A tool that starts programs which do not want to go: it stands in for the shell until there is one."""

from pathlib import Path
from typing import ClassVar

from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.proposal import WhatChanges
from agent_core.tools.base import Arguments, Outcome, Preview, Privileges, Tool, ToolContext
from agent_core.tools.shared.children import run_child

SLEEPS = "trap '' TERM HUP INT; setsid sleep {0} & sleep {0} & sleep {0}; wait"


class Script(Arguments):
    """What the shell is to do."""

    script: str


class Sleeper(Tool[Script]):
    """Hands a script to the shell."""

    name = "sleeper"
    description = "Hands a script to the shell."
    arguments = Script
    privileges = Privileges(programs=["sh"])
    effect_class = EffectClass.NON_IDEMPOTENT
    reversibility = Reversibility.REVERSIBLE
    timeout: ClassVar[float] = 120.0

    def preview(self, arguments: Script, context: ToolContext) -> Preview:
        """One script."""
        return Preview(summary="run a script", what_changes=WhatChanges(headline="1 script"))

    def run(self, arguments: Script, context: ToolContext) -> Outcome:
        """Until it ends, or is ended."""
        end = run_child(["sh", "-c", arguments.script], context)
        text = end.output.decode(errors="replace")
        return Outcome(result={"code": end.code, "output": text}, summary=f"exit {end.code}")


ALLOWED = '[[rules]]\ntool = "sleeper"\nverdict = "allow"\n'
"""Lets it run without a card."""


def sleeping(marker: str) -> list[int]:
    """Living processes that sleep for that time, which is nobody else's."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            state = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
        except OSError:
            continue
        if words[:2] == [b"sleep", marker.encode()] and state not in "ZX":
            found.append(int(entry.name))
    return found
