"""Drafts meant for outside wait in staging: only a person's signed release lets one out."""

import json
import sqlite3
from email import message_from_bytes
from typing import Any

import pytest

from agent_core.config.profile_file import load_profile
from agent_core.model import events as ev
from agent_core.model.errors import BrokenChain, DecisionRefused, ProfileError
from agent_core.model.intents import Decide
from agent_core.model.proposal import DeadlineOutcome, TextChange, Touchpoint, Verdict, Via
from agent_core.tools.registry import Registry
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import Lab, call, turn

ARGUMENTS = {"to": ["ana@example.org"], "subject": "Summary", "body": "All agree."}
MAIL = turn(call("email_send", **ARGUMENTS))
DONE = turn(text="understood")
STAGED = '[[tools]]\nname = "email_send"\nbecause = "sends"\nstaging = true\n'
ALLOWED = STAGED + '[[rules]]\ntool = "email_send"\nverdict = "allow"\n'


def staged_lab(make_lab: MakeLab, *turns: dict[str, Any], profile: str = STAGED, **more: Any) -> Lab:
    lab = make_lab(*turns)
    lab.write_profile(profile, tools=("files_read",), **more)
    return lab


def sent(lab: Lab) -> list[Any]:
    folder = lab.home.outbox
    return [message_from_bytes(path.read_bytes()) for path in folder.glob("*")] if folder.exists() else []


def drafts(lab: Lab) -> list[str]:
    return [path.read_text() for path in sorted(lab.home.staging.rglob("*")) if path.is_file()]


async def test_a_draft_waits_in_staging_without_a_deadline_even_where_a_rule_would_allow_it(make_lab: MakeLab) -> None:
    lab = staged_lab(make_lab, MAIL, DONE, profile=ALLOWED)
    harness = await lab.open()
    await lab.start(harness)

    card = await lab.card(harness)

    assert card.touchpoint is Touchpoint.QUALITY_REVIEW
    assert (card.approve_by, card.deadline_outcome) == (None, DeadlineOutcome.STAY)
    assert card.verdicts[:3] == [Verdict.RELEASE, Verdict.EDIT, Verdict.SEND_BACK]
    assert ["All agree." in draft for draft in drafts(lab)] == [True]
    assert sent(lab) == []
    lab.clock.advance(90 * 24 * 3600)
    assert (await lab.card(harness)).proposal == card.proposal


async def test_a_release_sends_it_and_clears_the_staging_area(make_lab: MakeLab) -> None:
    lab = staged_lab(make_lab, MAIL, DONE)
    harness = await lab.open()
    await lab.start(harness)

    await lab.decide(harness, (await lab.card(harness)).proposal, "release", reason="fine")

    (message,) = sent(lab)
    assert message["To"] == "ana@example.org"
    assert drafts(lab) == []


async def test_an_edited_draft_leaves_as_edited(make_lab: MakeLab) -> None:
    lab = staged_lab(make_lab, MAIL, DONE)
    harness = await lab.open()
    await lab.start(harness)
    edited = {**ARGUMENTS, "body": "Nearly all agree."}

    await lab.decide(harness, (await lab.card(harness)).proposal, "edit", arguments=edited, reason="precise")

    (message,) = sent(lab)
    assert "Nearly" in message.get_payload()


async def test_a_draft_that_is_sent_back_tells_the_agent_why_and_never_leaves(make_lab: MakeLab) -> None:
    lab = staged_lab(make_lab, MAIL, DONE)
    harness = await lab.open()
    await lab.start(harness)

    await lab.decide(harness, (await lab.card(harness)).proposal, "send_back", reason="Name the quarter")

    assert "Name the quarter" in lab.model.results()[0]["content"]
    assert (sent(lab), drafts(lab)) == ([], [])


async def test_the_next_draft_is_held_against_the_one_that_was_sent_back(make_lab: MakeLab) -> None:
    better = turn(call("email_send", **{**ARGUMENTS, "body": "All agree on Q3."}))
    other = turn(call("email_send", to=["ben@example.org"], subject="Hello", body="Dear Ben"))
    lab = staged_lab(make_lab, MAIL, better, other, DONE)
    harness = await lab.open()
    await lab.start(harness)

    await lab.decide(harness, (await lab.card(harness)).proposal, "send_back", reason="Name the quarter")
    second = (await lab.card(harness)).what_changes
    assert second is not None
    assert second.headline.endswith("instead of the draft that bar sent back")
    diff = second.parts[-1]
    assert isinstance(diff, TextChange)
    assert (diff.path, diff.before, diff.after) == (
        "body, against the draft sent back", "All agree.", "All agree on Q3."
    )  # fmt: skip
    assert not await harness.desk.recheck((await lab.card(harness)).proposal), (
        "it is the same card when looked at again"
    )

    await lab.decide(harness, (await lab.card(harness)).proposal, "send_back", reason="Not now")
    third = (await lab.card(harness)).what_changes
    assert third is not None
    assert "sent back" not in third.headline, "another letter takes nobody's place"


@pytest.mark.parametrize("verdict", ["approve", "modify", "best_effort", "", "yes"])
async def test_no_other_word_releases_it(make_lab: MakeLab, verdict: str) -> None:
    lab = staged_lab(make_lab, MAIL, DONE)
    harness = await lab.open()
    await lab.start(harness)

    with pytest.raises(DecisionRefused):
        await lab.decide(harness, (await lab.card(harness)).proposal, verdict)

    assert sent(lab) == []


async def test_a_draft_changed_in_the_staging_area_changes_nothing_that_leaves(make_lab: MakeLab) -> None:
    lab = staged_lab(make_lab, MAIL, DONE)
    harness = await lab.open()
    await lab.start(harness)
    for path in lab.home.staging.rglob("*.eml"):
        path.write_text("To: stranger@example.com\n\nSomething else")

    await lab.decide(harness, (await lab.card(harness)).proposal, "release", reason="fine")

    (message,) = sent(lab)
    assert message["To"] == "ana@example.org"


async def test_a_release_that_nobody_signed_lets_nothing_out(make_lab: MakeLab) -> None:
    lab = staged_lab(make_lab, MAIL, DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await lab.close()
    recorder = await lab.open(works=False)
    await recorder.desk.decide(Decide(proposal=card, verdict="release", by="bar", via=Via.CLI, reason="fine"))
    await lab.close()
    _forge(lab, card)

    later = await lab.open()
    with pytest.raises(BrokenChain, match="altered"):
        await lab.resume(later, session)

    assert sent(lab) == []


def _forge(lab: Lab, card: str) -> None:
    """Make the release look as if somebody else had made it."""
    connection = sqlite3.connect(lab.home.data / "pilothouse.db")
    for name in [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]:
        connection.execute(f'DROP TRIGGER "{name}"')
    (row,) = connection.execute("SELECT id, data FROM events WHERE kind = 'decision_made'").fetchall()
    data = json.loads(row[1])
    assert data["proposal"] == card
    data["decision"]["by"] = data["by"] = "dana"
    connection.execute("UPDATE events SET data = ? WHERE id = ?", (json.dumps(data), row[0]))
    connection.commit()
    connection.close()


async def test_a_restart_keeps_draft_and_card(make_lab: MakeLab) -> None:
    lab = staged_lab(make_lab, MAIL, DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    await lab.close()

    later = await lab.open()
    await lab.resume(later, session)

    assert len(drafts(lab)) == 1
    assert (await lab.events(later, session, ev.CallStarted)) == []


def test_a_tool_without_drafts_cannot_be_staged(make_lab: MakeLab) -> None:
    lab = staged_lab(make_lab, profile='[[tools]]\nname = "files_write"\nbecause = "x"\nstaging = true\n')
    profile = load_profile(str(lab.profile), lab.home)

    with pytest.raises(ProfileError, match="makes no drafts"):
        Registry().for_profile(profile, False)
