"""The rulebook of a home: tried out over history, saved with who and why, shown by versions, and put back."""

import asyncio
import threading

import pytest

from agent_core.config.profile import Rule
from agent_core.config.rule_trials import Fault
from agent_core.model import state as states
from agent_core.model.action import GateVerdict
from agent_core.model.errors import InputError
from agent_core.model.events import Event
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, turn

WRITES = turn(*(call("files_write", path=f"reports/{name}.md", content=name) for name in "abc"))
DONE = turn(text="understood")
REPORTS = Rule(tool="files_write", verdict=GateVerdict.ALLOW, when={"path": "reports/**"})


async def test_a_draft_says_what_it_would_have_allowed_that_people_refused(make_lab: MakeLab) -> None:
    lab = make_lab(WRITES, DONE)
    harness = await lab.open()
    await lab.start(harness)
    for card, verdict in zip(await lab.cards(harness), ("approve", "approve", "reject"), strict=True):
        await lab.decide(harness, card.proposal, verdict, reason="so")

    tried = await harness.rulebook.simulate([REPORTS])

    (effect,) = tried.rules
    assert (effect.given, effect.refused) == (3, 1)
    assert (tried.newly_allowed, tried.newly_allowed_refused) == (3, 1)
    assert (await harness.rulebook.rules()) == []
    lab.clock.advance(31 * 24 * 3600)
    assert (await harness.rulebook.simulate([REPORTS])).calls == 0


async def test_a_decision_suggests_a_rule_with_its_exact_words_and_saves_nothing(make_lab: MakeLab) -> None:
    lab = make_lab(WRITES, DONE)
    harness = await lab.open()
    await lab.start(harness)
    card = (await lab.cards(harness))[0]
    await lab.decide(harness, card.proposal, "approve")

    draft = await harness.rulebook.from_decision(card.proposal)

    assert draft.rule.when == {"path": card.arguments["path"]}
    assert card.arguments["path"] in draft.text
    assert (draft.effect.given, draft.findings) == (1, [])
    assert await harness.rulebook.rules() == []


async def test_rules_are_saved_with_who_and_why_and_put_back(make_lab: MakeLab) -> None:
    lab = make_lab()
    harness = await lab.open()
    await harness.rulebook.save([REPORTS], "bar", "Reports are harmless")
    await harness.rulebook.save([], "dana", "They are not")

    newest, middle, oldest = await harness.rulebook.versions()

    assert (newest.by, newest.why, newest.added, len(newest.removed)) == ("dana", "They are not", [], 1)
    assert (middle.by, middle.rules[0].when, oldest.rules) == ("bar", REPORTS.when, [])
    await harness.rulebook.put_back(middle.seq, "bar")
    assert [rule.when for rule in await harness.rulebook.rules()] == [REPORTS.when]
    assert all(finding.ok for finding in await harness.reader.verify())


async def test_a_change_without_a_reason_or_of_an_unknown_version_changes_nothing(make_lab: MakeLab) -> None:
    harness = await make_lab().open()
    with pytest.raises(InputError, match="why"):
        await harness.rulebook.save([REPORTS], "bar", " ")
    with pytest.raises(InputError, match="no version 7"):
        await harness.rulebook.put_back(7, "bar")
    assert (await harness.rulebook.rules(), await harness.rulebook.versions()) == ([], [])


async def test_lint_knows_the_tools_of_the_home(make_lab: MakeLab) -> None:
    harness = await make_lab().open()
    mail = Rule(tool="email_send", verdict=GateVerdict.ALLOW)
    assert [one.fault for one in await harness.rulebook.lint([REPORTS, mail])] == [Fault.NEVER]


async def test_no_rule_is_made_from_a_card_whose_call_the_gate_never_asks_about(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("ask_operator", question="Which one?")), DONE)
    harness = await lab.open()
    await lab.start(harness)
    card = (await lab.cards(harness))[0]

    with pytest.raises(InputError, match="carries no call that changes anything"):
        await harness.rulebook.from_decision(card.proposal)


async def test_the_window_goes_on_while_history_is_read(make_lab: MakeLab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = make_lab(WRITES, DONE)
    harness = await lab.open()
    await lab.start(harness)
    begun, told, advance = threading.Event(), threading.Event(), states.advance

    def advance_once_told(state: states.SessionState, event: Event) -> None:
        begun.set()
        assert told.wait(5), "the loop stands still"
        advance(state, event)

    monkeypatch.setattr(states, "advance", advance_once_told)
    reading = asyncio.ensure_future(harness.rulebook.history())
    await asyncio.to_thread(begun.wait, 5)
    told.set()

    assert len(await reading) == 3
