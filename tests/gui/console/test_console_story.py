"""The whole console on the real engine: only the model is scripted and the clock jumps. Mouse and keys do the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from agent_core.model.audit import AuditQuery
from agent_core.model.events import CallStarted, DecisionMade
from agent_core.model.proposal import Via
from console.deciding import FromFile, intent
from console.demo_room import find_story
from tests.gui.console.opened import OpenConsole, begin
from ui.widgets.field import TextArea


async def test_an_operator_approves_modifies_and_refuses_and_the_session_survives_a_quit(
    opened: Callable[[], object],
) -> None:
    console = await opened()  # type: ignore[misc]
    session = await begin(console)

    await console.card("Edit ledger.csv")
    first = console.desk.cards.panel.chosen
    await console.click("card.approve")
    await console.until(lambda: console.desk.cards.panel.chosen not in ("", first), "the next card comes")
    await console.close()

    console = await opened()  # type: ignore[misc]
    await console.card("Edit ledger.csv")
    await console.click("card.modify")
    field = await console.find(QWidget, "card.form.argument.new")
    field.setFocus()
    if isinstance(field, QPlainTextEdit):
        field.setPlainText(field.toPlainText().replace("890.00", "980.00"))
    elif isinstance(field, QLineEdit):
        field.setText(field.text().replace("890.00", "980.00"))
    form = console.desk.cards.panel.card.footer.form
    assert form is not None
    await console.until(lambda: not form.problem(), "the edit was tried")
    console.qtbot.keyClick(field, Qt.Key.Key_Tab)  # out of the text: V goes through what the edit would change
    await console.click("card.confirm")

    await console.card("Send an e-mail")
    await console.click("card.reject")
    text = await console.find(QLineEdit, "card.form.text")
    console.qtbot.keyClicks(text, "not before Monday")
    await console.click("card.confirm")
    await console.until(lambda: len(await_events(console, session)) == 3, "three decisions")
    await console.close()

    decisions = await_events(console, session)
    assert [d.verdict for d in decisions] == ["approve", "modify", "reject"]
    assert {d.by for d in decisions} == {"ana"}
    started = [e.data for e in console.harness.house.journal.read_now(session) if isinstance(e.data, CallStarted)]
    assert len({data.call_id for data in started}) == len(started), "nothing ran twice"


def await_events(console: OpenConsole, session: str) -> list[DecisionMade]:
    return [e.data for e in console.harness.house.journal.read_now(session) if isinstance(e.data, DecisionMade)]


async def test_what_cannot_be_undone_is_approved_on_its_own_page(opened: Callable[[], object]) -> None:
    console = await opened()  # type: ignore[misc]
    await begin(console)
    while True:
        await console.card("")
        entry = console.desk.cards.panel.card.entry
        if entry is not None and entry.proposal.summary.startswith("Send an e-mail"):
            break
        chosen = console.desk.cards.panel.chosen
        await console.click("card.approve")
        await console.until(lambda before=chosen: console.desk.cards.panel.chosen not in ("", before), "the next card")
    await console.click("card.approve")
    await hold_with_figure(console, "1")
    await console.close()


async def hold_with_figure(console: OpenConsole, written: str) -> None:
    """Look at everything on the page of its own, type the figure, and hold the button."""
    assert console.desk.cards.reviewing
    footer = console.desk.cards.review.footer
    await console.until(lambda: all(part.seen() for part in footer.parts), "everything was on screen")
    figure = await console.find(QLineEdit, "review.figure")
    hold = await console.find(QPushButton, "review.hold")
    console.qtbot.keyClicks(figure, written)
    assert hold.isEnabled()
    console.open_lock()
    console.qtbot.mousePress(hold, Qt.MouseButton.LeftButton)
    console.lock.advance(1.3)
    hold.refresh()  # type: ignore[attr-defined]
    await console.until(lambda: not console.desk.cards.reviewing, "the page closes after the decision")


async def test_a_payment_without_an_answer_is_checked_again_and_settled_by_a_persons_word(
    opened: Callable[[], object],
) -> None:
    console = await opened()  # type: ignore[misc]
    session = await begin(console, "desk")
    await answered_until(console, "Pay 846.40 euros")
    await console.click("card.approve")
    await hold_with_figure(console, "846.40")

    await console.card("Did it happen? Pay 846.40 euros")
    card = console.desk.cards.panel.card
    assert not [button for button in card.findChildren(QPushButton) if "approve" in button.objectName()]
    await console.click("card.check_again")
    await console.until(lambda: [d.verdict for d in await_events(console, session)][-1] == "check_again", "checked")
    await console.card("Did it happen? Pay 846.40 euros")
    await console.click("card.happened")
    console.qtbot.keyClicks(await console.find(QLineEdit, "card.form.text"), "order 4471 is booked")
    await console.click("card.confirm")
    await console.card("The agent repeats itself")

    (paid,) = [e for e in console.harness.house.journal.read_now(session) if is_payment(e.data)]
    assert paid.data.attempt == 1, "it ran once"
    await console.close()


async def answered_until(console: OpenConsole, words: str) -> None:
    """The story's own operator answers, until the card with these words is on the desk."""
    operator = FromFile(find_story("desk").operator())
    while True:
        await console.until(lambda: bool(console.desk.state.queue), "a card")
        (entry,) = await console.harness.desk.open_proposals()
        if words in entry.proposal.summary:
            return await console.card(words)
        reply = await operator.reply(entry.proposal, console.harness.house.clock.now())
        assert reply is not None
        await console.harness.desk.decide(intent(entry.proposal.proposal, reply, by="ana", via=Via.FILE))
        await console.harness.supervisor.wait(entry.proposal.session)


def is_payment(data: object) -> bool:
    return isinstance(data, CallStarted) and data.tool == "bank_pay"


async def test_closing_the_window_pauses_what_runs_and_keeps_the_card(opened: Callable[[], object]) -> None:
    console = await opened()  # type: ignore[misc]
    session = await begin(console)
    await console.card("Edit ledger.csv")
    before = console.desk.cards.panel.chosen
    asked: list[bool] = []
    console.desk.quit_wanted.connect(lambda: asked.append(True))
    console.desk.window.close()
    assert asked == [True]
    assert console.desk.window.isVisible(), "the window waits for the agents"
    await console.close()

    console = await opened()  # type: ignore[misc]
    await console.card("Edit ledger.csv")
    assert console.desk.cards.panel.chosen == before
    assert console.desk.state.current == session
    await console.close()


async def test_no_dialog_blocks_the_agents(opened: Callable[[], object], qapp: QApplication) -> None:
    console = await opened()  # type: ignore[misc]
    await begin(console)
    await console.card("Edit ledger.csv")
    for open_dialog in (
        console.desk.dialogs.open_palette,
        console.desk.dialogs.open_new_run,
        console.desk.show_shortcuts,
    ):
        open_dialog()
        ticks = 0
        for _ in range(5):
            await asyncio.sleep(0)
            ticks += 1
        assert ticks == 5
        for dialog in [w for w in qapp.topLevelWidgets() if w.isVisible() and w is not console.desk.window]:
            dialog.close()
    await console.close()


async def test_where_a_value_came_from_is_shown_in_the_session_of_its_card(opened: Callable[[], object]) -> None:
    console = await opened()  # type: ignore[misc]
    first = await begin(console)
    await console.card("Edit ledger.csv")
    (held,) = [card.proposal for card in console.desk.state.queue]
    second = await begin(console)
    trace = console.desk.session.trace
    await console.until(lambda: len(console.desk.state.queue) == 2, "both sessions hold a card")
    assert console.desk.state.current == second

    console.desk.cards.panel.card.origin_wanted.emit(first, held.call_id)

    await console.until(lambda: console.desk.state.current == first, "its session is shown")
    await console.until(lambda: trace.list.current == trace.list.model.row_of_step(held.step), "its step is chosen")
    await console.close()


async def test_exports_lie_where_the_person_said(opened: Callable[[], object], tmp_path: Path) -> None:
    console = await opened()  # type: ignore[misc]
    await begin(console)
    await console.card("Edit ledger.csv")
    for name, ask in (
        ("session.jsonl", console.desk.dialogs.session.ask_export),
        ("audit.csv", lambda: console.desk.dialogs.audit.ask_export("csv", AuditQuery())),
        ("card.html", lambda: console.desk.dialogs.audit.ask_record(console.desk.state.queue[0].proposal.proposal)),
    ):
        out = tmp_path / name
        ask()
        path = await console.find(TextArea, "dialog.text")
        path.setPlainText(str(out))
        await console.click("dialog.send")
        await console.until(lambda out=out: out.exists() and out.stat().st_size > 0, f"{name} is written")
    await console.close()
