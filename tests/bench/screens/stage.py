"""What every screen needs: the themed application without a display, and an asyncio loop inside Qt's."""

import asyncio
import os
import sys
import time
from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any, TypeVar

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QWidget

from console.app import application, event_loop

T = TypeVar("T")

_NOISE = "This plugin does not support"
"""What Qt says of every window without a display."""


@cache
def _made() -> tuple[QApplication, asyncio.AbstractEventLoop]:
    qInstallMessageHandler(_say)
    app = application()
    return app, event_loop(app)


def _say(_kind: QtMsgType, _where: QMessageLogContext, text: str | None) -> None:
    if text and not text.startswith(_NOISE):
        sys.stderr.write(f"{text}\n")


def stage() -> QApplication:
    """The application, made once, with its loop."""
    return _made()[0]


def play(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end inside Qt's loop."""
    return _made()[1].run_until_complete(work)


async def until(holds: Callable[[], bool]) -> None:
    """Let the loop turn until something holds."""
    while not holds():  # noqa: ASYNC110 - what is waited for are screens, which tell nobody
        await asyncio.sleep(0)


def seconds(work: Callable[[], object]) -> float:
    """Wall seconds that some work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def show(widget: QWidget, width: int, height: int) -> None:
    """Show a widget and let everything that follows from it happen."""
    widget.resize(width, height)
    widget.show()
    settle()


def settle() -> None:
    """Let posted events be handled."""
    for _ in range(3):
        stage().processEvents()
