"""The decisions panel when nothing waits: what it says of agents and past decisions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QLabel

from agent_core.model.proposal import Verdict
from agent_core.model.run import SessionStatus
from tests.gui.decisions.conftest import Bench
from tests.support.sample_audit import decided
from tests.support.sample_audit import entry as audit_entry
from tests.support.sample_cards import card
from tests.support.sample_summaries import summary


async def test_the_panel_says_when_nothing_needs_a_person(bench: Callable[..., Bench]) -> None:
    desk = bench()
    desk.panel.show()
    said = [label for label in desk.panel.findChildren(QLabel) if label.text() == "Nothing needs you"]
    assert not any(label.isVisible() for label in said), "nothing is said before the cards are read"
    await desk.show()
    assert not desk.panel.card.isVisible()
    assert all(label.isVisible() for label in said)


async def test_the_empty_panel_says_how_many_agents_work_as_they_come_and_go(bench: Callable[..., Bench]) -> None:
    desk = bench()
    await desk.show()

    def said(words: str) -> bool:
        return any(label.text() == words for label in desk.panel.findChildren(QLabel))

    assert said("No agent is working.")
    desk.state.sessions["s-1"] = summary(1, status=SessionStatus.RUNNING, stop_reason=None)
    desk.state.sessions_changed.emit()
    assert said("1 agent is working.")


async def test_the_empty_panel_tells_what_i_decided_last_and_how_my_week_was(bench: Callable[..., Bench]) -> None:
    desk = bench(card(1))
    refused = audit_entry(2, Verdict.REJECT, title="Delete 14 files")
    taken_back = audit_entry(3, None, title="Taken back", decisions=[decided(undone=True)])
    desk.records.entries = [audit_entry(1), refused, taken_back]
    await desk.show()
    await desk.click("card.approve")
    await desk.refresh()

    said = [label.text() for label in desk.panel.nothing.findChildren(QLabel) if label.isVisible()]
    assert "Approved: Send an e-mail to 3 recipients" in said
    assert "Rejected: Delete 14 files" in said
    assert not any("Taken back" in words for words in said)
    assert "40 decided, 4 rejected, 4 edited" in said
    assert (desk.records.queries[-1].operators, desk.records.queries[-1].limit) == (["ana"], 6)
    opened: list[bool] = []
    desk.panel.nothing.audit_wanted.connect(lambda: opened.append(True))
    await desk.click("decisions.audit")
    assert opened == [True]
