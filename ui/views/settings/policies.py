"""Policies & allowlists: the standing rules, when a card is opened and what silence means."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QWidget

from agent_core.config.profile import Rule
from agent_core.config.rule_trials import RulesVersion
from agent_core.config.settings import Settings
from agent_core.config.settings_list import SETTINGS, Page
from agent_core.engine.facade import Rulebook
from agent_core.engine.outlook import rule_text
from agent_core.model.action import GateVerdict
from agent_core.model.errors import PilothouseError
from ui import formatting
from ui.commands import Commands
from ui.dialogs.ask import Confirm
from ui.models.settings.rule_rows import (
    SCOPE_WORDS,
    VERDICT_ICONS,
    VERDICT_WORDS,
    expires_words,
    when_words,
)
from ui.models.settings.workbench_lines import origin_words, origins, tried_words
from ui.theme import px
from ui.views.settings.frame import Card, Part, Said
from ui.views.settings.rule_form import RuleForm
from ui.views.settings.setting_row import SettingRow
from ui.views.settings.workbench import RuleWorkbench
from ui.widgets.button import Button
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Icon
from ui.widgets.surface import column, row
from ui.widgets.table import Cell, CellTableModel, Column, Table

Refuse = Callable[[PilothouseError], None]
SaveRules = Callable[[Sequence[Rule], str, Callable[[], None], Refuse], None]
"""Saves rules with the words why, then calls the third, or the fourth with the refusal."""

TryRules = Callable[[Sequence[Rule], int, Callable[[Sequence[str]], None]], None]
"""Tries a draft on history, and calls the third with what the rule at that place would have meant, line by line."""

_TOP = Qt.AlignmentFlag.AlignTop
_SIDE_BY_SIDE = 880
COLUMNS = (
    Column("Tool", 128, role="mono", color="text"),
    Column("When", 120, stretch=3),
    Column("Verdict", 92),
    Column("Scope", 76),
    Column("Expires", 128),
    Column("Uses", 72),
    Column("Saved by", 140),
    Column("Because", 90, stretch=2),
)
_ALL = tuple(range(len(COLUMNS)))
_LAYOUTS = ((900, _ALL), (640, (0, 1, 2, 4, 7)), (0, (0, 1, 2)))
"""The columns that are shown from a width on, px at 100 %. The line below the table has the exact words anyway."""
TIERS = (
    ("undo-2", "Reversible", "One step, 8 s to undo"),
    ("shield-check", "Partly reversible", "A second step restates the effect"),
    ("octagon-alert", "Irreversible", "Full review, type the key figure, hold 1.2 s"),
    ("lock", "Fixed", "What cannot be undone always asks: no rule can lower that"),
)


class RuleTable(Card):
    """The standing rules, with the buttons that change them. Each change is saved at once."""

    def __init__(self, settings: Settings, save: SaveRules | None = None, try_out: TryRules | None = None) -> None:
        super().__init__()
        self._settings = settings
        self._save_rules = save
        self._try_rules = try_out
        self._origins: dict[str, RulesVersion] = {}
        self._shown: tuple[int, ...] = _ALL
        self._model = CellTableModel(COLUMNS, self)
        self.table = Table(self._model, row_height=38, name="Standing rules", in_card=True)
        self.table.setObjectName("settings.rules")
        self._empty = Label(
            "No standing rules. What an agent may do follows from its profile.", "body", "text3", wrap=True
        )
        self._empty.setContentsMargins(px(16), px(14), px(16), px(14))
        self._exact = Label("", "mono", "text2", wrap=True)
        self._exact.setObjectName("settings.rules.exact")
        self._exact.setContentsMargins(px(16), px(9), px(16), px(2))
        self._said = Said()
        self._said.setObjectName("settings.rules.problem")
        self._said.setContentsMargins(px(16), px(4), px(16), px(8))
        self.add_row(self.table)
        self.rows.addWidget(self._empty)
        self.rows.addWidget(self._exact)
        self.rows.addWidget(self._said)
        self.rows.addLayout(self._foot())
        self._connect()
        self.refresh()

    def _foot(self) -> QHBoxLayout:
        self.add = Button("Add rule", "ghost", icon="plus", height=30)
        self.edit = Button("Edit", "ghost", icon="pencil", key="↵", height=30)
        self.remove = Button("Remove", "ghost", icon="trash-2", key="Del", height=30)
        foot = row(None, 2, (6, 5, 16, 5))
        for name, button in (("add", self.add), ("edit", self.edit), ("remove", self.remove)):
            button.setObjectName(f"settings.rules.{name}")
            foot.addWidget(button)
        foot.addSpacing(px(8))
        rest = ElidedLabel(
            "Not matched by any rule: allow if read-only, else ask", "secondary_medium", "text2",
            align=Qt.AlignmentFlag.AlignRight,
        )  # fmt: skip
        rest.setObjectName("settings.rules.rest")
        foot.addWidget(rest, 1)
        return foot

    def _connect(self) -> None:
        self.add.clicked.connect(lambda: self._open(None))
        self.edit.clicked.connect(self._edit)
        self.remove.clicked.connect(self._ask_remove)
        self.table.row_opened.connect(self._open)
        self._follow_selection()
        delete = QShortcut(QKeySequence("Del"), self.table, context=Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self._ask_remove)

    def _follow_selection(self) -> None:
        self.table.selectionModel().selectionChanged.connect(lambda _on, _off: self._enable())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where it is narrow, the less important columns go."""
        super().resizeEvent(event)
        shown = next(columns for width, columns in _LAYOUTS if self.width() >= px(width))
        if shown != self._shown:
            chosen, old, self._shown = self.chosen, self._model, shown
            self._model = CellTableModel([COLUMNS[place] for place in shown], self)
            self.table.setModel(self._model)
            old.deleteLater()
            self._follow_selection()
            self.refresh()
            if chosen is not None:
                self.table.selectRow(chosen)

    @property
    def chosen(self) -> int | None:
        """The row that is selected."""
        rows = self.table.selectionModel().selectedRows()
        return rows[0].row() if rows and rows[0].row() < len(self._settings.rules) else None

    def refresh(self) -> None:
        """Show the rules as they are now; the selection stays where it was."""
        chosen = self.chosen
        rules, now = self._settings.rules, datetime.now(UTC)
        whole = [_cells(rule, now, origin_words(self._origins.get(rule_text(rule)), now)) for rule in rules]
        self._model.set_rows([[cells[place] for place in self._shown] for cells in whole])
        self.table.setVisible(bool(rules))
        self._empty.setVisible(not rules)
        self.table.fit_rows(most=14)
        if chosen is not None and rules:
            self.table.selectRow(min(chosen, len(rules) - 1))
        self._enable()

    def show_origins(self, versions: Sequence[RulesVersion]) -> None:
        """Say who saved each rule and when."""
        self._origins = origins(versions)
        self.refresh()

    def _enable(self) -> None:
        chosen = self.chosen
        self._exact.setText(rule_text(self._settings.rules[chosen]) if chosen is not None else "")
        self._exact.setVisible(chosen is not None)
        for button in (self.edit, self.remove):
            button.setEnabled(chosen is not None)

    # ---------------------------------------------------------------- changes

    def _edit(self) -> None:
        if self.chosen is not None:
            self._open(self.chosen)

    def _open(self, place: int | None) -> None:
        rule = self._settings.rules[place] if place is not None else None
        self._show_form(rule, rule)

    def propose(self, rule: Rule) -> None:
        """Open the form on a rule that is not there yet; it is added when it is saved."""
        self._show_form(rule, None)

    def _show_form(self, rule: Rule | None, replaced: Rule | None) -> None:
        def try_out(made: Rule, answer: Callable[[Sequence[str]], None]) -> None:
            if self._try_rules is not None:
                self._try_rules(*self._with(made, replaced), answer)

        tried = try_out if self._try_rules is not None else None
        form = RuleForm(rule, self, try_out=tried, title="New rule" if replaced is None else "Edit rule")
        form.saved.connect(lambda made: self._take(made, replaced))
        form.open()

    def _with(self, made: Rule, replaced: Rule | None) -> tuple[list[Rule], int]:
        """The rules with one in the place of the one that was edited, or at the end when that is gone; its place."""
        rules = list(self._settings.rules)
        place = rules.index(replaced) if replaced in rules else len(rules)
        rules[place : place + 1] = [made]
        return rules, place

    def _take(self, made: Rule, replaced: Rule | None) -> None:
        edited = replaced in self._settings.rules
        rules, place = self._with(made, replaced)
        self._save(rules, place, made.because or ("Rule edited" if edited else "Rule added"))

    def _ask_remove(self) -> None:
        if self.chosen is None:
            return
        rule = self._settings.rules[self.chosen]
        dialog = Confirm("Remove this rule?", f"{rule_text(rule)}.", "Remove rule", self)
        dialog.confirmed.connect(lambda: self._remove(rule))
        dialog.open()

    def _remove(self, rule: Rule) -> None:
        rules = list(self._settings.rules)
        if rule in rules:
            place = rules.index(rule)
            del rules[place]
            self._save(rules, place, "Rule removed")

    def _save(self, rules: Sequence[Rule], place: int, why: str) -> None:
        """Save with who and why, where the home keeps versions of its rules; else at once."""
        if self._save_rules is not None:
            self._save_rules(rules, why, lambda: self._saved(rules, place), self._refuse)
            return
        try:
            self._settings.change_rules(rules)
        except PilothouseError as error:
            self._refuse(error)
            return
        self._saved(rules, place)

    def _refuse(self, error: PilothouseError) -> None:
        self._said.show_problem(formatting.sentence(f"Not saved: {error}"))

    def _saved(self, rules: Sequence[Rule], place: int) -> None:
        self._said.show_problem("")
        self.refresh()
        if rules:
            self.table.selectRow(min(place, len(rules) - 1))


class PoliciesPart(Part):
    """Rules first, then how cards are opened, and beside that what no rule can change."""

    def __init__(self, settings: Settings, commands: Commands | None = None, rulebook: Rulebook | None = None) -> None:
        words = (
            "Rules run in code before every tool call, together with those of the agent’s profile. "
            "The most restrictive one that matches decides; the model cannot change them."
        )
        super().__init__("Policies & allowlists", words)
        keeps = rulebook is not None and commands is not None
        self.rules = RuleTable(
            settings, _saver(settings, commands, rulebook) if keeps else None, _trier(commands, rulebook)
        )
        self.body.addWidget(self.rules)
        self.workbench = RuleWorkbench(rulebook, commands, settings) if rulebook and commands else None
        if self.workbench is not None:
            self.body.addWidget(self.workbench)
            self.workbench.versions_read.connect(self._show_origins)
        rows = {s.key: SettingRow(settings, s) for s in SETTINGS if s.page is Page.POLICIES}
        card = Card("When it asks")
        for line in rows.values():
            card.add_row(line)
        self.rows = rows
        self._lower = row(None, 14)
        self._lower.addWidget(card, 5)
        self._lower.addWidget(_tiers(), 3, _TOP)
        self.body.addLayout(self._lower)
        self.body.addStretch(1)

    def changed(self, key: str) -> None:
        """Rules have no row of their own."""
        super().changed(key)
        if key == "rules":
            self.rules.refresh()
            self._try_out()

    def opened(self) -> None:
        """Come up to date with what happened meanwhile."""
        super().opened()
        self._try_out()

    def _show_origins(self) -> None:
        if self.workbench is not None:
            self.rules.show_origins(self.workbench.versions)

    def _try_out(self) -> None:
        if self.workbench is not None:
            self.workbench.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Both cards stand side by side where there is room."""
        super().resizeEvent(event)
        wide = self.width() >= px(_SIDE_BY_SIDE)
        self._lower.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)


def _saver(settings: Settings, commands: Commands | None, rulebook: Rulebook | None) -> SaveRules | None:
    if commands is None or rulebook is None:
        return None

    def save(rules: Sequence[Rule], why: str, done: Callable[[], None], refused: Refuse) -> None:
        def saved(_none: object) -> None:
            settings.reload()
            done()

        commands.spawn(rulebook.save(rules, commands.operator, why), then=saved, otherwise=refused)

    return save


def _trier(commands: Commands | None, rulebook: Rulebook | None) -> TryRules | None:
    if commands is None or rulebook is None:
        return None

    def try_out(rules: Sequence[Rule], place: int, answer: Callable[[Sequence[str]], None]) -> None:
        async def work() -> Sequence[str]:
            return tried_words(await rulebook.simulate(rules), await rulebook.lint(rules), place)

        commands.spawn(work(), then=answer)

    return try_out


def _tiers() -> Card:
    card = Card("What an approval takes")
    inner = QWidget()
    body = column(inner, 10, (16, 2, 16, 15))
    for icon, name, words in TIERS:
        line = row(None, 9)
        line.addWidget(Icon(icon, "text2", 15, beside="section_head"), 0, _TOP)
        texts = column(None, 1)
        texts.addWidget(Label(name, "section_head", "text"))
        texts.addWidget(Label(words, "secondary", "text2", wrap=True))
        line.addLayout(texts, 1)
        body.addLayout(line)
    card.rows.addWidget(inner)
    return card


def _cells(rule: Rule, now: datetime, origin: str) -> list[Cell | str]:
    asks = rule.verdict is GateVerdict.ASK
    verdict = Cell(
        VERDICT_WORDS[rule.verdict],
        "text" if asks else "text2",
        "section_head" if asks else "secondary",
        icon=VERDICT_ICONS[rule.verdict],
    )
    uses = "no limit" if rule.uses is None else str(rule.uses)
    ends = expires_words(rule, now)
    return [
        rule.tool,
        when_words(rule),
        verdict,
        SCOPE_WORDS[rule.scope],
        Cell(ends, "attn" if ends == "over" else "text2"),
        uses if rule.verdict is GateVerdict.ALLOW else "–",
        origin,
        rule.because or "–",
    ]
