"""What each kind of card shows before the common parts: errors and attempts, the call in doubt, the spent budget."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from PySide6.QtWidgets import QGridLayout, QWidget

from agent_core.model.budget import LimitName
from agent_core.model.proposal import Proposal, Touchpoint
from ui import formatting
from ui.models.gauges import GAUGE_ORDER, GAUGE_WORDS, LIMIT_ORDER, decimal_of, spent_of_limit
from ui.theme import px
from ui.views.decisions.fact_table import fact_table
from ui.views.decisions.sections import block, fact
from ui.widgets.button import Button
from ui.widgets.gauge import Gauge
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Chip
from ui.widgets.messages import Note, SectionHead
from ui.widgets.surface import Surface, column, row

_GAUGES_A_ROW = 3
_SPENT_FACTS = {name: "active_seconds" if name is LimitName.SECONDS else name.value for name in LimitName}


def special_parts(card: Proposal, raw_call: Callable[[], None]) -> list[QWidget]:
    """The parts of a touchpoint that no other has, in order; `raw_call` shows the whole call."""
    builders = {
        Touchpoint.EXCEPTION: _exception,
        Touchpoint.OUTCOME_UNKNOWN: _outcome_unknown,
        Touchpoint.BUDGET: _budget,
        Touchpoint.QUESTION: _question,
    }
    build = builders.get(card.touchpoint)
    if build is None:
        return []
    if card.touchpoint is Touchpoint.OUTCOME_UNKNOWN:
        whole = Button("Raw call", "link", height=22)
        whole.setObjectName("card.raw_call")
        whole.clicked.connect(raw_call)
        return [*build(card), *_calm(card), whole]
    return [*build(card), *_calm(card)]


def _calm(card: Proposal) -> list[QWidget]:
    calm = " ".join(card.what_changes.not_happening) if card.what_changes is not None else ""
    return [Label(calm, "secondary", "text3", wrap=True)] if calm else []


def _text(card: Proposal, name: str) -> str:
    value = card.facts.get(name)
    return value if isinstance(value, str) else ""


def _list(card: Proposal, name: str) -> list[Any]:
    value = card.facts.get(name)
    return value if isinstance(value, list) else []


def _tried(entries: list[Any]) -> list[tuple[str, str, str]]:
    """What was tried, what came of it, and when; cards of earlier versions hold a sentence each."""
    return [
        (str(entry.get("attempt", "")), str(entry.get("result", "")), _clock(entry.get("at")))
        if isinstance(entry, dict)
        else ("", str(entry), "")
        for entry in entries
    ]


def _clock(instant: object) -> str:
    try:
        return formatting.clock_time(datetime.fromisoformat(str(instant)).astimezone())
    except ValueError:
        return str(instant)


def _exception(card: Proposal) -> list[QWidget]:
    box = Surface("inset")
    layout = column(box, 6, (11, 9, 11, 10))
    head = row(None, 8)
    code = _text(card, "code") or _text(card, "kind") or "error"
    head.addWidget(Chip(code.replace("_", " "), "dang", mono=True))
    head.addWidget(ElidedLabel(card.tool or _text(card, "tool"), "mono"), 1)
    if "retryable" in card.facts:
        head.addWidget(Label("retryable" if card.facts["retryable"] else "not retryable", "meta", "text3"))
    layout.addLayout(head)
    if _text(card, "message"):
        layout.addWidget(Label(_text(card, "message"), "mono_body", wrap=True))
    parts: list[QWidget] = [box]
    attempts = _list(card, "attempts")
    if attempts:
        parts.append(SectionHead("What was tried", right=formatting.plural(len(attempts), "attempt")))
        rows = [(at, attempt, result) for attempt, result, at in _tried(attempts)]
        parts.append(fact_table(("At", "Attempt", "Result"), rows))
    if _text(card, "state"):
        parts.append(fact("shield-check", "State now", _text(card, "state")))
    if _text(card, "suggestion"):
        suggestion = Label(_text(card, "suggestion"), "body", "text2", wrap=True)
        parts.append(block(SectionHead("Suggestion"), suggestion))
    return parts


def _outcome_unknown(card: Proposal) -> list[QWidget]:
    why = _text(card, "why") or "The call was started, and no outcome was recorded."
    words = " ".join([why, *card.could_go_wrong])
    call = [fact("send", "Call", _text(card, "call") or card.tool or "")]
    if _text(card, "idempotency_key"):
        call.append(fact("hash", "Key", _text(card, "idempotency_key")))
    if _text(card, "started_at"):
        call.append(fact("clock", "Started", f"{_clock(card.facts['started_at'])}, not repeated"))
    box = Note(words, "unk", title="It may or may not have happened", icon="circle-question-mark")
    parts: list[QWidget] = [box, block(*call)]
    probes = _list(card, "probes")
    if probes:
        parts.append(SectionHead("Automatic checks", right="read-only, every 60 s"))
        table = fact_table(("Check", "Result", "At"), _tried(probes), right=frozenset({2}), icon="circle-dashed")
        parts.append(table)
    return parts


def _budget(card: Proposal) -> list[QWidget]:
    limits = card.facts.get("limits")
    parts: list[QWidget] = []
    if isinstance(limits, dict):
        holder = QWidget()
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(px(16))
        grid.setVerticalSpacing(px(8))
        shown = [name for name in LIMIT_ORDER if name in GAUGE_ORDER or limits.get(name.value)]
        for place, name in enumerate(shown):
            gauge = Gauge(GAUGE_WORDS[name])
            gauge.set_state(spent_of_limit(name, card.facts.get(_SPENT_FACTS[name]), limits.get(name.value)))
            grid.addWidget(gauge, place // _GAUGES_A_ROW, place % _GAUGES_A_ROW)
        parts.append(holder)
    went = [entry for entry in _list(card, "money_went") if isinstance(entry, dict)]
    if went:
        usual = card.facts.get("usual")
        usually = decimal_of(usual.get("cost_usd")) if isinstance(usual, dict) else None
        beside = "" if usually is None else f"a usual run {formatting.money(usually)}"
        parts.append(SectionHead("Where the money went", right=beside))
        rows = [
            (str(e.get("cause")), str(e.get("share")), formatting.money(decimal_of(e.get("cost_usd")))) for e in went
        ]
        parts.append(fact_table(("Cause", "Share", "Cost"), rows, right=frozenset({1, 2})))
    for name_, icon, label in (("done", "list-checks", "Done so far"), ("to_finish", "gauge", "To finish")):
        if _text(card, name_):
            parts.append(fact(icon, label, _text(card, name_)))
    return parts


def _question(card: Proposal) -> list[QWidget]:
    """What the title had to cut, and the answers that are offered: they are chosen in the form."""
    question = _text(card, "question") or str(card.arguments.get("question", ""))
    parts: list[QWidget] = []
    if question != card.summary:
        parts.append(block(SectionHead("The agent asks", hint="model's words"), Label(question, "body", wrap=True)))
    if card.options:
        offered = [Label(f"{number}.  {option}", "body", wrap=True) for number, option in enumerate(card.options, 1)]
        parts.append(block(SectionHead("It offers", hint="model's words", right="or your own words"), *offered))
    return parts
