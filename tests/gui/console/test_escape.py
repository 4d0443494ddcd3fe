"""Escape closes what is nearest first; only what nobody took goes back a page."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from ui.main_window import MainWindow
from ui.widgets.surface import column


class _Form(QWidget):
    """Has a field; takes Escape while it is open, as the card's foot does."""

    def __init__(self) -> None:
        super().__init__()
        self.field = QLineEdit()
        column(self).addWidget(self.field)
        self.opened = True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.opened:
            self.opened = False
            return
        super().keyPressEvent(event)


@pytest.fixture
def window(qtbot: QtBot) -> tuple[MainWindow, _Form, list[str]]:
    window, form, went = MainWindow("Pilothouse"), _Form(), list[str]()
    qtbot.addWidget(window)
    window.build(QWidget(), QWidget(), QWidget())
    window.add_page("console", form)
    window.on("back", lambda: went.append("back"))
    window.show()
    form.field.setFocus()
    qtbot.waitUntil(lambda: window.focusWidget() is form.field)
    return window, form, went


def test_escape_in_an_open_form_closes_the_form_and_stays_on_the_page(
    qtbot: QtBot, window: tuple[MainWindow, _Form, list[str]]
) -> None:
    _, form, went = window
    qtbot.keyClick(form.field, Qt.Key.Key_Escape)
    assert not form.opened
    assert went == []


def test_escape_that_nothing_takes_goes_back(qtbot: QtBot, window: tuple[MainWindow, _Form, list[str]]) -> None:
    _, form, went = window
    form.opened = False
    qtbot.keyClick(form.field, Qt.Key.Key_Escape)
    assert went == ["back"]
