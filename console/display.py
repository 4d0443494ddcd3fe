"""Whether a window can be shown here; told before Qt is imported, because Qt would end the process instead."""

import sys
from collections.abc import Mapping

_WINDOWLESS = ("offscreen", "minimal")


def why_no_window(environ: Mapping[str, str], platform: str = sys.platform) -> str | None:
    """The sentence that says why no window can be shown; None where one can."""
    chosen = environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if chosen in _WINDOWLESS:
        return f"QT_QPA_PLATFORM is {chosen}, so no window can be shown; see pilothouse --help for what works without"
    if platform.startswith("linux") and not (environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")):
        return "there is no display here, so no window can be shown; see pilothouse --help for what works without"
    return None
