"""What conftest.py promises to every test."""

import asyncio
import os
import socket
from pathlib import Path

import keyring
import keyring.errors
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot


def test_each_test_has_an_empty_home(home: Path) -> None:
    assert os.environ["PILOTHOUSE_HOME"] == str(home)
    assert not list(home.iterdir())
    assert not [name for name in os.environ if name.startswith("ANTHROPIC_")]


def test_the_network_is_out_of_reach() -> None:
    with pytest.raises(PermissionError, match=r"198\.51\.100\.7:80"):
        socket.create_connection(("198.51.100.7", 80), timeout=1)


def test_loopback_is_within_reach() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), timeout=5):
        pass


def test_no_keyring_is_touched() -> None:
    with pytest.raises(keyring.errors.NoKeyringError):
        keyring.get_password("pilothouse", "anyone")


@pytest.mark.qt
@pytest.mark.parametrize("turn", [1, 2])
async def test_a_click_wakes_a_task_on_the_qt_loop(qtbot: QtBot, turn: int) -> None:
    button = QPushButton(str(turn))
    qtbot.addWidget(button)
    clicked = asyncio.get_running_loop().create_future()
    button.clicked.connect(lambda: clicked.set_result(turn))

    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    async with asyncio.timeout(5):
        assert await clicked == turn


@pytest.mark.parametrize("turn", [1, 2])
def test_waiting_for_a_signal_works_after_an_async_test(qtbot: QtBot, turn: int) -> None:
    button = QPushButton(str(turn))
    qtbot.addWidget(button)

    with qtbot.waitSignal(button.clicked, timeout=5000):
        QTimer.singleShot(1, button.click)
