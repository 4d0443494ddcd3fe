"""Lists of sessions: newest first, searched, filtered, counted; running or interrupted by their lease."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from decimal import Decimal

import pytest

from agent_core.config.home import Home
from agent_core.model.action import GateVerdict
from agent_core.model.budget import Limits, Spend
from agent_core.model.errors import InputError
from agent_core.model.events import CallJudged
from agent_core.model.intents import SessionQuery, SessionSummary
from agent_core.model.proposal import Touchpoint, Verdict
from agent_core.model.run import SessionStatus
from agent_core.store.journal import Journal
from agent_core.store.leases import Leases
from agent_core.store.migrate import SCHEMA
from agent_core.store.sessions import Sessions, recent_sessions
from tests.unit.store.samples import NOON, decided, decision, draft, opened, said, summary

RUNNING, WAITING, ENDED = SessionStatus.RUNNING, SessionStatus.AWAITING_DECISION, SessionStatus.ENDED
INTERRUPTED, PAUSED = SessionStatus.INTERRUPTED, SessionStatus.PAUSED


@pytest.fixture
def leases(place: Home) -> Leases:
    return Leases(place)


@pytest.fixture
def sessions(journal: Journal, leases: Leases) -> Sessions:
    return Sessions(journal, leases)


def test_the_first_look_shows_what_the_first_page_shows(
    journal: Journal, sessions: Sessions, leases: Leases, place: Home
) -> None:
    for number, status in enumerate((ENDED, RUNNING, RUNNING, WAITING)):
        keep(journal, f"s-{number}", number, status=status)
    with leases.take("s-1"):
        seen = recent_sessions(place, 3)

        assert seen == sessions.page_now(SessionQuery(limit=3))
        assert [one.status for one in seen or []] == [WAITING, INTERRUPTED, RUNNING]


@pytest.mark.parametrize("found", ["nothing", "older", "newer", "no database"])
def test_the_first_look_leaves_a_database_alone_that_has_to_be_made_ready(place: Home, found: str) -> None:
    place.create()
    if found in ("older", "newer"):
        Journal.open(place).close()
        with closing(sqlite3.connect(place.database)) as shell:
            shell.execute(f"PRAGMA user_version = {SCHEMA + (1 if found == 'newer' else -1)}")
            shell.commit()
    elif found == "no database":
        place.database.write_text("something else")
    before = place.database.read_bytes() if place.database.exists() else None

    assert recent_sessions(place, 3) is None

    assert (place.database.read_bytes() if place.database.exists() else None) == before


def keep(journal: Journal, name: str, minutes: int = 0, **changes: object) -> SessionSummary:
    row = summary(name, started_at=NOON + timedelta(minutes=minutes), **changes)
    journal.append_now(name, [opened(row.goal, row.agent)], summary=row)
    return row


def names(found: list[SessionSummary]) -> list[str]:
    return [row.session for row in found]


def test_a_summary_comes_back_whole(journal: Journal, sessions: Sessions) -> None:
    row = keep(
        journal,
        "s-1",
        goal="Zählen \ud83d",
        status=WAITING,
        stop_reason=None,
        open_proposals=["p-1", "p-2"],
        spend=Spend(steps=3, cost_usd=Decimal("0.123456789123"), active_seconds=1.5),
        limits=Limits(cost_usd=None),
        nearest_deadline=NOON + timedelta(seconds=1, microseconds=7),
        urgent_touchpoint=Touchpoint.BUDGET,
        demo=True,
        decided_yes=1,
        decided_no=2,
        decided_edited=3,
        message="m",
    )
    found = sessions.summary_now("s-1")

    assert found == SessionSummary(**{f: getattr(row, f) for f in row.__struct_fields__} | {"goal": "Zählen \ufffd"})


def test_the_row_changes_with_each_append(journal: Journal, sessions: Sessions) -> None:
    keep(journal, "s-1", status=WAITING)
    journal.append_now("s-1", [said()], summary=summary(step=9, status=ENDED))

    assert sessions.summary_now("s-1").step == 9
    assert sessions.count_now(SessionQuery()) == 1


def test_an_unknown_cost_stays_unknown(journal: Journal, sessions: Sessions) -> None:
    keep(journal, "s-1", spend=Spend(cost_usd=None))

    assert sessions.summary_now("s-1").spend.cost_usd is None


def test_an_unknown_session_is_named(sessions: Sessions) -> None:
    with pytest.raises(InputError, match="no session s-404"):
        sessions.summary_now("s-404")


def test_a_session_is_found_by_its_short_form_unless_several_have_it(journal: Journal, sessions: Sessions) -> None:
    for name in ("s-01a-8f2kd3", "s-01b-8f2kd3", "s-01c-cjfbfr"):
        keep(journal, name)

    assert sessions.named_now("s-cjfbfr") == "s-01c-cjfbfr"
    with pytest.raises(InputError, match="no session s-404"):
        sessions.named_now("s-404")
    with pytest.raises(InputError, match="2 sessions; name one in full: s-01a-8f2kd3, s-01b-8f2kd3"):
        sessions.named_now("s-8f2kd3")


async def test_pages_are_newest_first(journal: Journal, sessions: Sessions) -> None:
    for number in range(5):
        keep(journal, f"s-{number}", minutes=number)

    assert names(await sessions.page(SessionQuery(limit=2))) == ["s-4", "s-3"]
    assert names(await sessions.page(SessionQuery(limit=2, offset=4))) == ["s-0"]
    assert await sessions.count(SessionQuery(limit=2)) == 5
    assert names(await sessions.page(SessionQuery(limit=2, offset=1, agent="clerk"))) == ["s-3", "s-2"]
    assert await sessions.count(SessionQuery(limit=2, agent="clerk")) == 5


def test_text_is_found_in_goal_agent_tool_file_and_reason(journal: Journal, sessions: Sessions) -> None:
    keep(journal, "s-goal", goal="Find the ÄRGER in the invoices")
    keep(journal, "s-agent", agent="zebra")
    keep(journal, "s-tool")
    keep(journal, "s-reason")
    call = CallJudged(
        call_id="c",
        tool_use_id="t",
        tool="email_send",
        arguments={"path": "reports/Q3_100%.md", "body": "secret " * 100},
        verdict=GateVerdict.ASK,
        reasons=[],
    )
    journal.append_now("s-tool", [draft(call)])
    journal.append_now("s-reason", [decided(decision(Verdict.REJECT, reason="Wrong Quarter"))])

    def hits(text: str) -> list[str]:
        found = names(sessions.page_now(SessionQuery(text=text)))
        assert sessions.count_now(SessionQuery(text=text)) == len(found)
        return sorted(found)

    assert hits("ärger") == ["s-goal"]
    assert hits("ärger FIND") == ["s-goal"]
    assert hits("zebra") == ["s-agent"]
    assert hits("email_send") == hits("q3_100%") == ["s-tool"]
    assert hits("wrong quarter") == ["s-reason"]
    assert hits("S-REASON") == ["s-reason"]
    assert hits("s-") == sorted(["s-agent", "s-goal", "s-reason", "s-tool"])
    assert hits("secret") == hits("100_") == hits("nothing like it") == []
    assert len(hits("  ")) == 4


def test_filters_combine(journal: Journal, sessions: Sessions) -> None:
    keep(journal, "s-1", minutes=1, status=WAITING, open_proposals=["p-1"])
    keep(journal, "s-2", minutes=2, status=WAITING, open_proposals=[])
    keep(journal, "s-3", minutes=3, status=ENDED, open_proposals=["p-2"])

    assert names(sessions.page_now(SessionQuery(statuses=[WAITING]))) == ["s-2", "s-1"]
    assert names(sessions.page_now(SessionQuery(statuses=[WAITING], has_decisions=True))) == ["s-1"]
    assert names(sessions.page_now(SessionQuery(since=NOON + timedelta(minutes=2)))) == ["s-3", "s-2"]


def test_a_running_session_that_nobody_works_is_interrupted(
    journal: Journal, sessions: Sessions, leases: Leases
) -> None:
    keep(journal, "s-1", minutes=1, status=RUNNING)
    keep(journal, "s-2", minutes=2, status=RUNNING)
    keep(journal, "s-3", minutes=3, status=PAUSED)

    with leases.take("s-1"):
        assert [row.status for row in sessions.page_now(SessionQuery())] == [PAUSED, INTERRUPTED, RUNNING]
        assert sessions.summary_now("s-1").lease_pid is not None
        assert names(sessions.page_now(SessionQuery(statuses=[RUNNING]))) == ["s-1"]
        assert names(sessions.page_now(SessionQuery(statuses=[INTERRUPTED]))) == ["s-2"]
        assert names(sessions.page_now(SessionQuery(statuses=[INTERRUPTED, PAUSED]))) == ["s-3", "s-2"]
        assert sessions.count_now(SessionQuery(statuses=[RUNNING, INTERRUPTED])) == 2
    assert sessions.summary_now("s-1").status is INTERRUPTED


async def test_unfinished_sessions_are_those_that_a_start_looks_at(journal: Journal, sessions: Sessions) -> None:
    keep(journal, "s-1", status=ENDED)
    keep(journal, "s-2", status=PAUSED)
    keep(journal, "s-3", status=RUNNING)

    assert sorted(names(await sessions.unfinished())) == ["s-2", "s-3"]
