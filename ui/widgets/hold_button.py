"""HoldButton: for what cannot be undone. Hold for 1.2 s; letting go or leaving cancels."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from ui.theme import px, theme
from ui.tokens import HEIGHT_DECISION, RADIUS_CONTROL
from ui.widgets.button import ButtonLook
from ui.widgets.guard import InputGuard
from ui.widgets.guarded_button import GuardedButton
from ui.widgets.paint import full_rect, rounded_path

HOLD_SECONDS: Final = 1.2
TWICE_SECONDS: Final = 2.0
TWICE_FORGET_SECONDS: Final = 10.0
_TICK_MS: Final = 16
_REDUCED_STEPS: Final = 4


class HoldButton(GuardedButton):
    """A guarded button that acts after a hold of 1.2 s by mouse or Ctrl+Enter; red fills it from the left meanwhile.

    `set_press_twice(True)` replaces the hold by two presses at least 2 s (and at most 10 s) apart. A screen reader's
    press and `click()` cannot be held, so they always count as the presses of that mode.
    """

    progressed = Signal(float)

    def __init__(
        self,
        act: str,
        guard: InputGuard,
        *,
        icon: str | None = None,
        key: str = "hold Ctrl ↵",
        height: int = HEIGHT_DECISION,
        hold_seconds: float = HOLD_SECONDS,
        tip: str = "",
        parent: QWidget | None = None,
    ) -> None:
        self._hold_seconds = hold_seconds
        self._held_since: float | None = None
        self._held_by_mouse = False
        self._first_press: float | None = None
        self._press_twice = False
        self._hold_key = key
        self._act = f"{act[0].lower()}{act[1:]}"
        super().__init__(
            f"Hold to {self._act}", guard, "arm", icon=icon, key=key, height=height, tip=tip, parent=parent
        )
        self._timer = QTimer(self, interval=_TICK_MS)
        self._timer.timeout.connect(self.refresh)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._focus_moved)

    # ---------------------------------------------------------------- state

    @property
    def press_twice(self) -> bool:
        """Whether two presses replace the hold."""
        return self._press_twice

    def set_press_twice(self, twice: bool) -> None:
        """Replace the hold by two presses 2 s apart, for operators who cannot hold."""
        self._press_twice = twice
        self._hold_key = "2 s apart" if twice else "hold Ctrl ↵"
        self.set_label(f"Press twice to {self._act}" if twice else f"Hold to {self._act}")
        self.cancel()

    @property
    def progress(self) -> float:
        """How far the hold, or the wait between two presses, has come: 0 to 1."""
        now = self._guard.clock()
        if self._held_since is not None:
            return min(1.0, max(0.0, (now - self._held_since) / self._hold_seconds))
        if self._first_press is not None:
            return min(1.0, max(0.0, (now - self._first_press) / TWICE_SECONDS))
        return 0.0

    def cancel(self) -> None:
        """Forget a hold or a first press."""
        self._held_since = None
        self._first_press = None
        self._settle()

    def refresh(self) -> None:
        """Look at the clock now; the timer does this by itself."""
        if self._guard.locked:
            self.cancel()
            return
        now = self._guard.clock()
        if self._held_since is not None and now - self._held_since >= self._hold_seconds:
            self.cancel()
            self._activate()
            return
        if self._first_press is not None and now - self._first_press > TWICE_FORGET_SECONDS:
            self.cancel()
            return
        self.progressed.emit(self.progress)
        self.set_key(self._key_text())
        self.update()

    def _settle(self) -> None:
        self._timer.stop()
        self.setDown(False)
        self.set_key(self._hold_key)
        self.progressed.emit(0.0)
        self.update()

    def _key_text(self) -> str:
        if self._first_press is None:
            return self._hold_key
        return "press again" if self.progress >= 1.0 else "wait"

    # ---------------------------------------------------------------- presses

    def _begin_hold(self, by_mouse: bool) -> None:
        if not self._may_act() or self._held_since is not None:
            return
        self._held_since = self._guard.clock()
        self._held_by_mouse = by_mouse
        self.setDown(True)
        self._timer.start()
        self.update()

    def _end_hold(self, by_mouse: bool) -> None:
        if self._held_since is not None and self._held_by_mouse == by_mouse:
            self.refresh()  # a late timer must not turn a full hold into a cancelled one
            if self._held_since is not None:
                self.cancel()

    def _press_once(self) -> None:
        """One press of the press-twice mode."""
        if not self._may_act():
            return
        now = self._guard.clock()
        if self._first_press is None or now - self._first_press > TWICE_FORGET_SECONDS:
            self._first_press = now
            self._timer.start()
            self.refresh()
        elif now - self._first_press >= TWICE_SECONDS:
            self.cancel()
            self._activate()

    def _note_click(self, _checked: bool = False) -> None:
        """`click()` and screen readers: the mouse never comes here, see `mousePressEvent`."""
        pressed_in, self._press_epoch = self._press_epoch, None
        if pressed_in == self._guard.epoch:
            self._press_once()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to hold."""
        event.accept()
        if event.button() != event.button().LeftButton:
            return
        if self._press_twice:
            self._press_once()
        else:
            self._begin_hold(by_mouse=True)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Leaving cancels."""
        event.accept()
        if not self.rect().contains(event.position().toPoint()):
            self._end_by_leaving()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Letting go before the end cancels."""
        event.accept()
        if not self.rect().contains(event.position().toPoint()):
            self._end_by_leaving()
        self._end_hold(by_mouse=True)

    def _end_by_leaving(self) -> None:
        if self._held_since is not None and self._held_by_mouse:
            self.cancel()

    def chord_pressed(self) -> None:
        """Ctrl+Enter went down."""
        if self._press_twice:
            self._press_once()
        else:
            self._begin_hold(by_mouse=False)

    def chord_released(self) -> None:
        """Enter or Ctrl went up."""
        self._end_hold(by_mouse=False)

    # ---------------------------------------------------------------- what else ends a hold

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Losing the focus cancels."""
        self.cancel()
        super().focusOutEvent(event)

    def _focus_moved(self, _old: QWidget | None, _new: QWidget | None) -> None:
        """A chord held elsewhere in the card: once the focus moves, its release would never be heard."""
        if self._held_since is not None and not self._held_by_mouse:
            self.cancel()

    def hideEvent(self, event: QHideEvent) -> None:
        """Being hidden cancels."""
        self.cancel()
        super().hideEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Being switched off cancels."""
        if event.type() in (QEvent.Type.EnabledChange, QEvent.Type.ActivationChange):
            self.cancel()
        super().changeEvent(event)

    def _guard_changed(self) -> None:
        if self._guard.locked:
            self.cancel()
        super()._guard_changed()

    # ---------------------------------------------------------------- painting

    def paint_ground(self, painter: QPainter, look: ButtonLook) -> None:
        """The red tint grows from the left."""
        super().paint_ground(painter, look)
        share = self.progress
        if theme().reduced_motion:
            share = int(share * _REDUCED_STEPS) / _REDUCED_STEPS
        if share <= 0:
            return
        rect = full_rect(self).adjusted(1, 1, -1, -1)
        painter.save()
        painter.setClipPath(rounded_path(rect, px(RADIUS_CONTROL) - 1))
        rect.setWidth(rect.width() * share)
        painter.fillRect(rect, theme().color("dang_fill", 62))
        painter.restore()
