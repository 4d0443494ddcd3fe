import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import PROJECT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX has them")

TOLD = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.{sigint})
from console.signals import LEAVE, interrupt
interrupt()
try:
    exec("signal.pthread_sigmask(signal.SIG_BLOCK, LEAVE)")
    for number in {numbers}:
        os.kill(os.getpid(), number)
    exec("signal.pthread_sigmask(signal.SIG_UNBLOCK, LEAVE)")
except KeyboardInterrupt:
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGINT)
    sys.exit(130)
sys.exit(7)
"""


def told(folder: Path, *numbers: signal.Signals, sigint: str = "default_int_handler") -> tuple[int, str]:
    """Exit code and complaints of a module that is sent these signals at the same moment, inside an `exec`."""
    (folder / "told.py").write_text(TOLD.format(numbers=[int(number) for number in numbers], sigint=sigint))
    done = subprocess.run(
        [sys.executable, "-m", "told"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("numbers", [(signal.SIGTERM,), (signal.SIGINT,), (signal.SIGINT, signal.SIGTERM)])
def test_signals_before_anything_began_interrupt_once_and_later_ones_change_nothing(
    tmp_path: Path, numbers: tuple[signal.Signals, ...]
) -> None:
    assert told(tmp_path, *numbers) == (130, "")


def test_what_the_program_was_started_to_ignore_stays_ignored(tmp_path: Path) -> None:
    assert told(tmp_path, signal.SIGINT, sigint="SIG_IGN") == (7, "")
