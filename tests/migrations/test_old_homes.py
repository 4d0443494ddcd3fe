"""Homes as released versions left them, worked by their own engines: each session opens, verifies and resumes."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.intents import SessionQuery
from agent_core.model.proposal import Proposal, Touchpoint
from agent_core.model.run import SessionStatus
from tests.migrations.make_home import WORKSPACE
from tests.migrations.test_migrations import unpack
from tests.support.engine_lab import Lab
from tests.support.history_rules import raw_problems

HOMES = sorted((Path(__file__).parent / "homes").iterdir())
STATUS = {
    "ended": SessionStatus.ENDED,
    "waiting": SessionStatus.AWAITING_DECISION,
    "asking": SessionStatus.AWAITING_DECISION,
    "cut in call": SessionStatus.INTERRUPTED,
    "cut in request": SessionStatus.INTERRUPTED,
}


@pytest.fixture(params=HOMES, ids=lambda path: path.name)
async def lab(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Lab]:
    """A lab on a copy of the old home, an hour later; whatever the model is asked, it says done."""
    made = Lab(tmp_path)
    shutil.copytree(request.param, made.home.data)
    unpack(made.home.data / "pilothouse.sql", made.home)
    made.clock.advance(3600)
    WORKSPACE.mkdir(parents=True, exist_ok=True)
    yield made
    await made.close()


async def opened(lab: Lab) -> tuple[Harness, dict[str, str]]:
    """The home, opened by the operator who left it, and its sessions by their goals."""
    harness = await lab.open(operator="anna")
    return harness, {row.goal: row.session for row in await harness.reader.sessions(SessionQuery())}


async def decide(lab: Lab, harness: Harness, card: Proposal, verdict: str, **more: str) -> None:
    await lab.decide(harness, card.proposal, verdict, by="anna", **more)


async def card_of(lab: Lab, harness: Harness, session: str) -> Proposal:
    (card,) = [card for card in await lab.cards(harness) if card.session == session]
    return card


async def assert_completed(lab: Lab, harness: Harness, session: str) -> None:
    """It ended well, what the model was sent is valid, and every chain and signature holds, old and new."""
    assert (await lab.result(harness, session))["stop_reason"] == "completed"
    assert not raw_problems(lab.model.requests[-1].messages)
    assert all(finding.ok for finding in harness.house.verifier.all_sessions())


def mails(lab: Lab) -> int:
    return len(list(lab.home.outbox.glob("*.eml")))


async def test_an_old_home_opens_and_verifies_with_every_session_as_it_was_left(lab: Lab) -> None:
    harness, _ = await opened(lab)

    rows = await harness.reader.sessions(SessionQuery())
    assert {row.goal: row.status for row in rows} == STATUS
    assert {card.touchpoint for card in await lab.cards(harness)} == {Touchpoint.APPROVAL, Touchpoint.QUESTION}
    findings = harness.house.verifier.all_sessions()
    assert len(findings) == len(STATUS) + 1, "the sessions and the home's own chain"
    assert all(finding.ok for finding in findings), findings


async def test_an_approval_on_an_old_card_runs_exactly_what_the_card_showed(lab: Lab) -> None:
    harness, sessions = await opened(lab)
    card = await card_of(lab, harness, sessions["waiting"])
    before = mails(lab)

    await decide(lab, harness, card, "approve", reason="asked for")
    await lab.resume(harness, sessions["waiting"])

    assert mails(lab) == before + 1, "no fresh card: nothing of meaning changed with the version"
    await assert_completed(lab, harness, sessions["waiting"])


async def test_an_old_question_takes_its_answer(lab: Lab) -> None:
    harness, sessions = await opened(lab)

    await decide(lab, harness, await card_of(lab, harness, sessions["asking"]), "answer", answer="second")
    await lab.resume(harness, sessions["asking"])

    assert "second" in str(lab.model.results())
    await assert_completed(lab, harness, sessions["asking"])


async def test_a_call_cut_by_a_kill_of_the_old_version_is_unknown_and_not_run_again(lab: Lab) -> None:
    harness, sessions = await opened(lab)
    before = mails(lab)

    await lab.resume(harness, sessions["cut in call"])
    card = await card_of(lab, harness, sessions["cut in call"])
    assert card.touchpoint is Touchpoint.OUTCOME_UNKNOWN
    await decide(lab, harness, card, "not_happened")

    assert mails(lab) == before
    await assert_completed(lab, harness, sessions["cut in call"])


async def test_a_request_cut_by_a_kill_of_the_old_version_is_sent_again(lab: Lab) -> None:
    harness, sessions = await opened(lab)

    await lab.resume(harness, sessions["cut in request"])

    requested = await lab.events(harness, sessions["cut in request"], ev.ModelRequested)
    assert [event.data.attempt for event in requested if isinstance(event.data, ev.ModelRequested)] == [1, 1, 2]
    assert (await lab.state(harness, sessions["cut in request"])).run.notes == {"plan": "Grüße ✉"}
    await assert_completed(lab, harness, sessions["cut in request"])


async def test_an_old_ended_session_starts_a_new_run_with_a_message(lab: Lab) -> None:
    harness, sessions = await opened(lab)

    await lab.resume(harness, sessions["ended"], "now the other half")

    assert len((await lab.state(harness, sessions["ended"])).runs) == 2
    assert "now the other half" in str(lab.model.messages()[-1])
    await assert_completed(lab, harness, sessions["ended"])
