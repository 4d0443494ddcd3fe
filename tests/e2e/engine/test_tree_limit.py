"""The limit over a tree: a session with all its runs and forks never costs more together, in however many processes."""

import asyncio
from decimal import Decimal
from typing import Any

import pytest

from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.budget import LimitName, Limits
from agent_core.model.errors import DecisionRefused, InputError, ProfileError
from agent_core.model.intents import ChangeLimit, ForkSession
from agent_core.model.proposal import ProposalStatus, Touchpoint
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, turn

READ = turn(call("files_list", path="."))


def within(usd: str, **more: object) -> Limits:
    return Limits(**{"steps": 40, "cost_usd": None, "tokens": 10_000_000, "tree_cost_usd": Decimal(usd), **more})  # type: ignore[arg-type]


def edit(session: str, value: str) -> ChangeLimit:
    return ChangeLimit(session=session, limit=LimitName.TREE_COST_USD, value=value, by="bar", why="enough for all")


async def fork(harness: Harness, session: str, step: int = 1) -> str:
    made = await harness.supervisor.fork(ForkSession(session=session, by="bar", step=step))
    await harness.supervisor.wait(made)
    return made


def reads(count: int) -> list[dict[str, Any]]:
    """Turns that each ask for something else: nothing that repeats itself."""
    return [turn(call("files_search", pattern=f"p{number}")) for number in range(count)]


async def test_later_runs_and_forks_count_and_the_card_says_which_limit_it_was(make_lab: MakeLab) -> None:
    lab = make_lab(READ, turn(text="one"), turn(text="two"), *reads(20))
    harness = await lab.open()
    root = await lab.start(harness, limits=within("0.12"))
    await lab.resume(harness, root, "and again")
    made = await fork(harness, root, 3)

    (card,) = await lab.cards(harness)
    budget = await harness.reader.tree_budget(root)
    assert card.session == made
    assert card.touchpoint is Touchpoint.BUDGET
    assert (card.facts["limit"], card.facts["scope"]) == ("tree_cost_usd", "tree")
    assert "cost with forks" in card.summary
    assert budget.sessions == 2
    assert budget.limit_usd == Decimal("0.12")
    assert 0 < budget.at_most_usd <= Decimal("0.12")
    spends = [run.spend.cost_usd for name in (root, made) for run in (await lab.state(harness, name)).runs]
    assert sum((cost for cost in spends if cost is not None), Decimal(0)) == budget.spent_usd


async def test_a_run_of_the_same_session_keeps_the_trees_limit_and_has_fresh_ones_else(make_lab: MakeLab) -> None:
    lab = make_lab(turn(text="one"), turn(text="two"))
    harness = await lab.open()
    root = await lab.start(harness, limits=within("0.50", steps=7))
    made = await fork(harness, root, 0)
    await harness.supervisor.resume(root, "bar", "more")
    await harness.supervisor.wait(root)

    for session in (root, made):
        limits = (await lab.state(harness, session)).run.limits
        assert (limits.tree_cost_usd, limits.steps) == (Decimal("0.50"), 7)


async def test_an_edit_in_one_session_holds_in_all_of_its_tree_and_opens_their_way(make_lab: MakeLab) -> None:
    lab = make_lab(*reads(40))
    harness = await lab.open()
    root = await lab.start(harness, limits=within("0.10"))
    made = await fork(harness, root)
    assert {card.session for card in await lab.cards(harness)} == {root, made}
    before = len(lab.model.requests)

    await harness.supervisor.change_limit(edit(made, "0.16"))
    await asyncio.gather(harness.supervisor.wait(root), harness.supervisor.wait(made))

    assert len(lab.model.requests) > before
    assert (await harness.reader.tree_budget(root)).at_most_usd <= Decimal("0.16")
    for session in (root, made):
        state = await lab.state(harness, session)
        (changed,) = [e.data for e in await lab.events(harness, session, ev.LimitChanged)]
        assert isinstance(changed, ev.LimitChanged)
        assert (changed.old, changed.new, changed.by, changed.why) == ("0.10", "0.16", "bar", "enough for all")
        statuses = [state.proposals[name].status for name in state.proposals]
        assert statuses[0] is ProposalStatus.WITHDRAWN, "the old card has its answer"


async def test_extending_on_a_card_extends_the_tree_and_not_below_what_all_of_it_spent(make_lab: MakeLab) -> None:
    lab = make_lab(*reads(40))
    harness = await lab.open()
    root = await lab.start(harness, limits=within("0.10"))
    made = await fork(harness, root)
    (card,) = [card for card in await lab.cards(harness) if card.session == made]
    spent = (await harness.reader.tree_budget(made)).at_most_usd
    alone = (await lab.state(harness, made)).run.spend.cost_usd
    assert alone is not None
    assert alone < spent

    with pytest.raises(DecisionRefused, match="not above what is already spent"):
        await lab.decide(harness, card.proposal, "extend", details={"tree_cost_usd": str(spent)})
    await lab.decide(harness, card.proposal, "extend", details={"tree_cost_usd": "0.20"}, reason="worth it")
    await harness.supervisor.wait(root)

    limits = [(await lab.state(harness, name)).run.limits.tree_cost_usd for name in (root, made)]
    assert limits == [Decimal("0.20")] * 2


async def test_an_edit_of_the_trees_limit_leaves_cards_about_other_limits_open(make_lab: MakeLab) -> None:
    lab = make_lab(*reads(40))
    harness = await lab.open()
    root = await lab.start(harness, limits=within("0.50", steps=1))
    made = await fork(harness, root)
    before = {card.proposal for card in await lab.cards(harness)}
    await lab.close()
    recorder = await lab.open(works=False)

    await recorder.supervisor.change_limit(edit(made, "0.60"))

    assert {card.proposal for card in await lab.cards(recorder)} == before
    assert [(await lab.result(recorder, name))["status"] for name in (root, made)] == ["awaiting_decision"] * 2


async def test_parallel_forks_in_two_processes_never_overshoot_together(make_lab: MakeLab) -> None:
    lab = make_lab(*reads(80))
    here = await lab.open()
    root = await lab.start(here, limits=within("0.20", steps=1))
    there = await lab.open()
    plan = {"session": root, "by": "bar", "step": 1, "limits": within("9.99")}
    made = await asyncio.gather(
        *(one.supervisor.fork(ForkSession(**plan)) for one in (here, there) * 3)  # type: ignore[arg-type]
    )
    for one, session in zip((here, there) * 3, made, strict=True):
        await one.supervisor.wait(session)

    budget = await here.reader.tree_budget(root)
    assert budget.sessions == 7
    assert budget.limit_usd == Decimal("0.20"), "a fork cannot bring a limit of its own"
    assert Decimal("0.1") < budget.at_most_usd <= Decimal("0.20")


async def test_what_a_tree_spent_survives_a_restart(make_lab: MakeLab) -> None:
    lab = make_lab(*reads(40))
    harness = await lab.open()
    root = await lab.start(harness, limits=within("0.10"))
    await fork(harness, root)
    before = await harness.reader.tree_budget(root)
    await lab.close()
    harness = await lab.open()

    assert await harness.reader.tree_budget(root) == before
    made = await fork(harness, root)
    assert len(await lab.events(harness, made, ev.ModelResponded)) <= 1
    assert (await harness.reader.tree_budget(root)).at_most_usd <= Decimal("0.10")


async def test_a_fork_made_after_an_edit_knows_it(make_lab: MakeLab) -> None:
    lab = make_lab(READ, turn(call("ask_operator", question="Which?")), *reads(9))
    harness = await lab.open()
    root = await lab.start(harness, limits=within("0.50"))
    await harness.supervisor.change_limit(edit(root, "0.70"))
    made = await fork(harness, root)

    assert (await lab.state(harness, made)).run.limits.tree_cost_usd == Decimal("0.70")


async def test_a_profile_sets_it_and_an_unknown_price_refuses_it(make_lab: MakeLab) -> None:
    lab = make_lab(turn(text="done"))
    lab.write_profile(limits='tree_cost_usd = "3.00"')
    harness = await lab.open()
    session = await lab.start(harness)
    assert (await lab.state(harness, session)).run.limits.tree_cost_usd == Decimal("3.00")

    lab.profile.write_text(lab.profile.read_text().replace("claude-sonnet-4-5", "nobody-9"))
    with pytest.raises(ProfileError, match=r"\[price\]"):
        await lab.start(harness)


async def test_a_limit_in_money_is_refused_where_the_price_is_not_known(make_lab: MakeLab) -> None:
    lab = make_lab(READ, turn(text="done"))
    lab.profile.write_text(lab.profile.read_text().replace("claude-sonnet-4-5", "nobody-9"))
    harness = await lab.open()
    session = await lab.start(harness, limits=Limits(steps=1, cost_usd=None))
    card = await lab.card(harness)

    for name in (LimitName.COST_USD, LimitName.TREE_COST_USD):
        with pytest.raises(InputError, match=r"\[price\]"):
            await harness.supervisor.change_limit(
                ChangeLimit(session=session, limit=name, value="1.00", by="bar", why="")
            )
        with pytest.raises(DecisionRefused, match=r"\[price\]"):
            await lab.decide(harness, card.proposal, "extend", details={name.value: "1.00", "steps": 5})
        with pytest.raises(ProfileError, match=r"\[price\]"):
            await lab.start(harness, limits=Limits(**{"cost_usd": None, name.value: Decimal(1)}))
    await lab.decide(harness, card.proposal, "extend", details={"steps": 5})
    assert (await lab.result(harness, session))["stop_reason"] == "completed"
