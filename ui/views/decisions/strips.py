"""The strips between the queue and the card, which take no room while they have nothing to say."""

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from ui.widgets.button import Button
from ui.widgets.label import Label
from ui.widgets.marks import Icon
from ui.widgets.surface import column, row


class FloodStrip(QWidget):
    """More cards than a person can judge: how many, and the way to stop their source."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("decisions.flood")
        self._words = Label("", "secondary_medium", "attn", wrap=True)
        self.pause_all = Button("Pause all", "default", icon="pause", height=28)
        self.pause_all.setObjectName("decisions.pause_all")
        line = row(self, 8, (16, 8, 16, 8))
        line.addWidget(Icon("triangle-alert", "attn", 14))
        line.addWidget(self._words, 1)
        line.addWidget(self.pause_all)
        self.hide()

    def show_load(self, cards: int, flooded: bool) -> None:
        """Show or hide the strip."""
        self._words.setText(f"Decision flood: {cards} cards in 10 minutes")
        self.setVisible(flooded)


def strip(content: QWidget) -> QWidget:
    """A band with some air around its content; it takes no room while the content is hidden."""
    band = QWidget()
    column(band, 0, (16, 8, 16, 8)).addWidget(content)
    content.installEventFilter(_Follower(band, content))
    band.setVisible(not content.isHidden())
    return band


class _Follower(QObject):
    """Shows and hides a band with its content."""

    def __init__(self, band: QWidget, content: QWidget) -> None:
        super().__init__(band)
        self._band = band
        self._content = content

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Follow `setVisible`, whether or not the window is shown."""
        if event.type() in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self._band.setVisible(event.type() == QEvent.Type.ShowToParent)
        return False
