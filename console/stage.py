"""A window that is only looked at: brought to a view, left to settle, and drawn."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QDialog

from agent_core.model.errors import InputError
from console.desk_window import DeskWindow
from ui.widgets.cost_graph import CostGraph

_ROUNDS = 12
_SHADE = QColor(0, 0, 0, 90)


class Stage:
    """Draws the views of one window at one size."""

    def __init__(self, desk: DeskWindow, width: int, height: int) -> None:
        self._desk = desk
        desk.window.setMinimumSize(1, 1)  # an explicit minimum, or the layout sets its own
        desk.window.resize(width, height)

    async def open(self) -> None:
        """Show the window and let everything be read."""
        self._desk.window.show()
        self._desk.load()
        await self._settle()

    async def picture(self, view: str, session: str | None, card: str | None) -> QPixmap:
        """Bring the window to a view and draw it. The result has exactly the size that was asked for."""
        desk = self._desk
        if session is not None:
            self._check(session)
            desk.open_session(session)
            await self._settle()
        if card is not None:
            desk.cards.show(card)
        if view == "review" and card is not None:
            desk.cards.open_review(card)
        elif view in ("sessions", "settings", "audit", "alerts"):
            desk.show_page(view)
        elif view.startswith("settings-"):
            desk.open_settings(view.removeprefix("settings-"))
        elif view == "new-run":
            desk.dialogs.open_new_run()
        elif view == "fork":
            desk.dialogs.session.ask_fork()
        elif view == "first-run":
            desk.session.show_first_run()
        await self._settle()
        self._finish_graphs()
        return self._draw()

    def _finish_graphs(self) -> None:
        """A window that is used draws its graph a moment later; a picture has no later."""
        for graph in self._desk.window.findChildren(CostGraph):
            if graph.isVisible() and not graph.collapsed:
                graph.build_plot()
        QApplication.sendPostedEvents()

    def _check(self, session: str) -> None:
        if session not in self._desk.state.sessions:
            raise InputError(f'There is no session "{session}"')

    def _draw(self) -> QPixmap:
        window = self._desk.window
        picture = window.grab()
        for dialog in window.findChildren(QDialog):
            if dialog.isVisible():
                _lay_over(picture, dialog)
        return picture

    async def _settle(self) -> None:
        """Until nothing is being read any more and the layouts have come to rest."""
        for _ in range(_ROUNDS):
            await self._desk.commands.settle()
            await asyncio.sleep(0.02)
            QApplication.sendPostedEvents()

    async def close(self) -> None:
        """Put the window away."""
        await self._desk.close()
        self._desk.window.finish_closing()


def _lay_over(picture: QPixmap, dialog: QDialog) -> None:
    """A dialog in the middle of the window, the window shaded behind it."""
    shown = dialog.grab()
    place = QRect(QPoint(0, 0), shown.deviceIndependentSize().toSize())
    place.moveCenter(picture.rect().center())
    painter = QPainter(picture)
    painter.fillRect(picture.rect(), _SHADE)
    painter.drawPixmap(place.topLeft(), shown)
    painter.end()
