"""A home, a workspace and a scripted model: what tests of the engine need. Fakes stand at the ports only."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from agent_core.config.home import Home
from agent_core.config.profile import Price, Profile
from agent_core.config.secret_store import StoreState
from agent_core.engine.harness import Harness, open_harness
from agent_core.engine.summary import result_json
from agent_core.model.clock import Clock
from agent_core.model.events import Event, EventData
from agent_core.model.intents import Decide, Receipt, StartRun
from agent_core.model.proposal import Proposal, Via
from agent_core.model.state import SessionState
from agent_core.providers.base import Delta, ModelRequest, ModelResponse
from agent_core.providers.scripted import Script, ScriptedProvider
from tests.support.virtual_clock import VirtualClock

TOOLS = (
    "files_list", "files_read", "files_search", "files_write", "files_edit", "files_move", "files_delete",
    "notes_read", "notes_write", "ask_operator", "email_send",
)  # fmt: skip
MODEL = "claude-sonnet-4-5"
_RATIONALE = {"why": "asked for", "risks": "none", "evidence": []}


def call(tool: str, **given: Any) -> dict[str, Any]:
    """A call as a turn of the script asks for it."""
    return {"name": tool, "input": given}


def turn(*calls: dict[str, Any], text: str = "", **more: Any) -> dict[str, Any]:
    """A turn of the script."""
    spoken = {"text": text} if text else {}
    return {**spoken, **({"tools": list(calls)} if calls else {}), **more}


async def eventually(holds: Callable[[], bool | Awaitable[bool]], seconds: float = 10.0) -> None:
    """Until something holds that other processes or threads bring about; fails after that many seconds."""
    async with asyncio.timeout(seconds):
        while True:
            held = holds()
            if held if isinstance(held, bool) else await held:
                return
            await asyncio.sleep(0.01)


class NoKeyring:
    """A machine without a keyring."""

    def state(self) -> StoreState:
        """Missing."""
        return StoreState.MISSING

    def describe(self) -> str:
        """Says so."""
        return "There is no keyring."

    def get(self, name: str) -> str | None:
        """Nothing."""
        return None

    def put(self, name: str, value: str) -> None:
        """Never called on a missing one."""
        raise AssertionError("there is no keyring")

    def remove(self, name: str) -> None:
        """Nothing to forget."""


class RecordingProvider:
    """The scripted provider, remembering what it was asked."""

    name = "recording"

    def __init__(self, turns: Sequence[dict[str, Any]], clock: Clock) -> None:
        self.clock: Any = clock
        price = Price(input=Decimal(3), output=Decimal(15))
        self._scripted = ScriptedProvider(Script(name="lab", turns=list(turns), price=price), clock)
        self.requests: list[ModelRequest] = []

    async def warm(self) -> None:
        """It is always ready."""

    async def stream(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Play the turn that is due."""
        self.requests.append(request)
        return await self._scripted.stream(request, on_delta)

    async def close(self) -> None:
        """Nothing is open."""

    def messages(self, index: int = -1) -> list[dict[str, Any]]:
        """The messages of one request, decoded."""
        return [msgspec.json.decode(raw) for raw in self.requests[index].messages]

    def results(self, index: int = -1) -> list[dict[str, Any]]:
        """The tool results in the last message of one request."""
        return [block for block in self.messages(index)[-1]["content"] if block["type"] == "tool_result"]


class Lab:
    """One home that is opened, closed and opened again."""

    def __init__(self, root: Path, *turns: dict[str, Any], clock: Clock | None = None) -> None:
        self.root = root
        self.home = Home.at(root / "pilothouse-home")
        self.workspace = root / "workspace"
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.clock: Any = clock or VirtualClock()
        self.model = RecordingProvider(turns, self.clock)
        self.profile = root / "agent.toml"
        self.write_profile()
        self.open_harnesses: list[Harness] = []

    def write_profile(
        self,
        extra: str = "",
        tools: Sequence[str] = TOOLS,
        limits: str = "",
        gate: str = "",
        steps: int = 20,
        pattern: str = "react",
    ) -> None:
        """Write the agent's profile; `extra` comes last, such as rules."""
        listed = "".join(f'[[tools]]\nname = "{name}"\nbecause = "needed"\n' for name in tools)
        gated = f"[gate]\n{gate}\n" if gate else ""
        self.profile.write_text(
            f'name = "lab"\nmodel = "{MODEL}"\npattern = "{pattern}"\nsystem_prompt = "You are careful."\n'
            f"[limits]\nsteps = {steps}\n{limits}\n{gated}{listed}{extra}",
            encoding="utf-8",
        )

    async def open(self, **more: Any) -> Harness:
        """Open the home, as a process would."""
        settings: dict[str, Any] = {"operator": "bar", "clock": self.clock, "provider_for": self._provider}
        settings |= {"secrets": NoKeyring(), "environ": {}}
        harness = await open_harness(self.home, **(settings | more))
        self.open_harnesses.append(harness)
        return harness

    def _provider(self, profile: Profile) -> RecordingProvider:
        return self.model

    async def close(self) -> None:
        """Close whatever is open."""
        while self.open_harnesses:
            await self.open_harnesses.pop().close()

    async def start(self, harness: Harness, goal: str = "do it", **more: Any) -> str:
        """Start a session and wait until it rests."""
        start = StartRun(profile=str(self.profile), goal=goal, workspace=str(self.workspace), by="bar", **more)
        session = await harness.supervisor.start(start)
        await harness.supervisor.wait(session)
        return session

    async def resume(self, harness: Harness, session: str, message: str | None = None) -> None:
        """Go on with a session and wait until it rests."""
        await harness.supervisor.resume(session, "bar", message)
        await harness.supervisor.wait(session)

    async def decide(self, harness: Harness, proposal: str, verdict: str, **more: Any) -> Receipt:
        """Decide by the command line's door, and wait until the session rests again."""
        settings: dict[str, Any] = {"by": "bar", "via": Via.CLI}
        receipt = await harness.desk.decide(Decide(proposal=proposal, verdict=verdict, **(settings | more)))
        await harness.supervisor.wait(receipt.session)
        return receipt

    async def cards(self, harness: Harness) -> list[Proposal]:
        """Every open card, in the order of the queue."""
        return [entry.proposal for entry in await harness.desk.open_proposals()]

    async def card(self, harness: Harness) -> Proposal:
        """The only open card."""
        (only,) = await self.cards(harness)
        return only

    async def state(self, harness: Harness, session: str) -> SessionState:
        """The session's state from its journal."""
        return await harness.reader.state(session)

    async def result(self, harness: Harness, session: str) -> dict[str, Any]:
        """What `show --json` prints."""
        return result_json(await self.state(harness, session))

    async def events(self, harness: Harness, session: str, *kinds: type[EventData]) -> list[Event]:
        """The session's events, of those kinds where some are named."""
        found = await harness.reader.events(session)
        return [event for event in found if not kinds or isinstance(event.data, kinds)]

    async def kinds(self, harness: Harness, session: str) -> list[str]:
        """The kinds of the session's events, in order."""
        return [event.kind for event in await self.events(harness, session)]
