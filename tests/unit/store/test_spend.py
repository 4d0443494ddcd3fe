"""Money that runs share: sums of a day and of a tree, and reservations that never overshoot."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.home import Home
from agent_core.model.errors import RoomTaken
from agent_core.model.events import Draft, ModelFailed, ModelRequested, ModelResponded, SessionForked
from agent_core.store.journal import Journal
from agent_core.store.money import floor_nano, from_nano, to_nano
from agent_core.store.shares import Bound, Day, Tree
from agent_core.store.spend import Spending
from tests.unit.store.samples import NOON, draft, responded

TODAY = Day(NOON)
ONE_A_DAY = (Bound(TODAY, Decimal("1.00")),)

RESERVING = """
import asyncio, sys
from pathlib import Path
from agent_core.config.home import Home
from agent_core.store.journal import Journal
from tests.unit.store.test_spend import ONE_A_DAY, fits
async def main():
    journal = Journal.open(Home.at(Path(sys.argv[1])))
    print(sum(await asyncio.gather(*(fits(journal, f"{sys.argv[2]}-{n}", "0.03") for n in range(40)))))
    journal.close()
asyncio.run(main())
"""


DYING = """
import asyncio, os, signal, sys
from pathlib import Path
from agent_core.config.home import Home
from agent_core.store.journal import Journal
from tests.unit.store.test_spend import fits
async def main():
    journal = Journal.open(Home.at(Path(sys.argv[1])))
    assert await fits(journal, "q-1", "0.90")
    os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""


def intent(request: str, amount: str | None, seconds: float = 0) -> Draft:
    asked = ModelRequested(
        request_id=request,
        attempt=1,
        model="m",
        max_tokens=100,
        input_estimate=10,
        reserved_tokens=110,
        reserved_cost_usd=None if amount is None else Decimal(amount),
    )
    return draft(asked, seconds)


def answer(request: str, cost: str | None) -> Draft:
    made = responded(cost)
    assert isinstance(made.data, ModelResponded)
    return Draft(data=ModelResponded(**{**_fields(made.data), "request_id": request}), at=made.at, run="r-1", step=1)


def _fields(data: ModelResponded) -> dict[str, object]:
    return {name: getattr(data, name) for name in data.__struct_fields__}


async def fits(
    journal: Journal, request: str, amount: str | None, within: Sequence[Bound] = ONE_A_DAY, session: str = "s-1"
) -> bool:
    """Whether the intent of a request could be written."""
    try:
        await journal.append(session, [intent(request, amount)], within=within)
    except RoomTaken:
        return False
    return True


async def test_a_day_adds_up_all_sessions(journal: Journal) -> None:
    await journal.append("s-1", [responded("0.25"), responded("0.000000001")])
    await journal.append("s-2", [responded("0.5"), responded(None, run="r-2"), responded(None, run="r-2")])
    await journal.append("s-2", [responded("9.0", seconds=-1)])
    spent = await Spending(journal).of(TODAY)

    assert spent.known == Decimal("0.750000001")
    assert spent.unknown_runs == 1


async def test_what_lost_requests_may_have_cost_is_kept_apart(journal: Journal) -> None:
    lost = ModelFailed(request_id="q", attempt=1, fault="cut", message="m", cost_bound_usd=Decimal("0.40"))
    await journal.append("s-1", [draft(lost)])
    spent = await Spending(journal).of(TODAY)

    assert (spent.known, spent.bound, spent.unknown_runs) == (Decimal(0), Decimal("0.4"), 0)
    assert not await fits(journal, "k", "0.61")
    assert await fits(journal, "k", "0.60")


async def test_money_is_set_aside_by_the_intent_until_its_outcome(journal: Journal) -> None:
    assert await fits(journal, "q-1", "0.70")
    assert not await fits(journal, "q-2", "0.40")

    await journal.append("s-1", [answer("q-1", "0.10")])
    spent = await Spending(journal).of(TODAY)

    assert (spent.known, spent.reserved) == (Decimal("0.1"), Decimal(0))
    assert await fits(journal, "q-2", "0.90")
    assert not await fits(journal, "q-3", "0.000000001")


async def test_money_of_a_request_is_set_aside_although_no_limit_held_it(journal: Journal) -> None:
    """A limit that is set while a request is under way counts it."""
    assert await fits(journal, "q-1", "0.70", within=())
    assert not await fits(journal, "q-2", "0.31")


async def test_a_lost_attempt_counts_as_a_bound_and_the_next_one_on_top(journal: Journal) -> None:
    assert await fits(journal, "q-1", "0.30")
    lost = ModelFailed(request_id="q-1", attempt=1, fault="cut", message="m", cost_bound_usd=Decimal("0.30"))
    await journal.append("s-1", [draft(lost)])
    assert await fits(journal, "q-1", "0.70")

    spent = await Spending(journal).of(TODAY)
    assert (spent.bound, spent.reserved) == (Decimal("0.3"), Decimal("0.7"))


async def test_an_answer_of_unknown_cost_counts_with_what_was_set_aside_for_it(journal: Journal) -> None:
    assert await fits(journal, "q-1", "0.60")
    await journal.append("s-1", [answer("q-1", None)])
    spent = await Spending(journal).of(TODAY)

    assert (spent.known, spent.bound, spent.reserved, spent.unknown_runs) == (0, Decimal("0.6"), 0, 1)
    assert not await fits(journal, "q-2", "0.41")


async def test_a_refused_intent_leaves_nothing_behind(journal: Journal) -> None:
    assert not await fits(journal, "q-1", "1.01")
    assert await journal.read("s-1") == []
    assert (await Spending(journal).of(TODAY)).reserved == 0


async def test_a_request_of_unknown_price_is_held_by_no_limit_in_money(journal: Journal) -> None:
    await journal.append("s-1", [responded("5.00")])
    assert await fits(journal, "q-1", None)


async def test_yesterday_does_not_count(journal: Journal) -> None:
    await journal.append("s-1", [responded("5.00", seconds=-1), intent("old", "5.00", seconds=-1)])

    assert await fits(journal, "k", "1.00")


async def test_a_tree_counts_its_runs_its_forks_and_their_forks_and_nothing_else(journal: Journal) -> None:
    for fork, source in (("s-2", "s-1"), ("s-3", "s-2"), ("s-4", "s-1")):
        await journal.append(fork, [draft(SessionForked(source=source, seq=1, step=0, by="anna"))])
    await journal.append("s-1", [responded("0.10"), responded("0.20", run="r-2")])
    await journal.append("s-3", [responded("0.30")])
    await journal.append("s-9", [responded("9.00")])
    spending = Spending(journal)

    for member in ("s-1", "s-2", "s-3", "s-4"):
        assert (await spending.of(Tree(member))).known == Decimal("0.6")
        assert await spending.members(member) == ["s-1", "s-2", "s-3", "s-4"]
    within = [Bound(Tree("s-4"), Decimal(1))]
    assert not await fits(journal, "k", "0.41", within, "s-4")
    assert await fits(journal, "k", "0.40", within, "s-4")
    assert not await fits(journal, "l", "0.01", [Bound(Tree("s-2"), Decimal(1))], "s-2")


async def test_the_tightest_of_several_bounds_holds(journal: Journal) -> None:
    both = [Bound(TODAY, Decimal(1)), Bound(Tree("s-1"), Decimal("0.10"))]
    assert not await fits(journal, "k", "0.11", both)
    assert await fits(journal, "k", "0.10", both)


async def test_many_at_once_never_pass_the_limit(journal: Journal) -> None:
    granted = await asyncio.gather(*(fits(journal, f"k-{number}", "0.03") for number in range(100)))

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


def test_money_of_a_process_that_was_killed_stays_set_aside(place: Home) -> None:
    Journal.open(place).close()
    child = subprocess.run([sys.executable, "-c", DYING, str(place.data)], cwd=Path.cwd(), check=False)
    assert child.returncode == -signal.SIGKILL
    journal = Journal.open(place)
    assert Spending(journal).of_now(TODAY).reserved == Decimal("0.9")
    assert not asyncio.run(fits(journal, "k", "0.11"))
    journal.close()


@given(st.decimals(0, 10_000, places=12))
def test_money_in_tables_is_never_less_than_it_was_and_limits_never_more(amount: Decimal) -> None:
    assert 0 <= from_nano(to_nano(amount)) - amount < Decimal("0.000000001")
    assert 0 <= amount - from_nano(floor_nano(amount)) < Decimal("0.000000001")


@pytest.mark.parametrize("limit", ["0.0000000005", "1.0000000009"])
def test_a_limit_finer_than_money_is_counted_allows_what_it_can_hold(limit: str) -> None:
    bound = Bound(TODAY, Decimal(limit))
    assert bound.whole <= bound.limit
    assert to_nano(bound.whole) == floor_nano(bound.limit)
