"""An operator who decides with a passphrase: asked for at a terminal without echo, refused in a sentence elsewhere."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen

import pytest

from tests.support.command_line import CommandLine, Turn, office, write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="terminals are opened as POSIX does it")

SECRET = "correct horse"
TURNS = (Turn(tools=[write("out.txt", "new")]), Turn("done"))


class Terminal:
    """A real terminal with a command in it."""

    def __init__(self, line: CommandLine, *arguments: str) -> None:
        self._ours, theirs = os.openpty()
        self.shown = ""
        self._waited_to = 0
        self.process: Popen[str] = line.start(
            *arguments, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)

    def wait_for(self, words: str) -> None:
        """Read until the words are on the screen, after those that were waited for before."""
        while (place := self.shown.find(words, self._waited_to)) < 0:
            part = os.read(self._ours, 4096)
            assert part, self.shown
            self.shown += part.decode(errors="replace")
        self._waited_to = place + len(words)

    def type(self, words: str) -> None:
        """Type a line."""
        os.write(self._ours, words.encode() + b"\n")

    def end(self) -> int:
        """Read the rest, and give the exit code."""
        try:
            while part := os.read(self._ours, 4096):
                self.shown += part.decode(errors="replace")
        except OSError:  # Linux says so when the last process has closed its side
            pass
        os.close(self._ours)
        return self.process.wait(timeout=50)


def set_passphrase(line: CommandLine) -> None:
    terminal = Terminal(line, "passphrase")
    for question in ("New passphrase", "Once more"):
        terminal.wait_for(question)
        terminal.type(SECRET)
    assert terminal.end() == 0, terminal.shown
    assert SECRET not in terminal.shown


@pytest.fixture
def line(tmp_path: Path) -> Iterator[CommandLine]:
    with office(tmp_path, *TURNS) as (made, _service):
        set_passphrase(made)
        yield made


def test_a_run_asks_for_the_passphrase_without_echo_and_goes_on(line: CommandLine) -> None:
    arguments = [part for part in line.run_arguments("ask") if part != "--json"]
    terminal = Terminal(line, *arguments)
    terminal.wait_for("Decide (")
    terminal.type("approve")
    terminal.wait_for("Passphrase of bar:")
    terminal.type("wrong guess")
    terminal.wait_for("Not taken: This is not the passphrase of bar")
    terminal.wait_for("Decide (")
    terminal.type("approve")
    terminal.wait_for("Passphrase of bar:")
    terminal.type(SECRET)
    assert terminal.end() == 0, terminal.shown
    assert SECRET not in terminal.shown
    assert (line.work / "out.txt").read_text() == "new"


def test_without_a_terminal_a_decision_file_decides_nothing_and_says_the_way_out(line: CommandLine) -> None:
    done = line.run([{"tool": "files_write", "verdict": "approve"}])
    assert done.code == 4
    assert "a passphrase is needed: decide at a terminal, or give it through PILOTHOUSE_PASSPHRASE_FD" in done.err
    assert not (line.work / "out.txt").exists()


def test_a_decision_file_with_the_passphrase_on_a_descriptor_decides(line: CommandLine) -> None:
    read, written = os.pipe()
    os.write(written, f"{SECRET}\n".encode())
    os.close(written)
    line.env["PILOTHOUSE_PASSPHRASE_FD"] = str(read)
    process = line.start(*line.run_arguments([{"tool": "files_write", "verdict": "approve"}]), pass_fds=(read,))
    _, told = process.communicate(timeout=50)
    os.close(read)
    assert process.returncode == 0, told
    assert (line.work / "out.txt").exists()


def test_resume_and_decide_ask_as_well(line: CommandLine) -> None:
    session = line.run("none").value["session"]
    (card,) = line.call("proposals", "--json").value["proposals"]
    refused = line.call("decide", card["proposal"], "approve")
    assert refused.code == 2
    assert "a passphrase is needed" in refused.err

    terminal = Terminal(line, "resume", session, "--decide", "ask")
    terminal.wait_for("Decide (")
    terminal.type("later")
    assert terminal.end() == 4, terminal.shown

    terminal = Terminal(line, "decide", card["proposal"], "approve")
    terminal.wait_for("Passphrase of bar:")
    terminal.type(SECRET)
    assert terminal.end() == 0, terminal.shown
    assert line.call("resume", session).code == 0


def test_a_question_that_is_given_up_leaves_the_terminal_as_it_was(line: CommandLine) -> None:
    import signal
    import termios

    arguments = [part for part in line.run_arguments("ask") if part != "--json"]
    terminal = Terminal(line, *arguments)
    before = termios.tcgetattr(terminal._ours)
    terminal.wait_for("Decide (")
    terminal.type("approve")
    terminal.wait_for("Passphrase of bar:")
    assert termios.tcgetattr(terminal._ours) != before
    terminal.process.send_signal(signal.SIGINT)
    terminal.process.wait(timeout=50)
    assert termios.tcgetattr(terminal._ours) == before
    terminal.end()
