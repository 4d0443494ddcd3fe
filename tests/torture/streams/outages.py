"""Point 5: every fault of the service ends as it should, and a long overload is met with few requests and patience."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import msgspec

from agent_core.engine.harness import Harness
from agent_core.engine.requests import OVERLOADED
from agent_core.model import events as ev
from agent_core.model.errors import ProviderError, ProviderFault
from agent_core.model.intents import Decide, StartRun
from agent_core.model.proposal import Via
from agent_core.policy.retry import LONGEST_RETRY_AFTER, PROVIDER_ATTEMPTS
from agent_core.providers.anthropic import AnthropicProvider
from agent_core.providers.base import Delta, ModelRequest, ModelResponse
from tests.support.engine_lab import Lab, call, eventually, turn
from tests.support.history_rules import raw_problems
from tests.support.messages_server import Answer, MessagesServer, Received, message_events, refusal, sse, text_turn
from tests.support.paced_clock import PacedClock
from tests.support.virtual_clock import VirtualClock
from tests.torture.report import Options, Point
from tests.torture.streams.recordings import Played, attempts, recipes

_AGENTS = 8
_OUTAGE = 660.0
"""Seconds: the ten minutes of one budget, and a little more, so that every run has to pause."""
_CALLS = [
    {"type": "text", "text": "I look."},
    {"type": "tool_use", "id": "toolu_1", "name": "files_list", "input": {"path": "."}},
    {"type": "tool_use", "id": "toolu_2", "name": "files_search", "input": {"pattern": "x"}},
]
_BASE = sse(message_events(_CALLS, stop_reason="tool_use", usage={"input_tokens": 900, "output_tokens": 40}))
_DONE = sse(text_turn("done"))


def measure(options: Options) -> Point:
    """Every recipe against a real server on loopback, then eight agents in a long overload."""
    point = Point()
    asyncio.run(_recipes(point, options))
    (options.scratch / "overload").mkdir()
    asyncio.run(_overload(point, options.scratch / "overload"))
    return point


class _Service:
    """A Messages API whose first answer is spoilt by a recipe."""

    def __init__(self, mutation: dict[str, Any], clock: VirtualClock) -> None:
        self._answers = attempts(_BASE, mutation)
        self._chunk = 1 if "chunking" in mutation else 0
        self._clock = clock
        self._tries = 0

    def play(self, received: Received) -> Answer:
        """The answer that is due."""
        if any(message["role"] == "assistant" for message in received.body["messages"]):
            return Answer(pieces=[_DONE])
        played = self._answers[min(self._tries, len(self._answers) - 1)]
        self._tries += 1
        return self._answer(played)

    def _answer(self, played: Played) -> Answer:
        if played.status != 200:
            error = played.body["error"]
            answer = refusal(played.status, error["type"], error["message"])
            soon = format_datetime(self._clock.now() + timedelta(seconds=30), usegmt=True)
            headers = {name: soon if value.startswith("<") else value for name, value in played.headers.items()}
            return Answer(played.status, {**answer.headers, **headers}, answer.pieces)
        step = self._chunk or max(1, len(played.stream))
        pieces = [played.stream[start : start + step] for start in range(0, len(played.stream), step)]
        return Answer(pieces=pieces, end={"whole": "whole", "cut": "cut", "stalled": "silent"}[played.end])


async def _recipes(point: Point, options: Options) -> None:
    found = recipes(options.recordings)
    right = 0
    for number, recipe in enumerate(found):
        ended = await _Trial(options.scratch / f"recipe{number}").run(recipe["mutation"])
        problem = _judge(recipe["mutation"], ended)
        right += problem is None
        if problem is not None:
            point.problem(f"{recipe['id']}: {problem}")
    point.all("faults of the service that end as they should", right, len(found))
    refused = await _Trial(options.scratch / "refused").run(None)
    point.sure("a refused connection is tried again, then pauses", refused.paused == [OVERLOADED])


class _Ended:
    """How a session under a fault came to rest for the first time."""

    def __init__(self) -> None:
        self.requests = 0
        self.status = ""
        self.stop_reason: str | None = None
        self.waits: list[float] = []
        self.paused: list[str] = []
        self.judged = 0
        self.steps = 0
        self.cards: list[str] = []
        self.cost: Decimal | None = None
        self.tokens = 0
        self.history: list[str] = []
        self.contents: list[str] = []


class _Trial:
    """One session against one service."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True)
        self.clock = VirtualClock(passes=130.0)
        self.lab = Lab(root, clock=self.clock)

    async def run(self, mutation: dict[str, Any] | None) -> _Ended:
        """Work it until it rests. Without a mutation nobody listens at the address."""
        service = _Service(mutation or {}, self.clock)
        async with MessagesServer(play=service.play) as server:
            url = server.url if mutation is not None else "http://127.0.0.1:9"
            stall = 0.4 if "stall_after_events" in (mutation or {}) else 20.0
            provider = AnthropicProvider(api_key="sk-test", clock=self.clock, base_url=url, stall_seconds=stall)
            harness = await self.lab.open(provider_for=lambda profile: provider)
            session = await self.lab.start(harness)
            ended = await self._ended(harness, session, server)
            await self.lab.close()
            await provider.close()
        return ended

    async def _ended(self, harness: Harness, session: str, server: MessagesServer) -> _Ended:
        ended, events = _Ended(), await self.lab.events(harness, session)
        first = next((n for n, e in enumerate(events) if isinstance(e.data, ev.RunPaused)), len(events))
        upto = events[: first + 1]
        result, state = await self.lab.result(harness, session), await self.lab.state(harness, session)
        ended.requests = sum(isinstance(e.data, ev.ModelRequested) for e in upto)
        ended.status, ended.stop_reason = result["status"], result["stop_reason"]
        failed = [e.data for e in upto if isinstance(e.data, ev.ModelFailed)]
        at = {id(e.data): e.at for e in upto}
        ended.waits = [(f.retry_at - at[id(f)]).total_seconds() for f in failed if f.retry_at is not None]
        ended.paused = [e.data.reason for e in upto if isinstance(e.data, ev.RunPaused)]
        ended.judged = sum(isinstance(e.data, ev.CallJudged) for e in upto)
        ended.steps, ended.cost = state.run.spend.steps, state.run.spend.cost_usd
        ended.tokens = state.run.spend.tokens
        ended.cards = [state.proposals[card].proposal.touchpoint.value for card in state.open_cards]
        for received in server.received:
            ended.history += raw_problems([msgspec.Raw(msgspec.json.encode(m)) for m in received.body["messages"]])
        ended.contents = [str(received.body["messages"]) for received in server.received]
        return ended


def _judge(mutation: dict[str, Any], ended: _Ended) -> str | None:
    """What is not as it should be; None when all is well."""
    if ended.history:
        return f"a request breaks the rules: {ended.history[0]}"
    for name, check in _CHECKS.items():
        if name in mutation:
            return None if check(mutation, ended) else _told(ended)
    return None if _plain(mutation, ended) else _told(ended)


def _told(ended: _Ended) -> str:
    return str({name: value for name, value in vars(ended).items() if name != "contents"})


def _plain(mutation: dict[str, Any], ended: _Ended) -> bool:
    """As if nothing had been odd: two requests, two calls, once each."""
    return (ended.requests, ended.judged, ended.steps, ended.stop_reason) == (2, 2, 2, "completed")


def _once_more(mutation: dict[str, Any], ended: _Ended) -> bool:
    """The spoilt answer left nothing and was asked for again."""
    return (ended.requests, ended.judged, ended.steps, ended.stop_reason) == (3, 2, 2, "completed")


def _refused_first(mutation: dict[str, Any], ended: _Ended) -> bool:
    refusals = mutation["prepend_responses"]
    headers = refusals[0].get("headers", {})
    if headers.get("x-should-retry") == "false":
        return (ended.requests, ended.stop_reason) == (1, "provider_failed")
    wish = headers.get("retry-after", "0")
    least = 29.0 if wish.startswith("<") else min(float(wish), LONGEST_RETRY_AFTER)
    waited = len(ended.waits) == len(refusals) and least <= ended.waits[0] <= least * 1.2 + 3
    return waited and (ended.requests, ended.judged, ended.steps) == (2 + len(refusals), 2, 2)


def _refused_always(mutation: dict[str, Any], ended: _Ended) -> bool:
    if mutation["replace_all"]["status"] >= 500:
        return ended.requests <= PROVIDER_ATTEMPTS and ended.paused == [OVERLOADED]
    return (ended.requests, ended.stop_reason) == (1, "context_full")


def _unknown_cost(mutation: dict[str, Any], ended: _Ended) -> bool:
    return ended.cost is None and ended.tokens >= 0 and ended.stop_reason == "completed"


def _asks(mutation: dict[str, Any], ended: _Ended) -> bool:
    return ended.stop_reason is None and ended.judged in (0, 2)


_CHECKS: dict[str, Callable[[dict[str, Any], _Ended], bool]] = {
    "prepend_responses": _refused_first,
    "replace_all": _refused_always,
    "replace_sse": _once_more,
    "insert_sse_error_after_events": _once_more,
    "drop_tail_events": _once_more,
    "cut_in_input_json_delta": _once_more,
    "cut_after_block_index": _once_more,
    "stall_after_events": _once_more,
    "same_id_twice": lambda mutation, ended: ended.judged == 2 and ended.stop_reason == "completed",
    "insert_block_type": lambda mutation, ended: "hologram" in ended.contents[-1] and _plain(mutation, ended),
    "stop_reason": lambda mutation, ended: ended.stop_reason is None or _plain(mutation, ended),
    "drop_usage": _unknown_cost,
    "usage": _unknown_cost,
    "response_model": _unknown_cost,
}


class _Overloaded:
    """A service that is overloaded until a time, and counts who asks when."""

    name = "overloaded"

    def __init__(self, lab: Lab, clock: PacedClock) -> None:
        self._lab, self._clock = lab, clock
        self.asked: Counter[str] = Counter()

    async def warm(self) -> None:
        """It is always ready."""

    async def stream(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Refuse, or play the lab's script."""
        if self._clock.monotonic() >= _OUTAGE or not self._starts(request):
            return await self._lab.model.stream(request, on_delta)
        if self._clock.monotonic() < 600:
            self.asked[request.session] += 1
        raise ProviderError(ProviderFault.OVERLOADED, "The model's service is overloaded.")

    def _starts(self, request: ModelRequest) -> bool:
        """The session with the card gets its first answer: it is there before the overload begins."""
        return self._clock.monotonic() > 0 or len(self._lab.model.requests) > 0

    async def close(self) -> None:
        """Nothing is open."""


async def _overload(point: Point, root: Path) -> None:
    clock = PacedClock()
    lab = Lab(root, turn(call("files_write", path="out.txt", content="x")), turn(text="fine"), clock=clock)  # type: ignore[arg-type]
    service = _Overloaded(lab, clock)
    harness = await lab.open(provider_for=lambda profile: service)
    waiting = await lab.start(harness, "the one with a card")
    card = await lab.card(harness)
    agents = []
    for number in range(_AGENTS):
        start = StartRun(profile=str(lab.profile), goal=f"agent {number}", workspace=str(lab.workspace), by="bar")
        agents.append(await harness.supervisor.start(start))
    await clock.run_until(300.0, least=_AGENTS)
    await harness.desk.decide(Decide(proposal=card.proposal, verdict="approve", by="bar", via=Via.CLI))
    written = lab.workspace / "out.txt"
    with contextlib.suppress(TimeoutError):
        await eventually(written.exists, seconds=20)
    decided = written.exists()

    async def all_asked() -> bool:
        return len(await lab.cards(harness)) == _AGENTS

    await clock.run_until(3600.0, all_asked, least=_AGENTS)
    paused = 0
    for agent in agents:
        pauses = [event.data for event in await lab.events(harness, agent, ev.RunPaused)]
        reasons = {pause.reason for pause in pauses if isinstance(pause, ev.RunPaused)}
        paused += reasons == {OVERLOADED}
    recovered = len(await lab.cards(harness))
    took = clock.monotonic()
    service.asked.pop(waiting, None)
    await lab.close()
    point.most("requests of 8 agents in ten minutes of 529", sum(service.asked.values()), _AGENTS * PROVIDER_ATTEMPTS)
    point.all("runs that paused, provider overloaded", paused, _AGENTS)
    point.all("runs that recovered by themselves", recovered, _AGENTS)
    point.most("minutes after the overload until all had", (took - _OUTAGE) / 60, 11, " min")
    point.sure("an operator could decide meanwhile, and the call ran", decided)
