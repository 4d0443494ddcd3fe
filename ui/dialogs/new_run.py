"""New run: goal, agent, model, workspace and limits, and what this agent may do before anything starts."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSettings, QTimer, Signal, SignalInstance
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QWidget

from agent_core.config.home import Home
from agent_core.config.profile import PatternName
from agent_core.config.profile_file import ProfileListing, list_profiles
from agent_core.config.secrets import DEFAULT_ADDRESS, ModelKeys
from agent_core.config.settings import Settings
from agent_core.model.budget import LimitName
from agent_core.model.intents import DayBudget, SessionSummary
from ui.dialogs.new_run_fields import RunFields
from ui.dialogs.new_run_foot import RunFoot
from ui.dialogs.new_run_parts import NoKeyNote
from ui.key_keeper import KeyKeeper
from ui.models.new_run import RunForm, problems, start_intent
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.containers import HfwScrollArea
from ui.widgets.label import Label
from ui.widgets.marks import Line
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
        self._loading: asyncio.Task[None] | None = None
        self._tried = False
        self._starting = False
        self._keeper = KeyKeeper(choices.keys, self) if choices.keys is not None else None
        self.fields = RunFields(choices.settings, choices.sessions)
        self.no_key, self.foot = NoKeyNote(), RunFoot()
        self._build()
        self._connect()
        self._restore()
        self._load()

    # ---------------------------------------------------------------- building

    def _build(self) -> None:
        outer = column(self, 0)
        card = Surface("raised")
        outer.addWidget(card)
        layout = column(card, 0)
        layout.addLayout(self._head())
        layout.addWidget(Line())
        self._scroll = HfwScrollArea("Run", self.fields)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(Line())
        note = row(None, 0, (22, 12, 16, 0))  # never scrolled away: it says what the buttons below would come to
        note.addWidget(self.no_key)
        self.no_key.hide()
        layout.addLayout(note)
        layout.addWidget(self.foot)

    def _head(self) -> QHBoxLayout:
        close = Button("", "ghost", icon="x", tip="Close", height=28)
        close.setObjectName("new_run.close")
        close.clicked.connect(self.reject)
        head = row(None, 8, (22, 12, 14, 12))
        head.addWidget(Label("New run", "card_title"), 1)
        head.addWidget(close)
        return head

    def _connect(self) -> None:
        self._settle = QTimer(self, interval=_SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self.refresh)
        self.fields.typed.connect(self._settle.start)
        self.fields.profile_chosen.connect(self._profile_chosen)
        self.fields.folder.chosen.connect(self.refresh)
        self.fields.pattern.chosen.connect(self._pattern_chosen)
        self.fields.may.rules_wanted.connect(lambda: self._leave_for(self.rules_wanted))
        self.no_key.keys_wanted.connect(lambda: self._leave_for(self.keys_wanted))
        self.no_key.demo_wanted.connect(lambda: self._leave_for(self.demo_wanted))
        self.foot.cancel.clicked.connect(self.reject)
        self.foot.start.clicked.connect(self.give)
        self.foot.plan_first.clicked.connect(self._plan_first)
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
        self.fields.show_listings(listings, (str(self._kept.value("new_run/profile", "")), _PREFERRED))
        self.loaded.emit()

    def _profile_chosen(self) -> None:
        self._show_key()
        self.refresh()
        self._fit()

    def _show_key(self) -> None:
        key = self._keeper.current if self._keeper is not None else None
        agent = self.fields.agent
        needs = agent is not None and not agent.scripted
        self.no_key.setVisible(needs and key is not None and key.key is None and key.address == DEFAULT_ADDRESS)
        self._fit()

    # ---------------------------------------------------------------- looking and starting

    def refresh(self) -> None:
        """Look at the fields again: what is wrong, and what the run adds to today."""
        form = self.fields.form()
        shown = self._blamed(form)
        self.fields.show_problems(shown)
        self.foot.show_spend(self._choices.day, form, known=bool(self.fields.listings))
        self.foot.set_ready(not self._starting and not shown)
        self._fit(grow_only=True)

    def _blamed(self, form: RunForm) -> dict[str, str]:
        """What is wrong, by field. Before the first try nothing untouched is blamed, nor what is still being read."""
        found = problems(form, self._choices.home)
        if self._tried:
            return found
        untouched = {name for name, text in (("goal", form.goal), ("workspace", form.workspace)) if not text.strip()}
        of_agent = {"profile", "model", *(f"limits.{name.value}" for name in LimitName)}
        hidden = untouched if self.fields.listings else untouched | of_agent
        return {name: problem for name, problem in found.items() if name not in hidden}

    def give(self) -> None:
        """Start, or show what is missing and go there."""
        self._tried = True
        self.refresh()
        form = self.fields.form()
        found = problems(form, self._choices.home)
        if found:
            self._go_to(next(iter(found)))
        elif not self._starting:
            self._starting = True
            self.foot.show_refusal("")
            self.foot.show_starting(True)
            self.foot.set_ready(False)
            self._keep()
            self.start_wanted.emit(start_intent(form, self._choices.operator))

    def _plan_first(self) -> None:
        self.fields.pattern.choose(PatternName.PLAN_EXECUTE)
        self.give()

    def _pattern_chosen(self) -> None:
        """A run that plans anyway needs no button for it."""
        self.foot.plan_first.setVisible(self.fields.pattern.pattern is not PatternName.PLAN_EXECUTE)

    def started(self) -> None:
        """It runs: the draft is done with."""
        self._kept.remove("new_run/draft")
        self._starting = False
        self.done(QDialog.DialogCode.Accepted)

    def refuse(self, sentence: str) -> None:
        """It could not be started: say why, and leave everything as typed."""
        self._starting = False
        self.foot.show_starting(False)
        self.foot.show_refusal(sentence)
        self.refresh()

    def reject(self) -> None:
        """Not while a start is under way: its answer comes at once and belongs here."""
        if not self._starting:
            super().reject()

    def _go_to(self, name: str) -> None:
        form, field = self.fields.place_of(name)
        self._scroll.ensureWidgetVisible(form)
        field.setFocus()

    def _leave_for(self, signal: SignalInstance) -> None:
        self.reject()
        signal.emit()

    # ---------------------------------------------------------------- what is kept

    def _restore(self) -> None:
        self.fields.goal.setPlainText(str(self._kept.value("new_run/draft", "")))
        self.fields.goal.selectAll()
        self.fields.workspace.setText(str(self._kept.value("new_run/workspace", "")))

    def _keep(self) -> None:
        listing = self.fields.listing
        if listing is not None and listing.problem is None:
            self._kept.setValue("new_run/profile", listing.name)
        self._kept.setValue("new_run/workspace", self.fields.workspace.text().strip())
        self._kept.setValue("new_run/draft", self.fields.goal.toPlainText().strip())

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
        self.fields.goal.setFocus()

    def _fit(self, *, grow_only: bool = False) -> None:
        """As high as it needs, within its window and the screen."""
        window = self.parentWidget()
        screen = self.screen().availableGeometry()
        room = min(screen.height() - px(40), window.window().height() - px(16) if window is not None else 10_000)
        content = self.fields.layout()
        note = 0 if self.no_key.isHidden() else self.no_key.sizeHint().height() + px(12)
        needed = content.totalHeightForWidth(px(WIDTH)) + px(54) + px(60) + note if content is not None else 0
        height = max(px(420), min(needed, room))
        self.resize(px(WIDTH), max(height, min(self.height(), room)) if grow_only else height)
