"""What the small dialogs are made of: a card with a title, a body and a row of buttons."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QWidget

from ui.hostile import visible_line
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.label import Label
from ui.widgets.marks import Line
from ui.widgets.surface import Surface, column, row


class Dialog(QDialog):
    """A card with a title, a body and a row of buttons; it belongs to the window and blocks only that."""

    def __init__(self, title: str, parent: QWidget, width: int = 480) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(visible_line(title))
        self.setAccessibleName(visible_line(title))
        self.setMinimumWidth(px(width))
        outer = column(self, 0)
        self._card = Surface("raised")
        outer.addWidget(self._card)
        self._layout = column(self._card, 12, (20, 18, 20, 16))
        self._layout.addWidget(Label(title, "card_title", wrap=True))

    def showEvent(self, event: QShowEvent) -> None:
        """As high as its wrapped words need."""
        super().showEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Grow to what is in it now: Qt asks wrapped text for its height only where it is told the width."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
            self.setMinimumHeight(layout.totalHeightForWidth(max(self.width(), self.minimumWidth())))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the button that has the focus: no other one stands in for it."""
        focused = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(focused, QPushButton):
            if not event.isAutoRepeat():
                focused.click()
            return
        super().keyPressEvent(event)

    def _buttons(self, *buttons: Button) -> QHBoxLayout:
        self._layout.addWidget(Line())
        line = row(None, 8)
        line.addStretch(1)
        for button in buttons:
            line.addWidget(button)
        self._layout.addLayout(line)
        return line

    def _cancel(self, words: str = "Cancel") -> Button:
        cancel = Button(words, "default", key="Esc")
        cancel.setObjectName("dialog.cancel")
        cancel.clicked.connect(self.reject)
        return cancel
