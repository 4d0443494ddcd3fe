"""Keys under a passphrase: nothing is signed without it, and what was signed stays proven."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.model.errors import DecisionRefused
from agent_core.model.intents import Decide
from agent_core.model.proposal import Via
from agent_core.store.sealing import is_sealed, seal, unseal
from tests.support.engine_lab import Lab, call, turn

WRITE = turn(call("files_write", path="out.txt", content="new"))
DONE = turn(text="understood")
SECRET = "correct horse"


@settings(max_examples=5, deadline=None)
@given(st.text(min_size=1, max_size=40), st.text(min_size=8, max_size=30))
def test_only_the_passphrase_opens_what_it_sealed(secret: str, passphrase: str) -> None:
    closed = seal(secret, passphrase)
    assert is_sealed(closed)
    assert secret not in closed or len(secret) < 3
    assert unseal(closed, passphrase) == secret
    assert unseal(closed, passphrase + "x") is None
    assert unseal(closed[:-4] + "AAA=", passphrase) is None


@pytest.fixture
async def lab(tmp_path: Any) -> Any:
    made = Lab(tmp_path, WRITE, DONE)
    yield made
    await made.close()


async def test_whoever_does_not_know_the_passphrase_decides_nothing(lab: Lab) -> None:
    harness = await lab.open()
    await lab.start(harness)
    card = (await lab.card(harness)).proposal
    await harness.desk.protect("bar", SECRET)
    await lab.close()
    assert SECRET not in "".join(path.read_text() for path in lab.home.keys.glob("*"))

    later = await lab.open(works=False)
    assert await later.desk.is_locked("bar")
    intent = Decide(proposal=card, verdict="approve", by="bar", via=Via.CLI)
    with pytest.raises(DecisionRefused, match="passphrase") as refused:
        await later.desk.decide(intent)
    assert refused.value.code == "locked"
    with pytest.raises(DecisionRefused, match="not the passphrase"):
        await later.desk.unlock("bar", "wrong horse")
    with pytest.raises(DecisionRefused):
        await later.desk.protect("bar", None)

    await later.desk.unlock("bar", SECRET)
    assert (await later.desk.decide(intent)).closed
    assert all(finding.ok for finding in await later.reader.verify())


async def test_a_passphrase_is_taken_away_by_who_knows_it(lab: Lab) -> None:
    harness = await lab.open()
    await harness.desk.protect("bar", SECRET)
    for old in (None, "wrong horse"):
        with pytest.raises(DecisionRefused, match="passphrase"):
            await harness.desk.protect("bar", None, old)
    await harness.desk.protect("bar", None, SECRET)
    await lab.close()

    assert not await (await lab.open(works=False)).desk.is_locked("bar")


async def test_a_short_passphrase_is_refused(lab: Lab) -> None:
    harness = await lab.open()
    with pytest.raises(DecisionRefused, match="8 characters"):
        await harness.desk.protect("bar", "short")


async def test_an_operator_without_one_is_never_locked(lab: Lab) -> None:
    assert not await (await lab.open()).desk.is_locked("bar")
