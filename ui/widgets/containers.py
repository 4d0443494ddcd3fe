"""Containers: HfwScrollArea, whose contents may have a height that depends on the width, and a 1 px Splitter."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QWidget


class HfwScrollArea(QScrollArea):
    """A vertical scroll area for wrapped text. QScrollArea alone ignores height-for-width and clips or pads it."""

    def __init__(self, name: str, content: QWidget | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._fitting = False
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        if content is not None:
            self.set_content(content)

    def set_content(self, content: QWidget) -> None:
        """Show `content`, which needs a layout."""
        self.setWidget(content)
        content.setAutoFillBackground(False)  # which Qt has just switched on
        content.installEventFilter(self)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The width may have changed."""
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The contents may have changed."""
        if watched is self.widget() and event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        content = self.widget()
        layout = content.layout() if content is not None else None
        if content is None or layout is None or self._fitting or not layout.hasHeightForWidth():
            return
        self._fitting = True  # fixing the height asks for a layout again
        needed = layout.totalHeightForWidth(self.viewport().width())
        height = max(needed, self.viewport().height())
        if content.minimumHeight() != height or content.maximumHeight() != height:
            content.setFixedHeight(height)
        self._fitting = False


class Splitter(QSplitter):
    """A splitter whose handle is a 1 px line; Qt keeps the area that can be gripped at 5 px."""

    def __init__(self, orientation: Qt.Orientation = Qt.Orientation.Horizontal, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
