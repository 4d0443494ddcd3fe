"""The tray, where the desktop has one: a way back to the window, the number of open decisions, and the emergency exits.

Nothing is decided here. What it asks for goes out as signals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from ui import formatting
from ui.icons import make_icon
from ui.theme import theme


class TrayIcon(Protocol):
    """What is needed of QSystemTrayIcon."""

    @property
    def activated(self) -> SignalInstance: ...
    @property
    def messageClicked(self) -> SignalInstance: ...  # noqa: N802 - Qt's name

    def setIcon(self, icon: QIcon, /) -> None: ...  # noqa: N802
    def setToolTip(self, tip: str, /) -> None: ...  # noqa: N802
    def setContextMenu(self, menu: QMenu, /) -> None: ...  # noqa: N802
    def showMessage(self, title: str, message: str, /) -> None: ...  # noqa: N802
    def show(self) -> None: ...
    def hide(self) -> None: ...


def system_tray_icon() -> TrayIcon | None:
    """The desktop's; None where it has no tray."""
    return QSystemTrayIcon() if QSystemTrayIcon.isSystemTrayAvailable() else None


class Tray(QObject):
    """An icon with a menu, and notes that open their card."""

    open_wanted = Signal()
    urgent_wanted = Signal()
    card_wanted = Signal(str)
    """The card of a note that was clicked; "" for one that is about none."""
    pause_all_wanted = Signal()
    stop_all_wanted = Signal()
    quit_wanted = Signal()

    def __init__(self, icon: TrayIcon, window: QWidget) -> None:
        super().__init__(window)
        self._icon = icon
        self._noted = ""
        self.menu = QMenu(window)
        self.menu.setObjectName("tray.menu")
        self._add("open", "Open Pilothouse", self.open_wanted.emit)
        self._waiting = self._add("urgent", "", self.urgent_wanted.emit)
        self.menu.addSeparator()
        self._add("pause_all", "Pause all agents", self.pause_all_wanted.emit)
        self._add("stop_all", "Stop all agents…", self.stop_all_wanted.emit)
        self.menu.addSeparator()
        self._add("quit", "Quit", self.quit_wanted.emit)
        icon.setContextMenu(self.menu)
        icon.activated.connect(self._activated)
        icon.messageClicked.connect(lambda: self.card_wanted.emit(self._noted))
        theme().follow(self._restyle)
        self.show_waiting(0)
        icon.show()

    def _add(self, name: str, words: str, act: Callable[[], None]) -> QAction:
        action = self.menu.addAction(words)
        action.setObjectName(f"tray.{name}")
        action.triggered.connect(lambda _checked=False: act())
        return action

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is not QSystemTrayIcon.ActivationReason.Context:  # that one opens the menu
            self.open_wanted.emit()

    def _restyle(self) -> None:
        look = theme()
        self._icon.setIcon(make_icon("shield-check", look.color("accent"), look.color("text3")))

    def show_waiting(self, waiting: int) -> None:
        """How many decisions are open."""
        words = f"{formatting.plural(waiting, 'decision')} waiting" if waiting else "No decisions"
        self._waiting.setText(words)
        self._waiting.setEnabled(waiting > 0)
        self._icon.setToolTip(f"Pilothouse: {words[:1].lower()}{words[1:]}")

    def note(self, text: str, proposal: str) -> None:
        """Show a note. Some desktops read markup in it, so nothing in it may look like a tag."""
        self._noted = proposal
        self._icon.showMessage("Pilothouse", text.replace("<", "‹").replace(">", "›"))

    def close(self) -> None:
        """Take the icon away."""
        self._icon.hide()
