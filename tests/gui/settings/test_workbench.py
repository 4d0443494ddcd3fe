"""The rules workbench: what rules would have meant, what is odd about them, and the way back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from agent_core.config.home import Home
from agent_core.config.profile import Rule
from agent_core.config.rule_trials import Fault, LintFinding, NeverNo, RuleDraft, RuleEffect, RulesVersion, Simulation
from agent_core.config.settings import Settings
from agent_core.engine.outlook import rule_text
from agent_core.model.action import GateVerdict
from tests.support.engine_lab import eventually
from tests.support.facade import StandInDesk, StandInReader, StandInSupervisor
from tests.support.sample_cards import NOW
from ui.commands import Commands
from ui.models.settings.workbench_lines import effect_words, is_doubtful
from ui.views.settings.policies import PoliciesPart
from ui.views.settings.rule_form import RuleForm

Settle = Callable[[Commands], Awaitable[None]]
RULE = Rule(tool="files_write", verdict=GateVerdict.ALLOW, when={"path": "reports/**"}, because="reports are ours")
EFFECT = RuleEffect(
    text="allow files_write", verdict=GateVerdict.ALLOW, matched=40, given=37, approved=35, refused=2, edited=0
)


class StandInRulebook:
    """Answers with what it was made with, saves into the settings file, keeps who and why."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.saved: list[tuple[list[Rule], str, str]] = []
        self.put: list[tuple[int, str]] = []

    async def rules(self) -> list[Rule]:
        return list(self._settings.rules)

    async def simulate(self, draft: Sequence[Rule], days: int = 30) -> Simulation:
        return Simulation(
            calls=60, rules=[EFFECT], before={"ask": 60}, after={"allow": 37, "ask": 23}, newly_allowed=37,
            newly_allowed_refused=2,
        )  # fmt: skip

    async def lint(self, draft: Sequence[Rule]) -> list[LintFinding]:
        odd = LintFinding(place=0, fault=Fault.SHADOWED, text="deny files_write comes first in gravity")
        return [odd] if draft else []

    async def from_decision(self, proposal: str, days: int = 30) -> RuleDraft:
        return RuleDraft(rule=RULE, text="allow files_write", effect=EFFECT)

    async def never_no(self, days: int = 30) -> list[NeverNo]:
        return [NeverNo(agent="clerk", tool="files_edit", approved=24)]

    async def save(self, rules: Sequence[Rule], by: str, why: str) -> None:
        self.saved.append((list(rules), by, why))
        self._settings.change_rules(rules)

    async def versions(self) -> list[RulesVersion]:
        newer = RulesVersion(
            seq=9, at=NOW, by="ana", why="reports", rules=[RULE], added=["allow files_write"], removed=[]
        )
        older = RulesVersion(seq=4, at=NOW, by="ben", why="start", rules=[], added=[], removed=[])
        return [newer, older]

    async def put_back(self, seq: int, by: str) -> None:
        self.put.append((seq, by))


Shown = Callable[[], Awaitable[tuple[PoliciesPart, StandInRulebook, Commands]]]


@pytest.fixture
def shown(qtbot: QtBot, settled: Settle, home: Path) -> Shown:
    async def show() -> tuple[PoliciesPart, StandInRulebook, Commands]:
        place = Home.at(home)
        place.create()
        settings = Settings.open(place)
        rulebook = StandInRulebook(settings)
        commands = Commands(StandInSupervisor(), StandInDesk(), StandInReader(), "ana")
        part = PoliciesPart(settings, commands, rulebook)
        qtbot.addWidget(part)
        settings.observe(part.changed)
        part.resize(1100, 900)
        part.show()
        part.opened()
        await settled(commands)
        return part, rulebook, commands

    return show


def words_in(widget: QWidget | None) -> str:
    assert widget is not None
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if not label.isHidden())


async def test_rules_are_tried_on_history_with_what_people_said(shown: Shown, settled: Settle) -> None:
    part, book, commands = await shown()
    await book.save([RULE], "ana", "reports")
    part.changed("rules")
    await settled(commands)
    words = words_in(part.workbench)
    for expected in (
        "60 calls of the last 30 days: 37 allowed, 23 asked about, 0 denied",
        "would have allowed 37, of which people refused 2",
        "Shadowed: deny files_write comes first in gravity",
        "clerk · files_edit: 24 of 24 approved",
    ):
        assert expected in words


async def test_a_rule_from_a_decision_is_shown_before_it_is_saved(shown: Shown, qtbot: QtBot, settled: Settle) -> None:
    part, rulebook, commands = await shown()
    part.rules.propose(RULE)
    await settled(commands)
    assert rulebook.saved == []
    form = part.findChild(RuleForm)
    assert form is not None
    assert form.windowTitle() == "New rule", "it is not there yet"
    save = next(b for b in part.findChildren(QPushButton, "rule.save") if b.isVisible())
    qtbot.mouseClick(save, Qt.MouseButton.LeftButton)
    await settled(commands)
    rules, by, why = rulebook.saved[0]
    assert [rule.tool for rule in rules] == ["files_write"]
    assert (by, why) == ("ana", "reports are ours")


async def test_an_earlier_version_is_put_back_with_one_click(shown: Shown, qtbot: QtBot, settled: Settle) -> None:
    part, rulebook, commands = await shown()
    back = part.findChild(QPushButton, "settings.rules.put_back.4")
    assert back is not None
    qtbot.mouseClick(back, Qt.MouseButton.LeftButton)
    await settled(commands)
    assert rulebook.put == [(4, "ana")]
    assert part.findChild(QPushButton, "settings.rules.put_back.9") is None, "the newest holds already"


@pytest.mark.parametrize(
    ("verdict", "given", "said", "doubtful"),
    [
        (GateVerdict.ALLOW, 0, "matched 6 calls and would have allowed none of them", False),
        (GateVerdict.ALLOW, 6, "would have allowed 6, of which people refused 1 and edited 2", True),
        (GateVerdict.ASK, 6, "would have asked about 6", False),
        (GateVerdict.DENY, 0, "matched 6 calls and would have denied none of them", False),
        (GateVerdict.DENY, 6, "would have denied 6, of which people approved 3 and edited 2", True),
    ],
)
def test_each_verdict_is_held_against_what_people_said(
    verdict: GateVerdict, given: int, said: str, doubtful: bool
) -> None:
    yes, no, changed = (3, 1, 2) if given else (0, 0, 0)
    effect = RuleEffect(text="x", verdict=verdict, matched=6, given=given, approved=yes, refused=no, edited=changed)
    assert (effect_words(effect), is_doubtful(effect)) == (said, doubtful)


async def test_a_rule_is_tried_on_history_while_it_is_made(shown: Shown, qtbot: QtBot) -> None:
    part, _book, _commands = await shown()
    qtbot.mouseClick(part.rules.add, Qt.MouseButton.LeftButton)
    form = part.findChild(RuleForm)
    assert isinstance(form, RuleForm)
    assert form.tried.text() == "Trying it on the last 30 days…"
    await eventually(lambda: "would have allowed 37, of which people refused 2" in form.tried.text())
    assert "Shadowed" in form.tried.text()
    qtbot.keyClicks(form.expires, "nonsense")
    assert form.tried.text() == ""
    assert not form.save.isEnabled()


async def test_each_rule_says_who_saved_it_and_when(shown: Shown) -> None:
    part, book, _commands = await shown()
    await book.save([RULE], "ana", "reports")
    part.changed("rules")
    saved = RulesVersion(seq=9, at=NOW, by="ana", why="reports", rules=[RULE], added=[rule_text(RULE)], removed=[])
    part.rules.show_origins([saved])
    model = part.rules.table.model()
    titles = [model.headerData(place, Qt.Orientation.Horizontal) for place in range(model.columnCount())]
    assert str(model.index(0, titles.index("Saved by")).data()).startswith("ana, ")
    part.rules.show_origins([])
    assert model.index(0, titles.index("Saved by")).data() == "in the file"


async def test_what_is_odd_stands_beside_the_rule_that_it_is_about(shown: Shown, settled: Settle) -> None:
    part, book, commands = await shown()
    await book.save([RULE], "ana", "reports")
    part.changed("rules")
    await settled(commands)
    workbench = part.workbench
    assert workbench is not None
    about = "Shadowed: deny files_write comes first in gravity"
    line = next(label.parentWidget() for label in workbench.findChildren(QLabel) if label.text() == about)
    assert rule_text(RULE) in words_in(line)
