"""Verification names the first event that was altered, removed or reordered, cut tails and unproven decisions."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing

import msgspec
import pytest

from agent_core.config.home import Home
from agent_core.model.errors import InputError
from agent_core.model.events import OperatorKeyAdded, RunPaused
from agent_core.model.ids import HOME_SESSION
from agent_core.model.proposal import Verdict
from agent_core.store.codec import encode
from agent_core.store.codec import place as place_row
from agent_core.store.heads import HeadLog
from agent_core.store.journal import Journal
from agent_core.store.keys import OperatorKeys
from agent_core.store.signatures import OperatorKey
from agent_core.store.verify import Finding, Verifier
from tests.unit.store.samples import asked, decided, decision, draft, opened, said, summary

TRIGGERS = ("events_are_not_updated", "events_are_not_deleted", "blobs_are_not_updated", "blobs_are_not_deleted")


@pytest.fixture
def verifier(journal: Journal, keys: OperatorKeys) -> Verifier:
    return Verifier(journal, keys)


def tamper(journal: Journal, *statements: str) -> None:
    """What somebody with a SQLite shell and no scruples can do."""
    with closing(sqlite3.connect(journal.database.path)) as shell:
        for trigger in TRIGGERS:
            shell.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        for statement in statements:
            shell.execute(statement)
        shell.commit()


def fill(journal: Journal, session: str, count: int = 8) -> None:
    journal.append_now(session, [opened()], summary=summary(session))
    journal.append_now(session, [said(f"{session} {number}") for number in range(count - 1)])


def test_untouched_chains_are_well(journal: Journal, verifier: Verifier) -> None:
    fill(journal, "s-1")
    fill(journal, "s-2")
    journal.append_now("s-1", [said("x" * 40_000)])

    assert verifier.all_sessions() == [Finding(session="s-1", ok=True), Finding(session="s-2", ok=True)]
    assert verifier.session("s-2").ok


def test_an_unknown_session_is_an_error_not_a_finding(verifier: Verifier) -> None:
    with pytest.raises(InputError, match="no session s-404"):
        verifier.session("s-404")


ROW = "id = (SELECT e.id FROM events e JOIN chains c ON c.id = e.chain WHERE c.session = 's-1' AND e.seq = 4)"


@pytest.mark.parametrize(
    "change",
    [
        'data = \'{"text":"something else","by":"anna"}\'',
        "data = 'no json'",
        "at = at + 1",
        "kind = 'note_written'",
        "run = 'r-9'",
        "step = step + 1",
        "schema = schema + 1",
        "prev = randomblob(32)",
        "digest = randomblob(32)",
        "blobs = '{}'",
    ],
)
def test_an_altered_event_is_named(journal: Journal, verifier: Verifier, change: str) -> None:
    fill(journal, "s-1")
    fill(journal, "s-2")
    tamper(journal, f"UPDATE events SET {change} WHERE {ROW}")

    finding, other = verifier.all_sessions()
    assert (finding.ok, finding.first_bad_seq) == (False, 4)
    assert "event 4" in (finding.reason or "")
    assert other.ok


NAMED = {"alter": "altered", "remove": "removed", "swap": "reordered"}


@pytest.mark.parametrize("seed", range(20))
def test_random_tampering_is_found_where_it_began_and_named(journal: Journal, verifier: Verifier, seed: int) -> None:
    chance = random.Random(seed)
    fill(journal, "s-1", 12)
    first = chance.randint(1, 11)
    second = chance.randint(first + 1, 12)
    act = chance.choice(sorted(NAMED))
    if act == "alter":
        tamper(journal, f"UPDATE events SET data = replace(data, '{{', '{{ ') WHERE seq = {first}")
    elif act == "remove":
        tamper(journal, f"DELETE FROM events WHERE seq = {first}")
    else:
        tamper(
            journal,
            f"UPDATE events SET seq = 1000 WHERE seq = {first}",
            f"UPDATE events SET seq = {first} WHERE seq = {second}",
            f"UPDATE events SET seq = {second} WHERE seq = 1000",
        )

    finding = verifier.session("s-1")
    assert (finding.ok, finding.first_bad_seq) == (False, first)
    reason = finding.reason or ""
    assert reason.startswith(f"event {first} was {NAMED[act]}")
    assert act != "swap" or reason.endswith(f"stands at {second} now")


def test_a_removed_event_that_was_closed_up_is_found(journal: Journal, verifier: Verifier) -> None:
    fill(journal, "s-1")
    tamper(
        journal,
        "DELETE FROM events WHERE seq = 4",
        *(f"UPDATE events SET seq = {seq - 1} WHERE seq = {seq}" for seq in range(5, 9)),
    )

    finding = verifier.session("s-1")
    assert finding.first_bad_seq == 4
    assert "event 4 was removed or replaced" in (finding.reason or "")


def test_swapped_sessions_are_found(journal: Journal, verifier: Verifier) -> None:
    fill(journal, "s-1")
    fill(journal, "s-2")
    tamper(
        journal,
        "UPDATE chains SET session = 'x' WHERE session = 's-1'",
        "UPDATE chains SET session = 's-1' WHERE session = 's-2'",
        "UPDATE chains SET session = 's-2' WHERE session = 'x'",
    )

    assert [(finding.ok, finding.first_bad_seq) for finding in verifier.all_sessions()] == [(False, 1), (False, 1)]


def test_an_altered_long_text_is_found(journal: Journal, verifier: Verifier) -> None:
    journal.append_now("s-1", [said("short"), said("x" * 40_000)])
    tamper(journal, "UPDATE blobs SET bytes = zeroblob(40000)")
    assert verifier.session("s-1").first_bad_seq == 2

    tamper(journal, "DELETE FROM blobs")
    assert verifier.session("s-1").first_bad_seq == 2


def test_a_cut_tail_is_found_by_the_head_outside(journal: Journal, verifier: Verifier) -> None:
    fill(journal, "s-1")
    journal.append_now("s-1", [draft(RunPaused(reason="operator"))])
    tamper(journal, "DELETE FROM events WHERE seq > 5")

    finding = verifier.session("s-1")
    assert (finding.ok, finding.first_bad_seq) == (False, 6)
    assert "event 9 was recorded" in (finding.reason or "")


def test_a_tail_after_an_older_head_is_normal(journal: Journal, verifier: Verifier) -> None:
    journal.append_now("s-1", [draft(RunPaused(reason="operator")), said()], summary=summary("s-1"))
    journal.append_now("s-1", [said()])

    assert verifier.session("s-1").ok


def test_a_rewritten_history_with_fitting_digests_is_found(journal: Journal, verifier: Verifier) -> None:
    """Whoever can recompute every digest still cannot change the head that lies outside."""
    journal.append_now("s-1", [said("a"), said("b"), draft(RunPaused(reason="operator"))])
    forged, prev = [], b""
    for seq, event in enumerate([said("a"), said("B"), draft(RunPaused(reason="operator"))], start=1):
        row = place_row(encode(event), "s-1", seq, seq, prev)
        prev = row.digest
        forged.append(f"UPDATE events SET data = '{row.data}', prev = x'{row.prev.hex()}',"
                      f" digest = x'{row.digest.hex()}' WHERE seq = {seq}")  # fmt: skip
    tamper(journal, *forged)

    assert verifier.session("s-1").first_bad_seq == 3


def test_a_removed_session_is_found(journal: Journal, verifier: Verifier) -> None:
    fill(journal, "s-1")
    journal.append_now("s-2", [draft(RunPaused(reason="operator"))])
    tamper(journal, "DELETE FROM events", "DELETE FROM chains")

    reasons = {finding.session: (finding.first_bad_seq, finding.reason) for finding in verifier.all_sessions()}
    assert reasons["s-1"] == (1, "the session is listed, but has no events")
    assert "its tail was cut" in (reasons["s-2"][1] or "")


def test_a_session_that_was_taken_out_of_the_list_is_found(journal: Journal, verifier: Verifier) -> None:
    journal.append_now("s-1", [said(), draft(RunPaused(reason="operator"))], summary=summary("s-1"))
    assert verifier.missing() == []
    tamper(journal, "DELETE FROM sessions")

    finding = verifier.session("s-1")
    assert (finding.ok, finding.reason) == (False, "no list shows the session: its row was removed")
    assert verifier.missing() == ["s-1"]


async def test_signed_decisions_are_well(journal: Journal, keys: OperatorKeys, verifier: Verifier) -> None:
    key = await keys.of("anna")
    signed = [opened(), asked(), decided(key.sign(decision(arguments={"n": 2**60, "f": 1.0})))]
    await journal.append("s-1", signed, summary=summary("s-1"))

    assert all(finding.ok for finding in verifier.all_sessions())


@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (lambda key: decided(decision()), "it is not signed"),
        (lambda key: decided(OperatorKey.make("anna").sign(decision())), "not known here"),
        (lambda key: decided(key.sign(decision(by="ben"))), "belongs to anna"),
    ],
)
async def test_decisions_that_nobody_signed_are_found(
    journal: Journal,
    keys: OperatorKeys,
    verifier: Verifier,
    forge: Callable[[OperatorKey], object],
    why: str,
) -> None:
    key = await keys.of("anna")
    await journal.append("s-1", [opened(), asked(), forge(key)])  # type: ignore[list-item]

    finding = verifier.session("s-1")
    assert (finding.ok, finding.first_bad_seq) == (False, 3)
    assert why in (finding.reason or "")


async def test_a_decision_flipped_in_its_row_is_found_even_with_fitting_digests(
    journal: Journal, keys: OperatorKeys, verifier: Verifier
) -> None:
    signed = (await keys.of("anna")).sign(decision(Verdict.REJECT))
    honest = decided(signed).data
    flipped = draft(msgspec.structs.replace(honest, verdict="approve"))
    await journal.append("s-1", [opened(), asked(), flipped])

    assert "something else than what was signed" in (verifier.session("s-1").reason or "")


async def test_a_decision_presented_twice_is_found(journal: Journal, keys: OperatorKeys, verifier: Verifier) -> None:
    signed = (await keys.of("anna")).sign(decision())
    await journal.append("s-1", [opened(), asked(), decided(signed), decided(signed)])

    finding = verifier.session("s-1")
    assert (finding.first_bad_seq, "presented before" in (finding.reason or "")) == (4, True)


async def test_a_key_that_this_home_did_not_make_is_found(journal: Journal, verifier: Verifier) -> None:
    forged = OperatorKey.make("anna")
    added = OperatorKeyAdded(operator="anna", key_id=forged.key_id, public_key=forged.public_hex, place="file")
    await journal.append(HOME_SESSION, [draft(added)])

    assert "was not made in this home" in (verifier.session(HOME_SESSION).reason or "")


def test_heads_survive_a_torn_line(place: Home, journal: Journal) -> None:
    journal.append_now("s-1", [draft(RunPaused(reason="operator"))])
    with (place.heads / "heads.log").open("ab") as file:
        file.write(b'{"session":"s-1","se')

    assert [head.seq for head in HeadLog(place.heads).read()] == [1]


def test_a_clean_close_records_every_chain(place: Home) -> None:
    journal = Journal.open(place)
    journal.append_now("s-1", [said(), said()])
    journal.append_now("s-2", [said()])
    journal.close()

    assert {(head.session, head.seq) for head in HeadLog(place.heads).read()} == {("s-1", 2), ("s-2", 1)}
