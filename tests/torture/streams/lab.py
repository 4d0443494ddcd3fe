"""A lab that plays recordings: whatever tools they ask for are there, some of them harmless and some asked about."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar
from zlib import crc32

from pydantic import ConfigDict

from agent_core.config.profile import Profile
from agent_core.engine.harness import Harness
from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.intents import Decide, StartRun
from agent_core.model.proposal import Touchpoint, Via, WhatChanges
from agent_core.providers.base import Delta, ModelRequest, ModelResponse
from agent_core.tools.base import Arguments, Outcome, Preview, Privileges, Tool, ToolContext
from tests.support.engine_lab import Lab
from tests.support.virtual_clock import VirtualClock
from tests.torture.streams.player import Player
from tests.torture.streams.recordings import Recording

_ANSWERS = {Touchpoint.EXCEPTION: "fixed", Touchpoint.OUTCOME_UNKNOWN: "not_happened", Touchpoint.BUDGET: "finish"}


class Anything(Arguments):
    """Takes whatever was recorded."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)


class RecordedTool(Tool[Anything]):
    """Stands for a tool of a recording. Its answer holds half a character, which must not get into a request."""

    description = "Stands for a recorded tool."
    arguments = Anything
    privileges = Privileges()
    effect_class: ClassVar[EffectClass] = EffectClass.READ_ONLY
    reversibility: ClassVar[Reversibility] = Reversibility.REVERSIBLE

    def preview(self, arguments: Anything, context: ToolContext) -> Preview:
        """Nothing changes."""
        return Preview(summary=f"{self.name}", what_changes=WhatChanges(headline="nothing"))

    def run(self, arguments: Anything, context: ToolContext) -> Outcome:
        """An answer with half an emoji in it."""
        return Outcome(result={"said": "half \ud83d of it", "whole": "👍🏽é"}, summary="answered")


def tools_of(recording: Recording) -> list[Tool]:
    """Tools by the names of a recording, every second one with an effect that is asked about."""
    made: list[Tool] = []
    for name in recording.tools() or ["nothing_at_all"]:
        effect = EffectClass.READ_ONLY if crc32(name.encode()) % 2 else EffectClass.NON_IDEMPOTENT
        kind = type("Recorded", (RecordedTool,), {"name": name, "effect_class": effect})
        made.append(kind())
    return made


class Service:
    """A model's service that has a player for each session."""

    name = "service"

    def __init__(self) -> None:
        self.players: dict[str, Player] = {}

    async def warm(self) -> None:
        """It is always ready."""

    async def stream(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """As the session's own player does it."""
        return await self.players[request.session].stream(request, on_delta)

    async def close(self) -> None:
        """Nothing is open."""


class StreamLab(Lab):
    """The lab of one recording."""

    def __init__(self, root: Path, recording: Recording) -> None:
        self.tools = tools_of(recording)
        root.mkdir(parents=True, exist_ok=True)
        super().__init__(root, clock=VirtualClock())
        self.service = Service()

    def write_profile(self, extra: str = "", tools: Sequence[str] = (), limits: str = "", gate: str = "") -> None:
        """The profile lists the recording's tools; its limits are wide."""
        wide = "tokens = 100000000\ntool_calls = 1000\ncost_usd = 10000"
        super().write_profile(extra, tools=[tool.name for tool in self.tools], limits=wide)

    async def open(self, **more: Any) -> Harness:
        """Open the home with the recording's tools."""
        return await super().open(**({"tools": self.tools} | more))

    def _provider(self, profile: Profile) -> Service:  # type: ignore[override]
        return self.service

    async def begin(self, harness: Harness, player: Player) -> str:
        """Start a session, which that player plays, without waiting for it."""
        start = StartRun(profile=str(self.profile), goal="go on", workspace=str(self.workspace), by="bar")
        session = await harness.supervisor.start(start)  # its first request comes after our next wait
        self.service.players[session] = player
        return session

    async def settle(self, harness: Harness, session: str) -> None:
        """Decide whatever is open until the session rests for good."""
        await harness.supervisor.wait(session)
        state = harness.house.ledger(session).state
        for _ in range(60):
            cards = [state.proposals[card].proposal for card in state.open_cards]
            if not cards:
                return
            for card in cards:
                verdict = _ANSWERS.get(card.touchpoint, "approve")
                await harness.desk.decide(Decide(proposal=card.proposal, verdict=verdict, by="bar", via=Via.CLI))
            await harness.supervisor.wait(session)
            state = harness.house.ledger(session).state
