"""Sessions and cards by the short names that the console shows, from every command that takes one."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_core.model.ids import short
from console.cli import run
from tests.support.command_line import CommandLine, Turn, office, write

Call = Callable[..., Any]


@pytest.fixture
def cli(tmp_path: Path) -> Iterator[CommandLine]:
    """A command line whose model writes a file, and is done."""
    with office(tmp_path, Turn(tools=[write("out.txt", "v1")]), Turn("done")) as (cli, _):
        yield cli


@pytest.fixture
def call(cli: CommandLine, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Call:
    """Run a command line in this process; gives its first JSON object."""
    for name, value in cli.env.items():
        monkeypatch.setenv(name, value)

    def call(*arguments: str) -> Any:
        run([*arguments, "--json"])
        return json.loads(capfd.readouterr().out.splitlines()[0])

    return call


def test_every_command_takes_the_short_name_of_the_screen(cli: CommandLine, call: Call, tmp_path: Path) -> None:
    opened = call(*cli.run_arguments()[:-1])
    session, (card,) = opened["session"], opened["open_proposals"]
    name, out = short(session), str(tmp_path / "out")

    assert call("resume", name, "--decide", "none")["open_proposals"] == [card]
    assert call("decide", short(card), "approve")["proposal"] == card
    assert call("resume", name, "--decide", "none")["status"] == "ended"
    assert call("show", name)["session"] == session
    assert call("trace", name)["session"] == session
    assert call("verify", name)["sessions"][0]["session"] == session
    assert call("export", name, "--format", "jsonl", "--out", out)["session"] == session
    assert call("audit", "--session", name)["entries"][0]["proposal"] == card
    assert call("audit", "--record", short(card), "--out", out)["record"] == card
    assert "not switched off" in call("lift", name, "files_write")["error"]["message"]

    drawn = cli.call("shot", "console", "--session", name, "--out", f"{out}.png")  # a window of its own
    assert (drawn.code, drawn.err) == (0, "")

    fork = call("fork", name, "--step", "0", "--decide", "none")["session"]
    assert call("trace", fork)["session"] == fork != session
    assert call("stop", short(fork))["stopped"] == fork


def test_a_session_that_was_never_worked_here_is_stopped_by_its_short_name(cli: CommandLine, call: Call) -> None:
    session = call(*cli.run_arguments()[:-1])["session"]
    for lease in (cli.home / "leases").iterdir():
        lease.unlink()

    assert call("stop", short(session))["stopped"] == session
    assert call("show", session)["stop_reason"] == "cancelled"
