"""Assembly: from a session's state to the next model request, append-only and stable to the byte.

Each message is serialised once. A second assembler that begins from the same events makes the same bytes, so a restart
changes nothing that the model, its signed reasoning or the prompt cache could notice.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from agent_core.config.profile import Profile
from agent_core.context.blocks import Block, fresh_id, response_blocks, result_block, text_block
from agent_core.context.marks import MARK, takes_marks, with_marks
from agent_core.context.prompt import system_prompt
from agent_core.context.slots import ContextEstimate, Measured, estimate
from agent_core.model.context import Slot
from agent_core.model.events import SideAsked
from agent_core.model.run import HistoryEntry, HistoryKind, RequestState, SessionState
from agent_core.model.text import clean
from agent_core.providers.base import ModelRequest
from agent_core.tools.registry import Registry

FORM = 1
"""Raise it when earlier sessions' messages would come out as other bytes: their signed reasoning is then dropped."""

_GO_ON = "Go on."
"""Stands between two responses where nobody said anything: the service wants the user's turn in between."""
_SLOT_OF = {HistoryKind.OPERATOR: Slot.HISTORY, HistoryKind.NOTE: Slot.NOTES}

_Part = tuple[Slot, bytes]
"""One serialised block of a user message and the slot that it counts for."""


class Assembler:
    """Keeps the messages of one session. The profile and the tools are those of the agent as it now is."""

    def __init__(self, profile: Profile, tools: Registry, goal: str) -> None:
        self._profile = profile
        self._more = {tool.name: tool.more for tool in tools}
        marked = takes_marks(profile.model)
        system = [text_block(system_prompt(profile.system_prompt, goal, profile.pattern))]
        definitions = tools.definitions()
        self.prefix_digest = self._digest(system, definitions)
        """SHA-256 over all that shapes the bytes before and of the history."""
        self._marked = marked
        self._system = _raw(_mark_last(system) if marked else system)
        self._tools = _raw(_mark_last(definitions) if marked else definitions)
        self._closed: list[msgspec.Raw] = []
        self._sizes = dict.fromkeys((Slot.SYSTEM, Slot.TOOLS, Slot.HISTORY, Slot.RESULTS, Slot.NOTES), 0)
        self._sizes[Slot.SYSTEM] = len(bytes(self._system))
        self._sizes[Slot.TOOLS] = len(bytes(self._tools))
        self._measured: Measured | None = None
        self._taken_in = 0
        """How many entries of the history stand in closed messages or in `carried`."""
        self._carried: list[_Part] = []
        """Of the user, before a response that had nothing to send back."""
        self._use_ids: dict[str, str] = {}
        self._used: set[str] = set()

    def request(self, state: SessionState) -> ModelRequest:
        """The request that the newest `model_requested` event announces."""
        announced = state.last_request
        assert announced is not None
        requested, profile = announced.requested, self._profile
        self._take_in(state)
        tail = self._tail(state, state.history[self._taken_in :], announced.requested_seq)
        messages = [*self._closed, _user_message(tail)]
        return ModelRequest(
            model=requested.model,
            messages=with_marks(messages) if self._marked else messages,
            system=self._system,
            tools=self._tools,
            max_tokens=requested.max_tokens,
            tool_choice={"type": "none"} if requested.closing else None,
            thinking=_affordable(profile.thinking, requested.max_tokens),
            effort=profile.effort,
            session=state.session,
            step=announced.step,
        )

    def aside(
        self, state: SessionState, question: Block, more: Sequence[tuple[str, list[Block]]], announced: SideAsked
    ) -> ModelRequest:
        """A request beside the history: all of it to the byte, then the question and what came of it so far."""
        self._take_in(state)
        tail = self._tail(state, state.history[self._taken_in :], None)
        asked = (Slot.NOTES, msgspec.json.encode(question))
        messages = [*self._closed, _user_message([*tail, asked])]
        messages += [_raw({"role": role, "content": blocks}) for role, blocks in more]
        return ModelRequest(
            model=announced.model,
            messages=with_marks(messages) if self._marked else messages,
            system=self._system,
            tools=self._tools,
            max_tokens=announced.max_tokens,
            tool_choice={"type": "none"} if announced.closing else None,
            thinking=_affordable(self._profile.thinking, announced.max_tokens),
            effort=self._profile.effort,
            session=state.session,
            step=state.run.step,
            side=True,
        )

    def estimate(self, state: SessionState, note: str = "") -> ContextEstimate:
        """How large the next request will be, with the messages that wait for it and the note that would end it."""
        self._take_in(state)
        waiting = [HistoryEntry(HistoryKind.OPERATOR, text) for text in state.pending_messages]
        if note:
            waiting.append(HistoryEntry(HistoryKind.NOTE, note))
        sizes = dict(self._sizes)
        for slot, raw in self._tail(state, [*state.history[self._taken_in :], *waiting], None):
            sizes[slot] += len(raw)
        return estimate(sizes, self._measured)

    def _digest(self, system: list[Block], definitions: list[dict[str, Any]]) -> str:
        shape = [FORM, self._profile.context.result_cap, system, definitions]
        return hashlib.sha256(msgspec.json.encode(shape)).hexdigest()

    def _take_in(self, state: SessionState) -> None:
        """Close every message that a later response has made final."""
        history = state.history
        for place in range(self._taken_in, len(history)):
            entry = history[place]
            if entry.kind is HistoryKind.RESPONSE:
                request = state.requests[entry.request_id]
                said = self._parts(state, history[self._taken_in : place], request.requested_seq)
                self._carried.extend(said)
                self._close(state, request)
                self._taken_in = place + 1

    def _close(self, state: SessionState, request: RequestState) -> None:
        responded = request.responded
        assert responded is not None
        use_ids: dict[int, str] = {}
        for asked in responded.calls:
            use_id = fresh_id(asked.tool_use_id, asked.call_id, self._used)
            self._used.add(use_id)
            self._use_ids[asked.call_id] = use_ids[asked.block] = use_id
        blocks = response_blocks(responded.content, use_ids, keep_thinking=self._keeps_thinking(request))
        sent = sum(self._sizes.values()) + sum(len(raw) for _, raw in self._carried)
        response = _raw({"role": "assistant", "content": blocks}) if blocks else None
        response_bytes = len(bytes(response)) if response is not None else 0
        if response is not None:
            self._close_user()
            self._closed.append(response)
            self._sizes[Slot.HISTORY] += response_bytes
        usage = responded.usage
        if usage.complete and usage.context_tokens > 0:
            self._measured = Measured(usage.context_tokens, usage.output_tokens, sent, response_bytes)

    def _close_user(self) -> None:
        parts = self._carried or _said_nothing()
        self._closed.append(_user_message(parts))
        for slot, raw in parts:
            self._sizes[slot] += len(raw)
        self._carried = []

    def _keeps_thinking(self, request: RequestState) -> bool:
        """Signed reasoning holds only for the model and the bytes before it; elsewhere it is dropped whole."""
        requested = request.requested
        return requested.model == self._profile.model and requested.prefix_digest in ("", self.prefix_digest)

    def _tail(self, state: SessionState, entries: Sequence[HistoryEntry], known_seq: int | None) -> list[_Part]:
        return [*self._carried, *self._parts(state, entries, known_seq)] or _said_nothing()

    def _parts(self, state: SessionState, entries: Iterable[HistoryEntry], known_seq: int | None) -> list[_Part]:
        """A user message's blocks: first the results of the response before it, then what was said, in order."""
        results: list[_Part] = []
        said: list[_Part] = []
        for entry in entries:
            if entry.kind is HistoryKind.RESULTS:
                calls = state.requests[entry.request_id].calls
                results.extend((Slot.RESULTS, self._result(state, call_id, known_seq)) for call_id in calls)
            elif entry.text.strip():
                said.append((_SLOT_OF[entry.kind], msgspec.json.encode(text_block(clean(entry.text)))))
        return [*results, *said]

    def _result(self, state: SessionState, call_id: str, known_seq: int | None) -> bytes:
        call = state.calls[call_id]
        more, cap = self._more.get(call.tool, ""), self._profile.context.result_cap
        return msgspec.json.encode(result_block(call, self._use_ids[call_id], cap, more, known_seq))


def _said_nothing() -> list[_Part]:
    return [(Slot.HISTORY, msgspec.json.encode(text_block(_GO_ON)))]


def _user_message(parts: Iterable[_Part]) -> msgspec.Raw:
    return msgspec.Raw(b'{"role":"user","content":[' + b",".join(raw for _, raw in parts) + b"]}")


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def _mark_last(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*blocks[:-1], {**blocks[-1], "cache_control": MARK}] if blocks else blocks


def _affordable(thinking: dict[str, Any] | None, max_tokens: int) -> dict[str, Any] | None:
    """The thinking setting under a lowered `max_tokens`: the service wants its budget, 1,024 or more, to lie below."""
    budget = thinking.get("budget_tokens") if thinking is not None else None
    if thinking is None or not isinstance(budget, int) or budget < max_tokens:
        return thinking
    half = max_tokens // 2
    return {**thinking, "budget_tokens": half} if half >= 1024 else {"type": "disabled"}
