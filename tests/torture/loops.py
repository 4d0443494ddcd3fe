"""Point 7: planted loops are caught by their third repeat; honest work and polling are not."""

import asyncio
import itertools
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from agent_core.model import events as ev
from agent_core.model.action import EffectClass, Reversibility
from agent_core.policy.loops import LONGEST_PERIOD, REPEATS, WINDOW, SeenCall, repeats, signature
from agent_core.tools.base import Arguments, Outcome, Privileges, Tool, ToolContext
from agent_core.tools.registry import TOOLS
from tests.support.engine_lab import Lab, call, turn
from tests.torture.report import Options, Point

TRUE_LOOPS = {"swe-05-eps": [11, 12]}
"""Recorded work that did go in circles, with the calls to be caught: an answer handed in five times, word for word, and
five times found wrong. Whoever watches such an agent wants to be told, so it is no false alarm."""


class Poll(Tool[Arguments]):
    """Asks for a state that is another each time."""

    name = "poll"
    description = "Asks how far it is."
    arguments = Arguments
    privileges = Privileges()
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE
    _count: ClassVar[Iterator[int]] = itertools.count()

    def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        """One more."""
        return Outcome(result={"done": next(self._count)}, summary="polled")


def measure(options: Options) -> Point:
    """Plant loops in sessions, poll, and look at recorded work."""
    point, chance = Point(), random.Random(options.seed)
    asyncio.run(_planted(point, options.scratch / "planted", chance, options.size(5, 1)))
    asyncio.run(_polling(point, options.scratch / "polling"))
    _recorded(point, options.trajectories)
    return point


async def _planted(point: Point, root: Path, chance: random.Random, times: int) -> None:
    """Every period, in one message and over turns, behind some honest calls and with keys in any order."""
    caught, planted = 0, 0
    for period in range(1, LONGEST_PERIOD + 1):
        for in_one in (True, False):
            for _ in range(times):
                planted += 1
                caught += await _one(point, root / str(planted), chance, period, in_one=in_one)
    point.all(f"planted loops of period 1 to {LONGEST_PERIOD} caught by their third repeat", caught, planted)


async def _one(point: Point, root: Path, chance: random.Random, period: int, *, in_one: bool) -> bool:
    honest = [_search(chance, f"honest{n}") for n in range(chance.randint(0, 6))]
    cycle = [_search(chance, f"again{n}") for n in range(period)]
    calls = [*honest, *(_shuffled(chance, one) for one in cycle * REPEATS)]
    turns = [turn(*calls)] if in_one else [turn(one) for one in calls]
    lab = Lab(root, *turns, turn(text="done"))
    lab.write_profile(limits="tool_calls = 100\ntokens = 5000000", steps=60)
    harness = await lab.open()
    session = await lab.start(harness)
    loops = [e.data for e in await lab.events(harness, session, ev.LoopDetected)]
    ran = len(await lab.events(harness, session, ev.CallStarted))
    await lab.close()
    right = [loop.period for loop in loops if isinstance(loop, ev.LoopDetected)][:1] == [period]
    in_time = ran == len(honest) + period * REPEATS - 1
    if not (right and in_time):
        point.problem(f"period {period}, in one message: {in_one}: {len(loops)} caught, {ran} of {len(calls)} ran")
    return right and in_time


def _search(chance: random.Random, name: str) -> dict[str, Any]:
    return call("files_search", pattern=f"{name}-{chance.random()}", path=".", glob="*.txt")


def _shuffled(chance: random.Random, one: dict[str, Any]) -> dict[str, Any]:
    items = list(one["input"].items())
    chance.shuffle(items)
    return {**one, "input": dict(items)}


async def _polling(point: Point, root: Path) -> None:
    lab = Lab(root, *[turn(call("poll"))] * 15, turn(text="done"))
    lab.write_profile(tools=("poll",))
    harness = await lab.open(tools=(*TOOLS, Poll()))
    session = await lab.start(harness)
    loops = len(await lab.events(harness, session, ev.LoopDetected))
    await lab.close()
    point.none("polls with changing results taken for a loop", loops, 15)


def _recorded(point: Point, folder: Path | None) -> None:
    """Recorded work of other agents, and honest sequences drawn here."""
    if folder is not None:
        paths = sorted(folder.glob("*-*.json"))
        caught, calls = {}, 0
        for path in paths:
            steps = _steps(path)
            calls += len(steps)
            if places := _flagged(steps):
                caught[path.stem] = places
        true = {name: places for name, places in caught.items() if TRUE_LOOPS.get(name) == places}
        for name in caught.keys() - true.keys():
            point.problem(f"{name}: calls {caught[name]} are taken for a third repeat")
        flagged = sum(map(len, caught.values()))
        of_all = f"(of {calls:,}, in {len(paths)} trajectories)"
        point.most(f"recorded calls flagged, true loops among them {of_all}", 100 * flagged / calls, 2, " %")
        point.most(
            f"recorded trajectories flagged without a loop (of {len(paths)}; {len(caught)} flagged in all)",
            100 * (len(caught) - len(true)) / len(paths),
            2,
            " %",
        )
        point.all("true loops in recorded trajectories caught", len(true), len(TRUE_LOOPS))
    chance = random.Random(5)
    drawn = [
        [(chance.choice("abcd"), {"n": chance.randrange(40)}, chance.random()) for _ in range(200)] for _ in range(50)
    ]
    found = sum(len(_flagged(sequence)) for sequence in drawn)
    point.none("calls with changing results flagged", found, 50 * 200)


def _steps(path: Path) -> list[tuple[str, dict[str, Any], Any]]:
    """The calls of a trajectory with their results."""
    steps = json.loads(path.read_text(encoding="utf-8"))["steps"]
    results = {step["id"]: [step["is_error"], step["text"]] for step in steps if step["kind"] == "tool_result"}
    return [(s["tool"], s["args"], results.get(s["id"])) for s in steps if s["kind"] == "tool_call"]


def _flagged(calls: Sequence[tuple[str, dict[str, Any], Any]]) -> list[int]:
    """Places of the calls that would be caught."""
    seen: list[SeenCall] = []
    places = []
    for place, (tool, arguments, result) in enumerate(calls):
        mine = signature(tool, arguments)
        if repeats(seen[-(WINDOW - 1) :], mine) is not None:
            places.append(place)
        seen.append(SeenCall(mine, json.dumps(result, sort_keys=True)))
    return places
