"""A tool whose child does not listen to SIGTERM and starts a child of its own, as shells do."""

import os
import signal
import subprocess
from typing import ClassVar

from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.proposal import WhatChanges
from agent_core.tools.base import Arguments, Cancelled, Outcome, Preview, Privileges, Tool, ToolContext

COMMAND = "(trap '' TERM; sleep 60) & wait"


class Stubborn(Tool[Arguments]):
    """Starts the child in a group of its own, and ends the group when its call is to end."""

    name = "stubborn"
    description = "Starts a child that does not want to go."
    arguments = Arguments
    privileges = Privileges(programs=["sh"])
    effect_class = EffectClass.NON_IDEMPOTENT
    reversibility = Reversibility.IRREVERSIBLE
    timeout: ClassVar[float] = 60.0

    def __init__(self) -> None:
        self.groups: list[int] = []
        """Every group that was started."""

    def preview(self, arguments: Arguments, context: ToolContext) -> Preview:
        """One child."""
        return Preview(summary="start a child", what_changes=WhatChanges(headline="1 child"))

    def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        """Until it is cancelled."""
        with subprocess.Popen(["/bin/sh", "-c", COMMAND], start_new_session=True) as child:
            self.groups.append(child.pid)
            context.cancelled.wait()
            os.killpg(child.pid, signal.SIGKILL)
        raise Cancelled


def lives(group: int) -> bool:
    """Whether any process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
