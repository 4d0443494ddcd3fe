"""The engine against a framework that people build agents with, on the same service. Only with `--peers`."""

import os
import subprocess
import sys

from tests.bench.figures import Figure, Goal, Options, millis, number, pairs
from tests.bench.worker import Service, Worker

SIXTH = Goal(1 / 6)
_NEEDS = "import langgraph.checkpoint.sqlite.aio, langchain_anthropic"
_PYTHON = "BENCH_PEERS_PYTHON"
"""Names another interpreter that has the extra `bench`."""


def measure(options: Options) -> list[Figure]:
    """CPU per step by LangGraph's, and what its database weighs."""
    if not options.peers:
        return []
    python = os.environ.get(_PYTHON, sys.executable)
    if subprocess.run([python, "-c", _NEEDS], check=False, capture_output=True).returncode:
        print("peers: LangGraph is not installed here; `make bench PEERS=1` installs it", file=sys.stderr)
        return []
    found = []
    with (
        Service() as service,
        Worker("tests.bench.loops.engine") as ours,
        Worker("tests.bench.loops.langgraph", python=python) as theirs,
    ):
        for steps, runs, times in ((50, 1, 5), (200, 1, 2), (50, 32, 1)):
            asked = {"url": service.url, "steps": steps, "runs": runs}
            took = pairs(
                options.of(times, 1),
                lambda asked=asked: ours.do("run", **asked),
                lambda asked=asked: theirs.do("run", **asked),
            )
            mine, other = ([pair[side]["cpu"] / (steps * runs) for pair in took] for side in (0, 1))
            found.append(
                Figure(
                    f"CPU a step, {f'{runs} runs' if runs > 1 else '1 run'} of {steps} steps",
                    [a / b for a, b in zip(mine, other, strict=True)],
                    SIXTH,
                    ours=millis(mine),
                    beside=f"LangGraph + SQLite {millis(other)}",
                )
            )
            if runs == 1:
                size = took[0][1]["bytes"] / steps
                small = ours.do("bytes", url=service.url, steps=steps)["bytes"] / steps
                what, beside = f"bytes a step, {steps} steps", f"LangGraph + SQLite {number(size)} B"
                found.append(Figure(what, [small / size], ours=f"{number(small)} B", beside=beside))
    return found
