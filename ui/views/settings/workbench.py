"""The rules workbench: the standing rules tried on the last 30 days, what is odd about them, and their versions."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from agent_core.config.profile import Rule
from agent_core.config.rule_trials import LintFinding, NeverNo, RulesVersion, Simulation
from agent_core.config.settings import Settings
from agent_core.engine.facade import Rulebook
from agent_core.engine.outlook import rule_text
from ui.commands import Commands
from ui.models.settings.workbench_lines import (
    effect_words,
    finding_words,
    is_doubtful,
    never_no_words,
    shown_versions,
    simulation_words,
    version_when,
    version_words,
)
from ui.tokens import ColorName
from ui.views.settings.frame import Card
from ui.widgets.button import Button
from ui.widgets.label import Label
from ui.widgets.marks import Icon
from ui.widgets.surface import clear, column, row

_TOP = Qt.AlignmentFlag.AlignTop


class RuleWorkbench(Card):
    """Reads again when it is shown and when the rules change. `put_back` saves an earlier version anew."""

    versions_read = Signal()
    """`versions` are those of now."""

    def __init__(self, rulebook: Rulebook, commands: Commands, settings: Settings) -> None:
        super().__init__("Tried on the last 30 days", hint="what these rules would have meant, and what people said")
        self.setObjectName("settings.workbench")
        self._rulebook, self._commands, self._settings = rulebook, commands, settings
        self.versions: Sequence[RulesVersion] = ()
        self._sections = {name: self._section() for name in ("simulation", "findings", "never_no", "versions")}

    def _section(self) -> QVBoxLayout:
        holder = QWidget()
        layout = column(holder, 6, (16, 8, 16, 10))
        self.add_row(holder)
        return layout

    def refresh(self) -> None:
        """Ask again, off the GUI thread."""
        rules = list(self._settings.rules)
        spawn, book = self._commands.spawn, self._rulebook
        spawn(book.simulate(rules), then=self.show_simulation)
        spawn(book.lint(rules), then=lambda found: self.show_findings(found, rules))
        spawn(book.never_no(), then=self.show_never_no)
        spawn(book.versions(), then=self.show_versions)

    def show_simulation(self, simulation: Simulation) -> None:
        """Each rule with what it would have allowed."""
        layout = self._emptied("simulation")
        layout.addWidget(Label(simulation_words(simulation), "secondary", "text2", wrap=True))
        for effect in simulation.rules:
            doubtful = is_doubtful(effect)
            layout.addWidget(
                _line("triangle-alert" if doubtful else "check", effect.text, effect_words(effect), doubtful)
            )

    def show_findings(self, findings: Sequence[LintFinding], rules: Sequence[Rule]) -> None:
        """What is odd about the rules themselves, each beside the rule that it is about."""
        layout = self._emptied("findings")
        if not findings:
            layout.addWidget(Label("Nothing odd about these rules.", "secondary", "text3"))
        for finding in findings:
            about = rule_text(rules[finding.place])
            layout.addWidget(_line("triangle-alert", about, finding_words(finding), doubtful=True))

    def show_never_no(self, found: Sequence[NeverNo]) -> None:
        """Gates that never say no."""
        layout = self._emptied("never_no")
        if not found:
            layout.addWidget(Label("No gate is always answered with yes.", "secondary", "text3"))
        for one in found:
            layout.addWidget(_line("triangle-alert", never_no_words(one), "", doubtful=True))

    def show_versions(self, versions: Sequence[RulesVersion]) -> None:
        """Saved sets, newest first, each but the newest with a way back."""
        self.versions = versions
        self.versions_read.emit()
        layout = self._emptied("versions")
        layout.addWidget(Label("Versions", "section_head", "text2"))
        if not versions:
            layout.addWidget(Label("The rules have not been changed here yet.", "secondary", "text3"))
        now = datetime.now(UTC)
        for place, version in enumerate(shown_versions(versions)):
            holder = QWidget()
            line = row(holder, 8)
            line.addWidget(Label(version_words(version, now), "secondary", "text2", wrap=True), 1)
            if place:
                back = Button("Put back", "ghost", icon="undo-2", height=26)
                back.setObjectName(f"settings.rules.put_back.{version.seq}")
                back.setAccessibleName(f"Put back the rules of {version_when(version, now)}")
                back.clicked.connect(self._putter(version.seq))
                line.addWidget(back, 0, _TOP)
            layout.addWidget(holder)

    def _putter(self, seq: int) -> Callable[[], None]:
        def put_back() -> None:
            work = self._rulebook.put_back(seq, self._commands.operator)
            self._commands.spawn(work, then=lambda _none: self._settings.reload())

        return put_back

    def _emptied(self, name: str) -> QVBoxLayout:
        layout = self._sections[name]
        clear(layout)
        return layout


def _line(icon: str, words: str, right: str, doubtful: bool) -> QWidget:
    holder = QWidget()
    line = row(holder, 8)
    color: ColorName = "attn" if doubtful else "text3"
    line.addWidget(Icon(icon, color, 14, beside="secondary"), 0, _TOP)
    line.addWidget(Label(words, "secondary", "text", wrap=True), 3, _TOP)
    if right:
        line.addWidget(Label(right, "secondary", "attn" if doubtful else "text2", wrap=True), 2, _TOP)
    return holder
