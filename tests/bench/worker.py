"""Workers: processes that do one task after the other and say what each took.

The parent holds a `Worker` for each side of a comparison and lets them take turns. A worker module calls `serve` with
its tasks; a task is a function of keyword arguments that gives a JSON object. Whatever else it prints goes to standard
error.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

Task = Callable[..., dict[str, Any]]


class WorkerFailed(Exception):
    """A worker ended before it answered."""


class Worker:
    """A process that runs `python -m MODULE`."""

    def __init__(self, module: str, *, python: str = sys.executable, env: Mapping[str, str] | None = None) -> None:
        self._module = module
        self._process = subprocess.Popen(
            [python, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **(env or {})},
            text=True,
        )

    def do(self, task: str, **arguments: Any) -> dict[str, Any]:
        """Have one task done. Raises WorkerFailed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"task": task, "arguments": arguments}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise WorkerFailed(f"{self._module} has ended") from None
        line = self._process.stdout.readline()
        if not line:
            raise WorkerFailed(f"{self._module} ended while it did {task}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


class Service:
    """The loopback Messages API, in a process of its own."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.service"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def serve(tasks: Mapping[str, Task]) -> None:
    """Do the tasks that come on standard input until it ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        wanted = json.loads(line)
        answers.write(json.dumps(tasks[wanted["task"]](**wanted["arguments"])) + "\n")
    os._exit(0)  # threads that screens leave behind would be waited for
