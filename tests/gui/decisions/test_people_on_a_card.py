"""Cards that more than one person, or the agent, has had in hand: what they show, and who can still say yes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from agent_core.model.action import Source
from agent_core.model.intents import OpenProposal
from agent_core.model.proposal import AgentAnswer, ArgumentOrigin, Escalation, FirstApproval
from tests.gui.decisions.conftest import Bench
from tests.gui.widgets.conftest import VirtualClock
from tests.support.sample_cards import NOW, card, entry
from ui.commands import Commands

Settle = Callable[[Commands], Awaitable[None]]
BEFORE = NOW - timedelta(minutes=2)


@pytest.fixture
def showing(qtbot: QtBot, clock: VirtualClock, settled: Settle) -> Callable[..., Awaitable[Bench]]:
    async def show(**changes: Any) -> Bench:
        return await _shown(Bench(qtbot, clock, settled, [entry(card(1, **changes))]))

    return show


async def _shown(desk: Bench) -> Bench:
    await desk.show()
    return desk


def words_on(desk: Bench) -> str:
    return "\n".join(label.text() for label in desk.panel.findChildren(QLabel) if not label.isHidden())


def enabled(desk: Bench, names: Sequence[str]) -> list[bool]:
    return [desk.button(name).isEnabled() for name in names]


async def test_a_card_passed_on_can_be_refused_but_not_approved_by_others(
    showing: Callable[..., Awaitable[Bench]],
) -> None:
    desk = await showing(escalation=Escalation(to="finance-lead", by="ana", at=BEFORE, note="look at the tax"))
    assert enabled(desk, ["card.approve", "card.reject"]) == [False, True]
    assert "With finance-lead, passed on by ana" in words_on(desk)
    assert "look at the tax" in words_on(desk)


@pytest.mark.parametrize("name", ["ana", "Ana", "ａｎａ"])
async def test_whom_it_was_passed_to_can_approve(showing: Callable[..., Awaitable[Bench]], name: str) -> None:
    desk = await showing(escalation=Escalation(to=name, by="ben", at=BEFORE))
    assert enabled(desk, ["card.approve"]) == [True]


@pytest.mark.parametrize("name", ["ana", "Ana", "ａｎａ"])
async def test_the_first_of_two_approvers_cannot_be_the_second(
    showing: Callable[..., Awaitable[Bench]], name: str
) -> None:
    desk = await showing(people=2, first_approval=FirstApproval(decision="d-1", by=name, at=BEFORE))
    assert enabled(desk, ["card.approve"]) == [False]
    assert f"{name} approved at" in words_on(desk)
    desk.panel.card.setFocus()
    await desk.chord()
    assert desk.verdicts == []


async def test_another_person_gives_the_second_approval(showing: Callable[..., Awaitable[Bench]]) -> None:
    desk = await showing(people=2, first_approval=FirstApproval(decision="d-1", by="ben", at=BEFORE))
    await desk.click("card.approve")
    assert desk.verdicts == ["approve"]


async def test_a_question_to_the_agent_comes_back_with_what_it_read(showing: Callable[..., Awaitable[Bench]]) -> None:
    answer = AgentAnswer(
        decision="d-1",
        question="Why 412 and not 398?",
        asked_by="ana",
        answer="Two units at 206.00 each.",
        answered_at=BEFORE,
        evidence=[Source(name="receipts/GR-5521.txt")],
    )
    desk = await showing(answers=[answer], changed=["The agent answered a question."])
    shown = words_on(desk)
    for words in ("Why 412 and not 398?", "Two units at 206.00 each.", "receipts/GR-5521.txt", "This card has changed"):
        assert words in shown


async def test_asking_the_agent_sends_the_question_and_leaves_the_card_open(
    showing: Callable[..., Awaitable[Bench]],
) -> None:
    desk = await showing()
    desk.panel.card.setFocus()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_Q)
    form = desk.panel.card.footer.form
    assert form is not None
    field = form.first_field()
    assert field is not None
    desk.qtbot.keyClicks(field, "which invoice?")
    await desk.settle(desk.commands)
    desk.open_lock()
    await desk.click("card.confirm")
    assert desk.verdicts == ["ask"]
    assert desk.desk.decisions[0].reason == "which invoice?"
    assert desk.panel.chosen == "p-1"


async def test_a_value_that_only_a_page_from_outside_names_is_said_so_and_leads_to_the_trace(
    showing: Callable[..., Awaitable[Bench]],
) -> None:
    origin = ArgumentOrigin(
        argument="to",
        value="x@evil.example",
        kind="result",
        name="http_get page (step 2)",
        call_id="c-9",
        untrusted=True,
    )
    desk = await showing(origins=[origin])
    asked: list[tuple[str, str]] = []
    desk.panel.card.origin_wanted.connect(lambda *call: asked.append(call))
    assert "only from outside" in words_on(desk)
    links = [b for b in desk.panel.card.findChildren(QPushButton) if "http_get page" in b.text()]
    links[0].click()
    assert asked == [(desk.panel.card.entry.proposal.session, "c-9")]  # type: ignore[union-attr]


async def test_the_queue_says_with_whom_a_card_is(qtbot: QtBot, clock: VirtualClock, settled: Settle) -> None:
    passed = entry(card(1, escalation=Escalation(to="finance-lead", by="ana", at=BEFORE)))
    asked: OpenProposal = entry(card(2), with_agent=True)
    desk = await _shown(Bench(qtbot, clock, settled, [passed, asked]))
    names = [row.accessibleName() for row in desk.panel.queue.rows if row.isVisible()]
    assert "with finance-lead" in names[0]
    assert "with agent" in names[1]


async def test_a_flood_offers_to_pause_all_agents(showing: Callable[..., Awaitable[Bench]]) -> None:
    desk = await showing()
    asked: list[bool] = []
    desk.panel.pause_all_wanted.connect(lambda: asked.append(True))
    desk.panel.show_load(3, flooded=False)
    assert "Decision flood" not in words_on(desk) or not desk.button("decisions.pause_all").isVisible()
    desk.panel.show_load(12, flooded=True)
    await desk.settle(desk.commands)
    await desk.click("decisions.pause_all")
    assert asked == [True]
    assert desk.verdicts == []


def changed_by(name: str) -> FirstApproval:
    given = {"path": "reports/october.md", "content": "# October\n", "copies": 3}
    return FirstApproval(decision="d-1", by=name, at=BEFORE, arguments=given, changes=["copies: 2 → 3"])


async def test_what_the_first_person_changed_is_said_and_the_second_can_approve_it(
    showing: Callable[..., Awaitable[Bench]],
) -> None:
    desk = await showing(people=2, first_approval=changed_by("ben"))
    assert "ben changed and approved this" in words_on(desk)
    assert "Changed: copies: 2 → 3." in words_on(desk)
    assert enabled(desk, ["card.approve", "card.modify", "card.reject"]) == [True, True, True]


async def test_whoever_changed_it_waits_for_the_other(showing: Callable[..., Awaitable[Bench]]) -> None:
    desk = await showing(people=2, first_approval=changed_by(" Ana"))
    assert enabled(desk, ["card.approve", "card.reject"]) == [False, True]
    assert "a second person is needed" in words_on(desk)
