"""What commands print: with --json one object on stdout, else lines for a person; errors as one sentence on stderr."""

import json
import os
import sys
from typing import Any, TextIO

from agent_core.model.errors import PilothouseError
from ui.hostile import visible, visible_line


class Output:
    """Where one command prints. Text from outside is shown with its hidden characters visible; JSON keeps its bytes."""

    def __init__(self, as_json: bool, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.as_json = as_json
        self._out, self._err = out or sys.stdout, err or sys.stderr

    def value(self, value: Any) -> None:
        """One JSON object on a line of its own."""
        self._write(self._out, json.dumps(value, ensure_ascii=False, default=str))

    def line(self, text: str = "") -> None:
        """A line for a person; nothing with --json."""
        if not self.as_json:
            self._write(self._out, visible(text))

    def aside(self, text: str) -> None:
        """A line beside the result, such as progress: on stderr with --json, so that stdout holds one object."""
        self._write(self._err if self.as_json else self._out, visible(text))

    def warning(self, text: str) -> None:
        """One sentence on stderr."""
        self._write(self._err, visible_line(text))

    def error(self, error: PilothouseError) -> int:
        """An error as its sentence on stderr, as an object on stdout with --json; gives the exit code."""
        self.failure(error.code, str(error))
        return error.exit_code

    def failure(self, code: str, message: str) -> None:
        """As `error`, for what has no exception."""
        sentence = " ".join(message.split())
        if self.as_json:
            self.value({"error": {"code": code, "message": sentence}})
        self.warning(f"pilothouse: {sentence}")

    @staticmethod
    def _write(stream: TextIO, text: str) -> None:
        try:
            stream.write(text + "\n")
            stream.flush()
        except BrokenPipeError:
            # The reader has left (`pilothouse trace … | head`): the command still ends as it would have.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
