"""What nobody can catch is kept, and raised at the end."""

from __future__ import annotations

import asyncio
import sys
import threading

import pytest
from PySide6.QtCore import QObject, Signal

from console.slot_errors import slot_errors


class Source(QObject):
    happened = Signal()


def fail() -> None:
    raise ZeroDivisionError("planted")


def test_an_error_in_a_slot_is_raised_at_the_end() -> None:
    source = Source()
    source.happened.connect(fail)
    hooks = (sys.excepthook, sys.unraisablehook, threading.excepthook)

    with pytest.raises(ZeroDivisionError, match="planted"), slot_errors():
        source.happened.emit()

    assert (sys.excepthook, sys.unraisablehook, threading.excepthook) == hooks


def test_an_error_in_a_thread_and_in_a_task_that_nobody_awaits_count() -> None:
    found: list[BaseException] = []

    async def play() -> None:
        asyncio.get_running_loop().call_soon(fail)
        await asyncio.sleep(0)

    def work() -> None:
        with slot_errors() as errors:
            thread = threading.Thread(target=fail)
            thread.start()
            thread.join()
            with asyncio.Runner() as runner:
                errors.watch_loop(runner.get_loop())
                runner.run(play())
            found.extend(errors.found)

    with pytest.raises(ZeroDivisionError):
        work()
    assert len(found) == 2


def test_what_went_wrong_before_is_what_is_raised() -> None:
    source = Source()
    source.happened.connect(fail)

    def work() -> None:
        with slot_errors():
            source.happened.emit()
            raise LookupError

    with pytest.raises(LookupError):
        work()


def test_nothing_wrong_raises_nothing() -> None:
    with slot_errors():
        pass
