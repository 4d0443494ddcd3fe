"""Packed or not, an event is the same; a row that was altered is found, however its data lies."""

import os
import sqlite3
import zlib
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from agent_core.model.errors import BrokenChain
from agent_core.model.events import Draft, ModelResponded
from agent_core.store.journal import Journal
from agent_core.store.keys import OperatorKeys
from agent_core.store.packing import FLOOR, PACKED, shelve, unshelve
from agent_core.store.verify import Verifier
from tests.unit.store.samples import asked, decided, decision, opened, responded, said


def answered() -> Draft:
    draft = responded()
    assert isinstance(draft.data, ModelResponded)
    content = [{"type": "text", "text": "The ledger agrees. " * 40}]
    return structs.replace(draft, data=structs.replace(draft.data, content=content))


@given(kind=st.sampled_from([*sorted(PACKED), "decision_made", "message_added"]), text=st.text(max_size=2_000))
def test_what_is_shelved_comes_back_as_it_was(kind: str, text: str) -> None:
    lies, packed = shelve(kind, text.encode(), text)
    assert unshelve(lies, packed) == text
    assert packed is None or len(packed) < len(text.encode())


def test_only_much_of_what_models_and_tools_say_is_packed() -> None:
    text = "the ledger agrees " * 40
    assert shelve("model_responded", text.encode(), text)[1] is not None
    assert shelve("model_responded", text[: FLOOR - 1].encode(), text[: FLOOR - 1])[1] is None
    for kind in ("decision_made", "proposal_opened", "session_opened", "message_added"):
        assert shelve(kind, text.encode(), text) == (text, None)
    noise = os.urandom(300).hex()[:300]
    assert unshelve(*shelve("call_finished", noise.encode(), noise)) == noise


@pytest.mark.parametrize(
    "packed", [b"", b"nothing", zlib.compress(b"cut off in the middle")[:-5], zlib.compress(b"\xff\xfe")]
)
def test_what_cannot_be_unpacked_is_no_data(packed: bytes) -> None:
    assert unshelve("", packed) == ""


def test_a_row_that_says_two_things_is_no_data() -> None:
    assert unshelve("{}", zlib.compress(b"{}")) == ""


@pytest.mark.parametrize(
    "change",
    [
        ("packed = ?", zlib.compress(b'{"request_id":"q-1"}')),
        ("packed = ?", b"nothing"),
        ("packed = NULL, data = ?", "{}"),
        ("data = ?", "{}"),
    ],
    ids=["other words", "no words", "unpacked", "both"],
)
def test_a_packed_event_that_was_altered_is_found(
    journal: Journal, keys: OperatorKeys, change: tuple[str, object]
) -> None:
    events = journal.append_now("s-1", [opened(), *(answered() for _ in range(5)), said()])
    assert Verifier(journal, keys).session("s-1").ok
    with closing(sqlite3.connect(journal.database.path)) as shell:
        assert shell.execute("SELECT count(*) FROM events WHERE packed IS NOT NULL").fetchone()[0] == 5
        shell.execute("DROP TRIGGER events_are_not_updated")
        shell.execute(f"UPDATE events SET {change[0]} WHERE seq = 4", (change[1],))
        shell.commit()

    found = Verifier(journal, keys).session("s-1")

    assert (found.ok, found.first_bad_seq) == (False, 4)
    assert events[3].kind == "model_responded"
    if change[0] != "packed = ?" or change[1] == b"nothing":
        with pytest.raises(BrokenChain):
            journal.read_now("s-1")


def test_what_people_decide_can_be_read_with_any_tool(journal: Journal) -> None:
    card = asked("p-1", "s-1")
    journal.append_now("s-1", [opened("Sort the invoices"), card, decided(decision(of="p-1"))])
    with closing(sqlite3.connect(journal.database.path)) as shell:
        rows = shell.execute("SELECT data ->> '$.verdict' FROM events WHERE kind = 'decision_made'").fetchall()
    assert rows == [("approve",)]
