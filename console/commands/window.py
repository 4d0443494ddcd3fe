"""`pilothouse`: open the console."""

from collections.abc import Mapping

from agent_core.model.errors import InputError
from console.display import why_no_window
from console.paths import find_home, make_home


def open_window(environ: Mapping[str, str]) -> int:
    """Open the console on the home; without a display one line and exit 2, before Qt is imported."""
    if problem := why_no_window(environ):
        raise InputError(problem)
    home = make_home(find_home(environ))
    from console.app import open_console

    return open_console(home)
