"""Binding: what runs is exactly what was approved, on the bytes that were looked at, under the policy as it now is."""

import json
import sqlite3

import pytest

from agent_core.model import events as ev
from agent_core.model.errors import BrokenChain
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, turn

DONE = turn(text="done")
EDIT = turn(call("files_edit", path="a.txt", old="one", new="two"))


async def test_bytes_that_changed_after_the_approval_take_it_away_and_open_a_fresh_card(make_lab: MakeLab) -> None:
    lab = make_lab(EDIT, DONE)
    (lab.workspace / "a.txt").write_text("one\n")
    harness = await lab.open()
    session = await lab.start(harness)
    card = await lab.card(harness)
    await lab.close()
    recorder = await lab.open(works=False)
    await lab.decide(recorder, card.proposal, "approve")
    (lab.workspace / "a.txt").write_text("one and more\n")
    await lab.close()

    again = await lab.open()
    await lab.resume(again, session)

    fresh = await lab.card(again)
    assert fresh.proposal != card.proposal
    assert (lab.workspace / "a.txt").read_text() == "one and more\n"
    (withdrawn,) = await lab.events(again, session, ev.ProposalWithdrawn)
    assert isinstance(withdrawn.data, ev.ProposalWithdrawn)
    assert "a.txt" in withdrawn.data.why
    await lab.decide(again, fresh.proposal, "approve")
    assert (lab.workspace / "a.txt").read_text() == "two and more\n"


async def test_a_tool_taken_out_of_the_profile_after_the_approval_does_not_run(make_lab: MakeLab) -> None:
    lab = make_lab(EDIT, DONE)
    (lab.workspace / "a.txt").write_text("one\n")
    harness = await lab.open()
    session = await lab.start(harness)
    card = await lab.card(harness)
    lab.write_profile(tools=("files_list",))

    await lab.decide(harness, card.proposal, "approve")

    assert (lab.workspace / "a.txt").read_text() == "one\n"
    assert lab.model.results()[0]["is_error"]
    assert "call_started" not in await lab.kinds(harness, session)


async def test_a_deny_rule_written_after_the_approval_holds(make_lab: MakeLab) -> None:
    lab = make_lab(EDIT, DONE)
    (lab.workspace / "a.txt").write_text("one\n")
    harness = await lab.open()
    await lab.start(harness)
    card = await lab.card(harness)
    lab.write_profile('[[rules]]\ntool = "files_edit"\nwhen = { path = "a.txt" }\nverdict = "deny"\n')

    await lab.decide(harness, card.proposal, "approve")

    assert (lab.workspace / "a.txt").read_text() == "one\n"
    assert json.loads(lab.model.results()[0]["content"])["error"]["code"] == "denied"


async def test_a_workspace_that_is_gone_when_an_approved_call_would_run_is_what_the_trace_blames(
    make_lab: MakeLab,
) -> None:
    lab = make_lab(EDIT, DONE)
    (lab.workspace / "a.txt").write_text("one\n")
    harness = await lab.open()
    session = await lab.start(harness)
    card = await lab.card(harness)
    lab.workspace.rename(lab.root / "elsewhere")

    await lab.decide(harness, card.proposal, "approve")

    last = (await lab.events(harness, session, ev.CallJudged))[-1].data
    assert isinstance(last, ev.CallJudged)
    assert f"The workspace {lab.workspace} is not there." in last.reasons
    assert not any("policy" in reason for reason in last.reasons)
    assert "call_started" not in await lab.kinds(harness, session)


async def test_a_profile_that_became_unreadable_lets_nothing_run_that_changes_anything(make_lab: MakeLab) -> None:
    lab = make_lab(EDIT, DONE)
    (lab.workspace / "a.txt").write_text("one\n")
    harness = await lab.open()
    await lab.start(harness)
    card = await lab.card(harness)
    lab.profile.write_text("this is [ no toml")

    await lab.decide(harness, card.proposal, "approve")

    assert (lab.workspace / "a.txt").read_text() == "one\n"


async def test_an_approval_from_an_edited_row_of_the_database_approves_nothing(make_lab: MakeLab) -> None:
    lab = make_lab(EDIT, DONE)
    (lab.workspace / "a.txt").write_text("one\n")
    harness = await lab.open()
    session = await lab.start(harness)
    card = await lab.card(harness)
    await lab.close()
    recorder = await lab.open(works=False)
    await lab.decide(recorder, card.proposal, "reject", reason="no")
    await lab.close()
    database = sqlite3.connect(lab.home.database)
    for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        database.execute(f"DROP TRIGGER {name}")
    changed = database.execute(
        "UPDATE events SET data = replace(replace(data, '\"reject\"', '\"approve\"'), '\"then\":\"continue\"', '')"
        " WHERE kind = 'decision_made'"
    )
    assert changed.rowcount == 1
    database.commit()
    database.close()

    again = await lab.open()
    assert not all(finding.ok for finding in await again.reader.verify(session))
    with pytest.raises(BrokenChain, match="can only be read"):
        await lab.resume(again, session)

    assert (lab.workspace / "a.txt").read_text() == "one\n"


async def test_three_denials_switch_a_tool_off_until_it_is_released(make_lab: MakeLab) -> None:
    outside = [turn(call("files_read", path=f"../secret{n}")) for n in range(3)]
    lab = make_lab(*outside, turn(call("files_read", path="a.txt")), DONE)
    (lab.workspace / "a.txt").write_text("one\n")
    harness = await lab.open()
    session = await lab.start(harness)

    kinds = await lab.kinds(harness, session)
    assert kinds.count("tool_contained") == 1
    assert json.loads(lab.model.results()[0]["content"])["error"]["code"] == "contained"


async def test_an_irreversible_call_asks_whatever_a_rule_allows(make_lab: MakeLab) -> None:
    mail = turn(call("email_send", to="ann@example.com", subject="Hello", body="Text"))
    lab = make_lab(mail, DONE)
    lab.write_profile('[[rules]]\ntool = "email_send"\nwhen = { subject = "Hello" }\nverdict = "allow"\n')
    harness = await lab.open()
    await lab.start(harness, "write to ann@example.com")

    card = await lab.card(harness)
    assert card.tier == "R3"
    assert card.key_figure is not None
    assert card.evidence_parts
    await lab.decide(harness, card.proposal, "approve")
    assert len(list(lab.home.outbox.rglob("*.eml"))) == 1


async def test_an_allowed_call_runs_without_a_card_and_says_by_which_rule(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("files_write", path="reports/a.txt", content="x")), DONE)
    lab.write_profile('[[rules]]\ntool = "files_write"\nwhen = { path = "reports/**" }\nverdict = "allow"\n')
    harness = await lab.open()
    session = await lab.start(harness)

    assert (lab.workspace / "reports/a.txt").exists()
    (judged,) = await lab.events(harness, session, ev.CallJudged)
    assert isinstance(judged.data, ev.CallJudged)
    assert judged.data.rules


async def test_rechecking_a_card_whose_file_changed_shows_the_new_version(make_lab: MakeLab) -> None:
    lab = make_lab(EDIT, DONE)
    (lab.workspace / "a.txt").write_text("one\n")
    harness = await lab.open()
    await lab.start(harness)
    card = await lab.card(harness)
    assert not await harness.desk.recheck(card.proposal)

    (lab.workspace / "a.txt").write_text("one and more\n")

    assert await harness.desk.recheck(card.proposal)
    (entry,) = await harness.desk.open_proposals()
    assert (entry.proposal.proposal, entry.version) == (card.proposal, 2)
    assert entry.proposal.digest != card.digest
    assert "a.txt, line 1: it was “one”, it is “one and more” now." in entry.proposal.changed
    await lab.decide(harness, card.proposal, "approve")
    assert (lab.workspace / "a.txt").read_text() == "two and more\n"


async def test_a_question_stays_as_it_is_however_often_it_is_looked_at(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("ask_operator", question="Which year?", options=["2025", "2026"])), DONE)
    harness = await lab.open()
    session = await lab.start(harness)
    card = await lab.card(harness)

    assert not await harness.desk.recheck(card.proposal)

    assert await lab.card(harness) == card
    assert "proposal_changed" not in await lab.kinds(harness, session)
