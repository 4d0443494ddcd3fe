"""A window from nothing: `python -m tests.bench.screens.first_window empty|console|stack HOME`.

Says "shown" as soon as it is usable, and ends. `empty` is a bare PySide6 window; `console` ours with its sessions
listed; `stack` the same after importing first all that it will ever need.
"""

import os
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

STACK = (
    "anthropic", "pyqtgraph", "sqlmodel", "alembic.command", "genai_prices", "keyring", "jsonschema", "cryptography",
    "typer", "tomlkit", "agent_core.providers.anthropic", "console.cli",
)  # fmt: skip


def _shown() -> None:
    sys.stdout.write("shown\n")
    sys.stdout.flush()
    os._exit(0)


def empty() -> None:
    """A bare window; usable once it was painted."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication, QLabel, QMainWindow

    app = QApplication([])
    window = QMainWindow()
    window.setCentralWidget(QLabel("empty"))
    window.resize(1440, 900)
    window.show()
    QTimer.singleShot(0, _shown)
    app.exec()


def console(home: str) -> None:
    """Ours, opened as the command opens it; usable once the sessions of the home are painted."""
    from PySide6.QtCore import QEvent, QObject
    from PySide6.QtWidgets import QApplication, QListView

    from agent_core.config.home import Home
    from console.app import application, open_console

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and watched.parent() is not None:
                view = watched.parent()
                if isinstance(view, QListView) and view.objectName() == "sessions.list" and view.model().rowCount():
                    _shown()
            return False

    watch = Watch()
    application().installEventFilter(watch)
    open_console(Home.at(Path(home)))
    assert isinstance(QApplication.instance(), QApplication)


def stack(home: str) -> None:
    """The same, with everything imported first."""
    from importlib import import_module

    for name in STACK:
        import_module(name)
    console(home)


if __name__ == "__main__":
    {"empty": lambda _: empty(), "console": console, "stack": stack}[sys.argv[1]](sys.argv[2])
