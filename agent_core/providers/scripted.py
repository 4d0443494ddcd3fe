"""A model that plays a script: for the demo and for tests. It reacts to what tools and the operator answer.

A script is JSON, `{"turns": [turn, …], "price_tokens": {…}}`; past its last turn it says "done". Which turn it plays is
the number of its own messages in the request, so a resumed session goes on where it was. A turn:

    thinking, text    a thinking block first, a text block next
    tools             [{"name": …, "input": {…}}]: tool_use blocks, ids toolu_TURN_INDEX
    stop_reason       default: tool_use with tools, else end_turn
    usage             figures in place of those counted at 4 characters a token
    delay_s, pace_s   seconds before the answer, and between its pieces
    branches          [{"if_contains": TEXT, … fields of a turn}]: the first whose text stands in the last user message
    faults            one for each attempt at this turn: {"status": 529, "type": …, "retry_after": 0},
                      {"drop_after": EVENTS}, {"garbage": true}, {"hang_s": SECONDS}; then the answer

A question about an open card is answered by the branches of the turn that is due: write one whose `if_contains` stands
in the question ("asks before deciding"). The turn itself is still played later.

`price_tokens` holds `input`, `output`, `cache_read`, `cache_write`: US dollars per million tokens, as strings.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from agent_core.config.profile import Price
from agent_core.model.clock import Clock
from agent_core.model.errors import InputError, ProviderError
from agent_core.providers.base import Delta, ModelRequest, ModelResponse
from agent_core.providers.messages.assembly import Assembly
from agent_core.providers.messages.body import request_body
from agent_core.providers.messages.faults import status_error

PREFIX = "scripted:"
_PIECE = 40
_CHARACTERS_A_TOKEN = 4
_OVER: dict[str, Any] = {"text": "done"}
_NOTHING_TO_SAY: dict[str, Any] = {"text": "I have nothing to add."}


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """A script as it was read: its turns, and what its tokens cost."""

    name: str
    turns: list[dict[str, Any]]
    price: Price | None = None


class ScriptedProvider:
    """Plays one script. Waits by the clock that it is given, so that tests and the demo need not wait at all."""

    name = "scripted"

    def __init__(self, script: Script, clock: Clock) -> None:
        self._script = script
        self._clock = clock
        self._attempts: dict[tuple[str, int], int] = {}

    async def warm(self) -> None:
        """A script is always ready."""

    async def stream(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Play the turn that is due. See `Provider.stream`."""
        began = self._clock.monotonic()
        messages = [msgspec.json.decode(raw) for raw in request.messages]
        index = sum(message["role"] == "assistant" for message in messages)
        turn, fault = self._turn(request, index, messages[-1])
        if "status" in fault:
            raise self._refusal(fault)
        await self._wait(fault.get("hang_s") or turn.get("delay_s"))
        first = round((self._clock.monotonic() - began) * 1000)
        assembly = Assembly(on_delta, request_id=f"scripted_{index}")
        for number, event in enumerate(_events(_message(index, turn, request))):
            if fault.get("drop_after") == number:
                raise assembly.cut()
            assembly.feed(b"{not json" if fault.get("garbage") and number == 2 else msgspec.json.encode(event))
            if event["type"] == "content_block_delta":
                await self._wait(turn.get("pace_s"))
        return msgspec.structs.replace(assembly.finish(), first_token_ms=first)

    async def close(self) -> None:
        """Nothing is open."""

    def _turn(self, request: ModelRequest, index: int, last: object) -> tuple[dict[str, Any], Mapping[str, Any]]:
        """The turn that is due, as its branches say, and the fault of this attempt at it."""
        turns = self._script.turns
        turn = turns[index] if index < len(turns) else _OVER
        said = json.dumps(last, ensure_ascii=False)
        chosen: dict[str, Any] = next(
            (branch for branch in turn.get("branches", []) if branch["if_contains"] in said), {}
        )
        if request.side:  # the turn itself is still to come: only what the script says for the question is due
            return chosen or _NOTHING_TO_SAY, {}
        turn = {**turn, **chosen}
        attempt = self._attempts.get((request.session, index), 0)
        self._attempts[request.session, index] = attempt + 1
        faults = turn.get("faults", [])
        return turn, faults[attempt] if attempt < len(faults) else {}

    def _refusal(self, fault: Mapping[str, Any]) -> ProviderError:
        headers = {"retry-after": str(fault["retry_after"])} if "retry_after" in fault else {}
        body = {"error": {"type": fault.get("type", "api_error"), "message": "as the script says"}}
        return status_error(int(fault["status"]), headers, body, self._clock.now())

    async def _wait(self, seconds: object) -> None:
        if isinstance(seconds, int | float) and seconds > 0:
            await self._clock.sleep(seconds)


def load_script(model: str) -> Script:
    """The script that a profile's model names: `scripted:NAME` (bundled) or `scripted:PATH.json`.

    Raises InputError, naming what is wrong with it.
    """
    name = model.removeprefix(PREFIX)
    try:
        if name.endswith(".json"):
            text = Path(name).expanduser().read_text(encoding="utf-8")
        else:
            text = files("resources").joinpath("demo", f"{name}.json").read_text(encoding="utf-8")
    except (OSError, ValueError) as missing:
        raise InputError(f'The script "{name}" cannot be read: {_reason(missing)}{_others(name)}') from None
    try:
        value = json.loads(text)
    except ValueError as broken:
        raise InputError(f'The script "{name}" is not JSON: {broken}') from None
    return _checked(name, value)


def bundled_scripts() -> list[str]:
    """Names of the scripts that come with the program."""
    folder = files("resources").joinpath("demo")
    if not folder.is_dir():
        return []
    return sorted(entry.name.removesuffix(".json") for entry in folder.iterdir() if entry.name.endswith(".json"))


def _checked(name: str, value: object) -> Script:
    turns = value.get("turns") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(turns, list) or not all(isinstance(t, dict) for t in turns):
        raise InputError(f'The script "{name}" must be an object whose "turns" is a list of objects')
    for number, turn in enumerate(turns):
        for part in (turn, *turn.get("branches", [])):
            for tool in part.get("tools", []):
                if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
                    raise InputError(f'The script "{name}": turn {number} has a tool without a name')
        if any(not isinstance(branch.get("if_contains"), str) for branch in turn.get("branches", [])):
            raise InputError(f'The script "{name}": turn {number} has a branch without "if_contains"')
    return Script(name=name, turns=turns, price=_price(name, value.get("price_tokens")))


def _price(name: str, given: object) -> Price | None:
    if given is None:
        return None
    try:
        if not isinstance(given, dict):
            raise TypeError
        fresh, output = Decimal(str(given["input"])), Decimal(str(given["output"]))
        read, write = (Decimal(str(given.get(kind, fresh))) for kind in ("cache_read", "cache_write"))
    except (KeyError, TypeError, InvalidOperation):
        raise InputError(f'The script "{name}": "price_tokens" needs "input" and "output", as numbers') from None
    return Price(input=fresh, output=output, cache_read=read, cache_write=write)


def _message(index: int, turn: Mapping[str, Any], request: ModelRequest) -> dict[str, Any]:
    """The whole message of a turn, as the Messages API would give it without streaming."""
    content: list[dict[str, Any]] = []
    if turn.get("thinking"):
        content.append({"type": "thinking", "thinking": turn["thinking"], "signature": f"sig-{index}"})
    if turn.get("text"):
        content.append({"type": "text", "text": turn["text"]})
    tools = turn.get("tools", [])
    for place, tool in enumerate(tools):
        use = {"type": "tool_use", "id": f"toolu_{index}_{place}", "name": tool["name"], "input": tool.get("input", {})}
        content.append(use)
    usage = {
        "input_tokens": len(request_body(request)) // _CHARACTERS_A_TOKEN,
        "output_tokens": max(1, len(msgspec.json.encode(content)) // _CHARACTERS_A_TOKEN),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        **turn.get("usage", {}),
    }
    reason = turn.get("stop_reason") or ("tool_use" if tools else "end_turn")
    return {"id": f"msg_{index}", "model": request.model, "content": content, "stop_reason": reason, "usage": usage}


def _events(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The events in which a message streams."""
    usage = message["usage"]
    started = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield {"type": "message_start", "message": started}
    for index, block in enumerate(message["content"]):
        yield from _block_events(index, block)
    yield {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"]}, "usage": usage}
    yield {"type": "message_stop"}


def _block_events(index: int, block: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    kind = block["type"]
    if kind == "tool_use":
        empty, text, delta, member = {**block, "input": {}}, json.dumps(block["input"]), "input_json", "partial_json"
    else:
        member = "thinking" if kind == "thinking" else "text"
        empty, text, delta = {"type": kind, member: ""}, block[member], member
    yield {"type": "content_block_start", "index": index, "content_block": empty}
    for start in range(0, len(text), _PIECE):
        piece = {"type": f"{delta}_delta", member: text[start : start + _PIECE]}
        yield {"type": "content_block_delta", "index": index, "delta": piece}
    if kind == "thinking":
        piece = {"type": "signature_delta", "signature": block["signature"]}
        yield {"type": "content_block_delta", "index": index, "delta": piece}
    yield {"type": "content_block_stop", "index": index}


def _reason(missing: Exception) -> str:
    return missing.strerror or str(missing) if isinstance(missing, OSError) else str(missing)


def _others(name: str) -> str:
    names = [] if name.endswith(".json") else bundled_scripts()
    return f"; the bundled ones are {', '.join(names)}" if names else ""
