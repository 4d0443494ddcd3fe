"""Point 1, measured: every commit boundary, every operation of some stories, and random moments of many."""

import json
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from queue import Empty, SimpleQueue

import msgspec

from tests.torture.kill.server import Job, Outcome
from tests.torture.kill.worker import Kill
from tests.torture.report import Options, Point

SERVERS = 2
_KINDS = {
    "repeated": "repeated non-idempotent effects",
    "decision": "lost or altered decisions",
    "lost": "lost events that were reported saved",
    "integrity": "failed integrity checks",
    "chain": "broken chains",
    "call": "calls that are not finished, failed or unknown",
    "unknown": "unknown outcomes without a card",
    "effect": "outcomes that differ from the ledger",
    "binding": "effects that differ from their decision",
    "history": "requests that the service would refuse",
    "resume": "sessions that do not resume and end",
}


def measure(options: Options) -> Point:
    """Kill stories at every boundary and at random, and count what went wrong."""
    point, chance = Point(), random.Random(options.seed)
    with Servers() as servers:
        boundaries = servers.run(list(_boundaries(servers, point, options)))
        drawn = servers.run([_drawn(options, chance, n) for n in range(options.size(1600, 6))])
        proven = proof(servers, options)
    found = [*boundaries, *drawn]
    wrong = Counter(problem.split(":")[0] for outcome in found for problem in outcome.problems)
    for outcome in found:
        for problem in outcome.problems:
            point.problem(problem)
    point.least("processes killed at random points", sum(o.kills for o in drawn), options.size(2000, 6))
    point.shown("sessions worked in pieces, each resumed to its end", f"{len(found):,}")
    for kind, name in _KINDS.items():
        point.none(name, wrong.pop(kind, 0))
    point.none("other failures", sum(wrong.values()))
    point.sure("without the intent event the suite fails", proven)
    return point


def proof(servers: "Servers", options: Options) -> bool:
    """The suite's own proof: whether it finds repeated effects when calls start without their announcing event."""
    jobs = [
        Job(
            folder=str(options.scratch / f"proof-{story}-{effect}"),
            seed=story,
            kills=[Kill(effect=effect)],
            without_intents=True,
        )
        for story in range(options.seed, options.seed + 2)
        for effect in range(1, 4)
    ]
    return any(problem.startswith("repeated") for outcome in servers.run(jobs) for problem in outcome.problems)


def _boundaries(servers: "Servers", point: Point, options: Options) -> Iterator[Job]:
    """Some stories, killed on both sides of every commit and after every effect; one before every operation too."""
    tally: Counter[str] = Counter()
    for story in range(options.seed, options.seed + options.size(5, 1)):
        (whole,) = servers.run([Job(folder=str(options.scratch / f"whole-{story}"), seed=story, kills=[])])
        if whole.problems:
            raise RuntimeError(f"story {story} does not even end without a kill: {whole.problems}")
        step = options.size(1, 12)
        kills = {
            "before commits": [Kill(commit=number) for number in range(1, whole.done.commits + 1, step)],
            "after saved events": [Kill(event=number) for number in range(1, whole.events + 1, step)],
            "after effects": [Kill(effect=number) for number in range(1, whole.done.effects + 1, options.size(1, 4))],
            "before operations": [Kill(operation=n) for n in range(1, whole.done.operations + 1, options.size(1, 60))],
        }
        if story > options.seed:
            kills.pop("before operations")
        tally.update({name: len(listed) for name, listed in kills.items()})
        for number, kill in enumerate(kill for listed in kills.values() for kill in listed):
            yield Job(folder=str(options.scratch / f"boundary-{story}-{number}"), seed=story, kills=[kill])
    for name, count in tally.items():
        point.shown(f"killed {name}, at {'some' if options.quick else 'every one'}", f"{count:,}")


def _drawn(options: Options, chance: random.Random, number: int) -> Job:
    """A story that is killed at one to three random moments, of random kinds."""
    kills = [_moment(chance) for _ in range(chance.choice((1, 1, 1, 2, 3)))]
    return Job(folder=str(options.scratch / f"random-{number}"), seed=chance.randrange(1 << 30), kills=kills)


def _moment(chance: random.Random) -> Kill:
    match chance.randrange(5):
        case 0:
            return Kill(operation=chance.randint(1, 200))
        case 1:
            return Kill(event=chance.randint(1, 50))
        case 2:
            return Kill(effect=chance.randint(1, 8))
        case _:
            return Kill(share=chance.random())


class Servers:
    """Some fork servers, one a core. A context manager."""

    def __init__(self, count: int = SERVERS) -> None:
        command = [sys.executable, "-m", "tests.torture.kill.server"]
        self._all = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(count)]

    def __enter__(self) -> "Servers":
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._all:
            server.communicate()

    def run(self, jobs: Sequence[Job]) -> list[Outcome]:
        """Run the jobs, side by side; outcomes in any order."""
        waiting: SimpleQueue[Job] = SimpleQueue()
        for job in jobs:
            waiting.put(job)
        found: list[Outcome] = []
        threads = [
            threading.Thread(target=lambda server=server: found.extend(_served(server, waiting)))
            for server in self._all[: len(jobs)]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found


def _served(server: "subprocess.Popen[bytes]", waiting: SimpleQueue[Job]) -> Iterator[Outcome]:
    assert server.stdin is not None
    assert server.stdout is not None
    while True:
        try:
            job = waiting.get_nowait()
        except Empty:
            return
        server.stdin.write(msgspec.json.encode(job) + b"\n")
        server.stdin.flush()
        outcome = msgspec.json.decode(server.stdout.readline(), type=Outcome)
        where = json.dumps({"seed": job.seed, "kills": msgspec.to_builtins(job.kills)})
        yield msgspec.structs.replace(outcome, problems=[f"{problem} ({where})" for problem in outcome.problems])
