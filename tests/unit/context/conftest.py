"""Sessions told in a few words, as events and the state that they fold to."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from agent_core.config.profile import Profile, ToolEntry
from agent_core.model import events as ev
from agent_core.model.action import ToolError
from agent_core.model.budget import Limits, Usage
from agent_core.model.run import SessionState
from agent_core.model.state import advance, fold
from agent_core.tools.registry import Registry

START = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
MODEL = "claude-sonnet-5-5"


class Story:
    """One session as it happens: each method journals what its name says."""

    def __init__(self, goal: str = "Sum the invoices.") -> None:
        self.events: list[ev.Event] = []
        self.state = SessionState("s-1")
        self.requests = self.calls = 0
        self.run = ""
        self.add(ev.SessionOpened(goal=goal, agent="clerk", agent_version="v1", profile={}, workspace="/w", by="ada"))
        self.start()

    def add(self, data: ev.EventData) -> None:
        """Journal one event, through its bytes as the journal keeps them."""
        kept = ev.decode_data(data.kind, ev.encode_data(data))
        seq = len(self.events) + 1
        at = START + timedelta(seconds=seq)
        event = ev.Event(
            seq=seq, at=at, session="s-1", run=self.run, step=self.requests, data=kept, prev="", digest=str(seq)
        )
        self.events.append(event)
        advance(self.state, event)

    def start(self, message: str | None = None) -> None:
        """A run begins."""
        self.run = f"r-{len(self.state.runs) + 1}"
        self.add(ev.RunStarted(limits=Limits(), agent_version="v1", by="ada", message=message))

    def stop(self) -> None:
        """The run ends."""
        self.add(ev.RunStopped(stop_reason="cancelled", completed=False, output=None, gaps=[], confidence="low"))

    def ask(
        self, note: str = "", *, again: bool = False, model: str = MODEL, closing: bool = False, **more: Any
    ) -> None:
        """A request is announced; `again` is another attempt at the newest."""
        self.requests += 0 if again else 1
        self.add(
            ev.ModelRequested(
                request_id=f"q-{self.requests}",
                attempt=1,
                model=model,
                max_tokens=more.pop("max_tokens", 8192),
                input_estimate=0,
                reserved_tokens=0,
                reserved_cost_usd=None,
                note=note,
                closing=closing,
                **more,
            )
        )

    def fail(self) -> None:
        """The newest request fails."""
        self.add(ev.ModelFailed(request_id=f"q-{self.requests}", attempt=1, fault="cut", message="lost"))

    def answer(
        self, *content: dict[str, Any], take: Sequence[int] | None = None, usage: Usage | None = None
    ) -> list[str]:
        """The model answers; gives our ids of the calls that were taken up: all, or those at the places in `take`."""
        places = [place for place, block in enumerate(content) if block.get("type") == "tool_use"]
        asked = []
        for place in places if take is None else take:
            self.calls += 1
            block = content[place]
            asked.append(
                ev.AskedCall(call_id=f"c-{self.calls}", tool_use_id=block["id"], tool=block["name"], block=place)
            )
        self.add(
            ev.ModelResponded(
                request_id=f"q-{self.requests}",
                attempt=1,
                model=MODEL,
                content=list(content),
                finish_reason="tool_use" if asked else "end_turn",
                usage=usage or Usage(input_tokens=1000, output_tokens=50),
                calls=asked,
            )
        )
        return [call.call_id for call in asked]

    def begin(self, call_id: str) -> None:
        """A call starts."""
        call = self.state.calls[call_id]
        self.add(
            ev.CallStarted(
                call_id=call_id,
                tool_use_id=call.tool_use_id,
                tool=call.tool,
                arguments={},
                idempotency_key="k",
                digest="d",
            )
        )

    def lose(self, call_id: str) -> None:
        """Nobody knows what came of a started call."""
        call = self.state.calls[call_id]
        self.add(ev.CallUnknown(call_id=call_id, tool_use_id=call.tool_use_id, tool=call.tool, why="crash"))

    def finish(self, call_id: str, result: Any = None, error: ToolError | None = None) -> None:
        """A call is answered."""
        call = self.state.calls[call_id]
        self.add(
            ev.CallFinished(
                call_id=call_id,
                tool_use_id=call.tool_use_id,
                tool=call.tool,
                ok=error is None,
                result=result,
                error=error,
            )
        )

    def tell(self, text: str) -> None:
        """The operator says something."""
        self.add(ev.MessageAdded(text=text, by="ada"))

    def folded(self) -> SessionState:
        """The state as a restart finds it."""
        return fold(self.events)


@pytest.fixture
def story() -> Story:
    """A session that has just begun."""
    return Story()


@pytest.fixture
def new_story() -> type[Story]:
    """For tests that tell several."""
    return Story


@pytest.fixture
def registry() -> Registry:
    """The tools of the profile."""
    every = Registry()
    return every.for_profile(clerk(), demo=False)


@pytest.fixture
def profile() -> Profile:
    """The agent of the stories."""
    return clerk()


def clerk() -> Profile:
    """A profile with three tools."""
    names = ("files_read", "files_write", "finish")
    tools = [ToolEntry(name=name, because="needed") for name in names]
    return Profile(name="clerk", model=MODEL, system_prompt="You are a careful clerk.", tools=tools)
