"""Point 6: limits are never overshot, by batches, by many runs at once, by restarts or by edits during a call."""

import asyncio
import math
import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.budget import MONEY_LIMITS, LimitName, Limits
from agent_core.model.errors import InputError, PilothouseError
from agent_core.model.intents import ChangeLimit, ForkSession, StartRun
from agent_core.model.proposal import Touchpoint
from agent_core.policy.limits import parse_limit
from agent_core.providers.base import Delta, ModelRequest, ModelResponse
from tests.support.engine_lab import Lab, RecordingProvider, call, eventually, turn
from tests.torture.report import Options, Point

_NONSENSE = (
    "NaN",
    "nan",
    "-1",
    "-0.01",
    "inf",
    "-inf",
    "Infinity",
    "1e999",
    "",
    " ",
    "abc",
    "0x10",
    "1_000",
    "½",
    "1,5",
    "none",
)
_PRICES = ("NaN", "-1", "inf", "-inf", "1e9999", "", "cheap")


def measure(options: Options) -> Point:
    """Try every limit from every side."""
    point, chance = Point(), random.Random(options.seed)
    asyncio.run(_batches(point, options.scratch / "batches", chance, options.size(60, 6)))
    asyncio.run(_day(point, options.scratch / "day", chance, options.size(30, 2)))
    asyncio.run(_trees(point, options.scratch / "trees", chance, options.size(20, 2)))
    asyncio.run(_refusals(point, options.scratch / "refusals"))
    asyncio.run(_restarts(point, options.scratch / "restarts", options.size(20, 3)))
    asyncio.run(_edits(point, options.scratch / "edits", options.size(20, 3)))
    return point


def _lab(root: Path, *turns: dict[str, Any]) -> Lab:
    return Lab(root, *turns)


def _limits(**given: object) -> Limits:
    return Limits(**{"cost_usd": None, **given})  # type: ignore[arg-type]


async def _batches(point: Point, root: Path, chance: random.Random, times: int) -> None:
    """Read-only calls run side by side: the case that a check after the start would let through."""
    over = wrong = 0
    for number in range(times):
        limit, batch = (6, 8) if number == 0 else (chance.randint(0, 10), chance.randint(1, 12))
        lab = _lab(root / str(number), turn(*(call("files_search", pattern=f"p{n}") for n in range(batch))))
        harness = await lab.open()
        session = await lab.start(harness, limits=_limits(tool_calls=limit))
        started = len(await lab.events(harness, session, ev.CallStarted))
        over += started > limit
        wrong += started != min(limit, batch)
        await lab.close()
    point.none("batches of calls that started more than their limit (8 under 6 among them)", over, times)
    point.none("batches that started fewer than fit", wrong, times)


class _Greedy(RecordingProvider):
    """Uses every token that a request was allowed, and never comes to an end."""

    async def stream(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        index = len(request.messages) // 2
        spoken = turn(
            call("files_search", pattern=f"{request.session}{index}"), usage={"output_tokens": request.max_tokens}
        )
        self._scripted._script.turns[:] = [spoken] * (index + 1)
        return await super().stream(request, on_delta)


async def _day(point: Point, root: Path, chance: random.Random, times: int) -> None:
    over, most, runs = 0, Decimal(0), 0
    for number in range(times):
        lab = _lab(root / str(number))
        limit = Decimal(chance.randint(5, 60)) / 100
        lab.home.create()
        lab.home.settings.write_text(f'[budgets]\nday_limit_usd = "{limit}"\n')
        lab.model = _Greedy([], lab.clock)
        harnesses = [await lab.open(), await lab.open()]
        wide = Limits(steps=50, cost_usd=Decimal(100), tokens=10_000_000)
        starts = [_start(lab, harnesses[agent % 2], agent, wide) for agent in range(6)]
        sessions = await asyncio.gather(*starts)
        for agent, session in enumerate(sessions):
            await harnesses[agent % 2].supervisor.wait(session)
        spent = (await harnesses[0].house.shared.day()).spent_usd
        runs += len(sessions)
        over += spent > limit
        most = max(most, spent / limit)
        await lab.close()
    point.none("days on which runs at once passed the day limit", over, times)
    point.shown("the most that a day used of its limit", f"{most:.1%} ({runs} runs)")


async def _trees(point: Point, root: Path, chance: random.Random, times: int) -> None:
    """Forks at work at once in two processes, some made while others already spend, and a limit that is edited."""
    over, most, sessions = 0, Decimal(0), 0
    for number in range(times):
        lab = _lab(root / str(number))
        limit = Decimal(chance.randint(20, 80)) / 100
        lab.model = _Greedy([], lab.clock)
        harnesses = [await lab.open(), await lab.open()]
        tree = _limits(steps=1, tokens=10_000_000, tree_cost_usd=limit)
        source = await lab.start(harnesses[0], limits=tree)
        wide = Limits(steps=50, cost_usd=Decimal(100), tokens=10_000_000)
        wish = ForkSession(session=source, by="bar", limits=wide)
        made = await asyncio.gather(*(harnesses[fork % 2].supervisor.fork(wish) for fork in range(6)))
        if number % 2:
            limit += Decimal("0.10")
            edit = ChangeLimit(session=source, limit=LimitName.TREE_COST_USD, value=str(limit), by="bar", why="more")
            await harnesses[1].supervisor.change_limit(edit)
        for harness in harnesses:
            for session in (source, *made):
                await harness.supervisor.wait(session)
        budget = await harnesses[0].reader.tree_budget(made[0])
        sessions += budget.sessions
        over += budget.at_most_usd > limit
        most = max(most, budget.at_most_usd / limit)
        await lab.close()
    point.none("trees whose forks at once passed the limit over them", over, times)
    point.shown("the most that a tree used of its limit", f"{most:.1%} ({sessions} sessions)")


async def _start(lab: Lab, harness: Harness, agent: int, limits: Limits) -> str:
    start = StartRun(
        profile=str(lab.profile), goal=f"agent {agent}", workspace=str(lab.workspace), by="bar", limits=limits
    )
    return await harness.supervisor.start(start)


async def _refusals(point: Point, root: Path) -> None:
    taken, tried = 0, 0
    for name in LimitName:
        for value in _NONSENSE:
            if (name, value) == (LimitName.COST_USD, "none"):
                continue  # that is how a cost limit is lifted
            tried += 1
            try:
                parse_limit(name, value)
            except InputError:
                continue
            taken += 1
            point.problem(f"the limit {name.value} took {value!r}")
    lab = _lab(root, turn(call("files_search", pattern="one")))
    harness = await lab.open()
    through = await _doors(point, lab, harness)
    tried, taken = tried + through[0], taken + through[1]
    before = lab.profile.read_text(encoding="utf-8")
    profiles = [
        before.replace("steps = 20", f"steps = {value or 'nan'}") for value in ("nan", "-1", "inf", '"x"', "1.5")
    ]
    profiles += [before.replace("[limits]", f"[price]\n{_price(value)}[limits]") for value in _PRICES]
    blind = before.replace('model = "claude-sonnet-4-5"', 'model = "claude-nobody-knows"')
    profiles.append(blind.replace("steps = 20", "steps = 20\ncost_usd = 1.0"))
    for text in profiles:
        tried += 1
        lab.profile.write_text(text, encoding="utf-8")
        try:
            await lab.start(harness)
        except InputError:
            continue
        taken += 1
        point.problem(f"a profile was taken: {text[:200]!r}")
    await lab.close()
    point.none("unknown, NaN, negative or infinite limits and prices that were taken", taken, tried)


async def _doors(point: Point, lab: Lab, harness: Harness) -> tuple[int, int]:
    """Nonsense through every door that limits come in by at run time; gives how often, and how much was taken."""
    session = await lab.start(harness, limits=_limits(steps=1))
    card = await lab.card(harness)
    tried = taken = 0
    for name in LimitName:
        for value in (*_NONSENSE, math.nan, math.inf, -1, -0.5, True, None, [], Decimal("NaN"), Decimal("-Infinity")):
            if value is None and name in MONEY_LIMITS:
                continue  # no such limit: that can be meant at a start
            given = msgspec.structs.replace(Limits(), **{name.value: value})
            edit = ChangeLimit(session=session, limit=name, value=value, by="bar", why="x")  # type: ignore[arg-type]
            doors = {
                "extend": lambda n=name.value, v=value: lab.decide(harness, card.proposal, "extend", details={n: v}),
                "edit": lambda e=edit: harness.supervisor.change_limit(e),
                "start": lambda g=given: _start(lab, harness, 1, g),
            }
            if name is not LimitName.TREE_COST_USD:  # a fork has that of its tree, whatever is said
                fork = ForkSession(session=session, by="bar", limits=given)
                doors["fork"] = lambda f=fork: harness.supervisor.fork(f)
            for door, through in doors.items():
                tried += 1
                try:
                    await through()
                except PilothouseError:
                    continue
                taken += 1
                point.problem(f"{door} took the limit {name.value} {value!r}")
    return tried, taken


def _price(value: str) -> str:
    return f'input = "{value}"\noutput = "15"\n'


async def _restarts(point: Point, root: Path, times: int) -> None:
    same = 0
    for number in range(times):
        reads = [turn(call("files_search", pattern=f"p{n}"), usage={"output_tokens": 100 + number}) for n in range(3)]
        lab = _lab(root / str(number), *reads, turn(call("files_write", path="a", content="b")), turn(text="done"))
        harness = await lab.open()
        session = await lab.start(harness)
        before = (await lab.result(harness, session))["spend"]
        await lab.close()
        harness = await lab.open()
        await lab.resume(harness, session)
        state = await lab.state(harness, session)
        day = (await harness.house.shared.day()).spent_usd
        same += (await lab.result(harness, session))["spend"] == before and day == state.run.spend.cost_usd
        await lab.close()
    point.all("restarts after which spend was the same, to the last digit", same, times)


async def _edits(point: Point, root: Path, times: int) -> None:
    held = 0
    for number in range(times):
        slow = turn(call("files_search", pattern="late"), delay_s=1000)
        lab = _lab(root / str(number), turn(call("files_search", pattern="first")), slow, turn(text="too much"))
        harness = await lab.open()
        start = StartRun(profile=str(lab.profile), goal="x", workspace=str(lab.workspace), by="bar")
        session = await harness.supervisor.start(start)
        await eventually(lambda m=lab.model: len(m.requests) == 2)
        edit = ChangeLimit(session=session, limit=LimitName.STEPS, value="2", by="bar", why="enough")
        await harness.supervisor.change_limit(edit)
        lab.clock.advance(2000)
        await harness.supervisor.wait(session)
        cards = await lab.cards(harness)
        held += len(lab.model.requests) == 2 and [card.touchpoint for card in cards] == [Touchpoint.BUDGET]
        await lab.close()
    point.all("limits edited during a request that held from the next check", held, times)
