"""The settings, by real mouse and keys: saved at once, refused in a sentence, and never at odds with the file."""

from __future__ import annotations

from decimal import Decimal

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QWidget

from agent_core.config.settings_list import SETTINGS, Page
from agent_core.model.budget import Limits
from tests.gui.settings.conftest import SettingsBench
from tests.support.sample_summaries import summary
from ui.views.settings.budgets import BudgetsPart, LimitLine
from ui.views.settings.page import ENTRIES
from ui.widgets.checks import Toggle


async def test_every_declared_setting_has_its_editor(bench: SettingsBench) -> None:
    page = await bench.open()
    for part in Page:
        await bench.show(part.value)

    for setting in SETTINGS:
        named = [w for w in page.findChildren(QWidget) if w.objectName().startswith(f"settings.{setting.key}")]
        assert named, setting.key
        assert all(widget.accessibleName() for widget in named if widget.focusPolicy()), setting.key


class StrayWindows(QObject):
    """Sees every widget that shows as a window of its own, be it for a moment: it would take the focus."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[QObject] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(watched)
        return False


async def test_making_a_page_never_flashes_a_window(bench: SettingsBench) -> None:
    page = await bench.open()
    stray = StrayWindows()
    QApplication.instance().installEventFilter(stray)  # type: ignore[union-attr]

    for entry in ENTRIES:
        await bench.show(entry.part)

    QApplication.instance().removeEventFilter(stray)  # type: ignore[union-attr]
    assert stray.seen == []
    assert page.isActiveWindow()


async def test_arrows_go_through_the_pages(bench: SettingsBench) -> None:
    page = await bench.open()
    page.nav.setFocus()

    for entry in ENTRIES[1:]:
        bench.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
        assert page.part == entry.part
    bench.qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Up)

    assert page.part == ENTRIES[-2].part


async def test_a_click_shows_a_page(bench: SettingsBench) -> None:
    page = await bench.open()

    bench.click("nav.policies")

    assert page.part == "policies"


async def test_a_switch_is_saved_at_once(bench: SettingsBench) -> None:
    await bench.open()

    bench.click("general.hold_alternative")

    assert bench.saved()["general.hold_alternative"] is True
    bench.qtbot.keyClick(bench.find("general.hold_alternative"), Qt.Key.Key_Space)
    assert bench.saved()["general.hold_alternative"] is False


async def test_a_choice_is_saved_at_once(bench: SettingsBench) -> None:
    await bench.open()
    choices = bench.find("general.theme")
    assert isinstance(choices, QComboBox)

    choices.setFocus()
    bench.qtbot.keyClick(choices, Qt.Key.Key_End)

    assert choices.currentText() == "Dark"
    assert bench.saved()["general.theme"] == "dark"


async def test_the_text_size_goes_in_steps_and_stops_at_its_ends(bench: SettingsBench) -> None:
    await bench.open()

    for _ in range(7):
        bench.click("general.scale.more")

    assert bench.saved()["general.scale"] == 150
    assert not bench.find("general.scale.more").isEnabled()
    bench.click("general.scale.less")
    assert bench.saved()["general.scale"] == 140


async def test_what_cannot_be_saved_is_said_and_stays_as_typed(bench: SettingsBench) -> None:
    await bench.open()

    bench.type("general.scale", "400")

    field = bench.find("general.scale")
    assert isinstance(field, QLineEdit)
    assert "Text size must be a whole number from 90 to 150" in bench.said()
    assert field.text() == "400"
    assert bench.saved()["general.scale"] == 100
    bench.qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "100"
    assert "must be a whole number" not in bench.said()


async def test_leaving_a_field_saves_it(bench: SettingsBench) -> None:
    await bench.open("policies")

    bench.type("policies.confidence", "90 %", enter=False)
    bench.qtbot.keyClick(bench.find("policies.confidence"), Qt.Key.Key_Tab)

    assert bench.saved()["policies.confidence"] == 0.9


async def test_lists_are_saved_as_lists(bench: SettingsBench) -> None:
    await bench.open("policies")

    bench.type("policies.operators", "ana, ben")
    bench.click("policies.require_console.irreversible")

    assert bench.saved()["policies.operators"] == ["ana", "ben"]
    assert bench.saved()["policies.require_console"] == ["irreversible"]


async def test_escalation_needs_somebody_first(bench: SettingsBench) -> None:
    await bench.open("policies")
    choices = bench.find("policies.on_deadline")
    assert isinstance(choices, QComboBox)
    choices.setFocus()

    bench.qtbot.keyClick(choices, Qt.Key.Key_Down)

    assert "can only escalate once escalate_to" in bench.said()
    assert choices.currentText() == "The call is cancelled"
    bench.type("policies.escalate_to", "finance-lead")
    choices.setFocus()
    bench.qtbot.keyClick(choices, Qt.Key.Key_Down)
    assert bench.saved()["policies.on_deadline"] == "escalate"
    bench.type("policies.escalate_to", "")
    assert bench.saved()["policies.escalate_to"] == "finance-lead"


async def test_budgets_show_what_runs_usually_take(bench: SettingsBench) -> None:
    bench.sessions = [summary(n, steps=n, cost="0.10") for n in range(1, 21)]
    page = await bench.open("budgets")

    part = page.findChild(BudgetsPart)
    assert isinstance(part, BudgetsPart)
    steps = part.rows["budgets.steps"]
    assert isinstance(steps, LimitLine)
    assert (steps.typical.text(), steps.high.text()) == ("10", "19")
    assert "Measured from 20 completed runs" in bench.said()


async def test_a_hard_stop_is_edited_in_the_table(bench: SettingsBench) -> None:
    await bench.open("budgets")

    bench.type("budgets.day_limit_usd", "$20")
    bench.type("budgets.tokens", "600k")
    bench.type("budgets.steps", "none")

    saved = bench.saved()
    assert (saved["budgets.day_limit_usd"], saved["budgets.tokens"]) == (Decimal(20), 600_000)
    assert "Steps must be a whole number" in bench.said()
    bench.type("budgets.day_limit_usd", "")
    assert bench.saved()["budgets.day_limit_usd"] is None


async def test_a_suggestion_from_the_chosen_agents_runs_is_taken_with_one_click(bench: SettingsBench) -> None:
    bench.sessions = [summary(n, steps=n, agent="clerk") for n in range(1, 21)]
    bench.records.suggestions = {None: Limits(steps=24, cost_usd=None), "clerk": Limits(steps=12, cost_usd=None)}
    await bench.open("budgets")
    bench.click("budgets.steps.suggested")
    assert bench.saved()["budgets.steps"] == 24

    agents = bench.find("budgets.agent")
    agents.setFocus()
    bench.qtbot.keyClick(agents, Qt.Key.Key_Down)
    await bench.settle()
    bench.click("budgets.steps.suggested")
    assert bench.saved()["budgets.steps"] == 12
    assert not bench.find("budgets.cost_usd.suggested").isEnabled(), "nothing is suggested where nothing is known"


async def test_each_change_of_a_budget_is_recorded_with_who_and_why(bench: SettingsBench) -> None:
    await bench.open("budgets")
    bench.type("budgets.why", "Quarter end", enter=False)
    bench.type("budgets.day_limit_usd", "$20")
    bench.type("budgets.day_limit_usd", "$25")
    then = bench.find("budgets.steps_then")
    then.setFocus()
    bench.qtbot.keyClick(then, Qt.Key.Key_Down)
    await bench.settle()

    told = [(one.key, one.old, one.new, one.by, one.why) for one in bench.records.noted]
    assert told == [
        ("budgets.steps_then", "ask", "finish", "ana", "Quarter end"),
        ("budgets.day_limit_usd", "$20.00", "$25.00", "ana", "Quarter end"),
        ("budgets.day_limit_usd", "", "$20.00", "ana", "Quarter end"),
    ]
    assert bench.saved()["budgets.steps_then"] == "finish"
    assert "At the limit of steps: Ask me → Stop with partial result, by ana" in bench.said()


async def test_the_reason_of_a_budget_stands_before_what_is_saved_at_once(bench: SettingsBench) -> None:
    page = await bench.open("budgets")
    why, steps = bench.find("budgets.why"), bench.find("budgets.steps")
    assert why.mapTo(page, why.rect().topLeft()).y() < steps.mapTo(page, steps.rect().topLeft()).y()


@pytest.mark.parametrize("typed", ["nan", "-1", "inf", "1e999", "½", "abc", "$"])
@pytest.mark.parametrize("key", ["day_limit_usd", "tree_cost_usd", "cost_usd", "steps", "tokens", "seconds"])
async def test_no_budget_takes_nonsense(bench: SettingsBench, key: str, typed: str) -> None:
    await bench.open("budgets")
    before = bench.saved().values
    bench.type(f"budgets.{key}", typed)

    assert bench.saved().values == before
    assert "must be" in bench.said()
    assert bench.records.noted == []


async def test_a_change_by_hand_is_there_when_the_window_comes_back(bench: SettingsBench) -> None:
    page = await bench.open()
    bench.home.settings.write_text("[general]\nhold_alternative = true\nscale = 120\n")

    QApplication.sendEvent(page, QEvent(QEvent.Type.ActivationChange))

    toggle, field = bench.find("general.hold_alternative"), bench.find("general.scale")
    assert isinstance(toggle, Toggle)
    assert isinstance(field, QLineEdit)
    assert toggle.isChecked()
    assert field.text() == "120"


async def test_a_torn_file_is_said_kept_and_never_written_over(bench: SettingsBench) -> None:
    torn = "[general]\nhold_alternative = tru"
    bench.home.settings.write_text(torn)
    page = await bench.open()

    assert "settings.toml line 2" in page.problem.text()
    assert page.problem.isVisible()
    bench.click("general.hold_alternative")

    toggle = bench.find("general.hold_alternative")
    assert isinstance(toggle, Toggle)
    assert not toggle.isChecked()
    assert bench.home.settings.read_text() == torn

    bench.home.settings.write_text("[general]\nscale = 120\n")
    bench.click("read_again")
    assert not page.problem.isVisible()
    bench.click("general.hold_alternative")
    assert bench.saved()["general.hold_alternative"] is True


async def test_a_file_that_is_torn_later_leaves_what_was_in_force(bench: SettingsBench) -> None:
    page = await bench.open()
    bench.click("general.hold_alternative")
    bench.home.settings.write_text("[genral]\n")

    page.reload()

    assert 'did you mean "general"?' in page.problem.text()
    assert bench.settings["general.hold_alternative"] is True


async def test_typing_is_not_lost_to_a_change_by_hand(bench: SettingsBench) -> None:
    page = await bench.open()
    bench.type("general.scale", "13", enter=False)
    bench.home.settings.write_text("[general]\nscale = 120\n")

    page.reload()

    field = bench.find("general.scale")
    assert isinstance(field, QLineEdit)
    assert field.text() == "13"


async def test_data_and_shortcuts_tell_what_there_is(bench: SettingsBench) -> None:
    page = await bench.open("data")
    assert "Sessions and decisions" in bench.said()

    await bench.show("shortcuts")

    table = page.findChild(QWidget, "settings.shortcuts")
    assert table is not None
    assert table.accessibleName() == "Shortcuts"


@pytest.mark.parametrize("scale", [100, 150])
@pytest.mark.parametrize("part", [entry.part for entry in ENTRIES])
async def test_no_page_is_wider_than_the_smallest_window(
    bench: SettingsBench, kit_theme: object, part: str, scale: int
) -> None:
    kit_theme.set_scale(scale)  # type: ignore[attr-defined]
    page = await bench.open(part)

    page.resize(round(1048 * max(1.0, scale / 100 * 0.9)), 600)

    shown = page._parts[part]
    content = shown.body.parentWidget()
    assert content is not None
    assert content.minimumSizeHint().width() <= shown.width()
