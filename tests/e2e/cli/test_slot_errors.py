"""An error in a slot of the window, where Qt calls and nobody can catch: told in one sentence, never as a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PLANTED = """
import os, sys
from pathlib import Path
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

class Planted(QObject):
    '''Fails once, in a slot, as soon as the panel of decisions is there.'''
    def __init__(self):
        super().__init__()
        self.timer = QTimer(self, interval=10)
        self.timer.timeout.connect(self.look)
        self.timer.start()
    def look(self):
        for window in app.topLevelWidgets():
            panel = window.findChild(QWidget, "decisions")
            if panel is not None and panel.isVisible():
                self.timer.stop()
                raise ZeroDivisionError("planted")

app = QApplication([])
planted = Planted()
"""

SHOT = """
from console.cli import run
sys.exit(run(["shot", "console", "--out", sys.argv[1]]))
"""

CONSOLE = """
from agent_core.config.home import Home
from console.app import open_console

class Operator(QObject):
    '''Closes the window once it has said what went wrong.'''
    def __init__(self):
        super().__init__()
        self.timer = QTimer(self, interval=50)
        self.timer.timeout.connect(self.look)
        self.timer.start()
    def look(self):
        for window in app.topLevelWidgets():
            for toast in window.findChildren(QWidget, "toast"):
                if toast.isVisible():
                    print(toast.accessibleName())
                    self.timer.stop()
                    window.close()

operator = Operator()
home = Home.at(Path(sys.argv[1]))
home.create()
sys.exit(open_console(home))
"""


def played(script: str, argument: Path, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PLANTED + script, str(argument)],
        env={**os.environ, "PILOTHOUSE_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_picture_of_a_view_that_fails_is_not_taken(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "console.png"

    done = played(SHOT, out, home)

    assert (done.returncode, done.stdout, out.exists()) == (5, "", False)
    (sentence,) = [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]
    assert sentence.startswith("pilothouse: this is a fault of Pilothouse, not yours: ZeroDivisionError: planted")


def test_the_console_goes_on_after_an_error_in_a_slot_and_says_so(home: Path) -> None:
    done = played(CONSOLE, home, home)

    said = done.stdout.strip()
    assert done.returncode == 0, done.stderr
    assert "Something went wrong in the program (ZeroDivisionError); details are in" in said
    assert "Traceback" not in done.stderr
    assert "planted" in (home / "logs" / "pilothouse.log").read_text(encoding="utf-8")
