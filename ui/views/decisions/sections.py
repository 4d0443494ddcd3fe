"""The parts of a card's body, in their order. Each builder gives a widget, or None where there is nothing to say."""

import json
from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from agent_core.model.action import Reversibility
from agent_core.model.proposal import ArgumentOrigin, Check, CheckResult, DeadlineOutcome, Proposal, Touchpoint
from ui import formatting
from ui.models.card_text import CHECK_MARKS, checks_line, shows_changes
from ui.tokens import ColorName
from ui.views.decisions.change_part import ChangePart
from ui.views.decisions.changes import draw_change
from ui.widgets.button import Button
from ui.widgets.gauge import ConfidenceBar
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Chip, Icon
from ui.widgets.messages import Note, SectionHead
from ui.widgets.surface import column, row

_TOP = Qt.AlignmentFlag.AlignTop
NO_WAY_BACK: dict[Reversibility | None, str] = {
    Reversibility.REVERSIBLE: "It can be undone, but the tool does not say how.",
    Reversibility.PARTLY_REVERSIBLE: "Only a part of it can be undone, and the tool does not say which.",
    Reversibility.IRREVERSIBLE: "There is no way back.",
    None: "There is no way back.",
}
"""What a card says where its tool names no way back; never against its own chip."""
_SHORT_DETAIL = 24
"""Letters of a check's detail that still stand beside its name on one line."""


def block(*widgets: QWidget, spacing: float = 6) -> QWidget:
    """A column of widgets."""
    holder = QWidget()
    layout = column(holder, spacing)
    for widget in widgets:
        layout.addWidget(widget)
    return holder


def what_changes(
    card: Proposal, raw_call: Callable[[], None], *, tall: bool = False
) -> tuple[QWidget, list[ChangePart]]:
    """The preview, or the sentence that says why there is none; what does not happen; the raw call."""
    shown = card.what_changes
    title = "The plan" if card.touchpoint is Touchpoint.PLAN else "What changes"
    head = SectionHead(title, right=shown.headline if shown is not None else "")
    parts = [draw_change(change, tall=tall) for change in (shown.parts if shown is not None else [])]
    widgets: list[QWidget] = [head, *(part.widget for part in parts)]
    if shown is None or shown.unavailable or not parts:
        why = shown.unavailable if shown is not None and shown.unavailable else "There is no preview of this call."
        widgets.append(Note(why, "attn", icon="eye-off"))
    foot = QWidget()
    line = row(foot, 8)
    line.addWidget(
        Label(" ".join(shown.not_happening) if shown is not None else "", "secondary", "text3", wrap=True), 1
    )
    raw = Button("Raw call", "link", height=22)
    raw.setObjectName("card.raw_call")
    raw.clicked.connect(raw_call)
    line.addWidget(raw, 0, _TOP)
    if card.tool is not None:
        widgets.append(foot)
    return block(*widgets), parts


def confidence(card: Proposal) -> QWidget | None:
    """Score, threshold and every check, computed by code."""
    shown = card.confidence
    if shown is None or shown.score is None:
        return None
    head = QWidget()
    line = row(head, 6)
    line.addWidget(Label("Confidence", "section_head", "text2"))
    line.addWidget(Label(f"{shown.score:.2f}", "key_value", "attn" if shown.below_threshold else "text"))
    line.addWidget(Label(f"needs {shown.threshold:.2f}", "meta", "text3"))
    if shown.below_threshold:
        line.addWidget(Chip("below threshold", "attn", "triangle-alert"))
    line.addStretch(1)
    line.addWidget(Label(checks_line(card), "meta", "text3"))
    checks = sorted(shown.checks, key=lambda check: check.result is CheckResult.NOT_APPLICABLE)
    words = ["Computed by code checks. The model's own estimate is not used."]
    if any(map(_weight, checks)):
        words.append("A number such as ×2 is what a check counts for; the others count once.")
    note = Label(" ".join(words), "meta", "text3", wrap=True)
    return block(
        head, ConfidenceBar(shown.score, shown.threshold), *(_check(check) for check in checks), note, spacing=5
    )


def _check(check: Check) -> QWidget:
    icon, icon_color, color = CHECK_MARKS[check.result]
    holder = QWidget()
    line = row(holder, 8)
    line.addWidget(Icon(icon, icon_color, 14), 0, _TOP)
    long = len(check.detail) > _SHORT_DETAIL
    name = Label(f"{check.name[:1].upper()}{check.name[1:]}{_weight(check)}", "secondary", color, wrap=True)
    line.addWidget(name, 2 if long else 1, _TOP)
    right = "text3" if check.result in (CheckResult.PASS, CheckResult.NOT_APPLICABLE) else color
    detail = Label(check.detail, "secondary", right, wrap=long, align=Qt.AlignmentFlag.AlignRight)
    line.addWidget(detail, 3 if long else 0, _TOP)
    holder.setAccessibleName(f"{check.name}: {check.result.value.replace('_', ' ')}, {check.detail}")
    return holder


def _weight(check: Check) -> str:
    """What it counts for beside the others, where that is not once."""
    once = check.result is CheckResult.NOT_APPLICABLE or check.weight == 1
    return "" if once else f"  ×{check.weight:g}"


def why(card: Proposal) -> QWidget | None:
    """The model's words, marked as such."""
    if not shows_changes(card) or card.touchpoint is Touchpoint.PLAN:  # no reasons are asked for beside the steps
        return None
    given = card.why
    head = SectionHead("Why the agent proposes this", hint="model's words")
    if given is None or not given.why:
        return block(head, Label("The model gave no reason.", "body", "text3", wrap=True))
    widgets: list[QWidget] = [head, Label(given.why, "body", "text2", wrap=True)]
    if given.evidence:
        widgets.append(Label("Cites: " + ", ".join(given.evidence), "secondary", "text3", wrap=True))
    return block(*widgets)


def consequences(card: Proposal) -> QWidget | None:
    """The way back, and what could go wrong: by code first, then the model's own risks."""
    widgets: list[QWidget] = []
    if shows_changes(card):
        widgets.append(fact("undo-2", "If it is wrong", card.way_back or NO_WAY_BACK[card.reversibility]))
    said_above = card.touchpoint is Touchpoint.OUTCOME_UNKNOWN  # in the box that says what is not known
    if card.could_go_wrong and not said_above:
        widgets.append(fact("triangle-alert", "Could go wrong", " ".join(card.could_go_wrong)))
    if card.why is not None and card.why.risks and shows_changes(card):
        widgets.append(fact("brain", "Model's risks", card.why.risks))
    return block(*widgets) if widgets else None


def fact(icon: str, name: str, words: str) -> QWidget:
    """An icon, a short bold name, and words that wrap."""
    holder = QWidget()
    line = row(holder, 8)
    line.addWidget(Icon(icon, "text3", 14, beside="secondary"), 0, _TOP)
    title = Label(name, "secondary_medium", "text", wrap=True)
    title.setFixedWidth(title.sizeHint().width() if len(name) > 16 else title.fontMetrics().horizontalAdvance("M" * 9))
    line.addWidget(title, 0, _TOP)
    line.addWidget(Label(words, "secondary", "text2", wrap=True), 1)
    return holder


def sources(card: Proposal) -> QWidget | None:
    """Where the facts came from, how old they are, and which are older than their limit."""
    if not card.sources:
        return None
    widgets: list[QWidget] = [SectionHead("Data used")]
    for source in card.sources:
        holder = QWidget()
        line = row(holder, 8)
        line.addWidget(Icon("database", "text3", 13))
        line.addWidget(ElidedLabel(source.name, "secondary"), 1)
        if source.untrusted:
            line.addWidget(Chip("from outside", "attn"))
        age = formatting.age(source.age_seconds) if source.age_seconds is not None else "age unknown"
        if source.stale:
            line.addWidget(Chip(f"{age}, limit {formatting.age(source.limit_seconds)}", "attn", "clock"))
        else:
            line.addWidget(Label(age, "secondary", "text3"))
        widgets.append(holder)
    return block(*widgets, spacing=5)


def changed(card: Proposal) -> QWidget | None:
    """What is different from the version before; the first of two approvals has a note of its own."""
    if not card.changed or _only_approved_once(card):
        return None
    return Note(" ".join(card.changed), "attn", title="This card has changed", icon="refresh-cw")


def _only_approved_once(card: Proposal) -> bool:
    first = card.first_approval
    return first is not None and not first.changes and len(card.changed) == 1 and card.changed[0].startswith(first.by)


def people(card: Proposal) -> QWidget | None:
    """Who else is in this decision: the person it was passed to, the first of two approvals."""
    notes: list[QWidget] = []
    if card.escalation is not None:
        passed = card.escalation
        words = passed.note or "Everybody who may decide can still refuse."
        title = f"With {passed.to}, passed on by {passed.by} at {_at(passed.at)}"
        notes.append(Note(words, "quiet", title=title, icon="arrow-up-right"))
    if card.people > 1:
        first = card.first_approval
        if first is None:
            notes.append(Note("Two different people must approve this.", "quiet", icon="users-round"))
        else:
            changed = [f"Changed: {change}." for change in first.changes]
            words = " ".join([*changed, first.reason or "A second, different person must approve it before it runs."])
            did = "changed and approved this" if first.changes else "approved"
            title = f"{first.by} {did} at {_at(first.at)}"
            notes.append(Note(words, "quiet", title=title, icon="users-round"))
    return block(*notes) if notes else None


def answers(card: Proposal) -> QWidget | None:
    """Questions to the agent and what it answered, with what it read for that."""
    if not card.answers:
        return None
    widgets: list[QWidget] = [SectionHead("Asked about this", hint="model's words, it may only read")]
    for answer in card.answers:
        widgets.append(Label(f"{answer.asked_by}: {answer.question}", "secondary_medium", "text", wrap=True))
        color: ColorName = "attn" if answer.failed else "text2"
        widgets.append(Label(answer.answer, "body", color, wrap=True))
        if answer.evidence:
            read = ", ".join(source.name for source in answer.evidence)
            widgets.append(Label(f"Read for it: {read}", "secondary", "text3", wrap=True))
    return block(*widgets)


_ORIGINS = {"goal": "from the goal", "operator": "from you", "rule": "from a rule"}
_ONE_LINE = 44
"""Letters of a value and its origin that stand on one line; longer ones have a line each, so that neither is cut."""


def origins(card: Proposal, go_to: Callable[[str, str], None]) -> QWidget | None:
    """Where each sensitive value came from; the link leads to the place in the trace."""
    if not card.origins:
        return None
    made = [_origin(origin, lambda call: go_to(card.session, call)) for origin in card.origins]
    return block(SectionHead("Where the values come from"), *made, spacing=5)


def _origin(origin: ArgumentOrigin, go_to: Callable[[str], None]) -> QWidget:
    value, name = _bare(origin.value), origin.name or _ORIGINS.get(origin.kind, origin.kind)
    shown = ElidedLabel(value, "mono_body")
    holder = QWidget()
    layout = column(holder, 1)
    line = row(None, 8)
    line.addWidget(Label(origin.argument, "mono", "text2"))
    layout.addLayout(line)
    if len(origin.argument) + len(value) + len(name) > _ONE_LINE:
        line.addStretch(1)
        layout.addWidget(shown)
    else:
        line.addWidget(shown, 1)
    if origin.kind == "nowhere":
        line.addWidget(Chip("from nowhere", "dang", "x"))
        return holder
    if origin.untrusted:
        line.addWidget(Chip("only from outside", "attn", "triangle-alert"))
    if origin.call_id is None:
        line.addWidget(Label(name, "secondary", "text3"))
    else:
        link = Button(name[:36], "link", height=22, tip=f"Show {name} in the trace")
        link.clicked.connect(lambda: go_to(origin.call_id or ""))
        line.addWidget(link)
    return holder


def _bare(value: str) -> str:
    """A list of one text as the text itself: brackets and quotes say nothing about it."""
    try:
        listed = json.loads(value) if value.startswith("[") else None
    except ValueError:
        return value
    return listed[0] if isinstance(listed, list) and len(listed) == 1 and isinstance(listed[0], str) else value


def _at(moment: datetime) -> str:
    return formatting.clock_time(moment.astimezone(), seconds=False)


def deadline(card: Proposal) -> QWidget:
    """What happens if nobody answers."""
    if card.deadline_outcome is DeadlineOutcome.STAY or not card.deadline_text:
        words = card.deadline_text or "This card stays open until a person answers."
    else:
        said = "Nothing is approved" in card.deadline_text
        words = card.deadline_text if said else f"{card.deadline_text} Nothing is approved automatically."
    return Note(words, "quiet", icon="hourglass")


def asked_because(card: Proposal) -> QWidget | None:
    """Why the gate asks, and what it looks like a repeat of."""
    widgets: list[QWidget] = []
    if card.repeat_of:
        widgets.append(Note(f"Looks like a repeat of {card.repeat_of}", "attn", icon="rotate-ccw"))
    if card.verdict_reasons and shows_changes(card):
        widgets.append(fact("shield-check", "Asked because", " ".join(card.verdict_reasons)))
    return block(*widgets) if widgets else None


def raw_call_text(card: Proposal) -> str:
    """The exact arguments that will run, and their digest."""
    arguments = json.dumps(card.arguments, indent=2, ensure_ascii=False)
    return f"{card.tool} {card.tool_version or ''}\n{arguments}\n\nSHA-256 {card.digest or 'none'}"
