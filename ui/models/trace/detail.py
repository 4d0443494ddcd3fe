"""What an expanded row shows: sections of facts, words, code and checks. `detail_rows` breaks them into rows. Pure."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from agent_core.model import events as ev
from agent_core.model.action import Rationale, ToolError
from agent_core.model.proposal import Check, CheckResult, Confidence
from ui import formatting
from ui.models.trace.card_lines import proposal_of
from ui.models.trace.line import BODY_CHARACTERS
from ui.models.trace.lines import arguments_of, block_of, thought_text
from ui.models.trace.model import TraceModel
from ui.models.trace.rows import RowKind
from ui.models.trace.words import plain

_LONG_FACT = 600


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and its value; ids and digests are `mono`."""

    name: str
    value: str
    mono: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """Running text."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """A JSON value, or a text to be shown as it is."""

    value: Any


@dataclass(frozen=True, slots=True)
class CheckItem:
    """One check of a confidence score."""

    check: Check


Item = Fact | Words | Code | CheckItem


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with a remark, and what stands below it."""

    title: str
    items: tuple[Item, ...]
    remark: str = ""


def detail_of(model: TraceModel, row: int) -> list[Section]:
    """Everything that is known of a row, in order of weight. Nothing is cut."""
    of_row = _OF_ROWS.get(model.kind(row))
    if of_row is not None:
        return list(of_row(model, row))
    event = model.event(row)
    of_event = _OF_EVENTS.get(type(event.data))
    if of_event is None:
        return [Section("Event", (*_when(event), *_facts(event.data)))]
    return [*of_event(event.data), Section("Event", tuple(_when(event)))]


def copied(model: TraceModel, row: int) -> str:
    """What Ctrl+C takes from a row: its text exactly, a call's arguments, a result, else the event as JSON."""
    kind, data = model.kind(row), model.event(row).data
    if kind is RowKind.THOUGHT:
        return thought_text(model, row) or _json(block_of(model, row))
    if kind is RowKind.CALL:
        stream = model.streaming.get(row)
        return stream.text if stream is not None else _json(arguments_of(model, row))
    if isinstance(data, ev.CallFinished):
        answer = data.result if data.error is None else data.error
        return answer if isinstance(answer, str) else _json(answer)
    if isinstance(data, ev.MessageAdded):
        return data.text
    if isinstance(data, ev.RunStopped) and data.output is not None:
        return data.output
    return _json(data)


_ENCODER = msgspec.json.Encoder(decimal_format="string")


def _json(value: Any) -> str:
    return _ENCODER.encode(value).decode()


# ---------------------------------------------------------------------------------------------- rows of their own shape


def _thought(model: TraceModel, row: int) -> Iterator[Section]:
    text = thought_text(model, row)
    if len(text) > BODY_CHARACTERS:
        yield Section("Whole text", (Code(text),), remark=f"{formatting.count(len(text))} characters")
    block = block_of(model, row)
    if block.get("type") not in ("text", "thinking", None):
        yield Section("Block", (Code(block),))


def _call(model: TraceModel, row: int) -> Iterator[Section]:
    later = model.later(row)
    judged = [event.data for event in later if isinstance(event.data, ev.CallJudged)]
    started = [event for event in later if isinstance(event.data, ev.CallStarted)]
    finished = next((event.data for event in later if isinstance(event.data, ev.CallFinished)), None)
    arguments = arguments_of(model, row)
    remark = f"changed by {finished.changed_by}" if finished is not None and finished.changed_by else ""
    yield Section("Arguments", (Code(arguments),), remark)
    given = block_of(model, row).get("input")
    if given is not None and given != arguments:
        yield Section("As the model gave them", (Code(given),))
    for verdict in judged:
        yield from _gate(verdict)
    for event in later:
        if isinstance(event.data, ev.CallRetried):
            yield Section(f"Attempt {event.data.attempt}", (*_when(event), *_error_items(event.data.error)))
        elif isinstance(event.data, ev.CallUnknown):
            yield Section("Outcome unknown", (Words(event.data.why), *_when(event)))
    if finished is not None:
        yield from _answer(finished)
    yield from _identity(model, row, started)


def _identity(model: TraceModel, row: int, started: list[ev.Event]) -> Iterator[Section]:
    facts: list[Item] = []
    for event in started:
        data = event.data
        assert isinstance(data, ev.CallStarted)
        facts.append(Fact(f"Attempt {data.attempt}" if len(started) > 1 else "Started", _moment(event.at)))
    if started:
        first = started[0].data
        assert isinstance(first, ev.CallStarted)
        facts.append(Fact("Call", first.call_id, mono=True))
        facts.append(Fact("Idempotency key", first.idempotency_key, mono=True))
        facts.append(Fact("Digest", first.digest, mono=True))
        if first.decision:
            facts.append(Fact("Decision", first.decision, mono=True))
    use_id = block_of(model, row).get("id")
    if use_id:
        facts.append(Fact("Provider's id", str(use_id), mono=True))
    if facts:
        yield Section("Call", tuple(facts))


def _step(model: TraceModel, row: int) -> Iterator[Section]:
    for event in [model.event(row), *model.later(row)]:
        if isinstance(event.data, ev.ModelRequested):
            title = "Request" if event.data.attempt == 1 else f"Request, attempt {event.data.attempt}"
            yield Section(title, (*_when(event), *_facts(event.data, leave_out=("note", "slots")), *_note(event.data)))
        elif isinstance(event.data, ev.ModelFailed):
            yield Section(f"Attempt {event.data.attempt} failed", (*_when(event), *_facts(event.data)))
        elif isinstance(event.data, ev.ModelResponded):
            yield Section("Response", (*_when(event), *_facts(event.data, leave_out=("content", "calls"))))


def _note(data: ev.ModelRequested) -> list[Item]:
    return [*([Code(data.slots)] if data.slots else []), *([Code(data.note)] if data.note else [])]


def _card(model: TraceModel, row: int) -> Iterator[Section]:
    card = proposal_of(model, row)
    facts = [Fact("Card", card.proposal, mono=True), Fact("Tier", card.tier.value)]
    if card.approve_by is not None:
        facts.append(Fact("Decide by", _moment(card.approve_by)))
    if card.digest:
        facts.append(Fact("Digest", card.digest, mono=True))
    yield Section("Asked", (Words(card.summary), *(Words(reason) for reason in card.verdict_reasons), *facts))
    yield Section("Without a decision", (Words(card.deadline_text),))
    if card.confidence is not None:
        yield _confidence(card.confidence)
    yield from _rationale(card.why)
    for event in model.later(row):
        data = event.data
        if isinstance(data, ev.ProposalPresented):
            facts = [Fact("Shown to", f"{data.by}, {plain(data.via.value)}"), *_when(event)]
            yield Section("Shown", tuple(facts))
        elif isinstance(data, ev.DecisionMade):
            yield from _decision(data)
        elif isinstance(data, ev.ProposalExpired | ev.ProposalWithdrawn | ev.DecisionUndone | ev.ProposalChanged):
            title = plain(event.kind.removeprefix("proposal_")).capitalize()
            yield Section(title, (*_when(event), *_facts(data, leave_out=("revised",))))


# ---------------------------------------------------------------------------------------------- parts


def _gate(data: ev.CallJudged) -> Iterator[Section]:
    items: list[Item] = [Words(reason) for reason in data.reasons]
    items += [Fact("Rule", rule, mono=True) for rule in data.rules]
    items.append(Fact("Class", plain(data.effect_class.value)))
    items.append(Fact("Reversibility", plain(data.reversibility.value)))
    items.append(Fact("Tier", data.tier.value))
    if data.digest:
        items.append(Fact("Digest", data.digest, mono=True))
    items += [Fact(f"Saw {name}", digest, mono=True) for name, digest in data.seen.items()]
    yield Section(f"Gate: {data.verdict.value}", tuple(items))
    if data.error is not None:
        yield from _error(data.error)
    if data.confidence is not None:
        yield _confidence(data.confidence)
    yield from _rationale(data.rationale)


def _confidence(confidence: Confidence) -> Section:
    score = formatting.MISSING if confidence.score is None else f"{confidence.score:.2f}"
    passed = sum(check.result is CheckResult.PASS for check in confidence.checks)
    applied = sum(check.result is not CheckResult.NOT_APPLICABLE for check in confidence.checks)
    return Section(
        f"Confidence {score}, needs {confidence.threshold:.2f}",
        tuple(CheckItem(check) for check in confidence.checks),
        remark=f"{passed} of {applied} checks pass",
    )


def _rationale(rationale: Rationale | None) -> Iterator[Section]:
    if rationale is None:
        return
    items: list[Item] = [Words(rationale.why or "The model gave no reason.")]
    if rationale.risks:
        items.append(Fact("Risks", rationale.risks))
    items += [Fact("Evidence", evidence) for evidence in rationale.evidence]
    yield Section("Rationale", tuple(items), remark="model's words")


def _answer(data: ev.CallFinished) -> Iterator[Section]:
    if data.error is not None:
        yield from _error(data.error)
    if data.result is not None:
        yield Section("Result", (Code(data.result),))
    if data.sources:
        yield Section("Sources", tuple(Fact(source.name, _age(source.age_seconds)) for source in data.sources))
    if data.undo:
        yield Section("To take it back", (Code(data.undo),))


def _error(error: ToolError) -> Iterator[Section]:
    yield Section("Error", tuple(_error_items(error)))
    if error.detail:
        yield Section("Error in detail", (Code(error.detail),), remark="not sent to the model")


def _error_items(error: ToolError) -> Iterable[Item]:
    yield Words(error.message)
    yield Fact("Code", error.code, mono=True)
    yield Fact("Retryable", "yes" if error.retryable else "no")
    if error.retry_after is not None:
        yield Fact("Retry after", formatting.duration(error.retry_after))
    if error.suggestion:
        yield Fact("Way out", error.suggestion)


def _decision(data: ev.DecisionMade) -> Iterator[Section]:
    decision = data.decision
    items: list[Item] = [Fact("By", f"{data.by}, {plain(data.via.value)}"), Fact("At", _moment(decision.at))]
    items.append(Fact("Open for", formatting.duration(data.open_seconds)))
    if data.reason:
        items.append(Fact("Reason", data.reason))
    if decision.answer:
        items.append(Fact("Answer", decision.answer))
    if decision.seen:
        items.append(Fact("Looked at", ", ".join(decision.seen)))
    if decision.details:
        items.append(Code(decision.details))
    if decision.digest:
        items.append(Fact("Digest", decision.digest, mono=True))
    yield Section(f"Decision: {plain(decision.verdict.value)}", tuple(items))
    if decision.arguments is not None:
        yield Section("Arguments as changed", (Code(decision.arguments),))


def _result(data: ev.RunStopped) -> Iterator[Section]:
    if data.output:
        yield Section("Result", (Code(data.output),), remark="complete" if data.completed else "partial")
    if data.gaps:
        yield Section("Gaps", tuple(Words(gap) for gap in data.gaps))
    facts = [Fact("Reason", plain(data.stop_reason)), Fact("Confidence", data.confidence), Fact("By", data.by)]
    if data.detail and not any(data.detail in gap for gap in data.gaps):
        facts.append(Fact("Detail", data.detail))
    yield Section("Stop", tuple(facts))


def _facts(data: ev.EventData, leave_out: tuple[str, ...] = ()) -> Iterator[Item]:
    """The members of an event that has no shape of its own here."""
    for name, value in msgspec.to_builtins(data).items():
        if name in leave_out or value in (None, "", [], {}):
            continue
        title = plain(name).capitalize()
        if isinstance(value, (dict, list)) or (isinstance(value, str) and len(value) > _LONG_FACT):
            yield Fact(title, "")
            yield Code(value)
        else:
            yield Fact(title, _fact_text(value), mono=name.endswith(("_id", "digest", "signature")))


def _fact_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _when(event: ev.Event) -> list[Fact]:
    return [Fact("At", f"{_moment(event.at)} · event {event.seq:,}")]


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1_000:03d}"


def _age(seconds: float | None) -> str:
    return "age unknown" if seconds is None else f"{formatting.age(seconds)} old"


_OF_ROWS: dict[RowKind, Callable[[TraceModel, int], Iterator[Section]]] = {
    RowKind.THOUGHT: _thought,
    RowKind.CALL: _call,
    RowKind.CARD: _card,
    RowKind.STEP: _step,
}
_OF_EVENTS: dict[type[ev.EventData], Callable[[Any], Iterator[Section]]] = {
    ev.CallFinished: _answer,
    ev.RunStopped: _result,
    ev.CallJudged: _gate,
    ev.CallRetried: lambda data: _error(data.error),
    ev.DecisionMade: _decision,
}
