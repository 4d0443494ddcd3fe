"""A session as one page: what came of it, what it used, what was asked and decided, and every event. Pure."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from agent_core.engine.pages.parts import data, facts, grid, listed, page, text
from agent_core.engine.pages.preview import preview
from agent_core.engine.summary import instant_text, money_text, result_json
from agent_core.metrics.rollup import StepFigures, rollup
from agent_core.model.events import Event
from agent_core.model.plain import plain
from agent_core.model.proposal import Decision
from agent_core.model.state import ProposalState, SessionState, fold

_SAYING = ("summary", "message", "why", "detail", "reason", "stop_reason", "text", "verdict", "tool", "goal", "model")
"""Members of an event's data that tell a reader most, the best first."""
_LINE = 140


def session_page(events: Sequence[Event]) -> bytes:
    """The page. Nothing is left out: each event stands on it whole, folded away under its line."""
    state = fold(events, events[0].session)
    return page(state.opened.goal if state.opened else state.session, _body(state, events))


def _body(state: SessionState, events: Sequence[Event]) -> Iterator[str]:
    result = result_json(state)
    yield facts(_about(state, result, events))
    yield "<h2>Result</h2>"
    yield f"<pre>{text(result['output'])}</pre>" if result["output"] else "<p>None yet.</p>"
    yield listed(f"Missing: {gap}" for gap in result["gaps"])
    yield "<h2>Spend</h2>"
    yield facts(_spend(result["spend"]))
    yield grid(
        ("step", "input", "cached", "written", "output", "USD", "ms", "attempts", "calls", "ended"),
        [_step(figures) for figures in rollup(events).steps.values() if figures.attempts],
    )
    yield "<h2>Cards and decisions</h2>"
    yield "".join(_card(card) for card in state.proposals.values()) or "<p>None.</p>"
    yield "<h2>Trace</h2>"
    for event in events:
        yield _event(event)


def _about(state: SessionState, result: dict[str, Any], events: Sequence[Event]) -> Iterator[tuple[str, object]]:
    opened = state.opened
    yield "Session", state.session
    if opened is not None:
        yield "Agent", f"{opened.agent} {opened.agent_version}"
        yield "Model", opened.profile.get("model")
        yield "Workspace", opened.workspace
        yield "Marks", "demo" if opened.demo else None
        yield "Opened", f"{instant_text(state.opened_at)} by {opened.by}"
    yield "Status", result["status"].replace("_", " ")
    yield "Stop reason", (result["stop_reason"] or "").replace("_", " ")
    yield "Completed", {True: "yes", False: "no"}.get(result["completed"])
    yield "Confidence", result["confidence"]
    yield "Last event", f"{events[-1].seq} at {instant_text(events[-1].at)}"
    yield "Digest", events[-1].digest


def _spend(spend: dict[str, Any]) -> Iterator[tuple[str, object]]:
    """The newest run's."""
    for name, value in spend.items():
        if name != "cost_usd":
            yield name.replace("_", " "), value
    yield "cost", "unknown" if spend["cost_usd"] is None else f"{spend['cost_usd']} USD"


def _step(figures: StepFigures) -> tuple[object, ...]:
    usage = figures.usage
    cost = _money(figures.cost_usd) if figures.finish_reason else ""
    return (
        figures.step,
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.output_tokens,
        cost,
        figures.duration_ms,
        figures.attempts,
        figures.calls,
        figures.finish_reason.replace("_", " ") or "no answer",
    )


def _money(amount: Decimal | None) -> str:
    return money_text(amount) or "unknown"


def _card(card: ProposalState) -> str:
    asked = card.proposal
    parts = [f"<article><h3>{text(asked.summary)}</h3>", facts(_asked(card))]
    if asked.what_changes is not None:
        parts += preview(asked.what_changes)
    if asked.arguments:
        parts.append(f"<p>Arguments</p>{data(asked.arguments)}")
    if asked.why is not None:
        said = [("Why, in the model's words", asked.why.why), ("Risks, in the model's words", asked.why.risks)]
        parts.append(facts([*said, ("Evidence", ", ".join(asked.why.evidence))]))
    if asked.could_go_wrong:
        parts.append(f"<p>What could go wrong</p>{listed(asked.could_go_wrong)}")
    for one in card.decisions:
        parts.append(f"<h3>{text(one.verdict.value.replace('_', ' '))} by {text(one.by)}</h3>{facts(_said(one))}")
        if one.arguments is not None:
            parts.append(data(one.arguments))
    for answer in asked.answers:
        parts.append(f"<p>{text(answer.asked_by)} asked: {text(answer.question)}</p><pre>{text(answer.answer)}</pre>")
    return "".join((*parts, "</article>"))


def _asked(card: ProposalState) -> Iterator[tuple[str, object]]:
    asked = card.proposal
    yield "Card", asked.proposal
    yield "Kind", asked.touchpoint.value.replace("_", " ")
    yield "Step, tool", f"{asked.step}, {asked.tool or 'none'}"
    reversibility = asked.reversibility.value.replace("_", " ") if asked.reversibility else ""
    yield "Risk", f"{asked.tier.value} {reversibility}".strip()
    yield "Status", card.status.value
    yield "Opened", instant_text(asked.opened_at)
    yield "Decide by", instant_text(asked.approve_by)
    yield "Without a decision", asked.deadline_text
    if asked.confidence is not None:
        yield "Confidence", f"{asked.confidence.score:.2f} of {asked.confidence.threshold:.2f} wanted"
    yield "Why it asked", " ".join(asked.verdict_reasons)
    yield "Way back", asked.way_back
    yield "Digest", asked.digest


def _said(one: Decision) -> Iterator[tuple[str, object]]:
    yield "When", f"{instant_text(one.at)}, after {one.open_seconds:.1f} s"
    yield "Through", one.via.value
    yield "Reason", one.reason
    yield "Answer", one.answer
    yield "Details", ", ".join(f"{name}: {value}" for name, value in one.details.items())
    yield "Looked at", ", ".join(one.seen) or "nothing recorded"
    yield "Key", one.key_id


def _event(event: Event) -> str:
    whole = plain(event.data)
    said = next((str(whole[name]) for name in _SAYING if whole.get(name)), "")
    first = " ".join(said.split())
    short = first if len(first) <= _LINE else first[: _LINE - 1] + "…"
    head = f"{event.seq} · {event.at:%H:%M:%S} · step {event.step} · {event.kind.replace('_', ' ')}"
    bad = ' class="bad"' if whole.get("error") or event.kind == "model_failed" else ""
    line = f"<span{bad}>{text(head)}</span> <span class=dim>{text(short)}</span>"
    told = {"at": instant_text(event.at), "digest": event.digest, "data": whole}
    return f"<details><summary>{line}</summary>{data(told)}</details>"
