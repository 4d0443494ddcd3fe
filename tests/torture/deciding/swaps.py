"""Swaps between check and act: while an approved call runs, somebody changes the file or puts a link in its place.

An audit event of the interpreter tells when the tool is about to open or rename; there the swap is made.
"""

import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from agent_core.model import events as ev
from agent_core.model.intents import Decide, StartRun
from agent_core.model.proposal import Via
from tests.support.engine_lab import call, turn
from tests.support.virtual_clock import VirtualClock
from tests.torture.deciding.cards import CardLab
from tests.torture.report import Options, Point

_BEFORE, _EVIL = "start\nmiddle\nend\n", "evil\nmiddle\nevil\n"
_EVENTS = ("open", "os.rename", "os.link", "os.remove")


class _Trap:
    """Springs at the n-th operation of the interpreter that touches the armed folder."""

    def __init__(self) -> None:
        self._folder = ""
        self._left = 0
        self._swap: Any = None
        sys.addaudithook(self._hook)

    def arm(self, name: str, left: int, swap: Any) -> None:
        self._folder, self._left, self._swap = name, left, swap

    def disarm(self) -> bool:
        """Whether it has sprung."""
        sprung, self._swap = self._swap is None, None
        return sprung

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._swap is None or event not in _EVENTS or not any(self._folder in str(a) for a in arguments[:2]):
            return
        self._left -= 1
        if self._left <= 0:
            swap, self._swap = self._swap, None
            swap()


async def measure(point: Point, options: Options) -> None:
    """Swap while calls run, and look at what was changed."""
    chance, tally, trap = random.Random(options.seed + 1), Counter[str](), _Trap()
    lab = CardLab(options.scratch / "swaps", [], clock=VirtualClock())
    harness = await lab.open(works=False)
    for number in range(options.size(600, 12)):
        workspace = lab.root / f"s{number}" / "workspace"
        victim = workspace.parent / "victim.txt"
        workspace.mkdir(parents=True)
        victim.write_text(_BEFORE)
        name = f"target{number}.txt"
        file = workspace / name
        file.write_text(_BEFORE)
        tool = chance.choice(("files_edit", "files_write", "files_move", "files_delete"))
        lab.model._scripted._script.turns[:] = [turn(_call(tool, name)), turn(text="done")]
        start = StartRun(profile=str(lab.profile), goal="do it", workspace=str(workspace), by="bar")
        session = await harness.supervisor.start(start)
        await harness.supervisor.wait(session)
        (opened,) = await lab.events(harness, session, ev.ProposalOpened)
        assert isinstance(opened.data, ev.ProposalOpened)
        await harness.desk.decide(
            Decide(proposal=opened.data.proposal.proposal, verdict="approve", by="bar", via=Via.CLI)
        )
        link = chance.random() < 0.5
        trap.arm(name, chance.randint(1, 8), lambda f=file, v=victim, k=link: _swap(f, v, link=k))
        await harness.supervisor.resume(session, "bar")
        await harness.supervisor.wait(session)
        tally["swaps"] += trap.disarm()
        if victim.read_text() != _BEFORE:
            tally["victims"] += 1
            point.problem(f"{tool}: the file behind the link was changed")
        if _mixed(file, workspace / "moved.txt"):
            tally["mixed"] += 1
            point.problem(f"{tool}: it worked on bytes that nobody approved")
    await lab.close()
    point.shown("swaps between check and act", f"{tally['swaps']:,}")
    point.none("files behind a link that were changed", tally["victims"])
    point.none("calls that worked on bytes nobody approved", tally["mixed"])


def _call(tool: str, name: str) -> dict[str, Any]:
    match tool:
        case "files_edit":
            return call(tool, path=name, old="middle", new="changed")
        case "files_write":
            return call(tool, path=name, content="new\n")
        case "files_move":
            return call(tool, source=name, target="moved.txt")
        case _:
            return call(tool, path=name)


def _swap(file: Path, victim: Path, *, link: bool) -> None:
    """What somebody else does in that moment."""
    other = file.with_name("other")
    if link:
        other.symlink_to(victim)
    else:
        other.write_text(_EVIL)
    other.replace(file)


def _mixed(file: Path, moved: Path) -> bool:
    """Whether the other bytes were edited. Moving or deleting them whole loses nothing: they can be brought back."""
    found = [path.read_text() for path in (file, moved) if path.is_file()]
    return any("evil" in text and "changed" in text for text in found)
