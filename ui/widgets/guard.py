"""InputGuard: the lock that keeps a stray click or key from deciding anything.

The rules, each the answer to a known accident (a prompt that appears under the pointer, Enter meant for a message, the
click that brings the window to front):

1. Nothing decides during the first 800 ms after its card was shown, changed, moved, or its window was activated.
2. A press counts only if the lock was open at the press and stayed open to the release.
3. No bare key decides. The chord is Ctrl+Enter, pressed once, with the focus inside the card.
4. Screen readers and `click()` pass through the same lock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

Clock = Callable[[], float]

LOCK_SECONDS: Final = 0.8
_TICK_MS: Final = 40
_ENTER_KEYS: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_REARMING: Final = (QEvent.Type.Show, QEvent.Type.Move, QEvent.Type.WindowActivate, QEvent.Type.ParentChange)


class ChordTarget(Protocol):
    """What the guard asks of the card's main button."""

    def chord_pressed(self) -> None:
        """Ctrl+Enter went down inside the card."""

    def chord_released(self) -> None:
        """Enter or Ctrl went up again."""

    def takes_chord(self) -> bool:
        """Whether the button is there to be used."""


class InputGuard(QObject):
    """One lock for all decision buttons of a card.

    `clock` gives monotonic seconds; tests pass their own. `changed` fires when the lock closes or opens, `ticked` while
    it runs down.
    """

    changed = Signal()
    ticked = Signal()

    def __init__(
        self, parent: QObject | None = None, *, clock: Clock = time.monotonic, lock_seconds: float = LOCK_SECONDS
    ) -> None:
        super().__init__(parent)
        self._clock = clock
        self._lock_seconds = lock_seconds
        self._until = clock() + lock_seconds
        self._epoch = 0
        self._was_locked = True
        self._card: QWidget | None = None
        self._main: ChordTarget | None = None
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self.refresh)
        self._timer.start()

    # ---------------------------------------------------------------- the lock

    @property
    def locked(self) -> bool:
        """Whether decision buttons are off at this moment."""
        return self._clock() < self._until

    @property
    def share_left(self) -> float:
        """How much of the lock is still to run, 1 to 0."""
        if self._lock_seconds <= 0:
            return 0.0
        return min(1.0, max(0.0, (self._until - self._clock()) / self._lock_seconds))

    @property
    def epoch(self) -> int:
        """Counts the locks; a press that began in an older epoch is void."""
        return self._epoch

    @property
    def clock(self) -> Clock:
        """The monotonic clock in use."""
        return self._clock

    def arm(self) -> None:
        """Close the lock for its full time: call when the card's content or its place in the list changes."""
        self._until = self._clock() + self._lock_seconds
        self._epoch += 1
        self._was_locked = True
        self._timer.start()
        self.changed.emit()

    def refresh(self) -> None:
        """Look at the clock now; the timer does this by itself."""
        if self.locked:
            self.ticked.emit()
            return
        self._timer.stop()
        if self._was_locked:
            self._was_locked = False
            self.changed.emit()

    # ---------------------------------------------------------------- the card

    def watch(self, card: QWidget) -> None:
        """Lock when `card` is shown, moved, or its window activated, and hear Ctrl+Enter from inside it."""
        if self._card is not None:
            self._card.removeEventFilter(self)
        self._card = card
        card.installEventFilter(self)

    def set_main(self, button: ChordTarget | None) -> None:
        """Which button Ctrl+Enter presses while the focus is inside the card and not on another guarded button."""
        self._main = button

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Rules 1 and 3."""
        if watched is not self._card:
            return False
        if event.type() in _REARMING:
            self.arm()
        elif isinstance(event, QKeyEvent):
            return self._key(event)
        return False

    def _key(self, event: QKeyEvent) -> bool:
        main = self._main
        if main is None or not main.takes_chord():
            return False
        if event.type() == QEvent.Type.KeyPress and is_chord(event) and self._focus_is_inside():
            if not event.isAutoRepeat():
                main.chord_pressed()
            return True
        if event.type() == QEvent.Type.KeyRelease and ends_chord(event):
            main.chord_released()
        return False

    def _focus_is_inside(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and self._card is not None and (focus is self._card or self._card.isAncestorOf(focus))


def is_chord(event: QKeyEvent) -> bool:
    """Whether this is Ctrl+Enter (Command+Return on macOS), with no other modifier."""
    modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() in _ENTER_KEYS and modifiers == Qt.KeyboardModifier.ControlModifier


def ends_chord(event: QKeyEvent) -> bool:
    """Whether this release lets go of Enter or Ctrl for good."""
    return event.key() in (*_ENTER_KEYS, Qt.Key.Key_Control) and not event.isAutoRepeat()
