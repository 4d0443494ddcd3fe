"""The bus: live messages to whoever listens, in order, on the engine's loop."""

import logging
from collections.abc import Callable

from agent_core.engine.facade import BusMessage, Notice

_log = logging.getLogger(__name__)

Listener = Callable[[BusMessage], None]


class LiveBus:
    """Calls each listener with each message. A listener that raises is logged and keeps its place."""

    def __init__(self) -> None:
        self._listeners: tuple[Listener, ...] = ()
        self._standing: dict[str, Notice] = {}
        """Notices that were not withdrawn: whoever listens later hears them first."""

    @property
    def heard(self) -> bool:
        """Whether anybody listens: nothing needs to be made for nobody."""
        return bool(self._listeners)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Listen from now on; call what comes back to stop. Stopping twice is harmless."""
        self._listeners = (*self._listeners, listener)
        for notice in self._standing.values():
            self._hand(notice, (listener,))

        def unsubscribe() -> None:
            self._listeners = tuple(known for known in self._listeners if known is not listener)

        return unsubscribe

    def publish(self, message: BusMessage) -> None:
        """Hand a message to every listener."""
        if isinstance(message, Notice):
            self._standing.pop(message.kind, None)
            if message.text:
                self._standing[message.kind] = message
        self._hand(message, self._listeners)

    def _hand(self, message: BusMessage, listeners: tuple[Listener, ...]) -> None:
        for listener in listeners:
            try:
                listener(message)
            except Exception:  # noqa: BLE001 - one bad listener must not keep the others, or a run, from going on
                _log.exception("a listener of the bus failed on %s", type(message).__name__)
