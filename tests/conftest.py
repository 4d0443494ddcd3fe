"""What every test gets: no display, no network, no keyring and a home folder of its own."""

import os

# Before anything imports Qt: its plugins and bindings are chosen once in a process.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_API"] = "pyside6"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
if "UTF-8" not in os.environ.get("LC_ALL", os.environ.get("LANG", "")).upper():
    os.environ["LC_ALL"] = "C.UTF-8"

import asyncio
import gc
import socket
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

OURS = ("PILOTHOUSE_", "ANTHROPIC_")
LOOPBACK = ("127.", "::1", "localhost")

hypothesis.settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=50,
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture],
)
CI = hypothesis.settings.get_profile("ci")
hypothesis.settings.register_profile("deep", parent=CI, max_examples=2000, derandomize=False)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def _qt_loop() -> asyncio.AbstractEventLoop:
    from PySide6.QtWidgets import QApplication
    from qasync import QEventLoop

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    app.setQuitOnLastWindowClosed(False)
    return QEventLoop(app, set_running_loop=False)


def _runs_on_qt(item: pytest.Item) -> bool:
    in_gui_folder = "gui" in item.path.relative_to(item.config.rootpath).parts
    return in_gui_folder or item.get_closest_marker("qt") is not None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """What a Qt test leaves is collected here: a worker thread would end old widgets and their timers in that thread.

    Also the loop itself, which is closed after the last fixture. What was there before is frozen: looking through all
    of it after each test would take longer than most tests.
    """
    if not _runs_on_qt(item) and "qtbot" not in getattr(item, "fixturenames", ()):
        return (yield)
    gc.disable()
    gc.collect()
    gc.freeze()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Async tests in tests/gui, or marked `qt`, run on the Qt loop; all others on a plain one."""
    return {"qt": _qt_loop} if _runs_on_qt(item) else {"asyncio": asyncio.new_event_loop}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that PILOTHOUSE_HOME names during this test. No variable of the developer's reaches it."""
    for name in list(os.environ):
        if name.startswith(OURS):
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("PILOTHOUSE_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True, scope="session")
def _only_loopback() -> Iterator[None]:
    """A test that reaches for the network fails at once and says where it wanted to go."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(LOOPBACK):
            raise PermissionError(f"a test tried to connect to {address[0]}:{address[1]}")
        real(self, address)

    patch = pytest.MonkeyPatch()
    patch.setattr(socket.socket, "connect", connect)
    yield
    patch.undo()
