"""Point 4: every recording under every recipe, stopped, closed or killed at the events of its streams."""

import asyncio
import random
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.torture.report import Options, Point
from tests.torture.streams import bills, cases
from tests.torture.streams.recordings import Recording, load, recipes

_KINDS = {
    "history": "requests that break a rule of the service",
    "thinking": "thinking blocks that went back altered",
    "half": "calls or cards of half a response",
    "usage": "figures booked that differ from the final usage",
    "cost": "costs that differ in any digit",
    "failed": "cases that failed otherwise",
}


@dataclass
class _Tally:
    cases: int = 0
    requests: int = 0
    bills: int = 0
    costs: int = 0
    problems: list[str] = field(default_factory=list)


def measure(options: Options) -> Point:
    """Play everything, two recordings side by side, and count what the service would refuse."""
    point, all_recordings, all_recipes = Point(), load(options.recordings), recipes(options.recordings)
    chance = random.Random(options.seed)
    chosen = chance.sample(all_recordings, min(len(all_recordings), options.size(len(all_recordings), 4)))
    parts = [(options, recording, all_recipes, number) for number, recording in enumerate(chosen)]
    if options.quick:
        tallies = [_play(*part) for part in parts]
    else:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            tallies = list(pool.map(_play, *zip(*parts, strict=True)))
    problems = [problem for tally in tallies for problem in tally.problems]
    wrong = Counter(problem.split(":")[0] for problem in problems)
    for problem in problems:
        point.problem(problem)
    point.shown("recordings x recipes", f"{len(chosen)} x {len(all_recipes)}")
    point.shown("cases stopped, closed or killed at an event", f"{sum(t.cases for t in tallies):,}")
    requests = sum(t.requests for t in tallies)
    point.all("requests that keep every rule", requests - wrong["history"], requests)
    for kind, name in _KINDS.items():
        if kind != "history":
            point.none(name, wrong.pop(kind, 0))
    known = sum(t.costs for t in tallies)
    point.shown("bills worked out again (answers with a known price)", f"{sum(t.bills for t in tallies)} ({known})")
    return point


def _play(options: Options, recording: Recording, all_recipes: Sequence[dict[str, Any]], number: int) -> _Tally:
    return asyncio.run(_play_all(options, recording, all_recipes, number))


async def _play_all(
    options: Options, recording: Recording, all_recipes: Sequence[dict[str, Any]], number: int
) -> _Tally:
    tally, chance = _Tally(), random.Random(options.seed * 1000 + number)
    root = options.scratch / f"r{number}"
    whole = await _case(tally, root, recording, {}, "as it is", None, 0)
    if whole is not None:
        _check_bill(tally, recording, whole)
    events = whole.events if whole is not None else 1
    every, most = list(range(1, events + 1)), options.size(60, 6)
    for place in every if events <= most else sorted(chance.sample(every, most)):
        for action in (chance.choice(cases.ACTIONS),) if options.quick else cases.ACTIONS:
            await _case(tally, root, recording, {}, "as it is", action, place)
    for recipe in all_recipes if not options.quick else chance.sample(list(all_recipes), min(6, len(all_recipes))):
        for _ in range(options.size(3, 1)):
            place, action = chance.randint(1, events + 2), chance.choice(cases.ACTIONS)
            await _case(tally, root, recording, recipe["mutation"], recipe["id"], action, place)
    return tally


async def _case(
    tally: _Tally, root: Path, recording: Recording, mutation: dict[str, Any], name: str, action: str | None, event: int
) -> cases.Found | None:
    where = f"{recording.name}, {name}, {action} at event {event}"
    tally.cases += action is not None
    try:
        async with asyncio.timeout(60):
            found = await cases.run(root, recording, mutation, action, event)
    except Exception as error:  # noqa: BLE001 - a case that fails is a finding, and the others go on
        last = traceback.extract_tb(error.__traceback__)[-1]
        tally.problems.append(f"failed: {type(error).__name__}: {error} at {last.name} ({where})")
        return None
    tally.requests += found.requests
    tally.problems += [f"{problem} ({where})" for problem in found.problems]
    return found


def _check_bill(tally: _Tally, recording: Recording, found: cases.Found) -> None:
    assert found.state is not None
    responses = [r.responded for r in found.state.requests.values() if r.responded is not None]
    answers = min(len(responses), len(recording.streams))
    wanted = bills.tokens(recording, answers)
    more = bills.tokens(recording, 0)
    for response in responses[answers:]:
        more["input_tokens"] += response.usage.input_tokens
        more["output_tokens"] += response.usage.output_tokens
    spends = [bills.booked(run.spend) for run in found.state.runs]
    got = {name: sum(spend[name] for spend in spends) - more[name] for name in wanted}
    tally.bills += 1
    if got != wanted:
        tally.problems.append(f"usage: booked {got} for {wanted} ({recording.name})")
    for response, stream in zip(responses, recording.streams, strict=False):
        price = bills.cost(stream)
        if price is not None:
            tally.costs += 1
            if response.cost_usd != price:
                tally.problems.append(f"cost: {response.cost_usd} for {price} ({recording.name})")
