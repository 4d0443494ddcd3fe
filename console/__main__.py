"""The entry point: ``pilothouse`` and ``python -m console``."""

import sys


def main() -> None:
    """Run the command line and leave with its exit code. Interrupted before it began: 130, as shells have it."""
    try:
        from console.cli import run
        from console.signals import ignore

        code = run(sys.argv[1:])
        ignore()
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
