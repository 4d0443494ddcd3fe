"""The entry point: ``pilothouse`` and ``python -m console``."""

import sys

from console.signals import ignore, interrupt


def main() -> None:
    """Run the command line and leave with its exit code. Told to leave before it began: 130, as shells have it."""
    try:
        interrupt()
        from console.cli import run

        code = run(sys.argv[1:])
        ignore()
    except KeyboardInterrupt:
        code = 130
        ignore()
    sys.exit(code)


if __name__ == "__main__":
    main()
