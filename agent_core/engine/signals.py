"""Signals: how a run that is at work is told to hold or to end. Set by the supervisor, obeyed by the runner."""

import asyncio
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Signal(StrEnum):
    """What a run is told to do."""

    PAUSE = "pause"
    """After what is in flight."""
    CLOSE = "close"
    """No new request or call; streams are cut, calls get a few seconds."""
    STOP = "stop"
    """At once."""


GRACE: dict[Signal, float] = {Signal.CLOSE: 3.0, Signal.STOP: 0.3}
"""Seconds that calls in flight get to end by themselves."""

_WEIGHT = (Signal.PAUSE, Signal.CLOSE, Signal.STOP)


@dataclass(frozen=True, slots=True)
class Raised:
    """A signal with who gave it and why."""

    signal: Signal
    by: str
    why: str = ""
    reason: str = "operator"
    """Of a pause, as the journal has it."""


class Signals:
    """The signals of one run. A graver one replaces a lighter one; none is ever taken back."""

    def __init__(self) -> None:
        self.raised: Raised | None = None
        self.woken = asyncio.Event()
        """Set by any signal: nobody should wait on."""
        self.cut = asyncio.Event()
        """Set when streams are to be cut and calls ended."""
        self._effect: asyncio.Future[Any] | None = None
        self._watch: asyncio.Future[None] | None = None

    def give(self, signal: Signal, by: str, why: str = "", reason: str = "operator") -> None:
        """Tell the run. Giving the same signal again changes nothing."""
        if self.raised is not None and _WEIGHT.index(self.raised.signal) >= _WEIGHT.index(signal):
            return
        self.raised = Raised(signal, by, why, reason)
        self.woken.set()
        if signal is not Signal.PAUSE:
            self.cut.set()
            if self._effect is not None:
                self._effect.cancel()
            if self._watch is not None and not self._watch.done():
                self._watch.set_result(None)

    def cuts(self, effect: "asyncio.Future[Any] | None") -> None:
        """Name the work that a cut cancels at once, such as a stream."""
        self._effect = effect

    def watch(self) -> "asyncio.Future[None]":
        """A future that is done once the run is cut. There is one watcher at a time."""
        self._watch = asyncio.get_running_loop().create_future()
        if self.cut.is_set():
            self._watch.set_result(None)
        return self._watch

    @property
    def grace(self) -> float:
        """Seconds that calls in flight still get."""
        return GRACE.get(self.raised.signal, 0.0) if self.raised is not None else 0.0
