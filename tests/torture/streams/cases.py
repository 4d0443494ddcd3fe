"""One case: a recording under a recipe, interrupted at one event of its streams, gone on with, and looked at."""

import asyncio
import contextlib
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.errors import SessionBusy
from agent_core.model.state import SessionState
from tests.support.history_rules import raw_problems
from tests.torture.streams.lab import StreamLab
from tests.torture.streams.player import Player
from tests.torture.streams.recordings import Recording

ACTIONS = ("stop", "close", "kill")


@dataclass
class Found:
    """What a case showed."""

    requests: int = 0
    problems: list[str] = field(default_factory=list)
    events: int = 0
    state: SessionState | None = None


async def run(root: Path, recording: Recording, mutation: dict[str, Any], action: str | None, event: int) -> Found:
    """Play it; at that event do the action; go on to the end, and check every request that was sent."""
    lab = StreamLab(root, recording)
    player = lab.player = Player(recording, mutation, lab.clock)
    harness = await lab.open()
    crashed = root.with_name(f"{root.name}-crashed")

    async def at_event(number: int) -> None:
        if number != event:
            return
        player.at_event = None
        if action == "kill":
            _crash(lab, crashed)
        if action in ("kill", "stop"):
            await harness.supervisor.stop(session, "bar")
        elif action == "close":
            closing.append(asyncio.ensure_future(harness.supervisor.close()))

    closing: list[Any] = []
    player.at_event = at_event if action is not None else None
    session = await lab.begin(harness)
    await lab.settle(harness, session) if action is None else await harness.supervisor.wait(session)
    if closing:
        await closing[0]
    found = Found(events=player.events)
    if action == "kill" and crashed.exists():
        await lab.close()
        lab = StreamLab(crashed, recording)
        lab.player = player
        harness = await lab.open()
    elif action == "close":
        await lab.close()
        harness = await lab.open()
    await _check_halves(lab, harness, session, player, found)
    if action is not None:
        await _go_on(lab, harness, session)
    found.state = await lab.state(harness, session)
    await lab.close()
    _check_requests(player, found)
    for folder in (root, crashed):
        shutil.rmtree(folder, ignore_errors=True)
    return found


def _crash(lab: StreamLab, to: Path) -> None:
    """What a kill at this moment would leave: the files as they are. No commit is under way while a stream comes."""
    shutil.copytree(lab.root, to, ignore=shutil.ignore_patterns("*-shm"))


async def _go_on(lab: StreamLab, harness: Harness, session: str) -> None:
    status = (await lab.result(harness, session))["status"]
    message = "go on" if status == "ended" else None
    with contextlib.suppress(SessionBusy):  # it recovers from an overload by itself just now
        await harness.supervisor.resume(session, "bar", message)
    await lab.settle(harness, session)


async def _check_halves(lab: StreamLab, harness: Harness, session: str, player: Player, found: Found) -> None:
    """No call and no card but those of whole responses."""
    whole = [
        block.get("id") for response in player.given for block in response.content if block.get("type") == "tool_use"
    ]
    responded = [e.data for e in await lab.events(harness, session, ev.ModelResponded)]
    asked = [call.tool_use_id for data in responded if isinstance(data, ev.ModelResponded) for call in data.calls]
    if len(asked) > len(whole):
        found.problems.append("half: calls of a response that did not come whole")
    state = await lab.state(harness, session)
    if any(state.requests[r].responded is None and state.requests[r].calls for r in state.requests):
        found.problems.append("half: a request without a response has calls")


def _check_requests(player: Player, found: Found) -> None:
    """Every request keeps the rules, and gives thinking back as it came."""
    signed = {
        _thought(block)
        for response in player.given
        for block in response.content
        if "thinking" in str(block.get("type"))
    }
    for request in player.requests:
        found.requests += 1
        found.problems += [f"history: {problem}" for problem in raw_problems(request.messages)]
        for raw in request.messages:
            message = msgspec.json.decode(raw)
            for block in message["content"]:
                if "thinking" in str(block.get("type")) and _thought(block) not in signed:
                    found.problems.append("thinking: a block went back altered")


def _thought(block: dict[str, Any]) -> bytes:
    return msgspec.json.encode(block, order="deterministic")
