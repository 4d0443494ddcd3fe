"""One recording under one recipe: played whole, then interrupted at events of its streams, gone on with, looked at."""

import asyncio
import contextlib
import hashlib
import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.errors import InputError, SessionBusy
from agent_core.model.intents import SessionQuery
from agent_core.model.state import SessionState, fold
from agent_core.providers.base import ModelResponse
from tests.support.history_rules import raw_problems
from tests.torture.streams.lab import StreamLab
from tests.torture.streams.player import Player, Programme
from tests.torture.streams.recordings import Recording


@dataclass
class Found:
    """What a case showed."""

    requests: int = 0
    problems: list[str] = field(default_factory=list)
    events: int = 0
    state: SessionState | None = None


@dataclass(frozen=True)
class Moment:
    """What a kill at some events in a row would leave: the same bytes at each of them, and how far the service was."""

    folder: Path
    first: int
    tried: Counter[tuple[str, int]]
    given: list[ModelResponse]


class Track:
    """A recording under a recipe, in one home. It is played whole first; each interruption has its own session."""

    def __init__(self, root: Path, recording: Recording, mutation: dict[str, Any]) -> None:
        self._root, self._recording = root, recording
        self._programme = Programme.of(recording, mutation)
        self._lab = StreamLab(root / "live", recording)
        self.moments: list[Moment] = []
        self.left: set[str] = set()
        """What stops left behind, each kind once."""

    async def open(self) -> None:
        """Open the home."""
        self._harness = await self._lab.open()

    async def close(self) -> None:
        """Close the home and clear up."""
        await self._lab.close()
        shutil.rmtree(self._root)

    async def whole(self) -> Found:
        """Play it uninterrupted, and keep what a kill at each event would leave."""
        player, seen = self._player(), b""

        async def keep(number: int) -> None:
            nonlocal seen
            now = _content(self._lab.root)
            if now != seen:
                folder, seen = self._root / f"kill{number}", now
                _copy(self._lab.root, folder)
                self.moments.append(Moment(folder, number, player.tried.copy(), list(player.given)))

        player.at_event = keep
        session = await self._lab.begin(self._harness, player)
        await self._lab.settle(self._harness, session)
        player.at_event = None
        found = Found()
        await _look(self._lab, self._harness, session, player, found)
        await self._end(session, found)
        return found

    async def stopped(self, event: int) -> Found:
        """Stop the session at that event. Where it left what an earlier stop left, the same would follow: the next
        request is made from nothing else. Else go on with it.
        """

        async def stop() -> None:
            await self._harness.supervisor.stop(session, "bar")
            await asyncio.sleep(0)  # here it is cut

        player = self._player(event, stop)
        session = await self._lab.begin(self._harness, player)
        await self._lab.settle(self._harness, session)
        found = Found()
        left = _left(await _look(self._lab, self._harness, session, player, found), player)
        if left not in self.left:
            self.left.add(left)
            await _gone_on(self._lab, self._harness, session, player, found)
        await self._end(session, found)
        return found

    async def killed(self, moment: Moment) -> Found:
        """Open what the kill left, and go on with it."""
        lab = StreamLab(moment.folder, self._recording)
        player = Player(self._programme, lab.clock)
        player.tried, player.given = moment.tried, moment.given
        harness = await lab.open()
        (row,) = await harness.reader.sessions(SessionQuery())
        lab.service.players[row.session] = player
        found = Found()
        await _look(lab, harness, row.session, player, found)
        await _gone_on(lab, harness, row.session, player, found)
        await lab.close()
        shutil.rmtree(moment.folder)
        return found

    async def closed(self, event: int) -> Found:
        """Close the program at that event, open it again, and go on. The home stays open for the next case."""

        async def close() -> None:
            closing.append(asyncio.ensure_future(self._harness.supervisor.close()))
            await asyncio.sleep(0)  # here it is told
            await asyncio.sleep(0)  # here it is cut

        closing: list[asyncio.Future[None]] = []
        player = self._player(event, close)
        session = await self._lab.begin(self._harness, player)
        await self._lab.settle(self._harness, session)
        for one in closing:
            await one
        await self._lab.close()
        self._harness = await self._lab.open()
        found = Found()
        await _look(self._lab, self._harness, session, player, found)
        await _gone_on(self._lab, self._harness, session, player, found)
        await self._end(session, found)
        return found

    def _player(self, event: int = 0, action: Callable[[], Any] | None = None) -> Player:
        player = Player(self._programme, self._lab.clock)

        async def at_event(number: int) -> None:
            if number == event and action is not None:
                player.at_event = None
                await action()

        player.at_event = at_event if action is not None else None
        return player

    async def _end(self, session: str, found: Found) -> None:
        """Leave nothing that would go on while other cases are played."""
        ended = found.state is not None and found.state.run.stopped is not None
        while not ended:
            with contextlib.suppress(SessionBusy, InputError):  # it recovers by itself just now, and may end
                await self._harness.supervisor.stop(session, "bar")
            await self._harness.supervisor.wait(session)
            ended = (await self._harness.reader.summary(session)).status.value == "ended"
        del self._lab.service.players[session]


async def _gone_on(lab: StreamLab, harness: Harness, session: str, player: Player, found: Found) -> None:
    """Go on to the end after an interruption, and look again."""
    assert found.state is not None
    message = "go on" if found.state.run.stopped is not None else None
    with contextlib.suppress(SessionBusy):  # it recovers from an overload by itself just now
        await harness.supervisor.resume(session, "bar", message)
    await lab.settle(harness, session)
    await _look(lab, harness, session, player, found)


async def _look(lab: StreamLab, harness: Harness, session: str, player: Player, found: Found) -> Sequence[ev.Event]:
    """Look at what is there so far, and at every request that was sent since the last look; gives the journal."""
    events = await lab.events(harness, session)
    found.events, found.state = player.events, fold(events, session)
    _check_halves(events, found.state, player, found)
    _check_requests(player, found)
    return events


def _check_halves(events: Sequence[ev.Event], state: SessionState, player: Player, found: Found) -> None:
    """No call and no card but those of whole responses."""
    whole = sum(block.get("type") == "tool_use" for response in player.given for block in response.content)
    asked = sum(len(event.data.calls) for event in events if isinstance(event.data, ev.ModelResponded))
    if asked > whole or len(state.calls) > whole:
        found.problems.append("half: calls of a response that did not come whole")
    if any(card.proposal.call_id and card.proposal.call_id not in state.calls for card in state.proposals.values()):
        found.problems.append("half: a card of a call that did not come whole")
    if any(request.responded is None and request.calls for request in state.requests.values()):
        found.problems.append("half: a request without a response has calls")


def _check_requests(player: Player, found: Found) -> None:
    """Every request keeps the rules, and gives thinking back as it came."""
    signed = {
        _thought(block)
        for response in player.given
        for block in response.content
        if "thinking" in str(block.get("type"))
    }
    for request in player.requests[found.requests :]:
        found.requests += 1
        found.problems += [f"history: {problem}" for problem in raw_problems(request.messages)]
        for raw in request.messages:
            message = msgspec.json.decode(raw)
            for block in message["content"]:
                if "thinking" in str(block.get("type")) and _thought(block) not in signed:
                    found.problems.append("thinking: a block went back altered")


def _thought(block: dict[str, Any]) -> bytes:
    return msgspec.json.encode(block, order="deterministic")


_NAMES = re.compile(r"\b[a-z]-[0-9a-z]{10}-[0-9a-z]{6}\b|toolu_[0-9A-Za-z]+")
_PASSING = re.compile(
    r'\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)|"(digest|signature|binding)":"[^"]*"|"duration_ms":\d+'
)
"""Times, and what is computed from times and ids."""


def _left(events: Sequence[ev.Event], player: Player) -> str:
    """All that goes into what follows, with ids in the order of their appearance and without times."""
    names: dict[str, str] = {}
    told = [f"{event.kind} {event.step} {ev.encode_data(event.data).decode()}" for event in events]
    service = f"{sorted(n for (_, n), times in player.tried.items() for _ in range(times))} {len(player.given)}"
    text = _NAMES.sub(lambda found: names.setdefault(found[0], f"id{len(names)}"), "\n".join([*told, service]))
    return _PASSING.sub("", text)


def _content(folder: Path) -> bytes:
    """A digest of all that a process which opens the folder after a kill would find."""
    digest = hashlib.sha1(usedforsecurity=False)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.name.endswith("-shm"):
            digest.update(f"{path}\0{path.stat().st_size}\0".encode())
            digest.update(path.read_bytes())
    return digest.digest()


def _copy(folder: Path, to: Path) -> None:
    """What a kill at this moment would leave: the files as they are. No commit is under way while a stream comes."""
    shutil.copytree(folder, to, ignore=shutil.ignore_patterns("*-shm"))
