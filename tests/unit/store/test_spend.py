"""Money over all sessions: sums of a day, and reservations that never overshoot."""

import asyncio
import subprocess
import sys
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.home import Home
from agent_core.model.events import ModelFailed
from agent_core.store.journal import Journal
from agent_core.store.money import from_nano, to_nano
from agent_core.store.spend import Spending
from tests.unit.store.samples import NOON, draft, responded

LIMIT = Decimal("1.00")

RESERVING = """
import asyncio, sys
from decimal import Decimal
from pathlib import Path
from agent_core.config.home import Home
from agent_core.store.journal import Journal
from agent_core.store.spend import Spending
from tests.unit.store.samples import NOON
async def main():
    journal = Journal.open(Home.at(Path(sys.argv[1])))
    spending = Spending(journal)
    granted = await asyncio.gather(*(
        spending.reserve(f"{sys.argv[2]}-{n}", "s-1", "r-1", Decimal("0.03"), at=NOON, day=NOON, limit=Decimal(1))
        for n in range(40)))
    print(sum(granted))
    journal.close()
asyncio.run(main())
"""


async def reserve(spending: Spending, key: str, amount: str) -> bool:
    return await spending.reserve(key, "s-1", "r-1", Decimal(amount), at=NOON, day=NOON, limit=LIMIT)


async def test_a_day_adds_up_all_sessions(journal: Journal) -> None:
    await journal.append("s-1", [responded("0.25"), responded("0.000000001")])
    await journal.append("s-2", [responded("0.5"), responded(None, run="r-2"), responded(None, run="r-2")])
    await journal.append("s-2", [responded("9.0", seconds=-1)])
    spent = await Spending(journal).since(NOON)

    assert spent.known == Decimal("0.750000001")
    assert spent.unknown_runs == 1


async def test_what_lost_requests_may_have_cost_is_kept_apart(journal: Journal) -> None:
    lost = ModelFailed(request_id="q", attempt=1, fault="cut", message="m", cost_bound_usd=Decimal("0.40"))
    await journal.append("s-1", [draft(lost)])
    spending = Spending(journal)
    spent = await spending.since(NOON)

    assert (spent.known, spent.bound, spent.unknown_runs) == (Decimal(0), Decimal("0.4"), 0)
    assert not await reserve(spending, "k", "0.61")
    assert await reserve(spending, "k", "0.60")


async def test_a_reservation_holds_until_its_outcome_settles_it(journal: Journal) -> None:
    spending = Spending(journal)
    assert await reserve(spending, "q-1/1", "0.70")
    assert not await reserve(spending, "q-2/1", "0.40")

    await journal.append("s-1", [responded("0.10")], settled=["q-1/1"])
    spent = await spending.since(NOON)

    assert (spent.known, spent.reserved) == (Decimal("0.1"), Decimal(0))
    assert await reserve(spending, "q-2/1", "0.90")
    assert not await reserve(spending, "q-3/1", "0.000000001")


async def test_the_same_key_replaces_its_amount(journal: Journal) -> None:
    spending = Spending(journal)
    assert await reserve(spending, "k", "0.90")
    assert await reserve(spending, "k", "1.00")
    await spending.release("k")

    assert (await spending.since(NOON)).reserved == 0


async def test_yesterday_does_not_count(journal: Journal) -> None:
    spending = Spending(journal)
    await journal.append("s-1", [responded("5.00", seconds=-1)])
    await spending.reserve("old", "s-1", "r", Decimal(5), at=NOON - timedelta(days=1), day=NOON, limit=Decimal(9))

    assert await reserve(spending, "k", "1.00")


async def test_many_at_once_never_pass_the_limit(journal: Journal) -> None:
    spending = Spending(journal)
    granted = await asyncio.gather(*(reserve(spending, f"k-{number}", "0.03") for number in range(100)))

    assert sum(granted) == 33


def test_three_processes_together_never_pass_the_limit(place: Home) -> None:
    Journal.open(place).close()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", RESERVING, str(place.data), str(number)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path.cwd(),
        )
        for number in range(3)
    ]
    granted = [int(process.communicate()[0]) for process in processes]

    assert sum(granted) == 33


@given(st.decimals(0, 10_000, places=12))
def test_money_in_tables_is_never_less_than_it_was(amount: Decimal) -> None:
    assert 0 <= from_nano(to_nano(amount)) - amount < Decimal("0.000000001")
