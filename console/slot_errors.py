"""What goes wrong where nobody can catch it: in a slot, while painting, in a thread, in a task that nobody awaits."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class SlotErrors:
    """Keeps them, so that whoever draws or works can fail by them afterwards."""

    found: list[BaseException] = field(default_factory=list)

    def check(self) -> None:
        """Raise the first."""
        if self.found:
            raise self.found[0]

    def watch_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hear of the tasks of this loop, too."""
        loop.set_exception_handler(self._in_loop)

    def _in_loop(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception") or RuntimeError(str(context.get("message")))
        if not isinstance(error, asyncio.CancelledError):
            self.found.append(error)

    def keep(self, error: BaseException | None) -> None:
        """One more."""
        if error is not None:
            self.found.append(error)


@contextmanager
def slot_errors() -> Iterator[SlotErrors]:
    """While it lasts, nothing is printed: what goes wrong is raised at the end, unless something else was before."""
    errors = SlotErrors()
    before = (sys.excepthook, sys.unraisablehook, threading.excepthook)
    sys.excepthook = lambda _kind, error, _trace: errors.keep(error)
    sys.unraisablehook = lambda raised: errors.keep(raised.exc_value)
    threading.excepthook = lambda raised: errors.keep(raised.exc_value)
    try:
        yield errors
    finally:
        sys.excepthook, sys.unraisablehook, threading.excepthook = before
    errors.check()
