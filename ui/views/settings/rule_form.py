"""The form of one standing rule, with its exact words below while it is being typed."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import pairwise

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QDialog, QHBoxLayout, QVBoxLayout, QWidget
from shiboken6 import isValid

from agent_core.config.profile import Rule, RuleScope
from agent_core.config.tool_names import RULE_ARGUMENTS, TOOL_NAMES
from agent_core.engine.outlook import rule_text, tool_facts
from agent_core.model.action import GateVerdict
from ui.models.prospects import tool_words
from ui.models.settings.rule_rows import (
    CONDITION_WORDS,
    MATCH_WORDS,
    SCOPE_WORDS,
    VERDICT_ICONS,
    VERDICT_WORDS,
    Condition,
    Predicate,
    RuleDraft,
    draft_of,
    rule_of,
)
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.checks import ChoiceCard
from ui.widgets.combo_box import ComboBox
from ui.widgets.containers import HfwScrollArea
from ui.widgets.field import Field, FormField
from ui.widgets.label import Label
from ui.widgets.marks import Icon, Line
from ui.widgets.surface import Surface, column, row

WIDTH = 640
_VERDICTS = (
    (GateVerdict.ALLOW, "runs without asking"),
    (GateVerdict.ASK, "a person decides"),
    (GateVerdict.DENY, "never runs"),
)
_TOP = Qt.AlignmentFlag.AlignTop


class PredicateRow(QWidget):
    """Argument, condition, value, and a button that removes the row."""

    changed = Signal()
    removed = Signal()

    def __init__(self, arguments: Sequence[str], predicate: Predicate) -> None:
        super().__init__()
        self.argument = ComboBox(name="Argument")
        self.condition = ComboBox(tuple(CONDITION_WORDS.values()), name="Condition")
        self.value = Field(predicate.value, placeholder="value", name="Value", mono=True)
        remove = Button("", "ghost", icon="x", tip="Remove this condition")
        self.parts: tuple[QWidget, ...] = (self.argument, self.condition, self.value, remove)
        line = row(self, 6)
        for part, stretch in zip(self.parts, (3, 4, 5, 0), strict=True):
            line.addWidget(part, stretch)
        self.set_arguments(arguments, predicate.argument)
        self.condition.setCurrentIndex(list(Condition).index(predicate.condition))
        self.argument.currentIndexChanged.connect(lambda _index: self.changed.emit())
        self.condition.currentIndexChanged.connect(lambda _index: self.changed.emit())
        self.value.textChanged.connect(lambda _text: self.changed.emit())
        remove.clicked.connect(self.removed)

    def set_arguments(self, arguments: Sequence[str], chosen: str = "") -> None:
        """Offer the arguments of another tool; a name that it lacks stays, so that nothing is lost."""
        names = [*arguments, *([chosen] if chosen and chosen not in arguments else [])]
        self.argument.blockSignals(True)
        self.argument.clear()
        self.argument.addItems(names)
        self.argument.setCurrentIndex(max(0, names.index(chosen) if chosen in names else 0))
        self.argument.blockSignals(False)

    def predicate(self) -> Predicate:
        """What the row holds."""
        return Predicate(
            self.argument.currentText(), list(Condition)[max(0, self.condition.currentIndex())], self.value.text()
        )

    def name_as(self, number: int) -> None:
        """Stable names for the row's parts."""
        for name, widget in (("argument", self.argument), ("condition", self.condition), ("value", self.value)):
            widget.setObjectName(f"rule.when.{number}.{name}")


TryOut = Callable[[Rule, Callable[[Sequence[str]], None]], None]
"""Tries a rule on history, and calls back with what it would have meant, line by line."""
SETTLE_MS = 300
"""How long typing has to rest before a rule is tried."""


class RuleForm(QDialog):
    """`saved` carries the Rule. Nothing is changed before; `try_out` tells what it would have meant."""

    saved = Signal(object)

    def __init__(
        self,
        rule: Rule | None,
        parent: QWidget,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        try_out: TryOut | None = None,
        *,
        title: str = "New rule",
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("rule")
        self.setWindowTitle(title)
        self._now, self._try_out = now, try_out
        self._trying: Rule | None = None
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self._try)
        self._rows: list[PredicateRow] = []
        draft = draft_of(rule) if rule is not None else RuleDraft(TOOL_NAMES[0], GateVerdict.ASK)
        self._make_fields(draft)
        self._build()
        for predicate in draft.predicates:
            self._add_row(predicate)
        self._connect()
        self.refresh()

    def _make_fields(self, draft: RuleDraft) -> None:
        # a tool that the list lacks is added to it: a rule never turns into one of another tool
        self.tool = ComboBox(tuple(dict.fromkeys((*TOOL_NAMES, draft.tool))), name="Tool", icon="wrench")
        self.tool.setCurrentText(draft.tool)
        self.verdicts = {
            verdict: ChoiceCard(VERDICT_WORDS[verdict], words, icon=VERDICT_ICONS[verdict])
            for verdict, words in _VERDICTS
        }
        self.verdicts[draft.verdict].setChecked(True)
        self.match = ComboBox(tuple(MATCH_WORDS.values()), name="Texts are matched")
        self.match.setCurrentIndex(list(MATCH_WORDS).index(draft.match))
        self.scope = ComboBox(tuple(SCOPE_WORDS.values()), name="Holds")
        self.scope.setCurrentIndex(list(SCOPE_WORDS).index(draft.scope))
        self.expires = Field(draft.expires, placeholder="never", name="Expires")
        self.uses = Field(draft.uses, placeholder="no limit", name="Uses")
        self.because = Field(draft.because, placeholder="optional: why this rule is there", name="Because")
        self.add = Button("Add a condition", "ghost", icon="plus", height=28, flush=True)
        self.words = Label("", "mono", "text", wrap=True)
        self._floor = Label("", "secondary", "text2", wrap=True)
        self.tried = Label("", "secondary", "text", wrap=True)
        self.tried.setObjectName("rule.tried")
        self._problem = Label("", "secondary", "dang", wrap=True)
        self.save = Button("Save rule", "primary", icon="check", key="Ctrl ↵", height=34)
        self.cancel = Button("Cancel", "ghost", key="Esc", height=34)
        for name in ("tool", "match", "scope", "expires", "uses", "because", "add", "words", "save", "cancel"):
            getattr(self, name).setObjectName(f"rule.{name}")
        self._problem.setObjectName("rule.problem")
        for verdict, card in self.verdicts.items():
            card.setObjectName(f"rule.verdict.{verdict.value}")

    def _build(self) -> None:
        outer = column(self, 0)
        card = Surface("raised")
        outer.addWidget(card)
        layout = column(card, 0)
        head = row(None, 0, (22, 16, 22, 14))
        head.addWidget(Label(self.windowTitle(), "card_title"))
        layout.addLayout(head)
        layout.addWidget(Line())
        self._content = Surface("raised")
        self._fill(column(self._content, 12, (22, 14, 22, 14)))
        layout.addWidget(HfwScrollArea("Rule", self._content), 1)
        layout.addWidget(Line())
        layout.addLayout(self._foot())

    def _fill(self, body: QVBoxLayout) -> None:
        body.addWidget(FormField("Tool", self.tool))
        group = QButtonGroup(self)
        cards = row(None, 8)
        for card in self.verdicts.values():
            group.addButton(card)
            cards.addWidget(card, 1)
        body.addWidget(Label("Verdict", "section_head", "text2"))
        body.addLayout(cards)
        body.addWidget(Label("When", "section_head", "text2"))
        self._when = column(None, 6)
        self._any = Label("Every call of this tool. Add a condition to narrow it.", "secondary", "text3", wrap=True)
        body.addWidget(self._any)
        body.addLayout(self._when)
        adds = row(None, 0)
        adds.addWidget(self.add)
        adds.addStretch(1)
        body.addLayout(adds)
        holds = FormField("Holds", self.scope, hint="standing rules hold always")
        holds.setVisible(self.scope.currentIndex() != list(SCOPE_WORDS).index(RuleScope.ALWAYS))
        body.addLayout(_beside((FormField("Texts are matched", self.match), 3), (holds, 2)))
        hint = "a duration such as 30d, or 2026-12-31T18:00Z"
        body.addLayout(
            _beside(
                (FormField("Expires", self.expires, hint=hint), 3),
                (FormField("Uses", self.uses, hint="of a rule that allows"), 2),
            )
        )
        body.addWidget(FormField("Because", self.because))
        body.addWidget(self._preview())
        body.addStretch(1)

    def _preview(self) -> Surface:
        box = Surface("inset")
        inner = column(box, 6, (13, 10, 13, 11))
        inner.addWidget(Label("The exact rule", "meta_medium", "text3"))
        inner.addWidget(self.words)
        inner.addWidget(self.tried)
        floor = row(None, 7)
        floor.addWidget(Icon("lock", "text3", 13, beside="secondary"), 0, _TOP)
        floor.addWidget(self._floor, 1)
        inner.addLayout(floor)
        return box

    def _foot(self) -> QHBoxLayout:
        foot = row(None, 8, (22, 12, 16, 12))
        foot.addWidget(self._problem, 1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.save)
        return foot

    def _connect(self) -> None:
        self.tool.currentIndexChanged.connect(self._tool_chosen)
        for box in (self.match, self.scope):
            box.currentIndexChanged.connect(lambda _index: self.refresh())
        for card in self.verdicts.values():
            card.toggled.connect(lambda _on: self.refresh())
        for field in (self.expires, self.uses, self.because):
            field.textChanged.connect(lambda _text: self.refresh())
        self.add.clicked.connect(self._add_clicked)
        self.save.clicked.connect(self.give)
        self.cancel.clicked.connect(self.reject)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self.give)

    # ---------------------------------------------------------------- conditions

    def _arguments(self) -> Sequence[str]:
        return RULE_ARGUMENTS.get(self.tool.currentText(), ())

    def _tool_chosen(self, _index: int) -> None:
        for line in self._rows:
            chosen = line.argument.currentText()
            line.set_arguments(self._arguments(), chosen if chosen in self._arguments() else "")
        self.refresh()

    def _add_clicked(self) -> None:
        taken = {line.argument.currentText() for line in self._rows}
        free = next((name for name in self._arguments() if name not in taken), "")
        self._add_row(Predicate(free or self._arguments()[0]))
        self._rows[-1].value.setFocus()
        self.refresh()

    def _add_row(self, predicate: Predicate) -> None:
        line = PredicateRow(self._arguments(), predicate)
        line.changed.connect(self.refresh)
        line.removed.connect(lambda: self._remove(line))
        self._rows.append(line)
        self._when.addWidget(line)
        line.show()  # a layout would show it only later, and what is hidden takes no focus
        self._arrange_rows()

    def _remove(self, line: PredicateRow) -> None:
        self._rows.remove(line)
        self._when.removeWidget(line)
        line.hide()
        line.deleteLater()
        self._arrange_rows()
        self.add.setFocus()
        self.refresh()

    def _arrange_rows(self) -> None:
        """Stable names, and Tab goes through them where they stand: they were made later than what is below them."""
        for number, line in enumerate(self._rows):
            line.name_as(number)
        last_verdict = self.verdicts[_VERDICTS[-1][0]]
        for before, after in pairwise((last_verdict, *(part for line in self._rows for part in line.parts), self.add)):
            QWidget.setTabOrder(before, after)

    # ---------------------------------------------------------------- words

    def draft(self) -> RuleDraft:
        """What the form holds."""
        return RuleDraft(
            tool=self.tool.currentText(),
            verdict=next((v for v, card in self.verdicts.items() if card.isChecked()), GateVerdict.ASK),
            predicates=[line.predicate() for line in self._rows],
            match=list(MATCH_WORDS)[max(0, self.match.currentIndex())],
            scope=list(SCOPE_WORDS)[max(0, self.scope.currentIndex())],
            expires=self.expires.text(),
            uses=self.uses.text(),
            because=self.because.text(),
        )

    def refresh(self) -> None:
        """Show the exact words, or what is wrong, and what no rule can change."""
        draft = self.draft()
        rule, problems = rule_of(draft, self._now())
        self._problem.setText(problems[0] if problems else "")
        self.words.setText(rule_text(rule) if rule is not None else "–")
        self.save.setEnabled(rule is not None)
        self._any.setVisible(not self._rows)
        self.add.setEnabled(bool(self._arguments()))
        self.uses.setEnabled(draft.verdict is GateVerdict.ALLOW)
        self._floor.setText(_floor_words(draft))
        self._begin_trial(rule)
        self._fit()

    # ---------------------------------------------------------------- trying it out

    def _begin_trial(self, rule: Rule | None) -> None:
        """Try the rule once typing rests; what an earlier one would have meant is taken away at once."""
        if rule == self._trying and rule is not None:
            return
        self._trying = rule
        wanted = rule is not None and self._try_out is not None
        self.tried.setText("Trying it on the last 30 days…" if wanted else "")
        self.tried.setVisible(wanted)
        if wanted:
            self._settle.start()
        else:
            self._settle.stop()

    def _try(self) -> None:
        rule = self._trying
        if rule is not None and self._try_out is not None:
            self._try_out(rule, lambda lines: self._show_trial(rule, lines))

    def _show_trial(self, rule: Rule, lines: Sequence[str]) -> None:
        if isValid(self) and rule == self._trying:  # the form may be closed, or the rule another one by now
            self.tried.setText("\n".join(lines))
            self._fit()

    def give(self) -> None:
        """Save, once nothing is wrong."""
        rule, _ = rule_of(self.draft(), self._now())
        if rule is not None:
            self.accept()
            self.saved.emit(rule)

    def showEvent(self, event: QShowEvent) -> None:
        """As high as it needs; the tool has the focus."""
        super().showEvent(event)
        self._fit()
        self.tool.setFocus()

    def _fit(self) -> None:
        layout, window = self._content.layout(), self.parentWidget()
        if layout is None:
            return
        room = window.window().height() - px(16) if window is not None else 10_000
        needed = layout.totalHeightForWidth(px(WIDTH)) + px(54) + px(62)
        self.resize(px(WIDTH), max(px(420), min(needed, room)))


def _floor_words(draft: RuleDraft) -> str:
    facts = tool_facts().get(draft.tool)
    floor = "What cannot be undone always asks: no rule can lower that."
    if facts is not None and facts.irreversible and draft.verdict is GateVerdict.ALLOW:
        return f"This tool cannot be undone ({tool_words(draft.tool)}), so it will still ask. {floor}"
    return f"The most restrictive rule that matches decides. {floor}"


def _beside(*fields: tuple[QWidget, int]) -> QHBoxLayout:
    line = row(None, 12)
    for field, stretch in fields:
        line.addWidget(field, stretch)
    return line
