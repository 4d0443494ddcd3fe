"""`python -m tests.bench [--peers] [--only NAME …] [--quick]`: measure, and print the table."""

import argparse
import os
import platform
import sys

from tests.bench.figures import Figure, Options
from tests.bench.rows import ROWS
from tests.bench.table import lines


def main(arguments: list[str]) -> None:
    """Measure the rows that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure Pilothouse against others.")
    parser.add_argument("--peers", action="store_true", help="also measure the frameworks of the extra `bench`")
    parser.add_argument("--only", action="append", choices=list(ROWS), metavar="NAME", help=", ".join(ROWS))
    parser.add_argument("--quick", action="store_true", help="fewer and shorter measurements, for a first look")
    given = parser.parse_args(arguments)
    options = Options(quick=given.quick, peers=given.peers)
    found: list[Figure] = []
    for name in given.only or ROWS:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        found += ROWS[name](options)
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors, {platform.platform(terse=True)}\n")
    print("\n".join(lines(found)))


if __name__ == "__main__":
    main(sys.argv[1:])
