"""RunFields: what a new run is made of, from its goal to its limits, and what the chosen agent may do."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from agent_core.config.profile import Profile
from agent_core.config.profile_file import ProfileListing
from agent_core.config.settings import Settings
from agent_core.model.budget import LimitName
from agent_core.model.intents import SessionSummary
from ui import formatting
from ui.dialogs.new_run_parts import FolderField, LimitField, MayPanel, PatternCards, ProblemLine
from ui.models.gauges import GAUGE_WORDS, LIMIT_ORDER, no_limit_words
from ui.models.new_run import RunForm, limit_texts, model_hint
from ui.models.typed_values import LIMIT_KINDS, as_shown
from ui.models.typical import typical_use
from ui.widgets.combo_box import ComboBox
from ui.widgets.field import Field, FormField, TextArea
from ui.widgets.label import Label
from ui.widgets.messages import SectionHead
from ui.widgets.surface import Surface, column, row


class RunFields(Surface):
    """`typed` follows each change of a text; a chosen agent fills in model, limits and pattern."""

    typed = Signal()
    profile_chosen = Signal()

    def __init__(self, settings: Settings, sessions: Sequence[SessionSummary]) -> None:
        """`sessions` give the typical values of an agent."""
        super().__init__("raised")
        self._settings, self._sessions = settings, sessions
        self.listings: Sequence[ProfileListing] = ()
        """The profiles that can be chosen; none until they are read."""
        self._make_fields()
        self._name_fields()
        self._forms = {
            "goal": FormField("Goal", self.goal),
            "profile": FormField("Agent profile", self.profile),
            "model": FormField("Model", self.model),
            "workspace": FormField("Workspace", self.folder),
        }
        self._limit_forms = {name: LimitField(GAUGE_WORDS[name], field) for name, field in self.limits.items()}
        self._limits_problem = ProblemLine()
        self._limits_head = SectionHead("Limits")
        self._fill(column(self, 12, (22, 14, 22, 16)))
        self._connect()

    def _make_fields(self) -> None:
        self.goal = TextArea(placeholder="What is the agent to do?", name="Goal", lines=3)
        self.done_when = Field(placeholder="optional: how anyone can tell that it is done", name="Done when")
        self.profile = ComboBox(name="Agent profile", icon="bot")
        self.model = Field(name="Model")
        self.folder = FolderField()
        self.workspace = self.folder.field
        self.limits = {name: Field(name=GAUGE_WORDS[name], placeholder=no_limit_words(name)) for name in LIMIT_ORDER}
        self.pattern, self.may = PatternCards(), MayPanel()

    def _name_fields(self) -> None:
        for name, widget in (
            ("goal", self.goal), ("done_when", self.done_when), ("profile", self.profile), ("model", self.model),
            ("workspace", self.workspace), ("choose", self.folder.choose),
        ):  # fmt: skip
            widget.setObjectName(f"new_run.{name}")
        for limit, field in self.limits.items():
            field.setObjectName(f"new_run.limits.{limit.value}")

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

    def _connect(self) -> None:
        self.goal.textChanged.connect(self.typed)
        for field in (self.done_when, self.model, self.workspace, *self.limits.values()):
            field.textChanged.connect(lambda _text: self.typed.emit())
        self.profile.currentIndexChanged.connect(lambda _index: self._take_profile())

    # ---------------------------------------------------------------- the agent

    def show_listings(self, listings: Sequence[ProfileListing], wanted: Sequence[str]) -> None:
        """Offer the profiles; the first of the `wanted` names that is there is chosen, else the first of all."""
        self.listings = listings
        self.profile.blockSignals(True)
        for listing in listings:
            self.profile.addItem(listing.name if listing.problem is None else f"{listing.name} (cannot be used)")
        names = [listing.name for listing in listings]
        chosen = next((name for name in wanted if name in names), None)
        self.profile.setCurrentIndex(names.index(chosen) if chosen is not None else 0 if names else -1)
        self.profile.blockSignals(False)
        self._take_profile()

    @property
    def listing(self) -> ProfileListing | None:
        """The profile that is chosen, sound or not."""
        index = self.profile.currentIndex()
        return self.listings[index] if 0 <= index < len(self.listings) else None

    @property
    def agent(self) -> Profile | None:
        """The profile that is chosen; None where it cannot be used."""
        return self.listing.profile if self.listing is not None else None

    def _take_profile(self) -> None:
        """Take model, limits and outlook of another profile."""
        agent = self.agent
        if agent is not None:
            self.model.setText(agent.model)
            self._show_limits(agent)
            self.pattern.choose(agent.pattern)
            self.may.show_profile(agent, self._settings.rules, datetime.now(UTC))
        self.pattern.setVisible(agent is not None)
        self.may.setVisible(agent is not None)
        self.profile_chosen.emit()

    def _show_limits(self, agent: Profile) -> None:
        typical = typical_use(self._sessions, agent.name)
        runs = typical[LimitName.STEPS].runs
        self._limits_head.set_hint(
            f"typical values from {formatting.plural(runs, 'run')} of this agent"
            if runs
            else "no run of this agent yet"
        )
        for name, text in limit_texts(agent.limits).items():
            self.limits[name].setText(text)
            median = typical[name].median
            words = f"typ. {as_shown(LIMIT_KINDS[name], median)}" if median is not None else ""
            self._limit_forms[name].set_hint(words)

    # ---------------------------------------------------------------- what is in them

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

    def show_problems(self, problems: Mapping[str, str]) -> None:
        """Say beside each field what is wrong with it, by the names of `models.new_run.problems`."""
        self.model.set_problem(problems.get("model", ""))
        self.workspace.set_problem(problems.get("workspace", ""))
        for name, form in self._forms.items():
            form.show_problem(problems.get(name, ""))
        self._mark_limits(problems)
        self._forms["model"].set_hint(model_hint(self.agent, self.model.text()))

    def _mark_limits(self, problems: Mapping[str, str]) -> None:
        """The fields are too narrow for sentences: those stand in a line below them."""
        wrong = {limit: problems.get(f"limits.{limit.value}", "") for limit in LIMIT_ORDER}
        for limit, problem in wrong.items():
            self.limits[limit].set_problem(problem)
        self._limits_problem.show_problem(" ".join(problem for problem in wrong.values() if problem))

    def place_of(self, name: str) -> tuple[QWidget, QWidget]:
        """A field by the name of its problem: all of it, and where the focus goes."""
        form = self._forms.get(name) or self._limit_forms[LimitName(name.removeprefix("limits."))]
        return form, form.field
