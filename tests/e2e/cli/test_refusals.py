"""Wrong usage from outside: the process says one sentence and ends with 2. Every case is in tests/unit/console."""

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], "no such command 'nonsense'"),
        (["run", "--agnt", "x"], "did you mean --agent"),
        (["show", "nope"], "There is no session nope"),
        (["decide", "p-1", "approve", "--args", "{"], "--args is not JSON"),
        ([], "no window can be shown"),
    ],
    ids=" ".join,
)
def test_a_process_says_one_sentence(tmp_path: Path, arguments: list[str], words: str) -> None:
    done = CommandLine(tmp_path).call(*arguments)

    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert words in line
