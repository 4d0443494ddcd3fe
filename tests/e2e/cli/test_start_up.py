"""Start-up: a command that only reads or records loads nothing of what runs agents."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import PROJECT, CommandLine

HEAVY = (
    "agent_core.tools.registry",
    "agent_core.tools.executor",
    "agent_core.engine.runner",
    "anthropic",
    "sqlalchemy",
)
PROGRAM = """
import json, sys
from console.cli import run
code = run(sys.argv[1:])
print(json.dumps([code, [name for name in {heavy!r} if name in sys.modules]]), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["sessions", "--json"], 0),
        (["proposals", "--json"], 0),
        (["show", "s-1"], 2),
        (["trace", "s-1"], 2),
        (["verify", "--json"], 0),
        (["decide", "p-1", "approve"], 2),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_that_runs_no_agent_loads_no_tool_and_no_service(
    tmp_path: Path, arguments: list[str], code: int
) -> None:
    cli = CommandLine(tmp_path)
    command = [sys.executable, "-c", PROGRAM.format(heavy=HEAVY), *arguments]
    done = subprocess.run(command, cwd=PROJECT, env=cli.env, capture_output=True, text=True, check=False)

    assert json.loads(done.stderr.splitlines()[-1]) == [code, []]
