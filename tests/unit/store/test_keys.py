"""Operators' keys: made once, kept where they were made, and the only thing that makes a decision count."""

import asyncio
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.home import Home
from agent_core.model.errors import DecisionRefused
from agent_core.model.events import OperatorKeyAdded
from agent_core.model.ids import HOME_SESSION
from agent_core.model.proposal import Decision, Verdict
from agent_core.store.journal import Journal
from agent_core.store.keys import OperatorKeys
from agent_core.store.signatures import OperatorKey, verify
from tests.unit.store.samples import NOON, FixedClock, MemorySecrets, decided, decision, draft

arguments = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
KEY = OperatorKey.from_hex("anna", "11" * 32)


@given(st.dictionaries(st.text(max_size=3), arguments, max_size=4))
def test_a_signed_decision_verifies_after_the_journal_had_it(given_arguments: dict[str, Any]) -> None:
    signed = KEY.sign(decision(arguments=given_arguments, expires_at=NOON + timedelta(hours=1)))
    again = msgspec.json.decode(msgspec.json.encode(signed), type=Decision)

    assert verify(again, KEY.public_hex)


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": Verdict.REJECT},
        {"proposal": "p-2"},
        {"decision": "d-2"},
        {"by": "ben"},
        {"digest": "b" * 64},
        {"agent_version": "2"},
        {"at": NOON + timedelta(microseconds=1)},
        {"expires_at": None},
        {"effective_at": NOON},
        {"arguments": {"amount": 1.0}},
        {"arguments": {"amount": "1"}},
        {"arguments": None},
        {"details": {"then": "stop"}},
        {"reason": "because"},
        {"answer": "yes"},
        {"seen": ["diff"]},
        {"key_id": "0" * 16},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_any_change_of_a_signed_decision_breaks_its_signature(changes: dict[str, Any]) -> None:
    signed = KEY.sign(
        decision(arguments={"amount": 1}, digest="a" * 64, agent_version="1", expires_at=NOON + timedelta(hours=1))
    )

    assert verify(signed, KEY.public_hex)
    assert not verify(msgspec.structs.replace(signed, **changes), KEY.public_hex)


@pytest.mark.parametrize("signature", ["", "zz", "00" * 64, "00"])
def test_what_is_no_signature_verifies_nothing(signature: str) -> None:
    assert not verify(msgspec.structs.replace(decision(), signature=signature), KEY.public_hex)


def test_another_key_verifies_nothing() -> None:
    assert not verify(KEY.sign(decision()), OperatorKey.make("anna").public_hex)


async def test_the_first_use_makes_one_key_in_the_keyring(
    place: Home, journal: Journal, keys: OperatorKeys, secrets: MemorySecrets, clock: FixedClock
) -> None:
    key = await keys.of("anna")
    again = await OperatorKeys(journal, secrets, clock).of("anna")
    (event,) = await journal.read(HOME_SESSION)

    assert again.public_hex == key.public_hex
    assert event.data == OperatorKeyAdded(
        operator="anna", key_id=key.key_id, public_key=key.public_hex, place="keyring"
    )
    assert list(secrets.kept.values()) == [key.hex]
    assert [path.suffix for path in place.keys.iterdir()] == [".pub"]
    assert key.hex.encode() not in place.database.read_bytes()


async def test_without_a_keyring_the_key_is_a_private_file(
    place: Home, keys: OperatorKeys, secrets: MemorySecrets
) -> None:
    secrets.usable = False
    key = await keys.of("anna")

    assert (place.keys / f"{key.key_id}.key").stat().st_mode & 0o777 == 0o600
    assert place.keys.stat().st_mode & 0o777 == 0o700


async def test_each_operator_has_a_key_of_their_own(keys: OperatorKeys) -> None:
    assert (await keys.of("anna")).key_id != (await keys.of("ben")).key_id


async def test_a_key_out_of_reach_refuses_and_names_the_place(
    place: Home, journal: Journal, keys: OperatorKeys, secrets: MemorySecrets, clock: FixedClock
) -> None:
    await keys.of("anna")
    secrets.usable = False
    with pytest.raises(DecisionRefused, match="anna is kept in the keyring") as refused:
        await OperatorKeys(journal, secrets, clock).of("anna")
    assert refused.value.code == "no_key"

    ben = await OperatorKeys(journal, secrets, clock).of("ben")
    path = place.keys / f"{ben.key_id}.key"
    for spoil in (lambda: path.write_text("22" * 32), lambda: path.write_text("?"), path.unlink):
        spoil()
        with pytest.raises(DecisionRefused, match=str(path)):
            await OperatorKeys(journal, secrets, clock).of("ben")


async def test_whoever_holds_the_key_makes_a_moved_home_known_again(
    place: Home, journal: Journal, keys: OperatorKeys, secrets: MemorySecrets, clock: FixedClock
) -> None:
    signed = (await keys.of("anna")).sign(decision())
    (pin,) = place.keys.iterdir()
    pin.unlink()
    assert "not known here" in (await keys.fault_of(signed) or "")

    await OperatorKeys(journal, secrets, clock).of("anna")
    assert await keys.fault_of(signed) is None


async def test_a_key_can_be_renewed_and_the_old_one_still_proves(keys: OperatorKeys) -> None:
    old = await keys.of("anna")
    signed = old.sign(decision())
    new = await keys.renew("anna")

    assert (await keys.of("anna")).key_id == new.key_id != old.key_id
    assert await keys.fault_of(signed) is None
    assert await keys.fault_of(new.sign(decision())) is None


async def test_two_processes_that_need_a_key_at_once_share_one(
    place: Home, journal: Journal, secrets: MemorySecrets, clock: FixedClock
) -> None:
    other = Journal.open(place)
    found = await asyncio.gather(
        *(OperatorKeys(one, secrets, clock).of("anna") for one in (journal, other, journal, other))
    )

    assert len({key.key_id for key in found}) == 1
    assert len(await journal.read(HOME_SESSION)) == 1
    assert len(secrets.kept) == len(list(place.keys.iterdir())) == 1
    other.close()


async def test_decisions_that_prove_nothing_say_why(
    place: Home, journal: Journal, keys: OperatorKeys, clock: FixedClock
) -> None:
    anna, ben = await keys.of("anna"), await keys.of("ben")
    stranger = OperatorKey.make("anna")
    signed = anna.sign(decision())

    assert await keys.fault_of(signed) is None
    assert await keys.fault_of(decision()) == "it is not signed"
    assert "not known here" in (await keys.fault_of(stranger.sign(decision())) or "")
    assert "belongs to ben" in (await keys.fault_of(ben.sign(decision())) or "")
    assert "does not fit" in (await keys.fault_of(msgspec.structs.replace(signed, reason="x")) or "")


async def test_a_row_alone_makes_no_key(journal: Journal, keys: OperatorKeys) -> None:
    """Whoever can write the database can name a key in it, but not put its public half beside it."""
    forged = OperatorKey.make("anna")
    added = OperatorKeyAdded(operator="anna", key_id=forged.key_id, public_key=forged.public_hex, place="file")
    await journal.append(HOME_SESSION, [draft(added)])

    assert "not known here" in (await keys.fault_of(forged.sign(decision())) or "")


async def test_the_private_half_is_in_no_file_of_the_database(
    place: Home, journal: Journal, keys: OperatorKeys
) -> None:
    key = await keys.of("anna")
    await journal.append("s-1", [decided(key.sign(decision()))])

    for file in place.data.rglob("*"):
        if file.is_file():
            assert key.hex.encode() not in file.read_bytes()
