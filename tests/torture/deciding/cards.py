"""Sessions that wait on many cards at once: what deciders race for, and what approvals are changed under."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent_core.engine.clock import SystemClock
from agent_core.engine.harness import Harness
from agent_core.model.clock import Clock
from agent_core.tools.registry import TOOLS
from tests.support.engine_lab import Lab, call, turn
from tests.torture.ledger_tools import LEDGER_TOOLS

LEDGER_NAMES = tuple(tool.name for tool in LEDGER_TOOLS)
FILE_TOOLS = ("files_read", "files_write", "files_edit", "files_move", "files_delete", "notes_write")


class CardLab(Lab):
    """A lab whose agent may use the ledger's tools, and asks for a batch of calls in its first turn."""

    def __init__(self, root: Path, calls: Sequence[dict[str, Any]], clock: Clock | None = None) -> None:
        root.mkdir(parents=True, exist_ok=True)
        super().__init__(root, turn(*calls), turn(text="done"), clock=clock or SystemClock())

    def write_profile(self, extra: str = "", *_: Any, **__: Any) -> None:
        """The profile with these rules behind it."""
        limits = "tool_calls = 400"
        super().write_profile(extra, tools=(*FILE_TOOLS, *LEDGER_NAMES), limits=limits)

    async def open(self, **more: Any) -> Harness:
        """Open the home with the ledger's tools beside our own."""
        return await super().open(**({"tools": (*TOOLS, *LEDGER_TOOLS)} | more))


def payments(count: int, name: str = "ref") -> list[dict[str, Any]]:
    """Calls whose effect cannot be taken back, each with a reference of its own."""
    return [call("pay", ref=f"{name}-{number}") for number in range(count)]
