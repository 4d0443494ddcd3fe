"""LockHint: the line under decision buttons that says why they are grey for a moment."""

from __future__ import annotations

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from ui.theme import px
from ui.widgets.guard import InputGuard
from ui.widgets.guarded_button import paint_lock_ring
from ui.widgets.label import ElidedLabel
from ui.widgets.paint import full_rect, painter_for
from ui.widgets.surface import row


class _LockRing(QLabel):
    """The ring of the lock hint."""

    def __init__(self, guard: InputGuard) -> None:
        super().__init__()
        self._guard = guard
        self.setFixedSize(px(16), px(16))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """What is still to run."""
        painter = painter_for(self)
        paint_lock_ring(painter, full_rect(self), self._guard.share_left)
        painter.end()


class LockHint(QWidget):
    """The line under locked decision buttons; empty, at the same height, while they are open."""

    def __init__(self, guard: InputGuard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._guard = guard
        self._ring = _LockRing(guard)
        self._text = ElidedLabel("Ready in a moment. Typing elsewhere never reaches this card.", "secondary", "text3")
        line = row(self, spacing=8)
        line.addWidget(self._ring)
        line.addWidget(self._text, 1)
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)
        guard.changed.connect(self.refresh)
        guard.ticked.connect(self._ring.update)
        self.refresh()

    def refresh(self) -> None:
        """Show while the lock is closed."""
        self.setVisible(self._guard.locked)
