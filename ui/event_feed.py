"""EventFeed: the selected session's events for a view that builds something of its own from them.

Few events come at once; many come in slices of a few milliseconds, so that opening a session of a million events never
holds the window up. What arrives meanwhile is part of the slices.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, Protocol

from PySide6.QtCore import QObject, QTimer

from agent_core.engine.facade import StreamDelta
from agent_core.model.events import Event
from ui.console_state import ConsoleState

SLICE_SECONDS: Final = 0.008
_SLICE_EVENTS: Final = 500

Streamed = Sequence[tuple[StreamDelta, str]]


class Fed(Protocol):
    """What a view does with its events."""

    def restart(self) -> None:
        """Another session, or none: forget everything."""
        ...

    def take_stored(self, events: Sequence[Event]) -> None:
        """Some of the events that were there already, in order."""
        ...

    def ready(self) -> None:
        """All of them have been taken: show."""
        ...

    def take_live(self, events: Sequence[Event], streamed: Streamed) -> None:
        """New events and streamed text."""
        ...


class EventFeed(QObject):
    """Feeds one view. `loading` is true until `Fed.ready` was called for the selected session."""

    def __init__(self, state: ConsoleState, view: Fed, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state, self._view = state, view
        self._next = 0
        self.loading = False
        self._slices = QTimer(self, interval=0)
        self._slices.timeout.connect(self._go_on)
        state.current_changed.connect(self.start)
        state.current_advanced.connect(self._advance)

    def start(self) -> None:
        """Begin anew with the session that is selected now."""
        self._slices.stop()
        self._next = 0
        self.loading = self._state.current is not None
        self._view.restart()
        if self._state.state is not None:
            self._slices.start()
            self._go_on()

    def _go_on(self) -> None:
        until = time.perf_counter() + SLICE_SECONDS
        events = self._state.events
        while self._next < len(events):
            piece = events[self._next : self._next + _SLICE_EVENTS]
            self._next += len(piece)
            self._view.take_stored(piece)
            if time.perf_counter() > until:
                return
        self._slices.stop()
        self.loading = False
        self._view.ready()

    def _advance(self, events: Sequence[Event], streamed: Streamed) -> None:
        if not self.loading:
            self._next += len(events)
            self._view.take_live(events, streamed)
