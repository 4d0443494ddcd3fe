"""Scripted sessions: drawn from a seed, so that a process which resumes one plays the same model and operator."""

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent_core.engine.harness import Harness
from agent_core.tools.registry import TOOLS
from tests.support.engine_lab import Lab, call, turn
from tests.support.virtual_clock import VirtualClock
from tests.torture.ledger_tools import LEDGER_TOOLS

_FILE_TOOLS = ("files_read", "files_write", "files_edit", "files_move", "files_delete")
_LEDGER_NAMES = tuple(tool.name for tool in LEDGER_TOOLS)
_VERDICTS = ("approve",) * 7 + ("modify", "reject", "take_over")
_ALLOWED = (
    '[[rules]]\ntool = "put"\nverdict = "allow"\n'
    '[[rules]]\ntool = "post"\nwhen = { ref = "free-*" }\nverdict = "allow"\n'
)


@dataclass
class Story:
    """What the model asks for, turn by turn, and how the operator answers the card of each call."""

    turns: list[dict[str, Any]] = field(default_factory=list)
    verdicts: dict[str, str] = field(default_factory=dict)
    """By the reference or path that the call names."""


def story(seed: int) -> Story:
    """The session of that seed: three to five turns of one to four calls."""
    chance, made = random.Random(seed), Story()
    for number in range(chance.randint(3, 5)):
        calls = [_call(chance, f"{number}{letter}", made) for letter in "abcd"[: chance.randint(1, 4)]]
        made.turns.append(turn(*calls, text=f"turn {number}"))
    made.turns.append(turn(text="All done."))
    return made


def _call(chance: random.Random, name: str, made: Story) -> dict[str, Any]:
    verdict = chance.choice(_VERDICTS)
    if chance.random() < 0.7:
        tool = chance.choice(_LEDGER_NAMES)
        ref = ("free-" if chance.random() < 0.4 else "ref-") + name
        made.verdicts[ref] = verdict
        return call(tool, ref=ref)
    made.verdicts[f"{name}.txt"] = "approve" if verdict == "modify" else verdict
    tool = chance.choice(_FILE_TOOLS)
    path = f"{name}.txt"
    match tool:
        case "files_write":
            return call(tool, path=path, content=f"written {name}\n")
        case "files_edit":
            return call(tool, path=path, old="end", new=f"{name}\nend")
        case "files_move":
            return call(tool, source=path, target=f"moved-{name}.txt")
        case _:
            return call(tool, path=path)


class StoryLab(Lab):
    """The lab of one story, in the folder that all its processes share."""

    def __init__(self, root: Path, seed: int) -> None:
        self.story = story(seed)
        super().__init__(root, *self.story.turns, clock=VirtualClock())
        self.write_profile(_ALLOWED, tools=("files_list", *_FILE_TOOLS, *_LEDGER_NAMES), limits="tool_calls = 100")
        if not (root / "begun").exists():
            for number in range(5):
                for letter in "abcd":
                    (self.workspace / f"{number}{letter}.txt").write_text("start\nend\n")
            (root / "begun").touch()

    async def open(self, **more: Any) -> Harness:
        """Open the home with the ledger's tools beside our own."""
        return await super().open(**({"tools": (*TOOLS, *LEDGER_TOOLS)} | more))

    def verdict_for(self, arguments: dict[str, Any]) -> str:
        """How the operator answers the card of that call."""
        named = arguments.get("ref") or arguments.get("path") or arguments.get("source") or ""
        return self.story.verdicts.get(str(named), "approve")
