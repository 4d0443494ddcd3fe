import signal
import subprocess
import sys

import pytest

from tests.support.command_line import PROJECT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX has them")

TOLD = """
import os, signal, sys
{before}
from console.signals import interrupt
interrupt()
try:
    for number in {numbers}:
        os.kill(os.getpid(), number)
except KeyboardInterrupt:
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGINT)
    sys.exit(130)
sys.exit(7)
"""


def exit_code(*numbers: signal.Signals, before: str = "") -> int:
    script = TOLD.format(numbers=[int(number) for number in numbers], before=before)
    return subprocess.run([sys.executable, "-c", script], cwd=PROJECT, check=False).returncode


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_before_anything_began_interrupts_once_and_later_ones_change_nothing(number: signal.Signals) -> None:
    assert exit_code(number) == 130


def test_what_the_program_was_started_to_ignore_stays_ignored() -> None:
    assert exit_code(signal.SIGINT, before="signal.signal(signal.SIGINT, signal.SIG_IGN)") == 7
