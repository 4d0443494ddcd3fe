"""PaintedControl: what all controls share that paint themselves over one of Qt's. Mixed in before the Qt class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QWidget

from ui.widgets.tooltip import set_plain_tooltip

if TYPE_CHECKING:
    _Mixin = QWidget
else:
    _Mixin = object
_POINTER_REASONS: Final = (Qt.FocusReason.MouseFocusReason, Qt.FocusReason.PopupFocusReason)


class PaintedControl(_Mixin):
    """Plain tooltips, a ring for the keyboard only, and a new look after a theme change."""

    _keyboard_focus = False

    def restyle(self) -> None:
        """Size and paint again after a theme change."""
        self.updateGeometry()
        self.update()

    def setToolTip(self, text: str) -> None:  # noqa: N802
        """A plain-text tooltip."""
        set_plain_tooltip(self, text)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Note how the focus came; a window that comes back keeps what was there."""
        if event.reason() != Qt.FocusReason.ActiveWindowFocusReason:
            self._keyboard_focus = event.reason() not in _POINTER_REASONS
        super().focusInEvent(event)

    @property
    def shows_ring(self) -> bool:
        """Whether it has the focus, and got it by keyboard."""
        return self.hasFocus() and self._keyboard_focus
