"""Cards about the run itself say by code what was done and tried, where the money went, and what is left."""

from decimal import Decimal

from agent_core.model.budget import Limits
from agent_core.model.proposal import Touchpoint
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, turn

LOOK = turn(call("files_list", path="."))
DONE = turn(text="done")


async def test_a_reached_limit_tells_what_the_money_went_for_and_what_was_done(make_lab: MakeLab) -> None:
    lab = make_lab(LOOK, turn(call("files_read", path="none.txt")), DONE)
    harness = await lab.open()
    session = await lab.start(harness, limits=Limits(steps=2))
    facts = (await lab.card(harness)).facts

    assert facts["done"] == "1 call done: files_list 1. 1 failed."
    assert facts["to_finish"] == "No estimate: too few runs of this agent came to their end."
    spent = Decimal((await lab.result(harness, session))["spend"]["cost_usd"])
    assert sum(Decimal(entry["cost_usd"]) for entry in facts["money_went"]) == spent
    shares = [Decimal(entry["cost_usd"]) for entry in facts["money_went"]]
    assert shares == sorted(shares, reverse=True)


async def test_a_reached_limit_estimates_from_what_the_agents_runs_usually_took(make_lab: MakeLab) -> None:
    looks = [turn(call("files_search", pattern=f"p{number}")) for number in range(4)]
    lab = make_lab(*looks, DONE)
    harness = await lab.open()
    for _ in range(3):
        await lab.start(harness)
    await lab.start(harness, limits=Limits(steps=2))
    facts = (await lab.card(harness)).facts

    assert facts["usual"]["steps"] == "5"
    assert facts["to_finish"].startswith("About 3 more steps and $")


async def test_an_agent_that_repeats_itself_is_shown_with_every_attempt(make_lab: MakeLab) -> None:
    lab = make_lab(*[LOOK] * 5)
    harness = await lab.open()
    await lab.start(harness)
    card = await lab.card(harness)

    assert card.touchpoint is Touchpoint.EXCEPTION
    assert [entry["attempt"] for entry in card.facts["attempts"]] == ["step 1", "step 2", "step 3", "step 4"]
    assert [entry["result"] for entry in card.facts["attempts"][2:]] == ["not run", "not run"]
    assert card.facts["message"] == "path ."
    assert card.facts["state"] == "Nothing was changed so far; no call is under way."
