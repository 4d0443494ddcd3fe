"""From the engine's bus to the screen: one batched signal, at most thirty times a second.

Events come in the order of the journal. Streaming text is coalesced to one piece a block and frame, and never kept.
"""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from agent_core.engine.facade import Bus, BusMessage, Notice, StreamDelta
from agent_core.model.events import Event
from agent_core.model.intents import SessionSummary

FLUSH_MS = 33


class Batch:
    """What came since the last flush: events in order, the newest summary a session, streamed text a block, notices."""

    __slots__ = ("deltas", "events", "notices", "summaries")

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.summaries: dict[str, SessionSummary] = {}
        self.deltas: dict[tuple[str, str, int], tuple[StreamDelta, list[str]]] = {}
        """By session, request and block: the first delta and all pieces of text."""
        self.notices: dict[str, Notice] = {}

    def add(self, message: BusMessage) -> None:
        """Take one message in."""
        if isinstance(message, Event):
            self.events.append(message)
        elif isinstance(message, StreamDelta):
            key = (message.session, message.request_id, message.delta.block)
            self.deltas.setdefault(key, (message, []))[1].append(message.delta.text)
        elif isinstance(message, SessionSummary):
            self.summaries[message.session] = message
        else:
            self.notices[message.kind] = message

    def of_session(self, session: str) -> list[Event]:
        """The events of one session."""
        return [event for event in self.events if event.session == session]


class Bridge(QObject):
    """Listens on the bus and emits `flushed(Batch)` on the GUI thread."""

    flushed = Signal(object)

    def __init__(self, bus: Bus, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pending = Batch()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FLUSH_MS)
        self._timer.timeout.connect(self.flush)
        self._unsubscribe: Callable[[], None] = bus.subscribe(self._take)

    def _take(self, message: BusMessage) -> None:
        self._pending.add(message)
        if not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Emit what is pending now."""
        batch, self._pending = self._pending, Batch()
        self.flushed.emit(batch)

    def close(self) -> None:
        """Stop listening."""
        self._unsubscribe()
        self._timer.stop()
