"""Waiting for signals in tests that run on the Qt loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, SignalInstance
from PySide6.QtWidgets import QWidget

PATIENCE = 10.0


async def heard(signal: SignalInstance, act: Callable[[], object]) -> tuple[object, ...]:
    """Do something and wait for the signal that follows; gives what it carried."""
    future: asyncio.Future[tuple[object, ...]] = asyncio.get_running_loop().create_future()

    def hear(*carried: object) -> None:
        if not future.done():
            future.set_result(carried)

    signal.connect(hear)
    try:
        act()
        return await asyncio.wait_for(future, PATIENCE)
    finally:
        signal.disconnect(hear)


async def active(window: QWidget) -> None:
    """Wait until the window has the focus; key shortcuts work only then."""
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    class Watch(QObject):
        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.WindowActivate and not future.done():
                future.set_result(None)
            return False

    watch = Watch()
    window.installEventFilter(watch)
    if not window.isActiveWindow():
        window.activateWindow()
        await asyncio.wait_for(future, PATIENCE)
    window.removeEventFilter(watch)
