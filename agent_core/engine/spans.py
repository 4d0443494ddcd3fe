"""A session as OpenTelemetry spans in OTLP/JSON, by the GenAI conventions. Pure.

One trace a session: a span for each run, and within it one for each model request, tool call and card. What was said is
left out: the conventions make it opt-in, and JSONL and HTML have it. The conventions know no approvals yet, so cards
stand under `operator.approval`.

The names are those of open-telemetry/semantic-conventions-genai 0.1.0, where the library of names has only older ones.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Any

from agent_core import __version__
from agent_core.model import events as ev
from agent_core.model.events import Event
from agent_core.store.codec import micros

Value = str | bool | int | float | Sequence[str] | None


class Kind(IntEnum):
    """Where the work of a span is done (OTLP's numbers)."""

    INTERNAL = 1
    CLIENT = 3


_OK, _ERROR = 1, 2
_CHAT, _AGENT, _TOOL = "chat", "invoke_agent", "execute_tool"


@dataclass(slots=True)
class Span:
    """One piece of work, from its first event to its last."""

    name: str
    key: str
    """What the id of the span is made of: the same event gives the same id in every export."""
    kind: Kind
    began: datetime
    parent: str | None
    ended: datetime | None = None
    attributes: dict[str, Value] = field(default_factory=dict)
    error: str | None = None
    done: bool = False


def otlp(events: Sequence[Event]) -> bytes:
    """The session's spans as one request of OTLP, in one line of JSON."""
    tracer = _Tracer(events[0].session)
    for event in events:
        handler = _HANDLERS.get(type(event.data))
        if handler is not None:
            handler(tracer, event, event.data)
    scope = {"name": "pilothouse", "version": __version__}
    resource = {"service.name": "pilothouse", "service.version": __version__}
    spans = [tracer.written(span, events[-1].at) for span in tracer.spans.values()]
    whole = {
        "resourceSpans": [
            {"resource": {"attributes": _attributes(resource)}, "scopeSpans": [{"scope": scope, "spans": spans}]}
        ]
    }
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class _Tracer:
    """The spans of one session, by what they are of."""

    def __init__(self, session: str) -> None:
        self.session = session
        self.agent, self.model, self.provider = "", "", ""
        self.spans: dict[str, Span] = {}

    def open(self, key: str, event: Event, name: str, kind: Kind, attributes: Mapping[str, Value]) -> Span:
        """Begin a span inside the run of the event."""
        parent = event.run if event.run != key else None
        common: dict[str, Value] = {"gen_ai.conversation.id": self.session, "pilothouse.step": event.step}
        span = self.spans[key] = Span(name, key, kind, event.at, parent, attributes={**common, **attributes})
        return span

    def close(self, key: str, event: Event, attributes: Mapping[str, Value], error: str | None = None) -> None:
        """End a span, well or with the name of an error."""
        span = self.spans.get(key)
        if span is not None:
            span.ended, span.error, span.done = event.at, error, True
            span.attributes |= attributes

    def written(self, span: Span, last: datetime) -> dict[str, Any]:
        """A span as OTLP has it. One that has not ended yet goes to the last event, with a mark."""
        attributes = span.attributes if span.done else {**span.attributes, "pilothouse.open": True}
        if span.error is not None:
            attributes = {**attributes, "error.type": span.error}
        whole: dict[str, Any] = {
            "traceId": _digest(self.session, 16),
            "spanId": _digest(span.key, 8),
            "name": span.name,
            "kind": int(span.kind),
            "startTimeUnixNano": _nanos(span.began),
            "endTimeUnixNano": _nanos(max(span.began, span.ended or last)),
            "attributes": _attributes(attributes),
            "status": {"code": _ERROR} if span.error is not None else {"code": _OK} if span.done else {},
        }
        return whole if span.parent is None else {**whole, "parentSpanId": _digest(span.parent, 8)}


def _opened(tracer: _Tracer, event: Event, data: ev.SessionOpened) -> None:
    tracer.agent, tracer.model = data.agent, str(data.profile.get("model", ""))
    tracer.provider = "pilothouse.scripted" if tracer.model.startswith("scripted:") else "anthropic"


def _run_started(tracer: _Tracer, event: Event, data: ev.RunStarted) -> None:
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": _AGENT,
        "gen_ai.agent.name": tracer.agent,
        "gen_ai.provider.name": tracer.provider,
        "gen_ai.request.model": tracer.model,
        "pilothouse.agent.version": data.agent_version,
        "pilothouse.run": event.run,
        "pilothouse.by": data.by,
    }
    tracer.open(event.run or "", event, f"{_AGENT} {tracer.agent}", Kind.INTERNAL, attributes)


def _run_stopped(tracer: _Tracer, event: Event, data: ev.RunStopped) -> None:
    attributes: dict[str, Value] = {
        "pilothouse.stop_reason": data.stop_reason,
        "pilothouse.completed": data.completed,
        "pilothouse.confidence": data.confidence,
    }
    failed = data.stop_reason in ("failed", "provider_failed")
    tracer.close(event.run or "", event, attributes, data.stop_reason if failed else None)


def _requested(tracer: _Tracer, event: Event, data: ev.ModelRequested) -> None:
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": _CHAT,
        "gen_ai.provider.name": tracer.provider,
        "gen_ai.request.model": data.model,
        "gen_ai.request.max_tokens": data.max_tokens,
        "gen_ai.request.stream": True,
        "pilothouse.request": data.request_id,
        "pilothouse.attempt": data.attempt,
    }
    tracer.open(_attempt(data), event, f"{_CHAT} {data.model}", Kind.CLIENT, attributes)


def _responded(tracer: _Tracer, event: Event, data: ev.ModelResponded) -> None:
    usage = data.usage
    attributes: dict[str, Value] = {
        "gen_ai.response.model": data.model,
        "gen_ai.response.id": data.provider_request_id,
        "gen_ai.response.finish_reasons": [data.finish_reason],
        "gen_ai.usage.input_tokens": usage.context_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cache_read_tokens,
        "gen_ai.usage.cache_write.input_tokens": usage.cache_write_tokens,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
        "pilothouse.cost_usd": None if data.cost_usd is None else format(data.cost_usd, "f"),
        "pilothouse.first_token_ms": data.first_token_ms,
    }
    tracer.close(_attempt(data), event, attributes)


def _failed(tracer: _Tracer, event: Event, data: ev.ModelFailed) -> None:
    tracer.close(_attempt(data), event, {}, data.fault)


def _judged(tracer: _Tracer, event: Event, data: ev.CallJudged) -> None:
    """A call begins when the gate looks at it: what it waited for a person is inside it."""
    attributes: dict[str, Value] = {
        "gen_ai.operation.name": _TOOL,
        "gen_ai.tool.name": data.tool,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": data.tool_use_id,
        "pilothouse.call": data.call_id,
        "pilothouse.gate.verdict": data.verdict.value,
        "pilothouse.gate.tier": data.tier.value,
        "pilothouse.effect_class": data.effect_class.value,
        "pilothouse.reversibility": data.reversibility.value,
        "pilothouse.confidence.score": data.confidence.score if data.confidence is not None else None,
    }
    known = tracer.spans.get(data.call_id)
    if known is not None:
        known.attributes |= attributes
    else:
        tracer.open(data.call_id, event, f"{_TOOL} {data.tool}", Kind.INTERNAL, attributes)


def _call_started(tracer: _Tracer, event: Event, data: ev.CallStarted) -> None:
    span = tracer.spans.get(data.call_id)
    if span is not None:
        span.attributes |= {"pilothouse.attempt": data.attempt, "pilothouse.idempotency_key": data.idempotency_key}


def _call_finished(tracer: _Tracer, event: Event, data: ev.CallFinished) -> None:
    error = None if data.ok else data.error.code if data.error is not None else "failed"
    attributes: dict[str, Value] = {"pilothouse.ran": data.ran, "pilothouse.duration_ms": data.duration_ms}
    tracer.close(data.call_id, event, attributes, error)


def _call_unknown(tracer: _Tracer, event: Event, data: ev.CallUnknown) -> None:
    tracer.close(data.call_id, event, {}, "outcome_unknown")


def _card_opened(tracer: _Tracer, event: Event, data: ev.ProposalOpened) -> None:
    card = data.proposal
    attributes: dict[str, Value] = {
        "operator.approval.id": card.proposal,
        "operator.approval.kind": card.touchpoint.value,
        "operator.approval.tier": card.tier.value,
        "operator.approval.below_threshold": card.confidence.below_threshold if card.confidence is not None else None,
        "gen_ai.tool.name": card.tool,
        "pilothouse.call": card.call_id,
    }
    name = f"operator_approval {card.tool or card.touchpoint.value}"
    tracer.open(card.proposal, event, name, Kind.INTERNAL, attributes)


def _decided(tracer: _Tracer, event: Event, data: ev.DecisionMade) -> None:
    """The newest decision; those that leave the card open are overwritten by what closes it."""
    attributes: dict[str, Value] = {
        "operator.approval.verdict": data.verdict,
        "operator.approval.by": data.by,
        "operator.approval.via": data.via.value,
        "operator.approval.open_seconds": data.open_seconds,
    }
    tracer.close(data.proposal, event, attributes)


def _expired(tracer: _Tracer, event: Event, data: ev.ProposalExpired) -> None:
    tracer.close(data.proposal, event, {"operator.approval.verdict": "expired", "operator.approval.by": data.by})


def _withdrawn(tracer: _Tracer, event: Event, data: ev.ProposalWithdrawn) -> None:
    tracer.close(data.proposal, event, {"operator.approval.verdict": "withdrawn", "operator.approval.by": "system"})


_HANDLERS: dict[type[ev.EventData], Callable[[_Tracer, Event, Any], None]] = {
    ev.SessionOpened: _opened,
    ev.RunStarted: _run_started,
    ev.RunStopped: _run_stopped,
    ev.ModelRequested: _requested,
    ev.ModelResponded: _responded,
    ev.ModelFailed: _failed,
    ev.CallJudged: _judged,
    ev.CallStarted: _call_started,
    ev.CallFinished: _call_finished,
    ev.CallUnknown: _call_unknown,
    ev.ProposalOpened: _card_opened,
    ev.DecisionMade: _decided,
    ev.ProposalExpired: _expired,
    ev.ProposalWithdrawn: _withdrawn,
}


def _attempt(data: ev.ModelRequested | ev.ModelResponded | ev.ModelFailed) -> str:
    return f"{data.request_id}/{data.attempt}"


def _digest(text: str, size: int) -> str:
    return hashlib.sha256(text.encode()).digest()[:size].hex()


def _nanos(instant: datetime) -> str:
    return str(micros(instant) * 1000)


def _attributes(values: Mapping[str, Value]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in values.items() if value is not None]


def _value(value: Value) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case str():
            return {"stringValue": value}
        case _:
            return {"arrayValue": {"values": [_value(item) for item in value or ()]}}
