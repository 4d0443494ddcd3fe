"""Several processes on one home, and processes that are told to go or are killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import PROJECT, CommandLine, Turn, ended, office, write

pty = pytest.importorskip("pty")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX has them")

TELLS = 30
"""Seconds that a process may take to get as far as its first request."""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_pauses_the_run_and_resume_finishes_it(tmp_path: Path, number: signal.Signals) -> None:
    with office(tmp_path, Turn(silent=True)) as (cli, service):
        process = cli.start(*cli.run_arguments())
        assert service.asked.wait(TELLS)
        process.send_signal(number)
        done = ended(process)

        assert done.code == 4, done.err
        assert done.value["status"] == "paused"
        service.turns = [Turn("done")]
        resumed = cli.call("resume", done.value["session"], "--json")
        assert (resumed.code, resumed.value["output"]) == (0, "done")


def test_a_run_that_was_killed_in_a_request_goes_on_without_repeating_a_call(tmp_path: Path) -> None:
    with office(tmp_path, Turn(tools=[write("out.txt", "v1")]), Turn(silent=True)) as (cli, service):
        process = cli.start(*cli.run_arguments([{"verdict": "approve"}]))
        while len(service.requests) < 2:
            service.asked.clear()
            assert service.asked.wait(TELLS)
        process.kill()
        ended(process)
        session = cli.only_session()
        assert session["status"] == "interrupted"

        service.turns[1] = Turn("done")
        resumed = cli.call("resume", session["session"], "--json")

        assert resumed.code == 0, resumed.err
        kinds = [event["kind"] for event in cli.trace(session["session"])]
        assert kinds.count("call_started") == kinds.count("call_finished") == 1
        assert cli.call("verify").code == 0


def test_a_session_that_another_process_works_is_busy_and_can_be_stopped(tmp_path: Path) -> None:
    with office(tmp_path, Turn(silent=True)) as (cli, service):
        process = cli.start(*cli.run_arguments())
        assert service.asked.wait(TELLS)
        row = cli.only_session()
        assert row["status"] == "running"

        busy = cli.call("resume", row["session"], "--json")
        assert busy.code == 2
        assert str(process.pid) in busy.value["error"]["message"]

        assert cli.call("stop", row["session"]).code == 0
        done = ended(process)
        assert (done.code, done.value["stop_reason"]) == (3, "cancelled")


def test_a_terminal_follows_its_own_session_and_no_other(tmp_path: Path) -> None:
    with office(tmp_path, Turn(silent=True)) as (cli, service):
        runs = []
        for goal in ("the first", "the second"):
            service.asked.clear()
            runs.append(cli.start(*cli.run_arguments(goal=goal)))
            assert service.asked.wait(TELLS)
        assert cli.call("stop", "--all").code == 0
        first, second = map(ended, runs)

    for done, ours, theirs in ((first, "the first", "the second"), (second, "the second", "the first")):
        assert f"goal: {ours}" in done.err
        assert theirs not in done.err
        assert done.err.count("ended: cancelled") == 1


def test_the_halt_stops_everything_and_lets_nothing_start_until_released(tmp_path: Path) -> None:
    with office(tmp_path, Turn(silent=True)) as (cli, service):
        process = cli.start(*cli.run_arguments())
        assert service.asked.wait(TELLS)

        assert cli.call("stop", "--all", "--json").value["stopped"] == "all"
        assert ended(process).value["stop_reason"] == "cancelled"
        halted = cli.run()
        assert (halted.code, halted.value["error"]["code"]) == (3, "halted")
        service.turns = [Turn("done")]
        assert cli.call("release").code == 0
        assert cli.run().code == 0


def test_a_suspended_session_can_be_stopped(tmp_path: Path) -> None:
    with office(tmp_path, Turn(tools=[write("out.txt", "x")])) as (cli, _):
        session = cli.run().value["session"]

        assert cli.call("stop", session).code == 0

        shown = cli.call("show", session, "--json").value
        assert (shown["stop_reason"], shown["open_proposals"]) == ("cancelled", [])
        assert cli.call("resume", session, "--json").code == 2


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    with office(tmp_path, Turn("hello")) as (cli, _):
        session = cli.run().value["session"]
        read, written = os.pipe()
        os.close(read)
        process = cli.start("trace", session, "--json", stdout=written)
        os.close(written)
        _, err = process.communicate(timeout=50)

        assert process.returncode == 0
        assert err == ""


class Terminal:
    """A run whose person sits at a terminal."""

    def __init__(self, cli: CommandLine) -> None:
        self._ours, theirs = pty.openpty()
        arguments = cli.run_arguments()
        del arguments[arguments.index("--decide") :]
        self.process = cli.start(*arguments, stdin=theirs, stderr=theirs)
        os.close(theirs)
        self.said = b""

    def until(self, words: bytes) -> None:
        """Read until it says that."""
        while words not in self.said:
            self.said += os.read(self._ours, 4096)

    def type(self, line: bytes) -> None:
        """Type a line."""
        os.write(self._ours, line + b"\n")

    def ended(self) -> int:
        """Wait for its end; gives the exit code."""
        self.process.communicate(timeout=50)
        os.close(self._ours)
        return self.process.returncode


def test_at_a_terminal_the_person_is_asked(tmp_path: Path) -> None:
    with office(tmp_path, Turn(tools=[write("out.txt", "v1")]), Turn("done")) as (cli, _):
        terminal = Terminal(cli)
        terminal.until(b"Decide (")
        assert b"Why, in the model's words" in terminal.said
        terminal.type(b"approve")

        assert terminal.ended() == 0
        assert (cli.work / "out.txt").read_text() == "v1"


def test_what_was_decided_elsewhere_meanwhile_is_not_decided_again(tmp_path: Path) -> None:
    with office(tmp_path, Turn(tools=[write("out.txt", "v1")]), Turn("done")) as (cli, _):
        terminal = Terminal(cli)
        terminal.until(b"Decide (")
        session = cli.only_session()
        assert cli.call("decide", session["open_proposals"][0], "reject", "--reason", "no", "--by", "eva").code == 0
        terminal.type(b"approve")

        assert terminal.ended() == 0
        made = [event["data"] for event in cli.trace(session["session"]) if event["kind"] == "decision_made"]
        assert [(decision["by"], decision["verdict"]) for decision in made] == [("eva", "reject")]
        assert not (cli.work / "out.txt").exists()


def test_a_signal_at_the_question_leaves_the_card_open(tmp_path: Path) -> None:
    with office(tmp_path, Turn(tools=[write("out.txt", "v1")]), Turn("done")) as (cli, _):
        terminal = Terminal(cli)
        terminal.until(b"Decide (")
        terminal.process.send_signal(signal.SIGTERM)

        assert terminal.ended() == 4
        assert len(cli.only_session()["open_proposals"]) == 1


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["sessions"], ["verify"], ["doctor", "--help"]], ids=" ".join
)
def test_commands_load_neither_the_window_system_nor_the_models_library(tmp_path: Path, arguments: list[str]) -> None:
    script = (
        "import sys; from console.cli import run; code = run(sys.argv[1:]); "
        "sys.exit(code or sorted({'PySide6', 'anthropic', 'rich', 'genai_prices'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=PROJECT,
        env={**os.environ, "PILOTHOUSE_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr.strip() in ("", "[]"), done.stderr


def test_a_second_signal_while_the_program_leaves_changes_neither_its_exit_code_nor_its_answer(tmp_path: Path) -> None:
    with office(tmp_path, Turn(silent=True)) as (cli, service):
        process = cli.start(*cli.run_arguments())
        assert service.asked.wait(TELLS)
        process.send_signal(signal.SIGINT)
        while process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGINT)
        done = ended(process)

        assert done.code == 4, done.err
        assert done.value["status"] == "paused"


def test_a_tool_that_was_switched_off_is_switched_on_again_by_a_person(tmp_path: Path) -> None:
    outside = [("files_read", {"path": f"../secret{number}"}) for number in range(3)]
    with office(tmp_path, Turn(tools=outside), Turn(tools=[write("out.txt", "v1")])) as (cli, _):
        session = cli.run().value["session"]

        lifted = cli.call("lift", session, "files_read", "--json")
        again = cli.call("lift", session, "files_read")

        assert lifted.value == {"session": session, "tool": "files_read", "lifted": True, "by": "bar"}
        assert (again.code, again.out) == (2, "")
        assert "files_read is not switched off" in again.err
        (event,) = [event for event in cli.trace(session) if event["kind"] == "tool_released"]
        assert (event["data"]["tool"], event["data"]["by"]) == ("files_read", "bar")
