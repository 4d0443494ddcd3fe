"""python -m tests.torture [--only N ...] [--seed S] [--quick] [--recordings DIR] [--trajectories DIR]: one table."""

import argparse
import logging
import shutil
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path

from tests.torture.points import POINTS
from tests.torture.report import Named, Options, Point, Took, table

_MEMORY = Path("/dev/shm")
"""Where there is one, a folder in memory: a killed process loses nothing that it wrote, there or on a disk."""


def main(arguments: Sequence[str]) -> int:
    """Run the points and print what they measured; 1 when a figure is not what it has to be."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description="Try the harness until it gives.")
    parser.add_argument("--only", type=int, nargs="*", default=[], help="numbers of points, such as 1 4")
    parser.add_argument("--seed", type=int, default=1, help="the same seed tries the same things")
    parser.add_argument("--quick", action="store_true", help="a short slice of each point")
    parser.add_argument("--recordings", type=Path, help="a folder of recorded exchanges and faults.json")
    parser.add_argument("--trajectories", type=Path, help="a folder of recorded tool calls")
    parser.add_argument("--keep", action="store_true", help="leave the folders of failed points for a look")
    given = parser.parse_args(arguments)
    logging.getLogger().addHandler(logging.NullHandler())
    rows = []
    for named in POINTS:
        if given.only and named.number not in given.only:
            continue
        print(f"{named.number:>2}  {named.title} ...", file=sys.stderr, flush=True)
        rows.append(_run(named, given))
    print(table(rows))
    for named, point, _ in rows:
        for problem in point.problems:
            print(f"{named.number:>2}  {problem}")
    return 0 if all(point.holds for _, point, _ in rows) else 1


def _run(named: Named, given: argparse.Namespace) -> tuple[Named, Point, Took]:
    base = _MEMORY if _MEMORY.is_dir() else None
    scratch = Path(tempfile.mkdtemp(prefix=f"torture-{named.number}-", dir=base))
    options = Options(
        seed=given.seed,
        quick=given.quick,
        scratch=scratch,
        recordings=given.recordings,
        trajectories=given.trajectories,
    )
    began = Took.now()
    try:
        point = named.measure(options)
    except Exception as error:  # noqa: BLE001 - one point's own failure must not hide the others' figures
        point = Point()
        point.sure("the point could be measured", holds=False)
        point.problem(f"{type(error).__name__}: {error}")
        traceback.print_exc()
    if point.holds or not given.keep:
        shutil.rmtree(scratch, ignore_errors=True)
    else:
        print(f"    its folder: {scratch}", file=sys.stderr)
    return named, point, Took.now() - began


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
