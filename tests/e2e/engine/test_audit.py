"""The audit: every card with who, when, how long, what was seen and executed, and whether it can be trusted."""

import csv
import io
import json
import sqlite3
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from agent_core.engine.audit_files import csv_bytes, html_bytes
from agent_core.model.audit import AuditEntry, AuditQuery
from agent_core.model.errors import DecisionRefused, InputError
from agent_core.model.proposal import Touchpoint, Verdict
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import Lab, call, turn

WRITE = turn(call("files_write", path="out.txt", content="old"))
DONE = turn(text="understood")


async def modified(make_lab: MakeLab) -> tuple[Lab, Any, str]:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await harness.desk.present(card, "bar")
    lab.clock.advance(42)
    changed = {"path": "out.txt", "content": "new"}
    await lab.decide(harness, card, "modify", arguments=changed, reason="newer", seen=["part:0"])
    return lab, harness, card


async def test_an_entry_tells_the_whole_life_of_a_card(make_lab: MakeLab) -> None:
    _, harness, card = await modified(make_lab)

    (entry,) = (await harness.records.audit(AuditQuery())).entries

    assert (entry.proposal, entry.touchpoint, entry.presented_by) == (card, Touchpoint.APPROVAL, "bar")
    assert (entry.verdict, entry.by, entry.outcome) == (Verdict.MODIFY, "bar", "ran")
    assert entry.proposed["content"] == "old"
    assert entry.executed is not None
    assert entry.executed["content"] == "new"
    (decision,) = entry.decisions
    assert (decision.seen, decision.reason, decision.fault) == (["part:0"], "newer", None)
    assert decision.open_seconds >= 42
    assert entry.chain_fault is None


async def test_a_refused_card_shows_that_nothing_ran(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    await lab.start(harness)
    await lab.decide(harness, (await lab.card(harness)).proposal, "reject", reason="no")

    (entry,) = (await harness.records.audit(AuditQuery())).entries

    assert (entry.outcome, entry.executed) == ("not_run", None)


async def test_what_happened_last_stands_first(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("files_write", path="a.txt", content="a"), call("files_write", path="b.txt", content="b")))
    harness = await lab.open()
    await lab.start(harness)
    first, second = [card.proposal for card in await lab.cards(harness)]
    lab.clock.advance(60)
    await lab.decide(harness, second, "reject", reason="no")
    lab.clock.advance(60)
    await lab.decide(harness, first, "reject", reason="no")

    entries = (await harness.records.audit(AuditQuery())).entries

    assert [entry.proposal for entry in entries] == [first, second]


async def test_of_a_question_comes_nothing_but_its_answer(make_lab: MakeLab) -> None:
    lab = make_lab(turn(call("ask_operator", question="Which one?")), DONE)
    harness = await lab.open()
    await lab.start(harness)
    await lab.decide(harness, (await lab.card(harness)).proposal, "answer", answer="the first")

    (entry,) = (await harness.records.audit(AuditQuery())).entries

    assert (entry.verdict, entry.outcome, entry.executed) == (Verdict.ANSWER, "", None)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (AuditQuery(text="newer OUT.txt"), 1),
        (AuditQuery(text="nowhere"), 0),
        (AuditQuery(operators=["bar"]), 1),
        (AuditQuery(operators=["dana"]), 0),
        (AuditQuery(verdicts=[Verdict.MODIFY]), 1),
        (AuditQuery(verdicts=[Verdict.APPROVE]), 0),
        (AuditQuery(tools=["files_write"], agents=["lab"]), 1),
        (AuditQuery(touchpoints=[Touchpoint.BUDGET]), 0),
        (AuditQuery(regretted=True), 0),
        (AuditQuery(offset=1), 1),
    ],
)
async def test_it_is_filtered_searched_and_paged(make_lab: MakeLab, query: AuditQuery, found: int) -> None:
    _, harness, _ = await modified(make_lab)

    page = await harness.records.audit(query)

    assert page.total == found
    assert len(page.entries) == max(0, found - query.offset)


async def test_an_altered_chain_is_named(make_lab: MakeLab) -> None:
    lab, _, _ = await modified(make_lab)
    await lab.close()
    connection = sqlite3.connect(lab.home.data / "pilothouse.db")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        connection.execute(f'DROP TRIGGER "{name}"')
    connection.execute("UPDATE events SET data = replace(data, '\"bar\"', '\"eve\"') WHERE kind = 'decision_made'")
    connection.commit()
    connection.close()

    page = await (await lab.open(works=False)).records.audit(AuditQuery())

    (entry,) = page.entries
    assert entry.chain_fault is not None
    assert entry.decisions[0].fault is not None
    assert page.broken == [entry.session]


async def test_a_regret_is_marked_and_taken_back(make_lab: MakeLab) -> None:
    _, harness, card = await modified(make_lab)

    await harness.desk.regret(card, "dana", "The amount was wrong")
    (entry,) = (await harness.records.audit(AuditQuery(regretted=True))).entries
    assert (entry.regret, entry.regret_by) == ("The amount was wrong", "dana")
    assert (await harness.records.calibration()).operators[0].regrets == 1

    await harness.desk.regret(card, "dana", "")
    assert (await harness.records.audit(AuditQuery(regretted=True))).total == 0


async def test_an_open_card_has_nothing_to_regret(make_lab: MakeLab) -> None:
    lab = make_lab(WRITE, DONE)
    harness = await lab.open()
    await lab.start(harness)
    with pytest.raises(DecisionRefused):
        await harness.desk.regret((await lab.card(harness)).proposal, "bar", "too late")


async def test_the_exports_are_whole_and_harmless(make_lab: MakeLab, tmp_path: Path) -> None:
    _, harness, card = await modified(make_lab)

    assert await harness.records.export_audit(AuditQuery(), "csv", tmp_path / "a.csv") == 1
    assert await harness.records.export_audit(AuditQuery(), "jsonl", tmp_path / "a.jsonl") == 1
    await harness.records.export_record(card, tmp_path / "r.html")

    (row,) = csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text("utf-8-sig")))
    assert (row["by"], row["verdict"], row["outcome"]) == ("bar", "modify", "ran")
    assert json.loads((tmp_path / "a.jsonl").read_text())["proposal"] == card
    assert "old" in (tmp_path / "r.html").read_text()
    with pytest.raises(InputError):
        await harness.records.export_audit(AuditQuery(), "xlsx", tmp_path / "a.xlsx")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
async def test_no_cell_is_taken_for_a_formula(make_lab: MakeLab, start: str) -> None:
    entry = await hostile(make_lab, f"{start}cmd|' /C calc'!A0")

    (row,) = csv.DictReader(io.StringIO(csv_bytes([entry]).decode("utf-8-sig")))

    assert not row["title"].startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


async def test_a_record_holds_no_script_no_address_and_no_hidden_characters(make_lab: MakeLab) -> None:
    entry = await hostile(make_lab, '<script src="https://evil.example">x</script><img src=x onerror=y> \u202eabc')

    class Seen(HTMLParser):
        tags: set[str] = set()  # noqa: RUF012 - one parser, once

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.tags.add(tag)

    page = html_bytes(entry).decode()
    parser = Seen()
    parser.feed(page)
    assert not parser.tags & {"script", "img", "link", "iframe", "a"}
    assert "\u202e" not in page
    assert "U+202E" in page


async def hostile(make_lab: MakeLab, title: str) -> AuditEntry:
    import msgspec

    _, harness, card = await modified(make_lab)
    return msgspec.structs.replace(await harness.records.entry(card), title=title)


async def test_calibration_and_load_count_what_people_did(make_lab: MakeLab) -> None:
    lab = make_lab(turn(*(call("files_write", path=f"{n}.txt", content=n) for n in "abcd")), DONE)
    harness = await lab.open()
    await lab.start(harness)
    cards = await lab.cards(harness)
    assert (await harness.desk.opened_since(lab.clock.now() + timedelta(seconds=1))) == {}
    assert len(await harness.desk.opened_since(min(card.opened_at for card in cards))) == 4
    words = ["approve", "approve", "reject"]
    for card, verdict in zip(cards, words, strict=False):
        reason = "no" if verdict == "reject" else None
        await lab.decide(harness, card.proposal, verdict, reason=reason)
        lab.clock.advance(10)
    lab.clock.advance(5 * 3600)
    await harness.desk.expire(cards[0].session)

    report = await harness.records.calibration()

    (bar,) = report.operators
    assert (bar.who, bar.cards, bar.hasty) == ("bar", 3, 1)
    assert (bar.approved, bar.refused) == (2 / 3, 1 / 3)
    assert bar.median_seconds == pytest.approx(10, abs=1)
    (agent,) = report.agents
    assert (agent.cards, agent.expired) == (4, 1 / 4)


async def test_figures_of_an_agents_runs_suggest_limits_once_there_are_enough(make_lab: MakeLab) -> None:
    lab = make_lab(turn(text="done"))
    harness = await lab.open()
    await lab.start(harness)
    assert (await harness.records.spend_figures("lab")).typical is None
    for _ in range(4):
        await lab.start(harness)

    figures = await harness.records.spend_figures("lab")

    assert figures.runs == 5
    assert figures.typical is not None
    assert figures.high is not None
    assert figures.suggestion is not None
    assert figures.typical.steps == figures.high.steps == 1 <= figures.suggestion.steps
