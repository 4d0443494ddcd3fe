"""The entry point: ``pilothouse`` and ``python -m console``."""

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    from console.cli import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
