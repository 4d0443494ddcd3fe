"""Point 3: an approval binds. Batches of approved calls, each changed in one way before it runs."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.intents import Decide, StartRun
from agent_core.model.proposal import Decision, Via
from agent_core.model.state import CallState
from agent_core.tools.files_delete import FilesDelete
from agent_core.tools.files_edit import FilesEdit
from agent_core.tools.files_move import FilesMove
from agent_core.tools.files_write import FilesWrite
from tests.support.engine_lab import turn
from tests.support.virtual_clock import VirtualClock
from tests.torture.deciding import swaps
from tests.torture.deciding.cards import CardLab
from tests.torture.deciding.changes import (
    ABOUT_FILES,
    HARMFUL,
    HARMLESS,
    Change,
    Subject,
    as_call,
    subject,
)
from tests.torture.ledger_tools import Pay, entries, ledger_of
from tests.torture.report import Options, Point

_BATCH = 32
WORKERS = 2
_TOOLS = {
    "files_edit": FilesEdit,
    "files_write": FilesWrite,
    "files_move": FilesMove,
    "files_delete": FilesDelete,
    "pay": Pay,
}
Circumstance = Callable[["Bench", random.Random], tuple[str, set[str]]]
"""A change around all calls of a batch: its name, and the tools that may not run after it."""


def measure(options: Options) -> Point:
    """Change approved calls; count those that ran although they may not, and those that did not although they may."""
    point, tally = Point(), Counter[str]()
    parts = [(options, number) for number in range(options.size(WORKERS, 1))]
    if options.quick:
        found = [_part(*part) for part in parts]
    else:
        with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
            found = list(pool.map(_part, *zip(*parts, strict=True)))
    for counted, problems in found:
        tally += counted
        for problem in problems:
            point.problem(problem)
    point.least("changes after the decision", tally["changes"], options.size(10_000, 90))
    point.none("executions that differ from their card", tally["differs"], tally["harmful"])
    point.none("refusals where no meaning changed", tally["refused"], tally["harmless"])
    point.none("effects beside the card (victims of links)", tally["beside"])
    asyncio.run(swaps.measure(point, options))
    return point


def _part(options: Options, number: int) -> tuple[Counter[str], list[str]]:
    """One worker's share: what it counted, and what went wrong."""
    bench = Bench(options.scratch / f"bench{number}")
    asyncio.run(_batches(bench, random.Random(f"{options.seed} {number}"), options.size(160, 3)))
    return bench.tally, bench.problems


async def _batches(bench: "Bench", chance: random.Random, batches: int) -> None:
    await bench.open()
    for number in range(batches):
        # Two of three batches keep their circumstances, so that each call's own change alone decides.
        circumstance = chance.choice(CIRCUMSTANCES) if number % 3 == 2 else unchanged
        await bench.batch(number, chance, circumstance)
    await bench.lab.close()


class Bench:
    """One home in which batch after batch is approved, changed and gone on with."""

    def __init__(self, root: Path) -> None:
        self.lab = CardLab(root, [], clock=VirtualClock())
        self.tally: Counter[str] = Counter()
        self.problems: list[str] = []
        self.foreign: Decision | None = None
        self._versions = {name: tool.version for name, tool in _TOOLS.items()}

    async def open(self) -> None:
        """Open the home. Nothing runs before it is resumed."""
        self.harness: Harness = await self.lab.open(works=False)

    async def batch(self, number: int, chance: random.Random, circumstance: Circumstance) -> None:
        """Approve a batch, change each call in one way, go on, and look at what ran."""
        self.lab.write_profile()
        workspace = self.lab.root / f"w{number}" / "workspace"
        workspace.mkdir(parents=True)
        subjects = [subject(chance, place, workspace) for place in range(_BATCH)]
        self.lab.model._scripted._script.turns[:] = [turn(*map(as_call, subjects)), turn(text="done")]
        start = StartRun(profile=str(self.lab.profile), goal="do it", workspace=str(workspace), by="bar")
        session = await self.harness.supervisor.start(start)
        await self.harness.supervisor.wait(session)
        ledger = await self.harness.house.load(session)
        for card in list(ledger.state.open_cards):
            await self.harness.desk.decide(Decide(proposal=card, verdict="approve", by="bar", via=Via.CLI))
        calls = list(ledger.state.calls.values())
        first = calls[0].decision
        may_run = self._change(ledger.state, subjects, calls, chance)
        name, barred = circumstance(self, chance)
        await self.harness.supervisor.resume(session, "bar")
        await self.harness.supervisor.wait(session)
        for tool, version in self._versions.items():
            _TOOLS[tool].version = version  # type: ignore[misc]
        self.foreign = first
        await self._look(session, workspace, subjects, calls, may_run, (name, barred))

    def _change(
        self, state: Any, subjects: list[Subject], calls: list[CallState], chance: random.Random
    ) -> list[tuple[Change, bool]]:
        """Apply one change to each call; whether the call may still run."""
        made: list[tuple[Change, bool]] = []
        for one, asked in zip(subjects, calls, strict=True):
            one.other = chance.choice([other.decision for other in calls if other is not asked])
            one.foreign = self.foreign
            harmless = chance.random() < 0.4
            kinds = [
                change
                for change in (HARMLESS if harmless else HARMFUL)
                if not (change in ABOUT_FILES and one.tool == "pay")
                and not (one.foreign is None and change.__name__ == "decision_of_another_session")
            ]
            made.append((chance.choice(kinds), harmless))
        for (change, _), one, asked in zip(made, subjects, calls, strict=True):
            change(one, state, asked, chance)
        return made

    async def _look(
        self,
        session: str,
        workspace: Path,
        subjects: list[Subject],
        calls: list[CallState],
        changes: list[tuple[Change, bool]],
        around: tuple[str, set[str]],
    ) -> None:
        started = {
            event.data.call_id
            for event in await self.lab.events(self.harness, session, ev.CallStarted)
            if isinstance(event.data, ev.CallStarted)
        }
        paid = Counter(key for _, key, _ in entries(ledger_of(workspace)))
        victims = workspace.parent / "victims"
        self.tally["beside"] += sum(path.read_text() != "start\nmiddle\nend\n" for path in victims.rglob("file.txt"))
        for one, asked, (change, harmless) in zip(subjects, calls, changes, strict=True):
            self.tally["changes"] += 1
            ran = asked.call_id in started or paid[f"{session}/{asked.call_id}"] > 0
            what = f"{one.tool} after {change.__name__}, {around[0]}"
            if harmless and one.tool not in around[1]:
                self.tally["harmless"] += 1
                if not ran or not one.done(workspace):
                    self.tally["refused"] += 1
                    self.problems.append(f"did not run although it may: {what}")
            else:
                self.tally["harmful"] += 1
                if ran:
                    self.tally["differs"] += 1
                    self.problems.append(f"ran although it may not: {what}")


def unchanged(bench: Bench, chance: random.Random) -> tuple[str, set[str]]:
    """The world stays as it was."""
    return "nothing around it changed", set()


def profile_laid_out(bench: Bench, chance: random.Random) -> tuple[str, set[str]]:
    """The profile is written anew, with other spaces and comments."""
    text = bench.lab.profile.read_text()
    bench.lab.profile.write_text(f"# looked over {chance.random()}\n\n{text.replace(' = ', '  =  ')}\n# end\n")
    return "the profile laid out anew", set()


def rule_elsewhere(bench: Bench, chance: random.Random) -> tuple[str, set[str]]:
    """A rule came that concerns other calls."""
    verdict = chance.choice(("deny", "ask", "allow"))
    bench.lab.write_profile(
        f'[[rules]]\ntool = "files_write"\nwhen = {{ path = "elsewhere/**" }}\nverdict = "{verdict}"\n'
    )
    return "a rule about other paths", set()


def time_passed(bench: Bench, chance: random.Random) -> tuple[str, set[str]]:
    """Some time passed, within what the card gives."""
    bench.lab.clock.advance(chance.uniform(1, 3 * 3600))
    return "time passed", set()


def expired(bench: Bench, chance: random.Random) -> tuple[str, set[str]]:
    """The approval is older than approvals hold."""
    bench.lab.clock.advance(chance.uniform(4.1, 90) * 3600, loop=chance.random() < 0.5)
    return "the approval expired", set(_TOOLS)


def denied(bench: Bench, chance: random.Random) -> tuple[str, set[str]]:
    """A rule came that denies one tool."""
    tool = chance.choice(list(_TOOLS))
    bench.lab.write_profile(f'[[rules]]\ntool = "{tool}"\nverdict = "deny"\n')
    return f"a rule that denies {tool}", {tool}


def asked_about(bench: Bench, chance: random.Random) -> tuple[str, set[str]]:
    """A rule came that asks about one tool: the approval was given under other rules."""
    tool = chance.choice(list(_TOOLS))
    bench.lab.write_profile(f'[[rules]]\ntool = "{tool}"\nverdict = "ask"\n')
    return f"a rule that asks about {tool}", {tool}


def unreadable(bench: Bench, chance: random.Random) -> tuple[str, set[str]]:
    """The policy cannot be read."""
    bench.lab.profile.write_text("this [ is no profile")
    return "a policy that cannot be read", set(_TOOLS)


def another_version(bench: Bench, chance: random.Random) -> tuple[str, set[str]]:
    """A tool is another version than the one that was approved."""
    tool = chance.choice(list(_TOOLS))
    _TOOLS[tool].version = "2.0"  # type: ignore[misc]
    return f"another version of {tool}", {tool}


CIRCUMSTANCES: tuple[Circumstance, ...] = (
    profile_laid_out,
    rule_elsewhere,
    time_passed,
    expired,
    denied,
    asked_about,
    unreadable,
    another_version,
)
