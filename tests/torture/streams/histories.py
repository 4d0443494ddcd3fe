"""Point 4: every recording under every recipe, stopped and killed at every event of its streams.

A kill leaves files, and the same files are gone on with once; a stop leaves a journal, and journals that differ in
nothing but ids and times are gone on with once, since the next request is made from nothing else.
"""

import asyncio
import gc
import random
import traceback
from collections import Counter
from collections.abc import Awaitable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, fields
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.torture.report import Options, Point
from tests.torture.streams import bills, cases
from tests.torture.streams.recordings import Recording, load, recipes

_AS_IT_IS: dict[str, Any] = {"id": "as it is", "mutation": {}}
_KINDS = {
    "history": "requests that break a rule of the service",
    "thinking": "thinking blocks that went back altered",
    "half": "calls or cards of half a response",
    "usage": "figures booked that differ from the final usage",
    "cost": "costs that differ in any digit",
    "failed": "cases that failed otherwise",
}


_ANY_RECORDING = "replace_all"
"""What recipes that answer everything themselves have: the recording is never played, so a few of them tell all."""


@dataclass(frozen=True)
class _Part:
    """One recording under one recipe, to be tried by one worker."""

    folder: Path
    recording: Recording
    recipe: str
    mutation: dict[str, Any]
    seed: str
    quick: bool


@dataclass
class _Tally:
    tracks: int = 0
    stops: int = 0
    left: int = 0
    """Kinds of what they left, each of which was gone on with."""
    kills: int = 0
    moments: int = 0
    closes: int = 0
    requests: int = 0
    bills: int = 0
    costs: int = 0
    problems: list[str] = field(default_factory=list)

    def __add__(self, other: "_Tally") -> "_Tally":
        return _Tally(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def measure(options: Options) -> Point:
    """Play everything, two parts side by side, and count what the service would refuse."""
    point, recordings, all_recipes = Point(), load(options.recordings), recipes(options.recordings)
    parts = _parts(options, recordings, all_recipes)
    if options.quick:
        tallies = [_play(part) for part in parts]
    else:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn"), initializer=_warm) as pool:
            tallies = list(pool.map(_play, parts, chunksize=4))
    whole = sum(tallies, _Tally())
    wrong = Counter(problem.split(":")[0] for problem in whole.problems)
    for problem in whole.problems:
        point.problem(problem)
    point.shown(
        "recordings x (recipes and none)", f"{len(recordings)} x {len(all_recipes) + 1}, {whole.tracks:,} played"
    )
    every = "some" if options.quick else "every one"
    point.shown(f"stops, at {every} of the events of all streams", f"{whole.stops:,}")
    point.shown("  different journals that they left, all gone on with", f"{whole.left:,}")
    point.shown(f"kills, at {every} of these events", f"{whole.kills:,}")
    point.shown("  different files that they left, all gone on with", f"{whole.moments:,}")
    point.shown("closes of the program, at one drawn event each", f"{whole.closes:,}")
    point.all("requests that keep every rule", whole.requests - wrong["history"], whole.requests)
    for kind, name in _KINDS.items():
        if kind != "history":
            point.none(name, wrong.pop(kind, 0))
    point.shown("bills worked out again (answers with a known price)", f"{whole.bills} ({whole.costs})")
    return point


def _parts(options: Options, recordings: Sequence[Recording], all_recipes: Sequence[dict[str, Any]]) -> list[_Part]:
    """All pairs, the longest first, so that both workers end together; a few of them for a slice."""
    chance = random.Random(options.seed)
    pairs = [
        (recording, recipe)
        for number, recording in enumerate(recordings)
        for recipe in (_AS_IT_IS, *all_recipes)
        if _ANY_RECORDING not in recipe["mutation"] or number % 8 == 0
    ]
    if options.quick:
        pairs = [*chance.sample(pairs, min(len(pairs), 12)), (recordings[0], _AS_IT_IS)]
    pairs.sort(key=lambda pair: -sum(map(len, pair[0].streams)))
    return [
        _Part(
            folder=options.scratch / str(number),
            recording=recording,
            recipe=recipe["id"],
            mutation=recipe["mutation"],
            seed=f"{options.seed}-{number}",
            quick=options.quick,
        )
        for number, (recording, recipe) in enumerate(pairs)
    ]


def _warm() -> None:
    """What each case would else load by itself, and objects that no collection has to look at again."""
    import genai_prices.data_snapshot

    genai_prices.data_snapshot.get_snapshot()
    gc.freeze()


def _play(part: _Part) -> _Tally:
    return asyncio.run(_play_all(part))


async def _play_all(part: _Part) -> _Tally:
    tally, chance = _Tally(tracks=1), random.Random(part.seed)
    track = cases.Track(part.folder, part.recording, part.mutation)
    await track.open()
    whole = await _case(tally, part, "whole", track.whole())
    events = whole.events if whole is not None else 1
    if whole is not None and not part.mutation:
        _check_bill(tally, part.recording, whole)
    places = range(1, events + 1)
    for place in chance.sample(places, min(4, events)) if part.quick else places:
        await _case(tally, part, f"stop at event {place}", track.stopped(place))
        tally.stops += 1
    moments = chance.sample(track.moments, min(1, len(track.moments))) if part.quick else track.moments
    tally.left, tally.kills = len(track.left), len(moments) if part.quick else events
    for moment in moments:
        await _case(tally, part, f"kill at event {moment.first}", track.killed(moment))
        tally.moments += 1
    place = chance.randint(1, events)
    await _case(tally, part, f"close at event {place}", track.closed(place))
    tally.closes += 1
    await track.close()
    return tally


async def _case(tally: _Tally, part: _Part, what: str, case: Awaitable[cases.Found]) -> cases.Found | None:
    where = f"{part.recording.name}, {part.recipe}, {what}"
    try:
        async with asyncio.timeout(60):
            found = await case
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
