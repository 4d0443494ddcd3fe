"""Practice: a known-bad card by way of the palette, refused by hand, and counted where people see how they decide."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from agent_core.model.audit import AuditQuery
from agent_core.model.events import CallStarted
from tests.gui.console.opened import OpenConsole
from ui.models.audit_table import story
from ui.models.card_buttons import buttons_for


async def test_a_drill_that_is_refused_counts_as_caught_and_nothing_runs(
    opened: Callable[[], Awaitable[OpenConsole]],
) -> None:
    console = await opened()
    console.desk.show_page("settings")
    console.desk.window.actions_by_id["drill"].trigger()
    await console.card("")
    await console.until(console.desk.cards.panel.isVisible, "the card is shown on the console")
    drill = console.desk.state.queue[0].proposal
    session = drill.session
    assert buttons_for(drill).hint == "a drill: nothing runs"
    await console.click("card.reject")
    text = await console.find(QLineEdit, "card.form.text")
    assert isinstance(text, QLineEdit)
    console.qtbot.keyClicks(text, "that is not what was asked for")
    await console.click("card.confirm")
    await console.until(lambda: not console.desk.state.queue, "the card is decided")

    toast = console.desk.window.toast
    assert toast is not None
    await console.until(toast.isVisible, "what there was to see is told")
    told = toast.accessibleName()
    (entry,) = (await console.harness.records.audit(AuditQuery())).entries
    report = await console.harness.records.calibration()
    console.qtbot.keyClick(console.desk.window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    events = console.harness.house.journal.read_now(session)
    await console.close()

    assert [(one.who, one.drills, one.caught) for one in report.operators] == [("ana", 1, 1)]
    assert not any(isinstance(event.data, CallStarted) for event in events)
    assert entry.lesson
    assert told == f"A drill, caught. {entry.lesson}"
    assert ("eye", told) in story(entry)
