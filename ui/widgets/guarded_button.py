"""GuardedButton: a decision button that only a deliberate act can press."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import SIGNAL, QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QHideEvent, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from ui.theme import theme
from ui.tokens import HEIGHT_DECISION
from ui.widgets.button import Button, ButtonKind
from ui.widgets.guard import InputGuard, ends_chord, is_chord
from ui.widgets.paint import scaled

_ACTIVATION_KEYS: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Select)


class GuardedButton(Button):
    """A button behind an `InputGuard`. Connect `activated`; `clicked` is the same signal, so no path leads around it.

    A mouse press, Ctrl+Enter, `click()` and the press of a screen reader all end in one place, which asks the guard.
    """

    activated = Signal()

    def __init__(
        self,
        text: str,
        guard: InputGuard,
        kind: ButtonKind = "default",
        *,
        icon: str | None = None,
        key: str = "",
        height: int = HEIGHT_DECISION,
        show_ring: bool = True,
        tip: str = "",
        parent: QWidget | None = None,
    ) -> None:
        self._guard = guard
        self._show_ring = show_ring
        self._press_epoch: int | None = None
        super().__init__(text, kind, icon=icon, key=key, height=height, tip=tip, parent=parent)
        self.setAutoRepeat(False)
        # Whoever connects `clicked` out of habit gets the guarded signal. PySide keeps its signals in the instance's
        # own namespace, so neither a class attribute nor a property can stand in front of them.
        self.__dict__["clicked"] = self.activated
        QObject.connect(self, SIGNAL("pressed()"), self._note_press)
        QObject.connect(self, SIGNAL("clicked(bool)"), self._note_click)
        guard.changed.connect(self._guard_changed)
        guard.ticked.connect(self._guard_ticked)

    @property
    def guard(self) -> InputGuard:
        """The lock that this button obeys."""
        return self._guard

    def set_label(self, text: str) -> None:
        """Change the words; a verb that changes under the pointer locks the card."""
        if self.label() and text != self.label():
            self._guard.arm()
        super().set_label(text)

    def event(self, event: QEvent) -> bool:
        """A button that is shown, or whose window comes to front, locks its card even when nobody watches the card."""
        if event.type() in (QEvent.Type.Show, QEvent.Type.WindowActivate):
            self._guard.arm()
        return super().event(event)

    # ---------------------------------------------------------------- the one way in

    def _activate(self) -> None:
        self.activated.emit()

    def _may_act(self) -> bool:
        return self.isEnabled() and self.isVisible() and not self._guard.locked

    def _note_press(self) -> None:
        self._press_epoch = self._guard.epoch if self._may_act() else None

    def _note_click(self, _checked: bool = False) -> None:
        pressed_in, self._press_epoch = self._press_epoch, None
        if pressed_in == self._guard.epoch and self._may_act():
            self._activate()

    # ---------------------------------------------------------------- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press while locked is swallowed, so that its release later means nothing either."""
        if not self._may_act():
            event.accept()
            return
        super().mousePressEvent(event)

    # ---------------------------------------------------------------- keys

    def takes_chord(self) -> bool:
        """Whether Ctrl+Enter in the card may come here."""
        return self.isEnabled() and self.isVisible()

    def chord_pressed(self) -> None:
        """Ctrl+Enter, once."""
        if self._may_act():
            self._activate()

    def chord_released(self) -> None:
        """Nothing to end; see HoldButton."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Only the chord acts. Bare Enter and Space stop here; every other key goes on to the card."""
        if is_chord(event):
            if not event.isAutoRepeat():
                self.chord_pressed()
            event.accept()
        else:
            event.setAccepted(event.key() in _ACTIVATION_KEYS)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """The end of the chord."""
        if ends_chord(event):
            self.chord_released()
        event.setAccepted(event.key() in _ACTIVATION_KEYS)

    # ---------------------------------------------------------------- looks

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """A press does not outlive the focus."""
        self._press_epoch = None
        super().focusOutEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nor the button's being seen."""
        self._press_epoch = None
        super().hideEvent(event)

    def _guard_changed(self) -> None:
        if self._guard.locked:
            self._press_epoch = None
            self.setDown(False)
        self.update()

    def _guard_ticked(self) -> None:
        if self._show_ring and not theme().reduced_motion:
            self.update()

    def looks_disabled(self) -> bool:
        """Grey while locked, though still enabled so that the focus stays where it is."""
        return not self.isEnabled() or self._guard.locked

    def paint_icon(self, painter: QPainter, rect: QRectF, color: QColor) -> None:
        """While locked a small ring runs down in the icon's place."""
        if self.isEnabled() and self._guard.locked and self._show_ring:
            paint_lock_ring(painter, rect, self._guard.share_left)
        else:
            super().paint_icon(painter, rect, color)


def paint_lock_ring(painter: QPainter, rect: QRectF, share: float) -> None:
    """The ring of a closed lock: a track, and an arc of what is still to run."""
    ring = rect.adjusted(scaled(2), scaled(2), -scaled(2), -scaled(2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme().color("line_mid"), 2))
    painter.drawEllipse(ring)
    painter.setPen(QPen(theme().color("text3"), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    painter.drawArc(ring, 90 * 16, round(360 * 16 * (1.0 if theme().reduced_motion else share)))
