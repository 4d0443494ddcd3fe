"""The command line in processes of its own, on a home, a workspace and a scripted Messages API in a thread."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.messages_server import Answer, MessagesServer, Received, message_events, streamed

PROJECT = Path(__file__).resolve().parents[2]
KEY = "sk-test-0123456789abcdef"

PROFILE = """
name = "lab"
model = "claude-sonnet-4-5"
system_prompt = "You are a careful clerk."
[limits]
steps = 20
cost_usd = 5.0
{more}
[[tools]]
name = "files_list"
because = "sees the folder"
[[tools]]
name = "files_read"
because = "reads"
[[tools]]
name = "files_write"
because = "writes"
[[tools]]
name = "files_delete"
because = "deletes"
[[tools]]
name = "finish"
because = "ends"
"""


@dataclass(frozen=True)
class Turn:
    """What the model says in one turn. A `silent` one sends nothing and keeps the connection open."""

    text: str = ""
    tools: Sequence[tuple[str, dict[str, Any]]] = ()
    silent: bool = False

    def answer(self, number: int) -> Answer:
        """The answer of the service."""
        if self.silent:
            return Answer(end="silent")
        content: list[dict[str, Any]] = [{"type": "text", "text": self.text}] if self.text else []
        content += [
            {"type": "tool_use", "id": f"toolu_{number}_{place}", "name": name, "input": given}
            for place, (name, given) in enumerate(self.tools)
        ]
        return streamed(message_events(content, stop_reason="tool_use" if self.tools else "end_turn"))


def write(path: str, content: str) -> tuple[str, dict[str, Any]]:
    """A call that writes a file, with its reasons."""
    return "files_write", {"path": path, "content": content, "rationale": {"why": "asked", "risks": "", "evidence": []}}


class Service:
    """A Messages API in a thread. The turn that is due is the number of the model's own messages so far."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.turns = list(turns)
        self.asked = threading.Event()
        """Set with every request."""
        self._server = MessagesServer(play=self._play)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="messages API")

    def __enter__(self) -> "Service":
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._server.__aenter__(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._server.__aexit__(None, None, None), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        """Its address."""
        return self._server.url

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The bodies of all requests so far."""
        return [received.body for received in self._server.received]

    def results(self, request: int = -1) -> list[dict[str, Any]]:
        """The tool results in the last message of a request."""
        return [b for b in self.requests[request]["messages"][-1]["content"] if b.get("type") == "tool_result"]

    def _play(self, received: Received) -> Answer:
        number = sum(message["role"] == "assistant" for message in received.body["messages"])
        self.asked.set()
        return (self.turns[number] if number < len(self.turns) else Turn("done")).answer(number)


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        """Its one JSON object."""
        lines = self.out.splitlines()
        assert len(lines) == 1, f"not one object on stdout: {self.out!r} {self.err!r}"
        return json.loads(lines[0])


@dataclass
class CommandLine:
    """One operator's home and workspace, and the commands on them."""

    root: Path
    url: str = "http://127.0.0.1:9"
    more: str = ""
    env: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.home, self.work, self.profile = self.root / "home", self.root / "work", self.root / "agent.toml"
        self.work.mkdir(parents=True)
        self.profile.write_text(PROFILE.format(more=self.more))
        kept = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR")
        self.env = {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "HOME": str(self.root),
            "PILOTHOUSE_HOME": str(self.home),
            "PILOTHOUSE_OPERATOR": "bar",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            "QT_QPA_PLATFORM": "offscreen",
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": self.url,
        }

    def start(self, *arguments: str, **more: Any) -> "subprocess.Popen[str]":
        """Start a command and do not wait for it."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        command = [sys.executable, "-m", "console", *arguments]
        return subprocess.Popen(command, cwd=PROJECT, env=self.env, text=True, **pipes)

    def call(self, *arguments: str, timeout: float = 50) -> Done:
        """Run a command to its end."""
        return ended(self.start(*arguments), timeout)

    def run_arguments(self, decide: str | list[dict[str, Any]] = "none", goal: str = "do it") -> list[str]:
        """The arguments of a run of the lab's agent; a list of answers becomes a decision file."""
        if isinstance(decide, list):
            path = self.root / "decide.json"
            path.write_text(json.dumps(decide))
            decide = str(path)
        agent = ["run", "--agent", str(self.profile), "--goal", goal, "--workspace", str(self.work)]
        return [*agent, "--decide", decide, "--json"]

    def run(self, decide: str | list[dict[str, Any]] = "none", goal: str = "do it") -> Done:
        """Run the lab's agent to its rest."""
        return self.call(*self.run_arguments(decide, goal))

    def trace(self, session: str) -> list[dict[str, Any]]:
        """The events of a session."""
        return [json.loads(line) for line in self.call("trace", session, "--json").out.splitlines()]

    def only_session(self) -> dict[str, Any]:
        """The one session of the home, as the list shows it."""
        (row,) = self.call("sessions", "--json").value["sessions"]
        found: dict[str, Any] = row
        return found


def ended(process: "subprocess.Popen[str]", timeout: float = 50) -> Done:
    """Wait for a started command."""
    out, err = process.communicate(timeout=timeout)
    return Done(process.returncode, out, err)


@contextmanager
def office(root: Path, *turns: Turn, more: str = "") -> Iterator[tuple[CommandLine, Service]]:
    """A command line whose model says these turns."""
    with Service(turns) as service:
        yield CommandLine(root, service.url, more), service
