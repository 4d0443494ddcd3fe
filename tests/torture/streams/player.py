"""A model that plays a recording, and tells at every event of its streams that it has come so far."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from agent_core.model.clock import Clock
from agent_core.providers.base import Delta, ModelRequest, ModelResponse
from agent_core.providers.messages.assembly import Assembly
from agent_core.providers.messages.faults import status_error
from agent_core.providers.messages.sse import SseReader
from tests.support.messages_server import sse, text_turn
from tests.torture.streams.recordings import Played, Recording, attempts

_DONE = sse(text_turn("done"))
AtEvent = Callable[[int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Programme:
    """What is played: the attempts at each answer. A recipe spoils the first answer."""

    answers: list[list[Played]]
    chunk: int
    """Bytes of a piece of a stream; 0: all at once."""

    @classmethod
    def of(cls, recording: Recording, mutation: dict[str, Any]) -> "Programme":
        """A recording under a recipe."""
        answers = [[Played(stream=stream)] for stream in recording.streams]
        answers[0] = attempts(recording.streams[0], mutation)
        return cls(answers, 1 if "chunking" in mutation else 0)


class Player:
    """Plays a programme. The number of the model's messages tells which answer is due."""

    name = "player"

    def __init__(self, programme: "Programme", clock: Clock) -> None:
        self._answers, self._chunk = programme.answers, programme.chunk
        self._clock = clock
        self.tried: Counter[tuple[str, int]] = Counter()
        """How often each answer of each session was asked for."""
        self.requests: list[ModelRequest] = []
        self.given: list[ModelResponse] = []
        """Whole responses that were handed over."""
        self.events = 0
        """Events of all streams so far."""
        self.at_event: AtEvent | None = None

    async def warm(self) -> None:
        """It is always ready."""

    async def stream(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Play the answer that is due."""
        self.requests.append(request)
        number = sum(msgspec.json.decode(raw)["role"] == "assistant" for raw in request.messages)
        played = self._due(request.session, number)
        if played.status != 200:
            await self._pass()
            raise status_error(played.status, played.headers, played.body, self._clock.now())
        assembly = Assembly(on_delta)
        for data in _events(played.stream, self._chunk):
            await self._pass()
            assembly.feed(data)
        if played.end == "stalled":
            raise assembly.stalled(60.0)
        response = assembly.finish()
        self.given.append(response)
        return response

    async def close(self) -> None:
        """Nothing is open."""

    def _due(self, session: str, number: int) -> Played:
        answers = self._answers[number] if number < len(self._answers) else [Played(stream=_DONE)]
        tried = self.tried[session, number]
        self.tried[session, number] += 1
        return answers[min(tried, len(answers) - 1)]

    async def _pass(self) -> None:
        self.events += 1
        if self.at_event is not None:
            await self.at_event(self.events)


@lru_cache(maxsize=64)
def _events(stream: bytes, chunk: int) -> tuple[bytes, ...]:
    """What the reader makes of a stream that comes in pieces of that size; 0: at once."""
    reader, size = SseReader(), chunk or max(1, len(stream))
    return tuple(data for start in range(0, len(stream), size) for data in reader.feed(stream[start : start + size]))
