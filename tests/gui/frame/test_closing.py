"""A window that is told to leave: it stays until the agents rest, and nothing reaches it meanwhile."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from ui.main_window import MainWindow


class _Panel(QWidget):
    """A button and a field."""

    def __init__(self) -> None:
        super().__init__()
        self.button, self.field = QPushButton("go"), QLineEdit()
        layout = QVBoxLayout(self)
        layout.addWidget(self.button)
        layout.addWidget(self.field)
        self.clicks = 0
        self.button.clicked.connect(self._clicked)

    def _clicked(self) -> None:
        self.clicks += 1

    def use(self, qtbot: QtBot) -> None:
        """Click the one, type into the other."""
        qtbot.mouseClick(self.button, Qt.MouseButton.LeftButton)
        qtbot.keyClicks(self.field, "x")


def _window(qtbot: QtBot) -> tuple[MainWindow, _Panel]:
    window, panel = MainWindow("Pilothouse"), _Panel()
    qtbot.addWidget(window)
    window.setCentralWidget(panel)
    window.show()
    return window, panel


def test_mouse_and_keys_reach_nothing_while_the_window_closes(qtbot: QtBot) -> None:
    window, panel = _window(qtbot)
    panel.use(qtbot)
    window.begin_closing()

    panel.use(qtbot)

    assert (panel.clicks, panel.field.text()) == (1, "x")
    assert window.isVisible()
    assert panel.button.isEnabled(), "to disable a window is to style all of it anew"
    window.finish_closing()
    assert not window.isVisible()


def test_the_next_window_of_the_program_hears_again(qtbot: QtBot) -> None:
    first, _ = _window(qtbot)
    first.begin_closing()
    first.finish_closing()

    _, panel = _window(qtbot)
    panel.use(qtbot)

    assert (panel.clicks, panel.field.text()) == (1, "x")
