"""New run: goal, agent, model, workspace and limits, and what this agent may do before anything starts."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from PySide6.QtCore import QSettings, QTimer, Signal, SignalInstance
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from agent_core.config.home import Home
from agent_core.config.profile import PatternName, Profile
from agent_core.config.profile_file import ProfileListing, list_profiles
from agent_core.config.secrets import DEFAULT_ADDRESS, ModelKeys
from agent_core.config.settings import Settings
from agent_core.config.values import BadValue
from agent_core.model.budget import LimitName
from agent_core.model.intents import DayBudget, SessionSummary
from ui import formatting
from ui.dialogs.new_run_parts import FolderField, LimitField, MayPanel, NoKeyNote, PatternCards, ProblemLine
from ui.key_keeper import KeyKeeper
from ui.models.gauges import GAUGE_WORDS, LIMIT_ORDER, no_limit_words
from ui.models.new_run import (
    RunForm,
    limit_texts,
    limit_value,
    model_hint,
    over_day_limit,
    problems,
    spend_words,
    start_intent,
)
from ui.models.typed_values import LIMIT_KINDS, as_shown
from ui.models.typical import typical_use
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.combo_box import ComboBox
from ui.widgets.containers import HfwScrollArea
from ui.widgets.field import Field, FormField, TextArea
from ui.widgets.label import Label
from ui.widgets.marks import Line
from ui.widgets.messages import SectionHead
from ui.widgets.surface import Surface, column, row

WIDTH = 760
_SETTLE_MS = 120
"""How long typing rests before the fields are looked at: the workspace is looked up on disk."""
_PREFERRED = "folder-clerk"


@dataclass(frozen=True, slots=True)
class RunChoices:
    """What a run can be made of. `sessions` give the typical values; `keys` tell whether a model can be asked."""

    home: Home
    settings: Settings
    operator: str
    day: DayBudget | None
    sessions: Sequence[SessionSummary] = ()
    keys: ModelKeys | None = None


class NewRunDialog(QDialog):
    """`start_wanted` carries a StartRun; the dialog stays until `started` or `refuse` answers, so nothing is lost.

    What was typed is kept as a draft when it is closed without a start.
    """

    start_wanted = Signal(object)
    rules_wanted = Signal()
    keys_wanted = Signal()
    demo_wanted = Signal()
    loaded = Signal()
    """The profiles are there."""

    def __init__(self, choices: RunChoices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("new_run")
        self.setWindowTitle("New run")
        self._choices, self._kept = choices, QSettings()
        self._listings: list[ProfileListing] = []
        self._loading: asyncio.Task[None] | None = None
        self._tried = False
        self._starting = False
        self._keeper = KeyKeeper(choices.keys, self) if choices.keys is not None else None
        self._make_fields()
        self._build()
        self._connect()
        self._restore()
        self._load()

    # ---------------------------------------------------------------- building

    def _make_fields(self) -> None:
        self.goal = TextArea(placeholder="What is the agent to do?", name="Goal", lines=3)
        self.done_when = Field(placeholder="optional: how anyone can tell that it is done", name="Done when")
        self.profile = ComboBox(name="Agent profile", icon="bot")
        self.model = Field(name="Model")
        self.folder = FolderField()
        self.workspace, self.choose = self.folder.field, self.folder.choose
        self.limits = {name: Field(name=GAUGE_WORDS[name], placeholder=no_limit_words(name)) for name in LIMIT_ORDER}
        self.pattern, self.may, self.no_key = PatternCards(), MayPanel(), NoKeyNote()
        self.no_key.hide()
        self._forms = {
            "goal": FormField("Goal", self.goal),
            "profile": FormField("Agent profile", self.profile),
            "model": FormField("Model", self.model),
            "workspace": FormField("Workspace", self.folder),
        }
        self._limit_forms = {name: LimitField(GAUGE_WORDS[name], field) for name, field in self.limits.items()}
        self._limits_problem = ProblemLine()
        self._limits_head = SectionHead("Limits")
        self._spend = Label("", "secondary", "text3", wrap=True)
        self._refusal = Label("", "secondary", "dang", wrap=True)
        self.cancel = Button("Cancel", "ghost", key="Esc", height=34)
        self.plan_first = Button("Plan first", "default", icon="list-checks", height=34)
        self.plan_first.setToolTip("Start with a plan that you approve, edit or reject before anything happens")
        self.start = Button("Start run", "primary", icon="play", key="Ctrl ↵", height=34)
        for name, widget in (
            ("goal", self.goal), ("done_when", self.done_when), ("profile", self.profile), ("model", self.model),
            ("workspace", self.workspace), ("choose", self.choose), ("spend", self._spend),
            ("refusal", self._refusal), ("cancel", self.cancel), ("plan_first", self.plan_first), ("start", self.start),
        ):  # fmt: skip
            widget.setObjectName(f"new_run.{name}")
        for limit, field in self.limits.items():
            field.setObjectName(f"new_run.limits.{limit.value}")

    def _build(self) -> None:
        outer = column(self, 0)
        card = Surface("raised")
        outer.addWidget(card)
        layout = column(card, 0)
        layout.addLayout(self._head())
        layout.addWidget(Line())
        self._content = Surface("raised")
        self._fill(column(self._content, 12, (22, 14, 22, 16)))
        self._scroll = HfwScrollArea("Run", self._content)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(Line())
        layout.addLayout(self._foot())

    def _head(self) -> QHBoxLayout:
        close = Button("", "ghost", icon="x", tip="Close", height=28)
        close.setObjectName("new_run.close")
        close.clicked.connect(self.reject)
        head = row(None, 8, (22, 12, 14, 12))
        head.addWidget(Label("New run", "card_title"), 1)
        head.addWidget(close)
        return head

    def _fill(self, body: QVBoxLayout) -> None:
        body.addWidget(self._forms["goal"])
        done = row(None, 10)
        done.addWidget(Label("Done when", "section_head", "text2"))
        done.addWidget(self.done_when, 1)
        body.addLayout(done)
        three = row(None, 12)
        for name in ("profile", "model", "workspace"):
            three.addWidget(self._forms[name], 1)
        body.addLayout(three)
        body.addWidget(self.pattern)
        body.addWidget(self._limits_head)
        five = row(None, 10)
        for limit in LIMIT_ORDER:
            five.addWidget(self._limit_forms[limit], 1)
        body.addLayout(five)
        body.addWidget(self._limits_problem)
        body.addWidget(self.may)
        body.addStretch(1)

    def _foot(self) -> QVBoxLayout:
        """The buttons, and over them what the run would lack: never scrolled away."""
        words = column(None, 2)
        words.addWidget(self._spend)
        words.addWidget(self._refusal)
        self._refusal.hide()
        buttons = row(None, 8)
        buttons.addLayout(words, 1)
        for button in (self.cancel, self.plan_first, self.start):
            buttons.addWidget(button)
        foot = column(None, 12, (22, 12, 16, 12))
        foot.addWidget(self.no_key)
        foot.addLayout(buttons)
        return foot

    def _connect(self) -> None:
        self._settle = QTimer(self, interval=_SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self.refresh)
        self.goal.textChanged.connect(self._settle.start)
        for field in (self.done_when, self.model, self.workspace, *self.limits.values()):
            field.textChanged.connect(lambda _text: self._settle.start())
        self.profile.currentIndexChanged.connect(self._profile_chosen)
        self.folder.chosen.connect(self.refresh)
        self.may.rules_wanted.connect(lambda: self._leave_for(self.rules_wanted))
        self.no_key.keys_wanted.connect(lambda: self._leave_for(self.keys_wanted))
        self.no_key.demo_wanted.connect(lambda: self._leave_for(self.demo_wanted))
        self.cancel.clicked.connect(self.reject)
        self.start.clicked.connect(self.give)
        self.plan_first.clicked.connect(self._plan_first)
        self.pattern.chosen.connect(self._pattern_chosen)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self.give)
        if self._keeper is not None:
            self._keeper.changed.connect(self._show_key)

    # ---------------------------------------------------------------- profiles

    def _load(self) -> None:
        """Read the profiles off the GUI thread; where no loop runs (a picture is drawn), at once."""
        home, settings = self._choices.home, self._choices.settings
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._show_profiles(list_profiles(home, settings))
            return
        self._loading = asyncio.ensure_future(self._read(home, settings))

    async def _read(self, home: Home, settings: Settings) -> None:
        self._show_profiles(await asyncio.to_thread(list_profiles, home, settings))
        if self._keeper is not None:
            self._keeper.read()

    def _show_profiles(self, listings: list[ProfileListing]) -> None:
        self._listings = listings
        self.profile.blockSignals(True)
        for listing in listings:
            self.profile.addItem(listing.name if listing.problem is None else f"{listing.name} (cannot be used)")
        names = [listing.name for listing in listings]
        wanted = next((n for n in (str(self._kept.value("new_run/profile", "")), _PREFERRED) if n in names), None)
        self.profile.setCurrentIndex(names.index(wanted) if wanted is not None else 0 if names else -1)
        self.profile.blockSignals(False)
        self._profile_chosen(self.profile.currentIndex())
        self.loaded.emit()

    @property
    def listing(self) -> ProfileListing | None:
        """The profile that is chosen."""
        index = self.profile.currentIndex()
        return self._listings[index] if 0 <= index < len(self._listings) else None

    def _profile_chosen(self, _index: int) -> None:
        """Take model, limits and outlook of another profile."""
        profile = self.listing.profile if self.listing is not None else None
        if profile is not None:
            self.model.setText(profile.model)
            self._show_limits(profile)
            self.pattern.choose(profile.pattern)
            self.may.show_profile(profile, self._choices.settings.rules, datetime.now(UTC))
        self.pattern.setVisible(profile is not None)
        self.may.setVisible(profile is not None)
        self._show_key()
        self.refresh()
        self._fit()

    def _show_limits(self, profile: Profile) -> None:
        typical = typical_use(self._choices.sessions, profile.name)
        runs = typical[LimitName.STEPS].runs
        self._limits_head.set_hint(
            f"typical values from {formatting.plural(runs, 'run')} of this agent"
            if runs
            else "no run of this agent yet"
        )
        for name, text in limit_texts(profile.limits).items():
            self.limits[name].setText(text)
            median = typical[name].median
            words = f"typ. {as_shown(LIMIT_KINDS[name], median)}" if median is not None else ""
            self._limit_forms[name].set_hint(words)

    def _show_key(self) -> None:
        key = self._keeper.current if self._keeper is not None else None
        profile = self.listing.profile if self.listing is not None else None
        needs = profile is not None and not profile.scripted
        self.no_key.setVisible(needs and key is not None and key.key is None and key.address == DEFAULT_ADDRESS)
        self._fit()

    # ---------------------------------------------------------------- looking and starting

    def form(self) -> RunForm:
        """What the fields hold."""
        return RunForm(
            goal=self.goal.toPlainText(),
            done_when=self.done_when.text(),
            listing=self.listing,
            model=self.model.text(),
            pattern=self.pattern.pattern,
            workspace=self.workspace.text(),
            limits={name: field.text() for name, field in self.limits.items()},
        )

    def refresh(self) -> None:
        """Look at the fields again: what is wrong, and what the run adds to today. An untouched field is not blamed."""
        form = self.form()
        found = problems(form, self._choices.home)
        untouched = {name for name, text in (("goal", form.goal), ("workspace", form.workspace)) if not text.strip()}
        loading = {"profile", "model", *(f"limits.{n.value}" for n in LimitName)} if not self._listings else set()
        hidden = set() if self._tried else untouched | loading
        shown = {name: problem for name, problem in found.items() if name not in hidden}
        self.model.set_problem(shown.get("model", ""))
        self.workspace.set_problem(shown.get("workspace", ""))
        for name, field in self._forms.items():
            field.show_problem(shown.get(name, ""))
        self._mark_limits(shown)
        profile = self.listing.profile if self.listing is not None else None
        self._forms["model"].set_hint(model_hint(profile, form.model))
        self._show_spend(form)
        for button in (self.start, self.plan_first):
            button.setEnabled(not self._starting and not shown)
        self._fit(grow_only=True)

    def _mark_limits(self, shown: Mapping[str, str]) -> None:
        """The fields are too narrow for sentences: those stand in a line below them."""
        wrong = {limit: shown.get(f"limits.{limit.value}", "") for limit in LIMIT_ORDER}
        for limit, problem in wrong.items():
            self.limits[limit].set_problem(problem)
        self._limits_problem.show_problem(" ".join(problem for problem in wrong.values() if problem))

    def _show_spend(self, form: RunForm) -> None:
        cost: Decimal | None = None
        known = True
        try:
            value = limit_value(LimitName.COST_USD, form.limits[LimitName.COST_USD])
            cost = value if isinstance(value, Decimal) else None
        except BadValue:
            known = False
        over = over_day_limit(self._choices.day, cost)
        words = spend_words(self._choices.day, cost, known=known and bool(self._listings))
        self._spend.setText(f"{words}. The day limit would stop it first." if over else words)
        self._spend.set_color("attn" if over else "text3")

    def give(self) -> None:
        """Start, or show what is missing and go there."""
        self._tried = True
        self.refresh()
        form = self.form()
        found = problems(form, self._choices.home)
        if found:
            self._go_to(next(iter(found)))
        elif not self._starting:
            self._starting = True
            self._refusal.hide()
            self.start.set_label("Starting…")
            self.start.setEnabled(False)
            self.plan_first.setEnabled(False)
            self._keep()
            self.start_wanted.emit(start_intent(form, self._choices.operator))

    def _plan_first(self) -> None:
        self.pattern.choose(PatternName.PLAN_EXECUTE)
        self.give()

    def _pattern_chosen(self) -> None:
        """A run that plans anyway needs no button for it."""
        self.plan_first.setVisible(self.pattern.pattern is not PatternName.PLAN_EXECUTE)

    def started(self) -> None:
        """It runs: the draft is done with."""
        self._kept.remove("new_run/draft")
        self._starting = False
        self.done(QDialog.DialogCode.Accepted)

    def refuse(self, sentence: str) -> None:
        """It could not be started: say why, and leave everything as typed."""
        self._starting = False
        self.start.set_label("Start run")
        self._refusal.setText(sentence)
        self._refusal.show()
        self.refresh()

    def reject(self) -> None:
        """Not while a start is under way: its answer comes at once and belongs here."""
        if not self._starting:
            super().reject()

    def _go_to(self, name: str) -> None:
        form = self._forms.get(name) or self._limit_forms[LimitName(name.removeprefix("limits."))]
        self._scroll.ensureWidgetVisible(form)
        form.field.setFocus()

    def _leave_for(self, signal: SignalInstance) -> None:
        self.reject()
        signal.emit()

    # ---------------------------------------------------------------- what is kept

    def _restore(self) -> None:
        self.goal.setPlainText(str(self._kept.value("new_run/draft", "")))
        self.goal.selectAll()
        self.workspace.setText(str(self._kept.value("new_run/workspace", "")))

    def _keep(self) -> None:
        if self.listing is not None and self.listing.problem is None:
            self._kept.setValue("new_run/profile", self.listing.name)
        self._kept.setValue("new_run/workspace", self.workspace.text().strip())
        self._kept.setValue("new_run/draft", self.goal.toPlainText().strip())

    def done(self, result: int) -> None:
        """Closing in any way keeps the draft, and waits for nothing."""
        if result != QDialog.DialogCode.Accepted:
            self._keep()
        if self._loading is not None:
            self._loading.cancel()
        super().done(result)
        self.deleteLater()

    # ---------------------------------------------------------------- size and focus

    def showEvent(self, event: QShowEvent) -> None:
        """The goal has the focus."""
        super().showEvent(event)
        self._fit()
        self.goal.setFocus()

    def _fit(self, *, grow_only: bool = False) -> None:
        """As high as it needs, within its window and the screen."""
        window = self.parentWidget()
        screen = self.screen().availableGeometry()
        room = min(screen.height() - px(40), window.window().height() - px(16) if window is not None else 10_000)
        content = self._content.layout()
        note = 0 if self.no_key.isHidden() else self.no_key.sizeHint().height() + px(12)
        needed = content.totalHeightForWidth(px(WIDTH)) + px(54) + px(60) + note if content is not None else 0
        height = max(px(420), min(needed, room))
        self.resize(px(WIDTH), max(height, min(self.height(), room)) if grow_only else height)
