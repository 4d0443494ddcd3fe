"""Limits: never overshot; a reached one asks, and what silence means is to sum up and end."""

import asyncio
import json
from decimal import Decimal

import pytest

from agent_core.model import events as ev
from agent_core.model.budget import LimitName, Limits
from agent_core.model.errors import DecisionRefused, InputError, ProfileError
from agent_core.model.intents import ChangeLimit, StartRun
from agent_core.model.proposal import Touchpoint
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import call, eventually, turn

READ = turn(call("files_list", path="."))
SUMMARY = turn(text="Halfway there.")


def limits(**given: object) -> Limits:
    return Limits(**{"cost_usd": None, **given})  # type: ignore[arg-type]


async def test_a_reached_limit_opens_a_budget_card_before_the_next_request(make_lab: MakeLab) -> None:
    lab = make_lab(READ, READ, SUMMARY)
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(steps=1))

    card = await lab.card(harness)
    assert card.touchpoint is Touchpoint.BUDGET
    assert card.facts["limit"] == "steps"
    assert len(lab.model.requests) == 1
    assert (await lab.result(harness, session))["status"] == "awaiting_decision"


async def test_extending_goes_on_and_not_above_what_is_spent_is_refused(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SUMMARY)
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(steps=1))
    card = await lab.card(harness)
    with pytest.raises(DecisionRefused):
        await lab.decide(harness, card.proposal, "extend", details={"steps": 1})

    await lab.decide(harness, card.proposal, "extend", details={"steps": 5}, reason="worth it")

    result = await lab.result(harness, session)
    assert result["stop_reason"] == "completed"
    (changed,) = await lab.events(harness, session, ev.LimitChanged)
    assert isinstance(changed.data, ev.LimitChanged)
    assert (changed.data.old, changed.data.new, changed.data.by) == ("1", "5", "bar")


async def test_finishing_spends_the_reserve_on_one_request_without_tools(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SUMMARY)
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(steps=1))

    await lab.decide(harness, (await lab.card(harness)).proposal, "finish")

    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["completed"], result["output"]) == ("step_limit", False, "Halfway there.")
    assert result["confidence"] == "low"
    assert len(lab.model.requests) == 2
    last = lab.model.requests[-1]
    assert last.tool_choice == {"type": "none"}
    assert last.tools == lab.model.requests[0].tools
    assert last.max_tokens <= 1024
    assert result["spend"]["steps"] == 1, "the closing request lies outside the step limit"


async def test_nothing_that_is_called_in_the_closing_answer_runs_or_asks(make_lab: MakeLab) -> None:
    calls = (call("files_write", path="late.txt", content="x"), call("files_read", path="late.txt"))
    lab = make_lab(READ, turn(*calls, text="Halfway there."), turn(text="all of it"))
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(steps=1))

    await lab.decide(harness, (await lab.card(harness)).proposal, "finish")

    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["output"], result["open_proposals"]) == ("step_limit", "Halfway there.", [])
    assert (await lab.kinds(harness, session)).count("call_started") == 1, "only the read of the first turn"
    await lab.resume(harness, session)
    await lab.decide(harness, (await lab.card(harness)).proposal, "extend", details={"steps": 9})
    assert [json.loads(block["content"])["error"]["code"] for block in lab.model.results()] == ["run_ends"] * 2


async def test_stopping_spends_nothing_more_and_names_the_gap_by_code(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SUMMARY)
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(steps=1))

    await lab.decide(harness, (await lab.card(harness)).proposal, "stop")

    result = await lab.result(harness, session)
    assert (result["stop_reason"], len(lab.model.requests)) == ("step_limit", 1)
    assert result["gaps"] == ["The step limit was reached before the goal."]


async def test_a_budget_card_that_nobody_answers_finishes(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SUMMARY)
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(steps=1))
    card = await lab.card(harness)

    lab.clock.advance(5 * 3600)
    await lab.close()
    again = await lab.open()
    await lab.resume(again, session)

    kinds = await lab.kinds(again, session)
    assert "proposal_expired" in kinds
    result = await lab.result(again, session)
    assert (result["stop_reason"], result["output"]) == ("step_limit", "Halfway there.")
    assert card.deadline_outcome == "finish"


async def test_resuming_a_run_that_a_limit_stopped_opens_its_budget_card_again(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SUMMARY, turn(text="all of it"))
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(steps=1))
    await lab.decide(harness, (await lab.card(harness)).proposal, "finish")

    await lab.resume(harness, session)
    card = await lab.card(harness)
    await lab.decide(harness, card.proposal, "extend", details={"steps": 9})

    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["output"]) == ("completed", "all of it")
    assert len((await lab.state(harness, session)).runs) == 1, "it is the same run"


async def test_a_limit_lowered_while_a_request_is_under_way_holds_from_the_next_one(make_lab: MakeLab) -> None:
    lab = make_lab(READ, turn(call("files_list", path="."), delay_s=400), SUMMARY)
    harness = await lab.open()
    start = StartRun(profile=str(lab.profile), goal="x", workspace=str(lab.workspace), by="bar")
    session = await harness.supervisor.start(start)
    await eventually(lambda: len(lab.model.requests) == 2)

    edit = ChangeLimit(session=session, limit=LimitName.STEPS, value="2", by="bar", why="enough")
    await harness.supervisor.change_limit(edit)
    lab.clock.advance(500)
    await harness.supervisor.wait(session)

    assert len(lab.model.requests) == 2
    assert (await lab.card(harness)).touchpoint is Touchpoint.BUDGET


async def test_a_full_context_ends_the_run_once_and_a_raised_ceiling_lets_the_session_go_on(make_lab: MakeLab) -> None:
    lab = make_lab(READ, READ, SUMMARY)
    small = "[context]\nceiling = 2_000\nclear_at = 1_000\ncompact_at = 1_000\nhandoff_at = 1_000\n"
    lab.write_profile(small)
    harness = await lab.open()
    session = await lab.start(harness, "read " + "a long goal " * 900)

    async def stopped() -> str:
        (*_, last) = await lab.events(harness, session, ev.RunStopped)
        assert isinstance(last.data, ev.RunStopped)
        return f"{last.data.stop_reason}: {last.data.detail}"

    assert (await stopped()).startswith("context_full: The next request would take about ")
    assert "Most of it is the " in await stopped()
    assert lab.model.requests == [], "nothing is sent that cannot be answered, and nothing goes round"
    await lab.resume(harness, session, "try again")
    assert (await stopped()).startswith("context_full")
    lab.write_profile(small.replace("= 2_000", "= 100_000"))
    await lab.resume(harness, session, "now")

    assert (await lab.result(harness, session))["stop_reason"] == "completed"


async def test_of_a_batch_over_the_call_limit_the_first_members_start_in_order(make_lab: MakeLab) -> None:
    lab = make_lab(turn(*(call("files_search", pattern=f"p{n}") for n in range(8))), SUMMARY)
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(tool_calls=6))

    state = await lab.state(harness, session)
    ran = [c.finished.ran for c in state.calls.values() if c.finished is not None]
    assert ran == [True] * 6 + [False] * 2
    assert state.run.spend.tool_calls == 6
    codes = {c.finished.error.code for c in state.calls.values() if c.finished and c.finished.error}
    assert codes == {"limit_reached"}
    assert (await lab.card(harness)).facts["limit"] == "tool_calls"


async def test_a_limit_of_zero_allows_nothing(make_lab: MakeLab) -> None:
    lab = make_lab(READ)
    harness = await lab.open()
    await lab.start(harness, limits=limits(tokens=0))

    assert not lab.model.requests
    assert (await lab.card(harness)).facts["limit"] == "tokens"


async def test_money_is_reserved_before_a_request_so_that_the_limit_is_never_overshot(make_lab: MakeLab) -> None:
    lab = make_lab(*[READ] * 10)
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(cost_usd=Decimal("0.05")))

    spend = (await lab.state(harness, session)).run.spend
    assert spend.cost_usd is not None
    assert spend.cost_usd + spend.cost_bound_usd <= Decimal("0.05")
    requested = await lab.events(harness, session, ev.ModelRequested)
    assert all(e.data.max_tokens < 8192 for e in requested if isinstance(e.data, ev.ModelRequested))


async def test_a_limit_edited_at_a_card_holds_at_the_next_check(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SUMMARY)
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(steps=1))

    change = ChangeLimit(session=session, limit=LimitName.STEPS, value="4", by="bar", why="more")
    await harness.supervisor.change_limit(change)
    await harness.supervisor.wait(session)

    assert (await lab.result(harness, session))["stop_reason"] == "completed"
    with pytest.raises(InputError):
        await harness.supervisor.change_limit(change)


def more_tokens(session: str) -> ChangeLimit:
    return ChangeLimit(session=session, limit=LimitName.TOKENS, value="900000", by="eva", why="more")


async def test_an_edit_of_one_limit_leaves_the_card_about_another_one_open(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SUMMARY)
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(steps=1))
    before = await lab.card(harness)

    await harness.supervisor.change_limit(more_tokens(session))
    await harness.supervisor.wait(session)

    assert (await lab.card(harness)).proposal == before.proposal
    assert (await lab.state(harness, session)).run.limits.tokens == 900_000


async def test_who_said_finish_is_not_overruled_by_an_edit_of_another_limit(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SUMMARY)
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(steps=1))
    card = await lab.card(harness)
    await lab.close()
    recorder = await lab.open(works=False)
    await lab.decide(recorder, card.proposal, "finish")
    await recorder.supervisor.change_limit(more_tokens(session))
    await lab.close()

    worker = await lab.open()
    await lab.resume(worker, session)

    result = await lab.result(worker, session)
    assert (result["stop_reason"], result["output"]) == ("step_limit", "Halfway there.")


async def test_an_extension_of_another_limit_than_the_reached_one_asks_again(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SUMMARY)
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(steps=1))
    first = await lab.card(harness)

    await lab.decide(harness, first.proposal, "extend", details={"tokens": 900_000})

    second = await lab.card(harness)
    assert second.proposal != first.proposal
    assert second.facts["limit"] == "steps"
    assert (await lab.result(harness, session))["status"] == "awaiting_decision"


async def test_an_unknown_price_refuses_a_cost_limit_written_by_hand(make_lab: MakeLab) -> None:
    lab = make_lab(SUMMARY)
    lab.write_profile(limits="cost_usd = 1.0")
    lab.profile.write_text(lab.profile.read_text().replace("claude-sonnet-4-5", "nobody-9"))
    harness = await lab.open()

    with pytest.raises(ProfileError, match=r"\[price\]"):
        await lab.start(harness)


async def test_an_unknown_price_without_a_cost_limit_runs_with_an_unknown_cost(make_lab: MakeLab) -> None:
    lab = make_lab(SUMMARY)
    lab.profile.write_text(lab.profile.read_text().replace("claude-sonnet-4-5", "nobody-9"))
    harness = await lab.open()
    session = await lab.start(harness)

    state = await lab.state(harness, session)
    assert state.run.limits.cost_usd is None
    assert (await lab.result(harness, session))["spend"]["cost_usd"] is None


async def test_a_limit_set_to_finish_sums_up_and_ends_without_a_card(make_lab: MakeLab) -> None:
    lab = make_lab(READ, SUMMARY)
    lab.home.create()
    lab.home.settings.write_text('[budgets]\nsteps_then = "finish"\n')
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(steps=1))

    result = await lab.result(harness, session)
    assert await lab.events(harness, session, ev.ProposalOpened) == []
    assert (result["stop_reason"], result["completed"], result["output"]) == ("step_limit", False, "Halfway there.")
    assert lab.model.requests[-1].tool_choice == {"type": "none"}


async def test_a_batch_over_its_call_limit_finishes_too(make_lab: MakeLab) -> None:
    lab = make_lab(turn(*(call("files_search", pattern=f"p{n}") for n in range(3))), SUMMARY)
    lab.home.create()
    lab.home.settings.write_text('[budgets]\ntool_calls_then = "finish"\n')
    harness = await lab.open()
    session = await lab.start(harness, limits=limits(tool_calls=2))

    result = await lab.result(harness, session)
    assert (result["stop_reason"], result["output"]) == ("tool_call_limit", "Halfway there.")


async def test_a_limit_that_pauses_all_asks_and_holds_every_other_run(make_lab: MakeLab) -> None:
    slow = turn(call("files_list", path="."), delay_s=500)
    lab = make_lab(slow, READ, SUMMARY)
    lab.home.create()
    lab.home.settings.write_text('[budgets]\nsteps_then = "pause_all"\n')
    here, there = await lab.open(), await lab.open()
    start = StartRun(profile=str(lab.profile), goal="long", workspace=str(lab.workspace), by="bar")
    others = [await here.supervisor.start(start), await there.supervisor.start(start)]
    await eventually(lambda: len(lab.model.requests) == 2)
    lab.model._scripted._script.turns[0] = READ
    told = asyncio.Event()
    there.bus.subscribe(lambda message: told.set() if _is_reached(message) else None)
    session = await lab.start(here, limits=limits(steps=1))
    await asyncio.wait_for(told.wait(), 10)

    (card,) = [card for card in await lab.cards(here) if card.session == session]
    assert card.touchpoint is Touchpoint.BUDGET
    lab.clock.advance(600)
    for harness, other in zip((here, there), others, strict=True):
        await harness.supervisor.wait(other)
        state = await lab.state(harness, other)
        assert state.run.paused is not None
        assert (state.run.paused.reason, state.run.paused.by) == ("limit", "system")
        assert session in state.run.paused.detail
    await lab.decide(here, card.proposal, "extend", details={"steps": 9})
    assert (await lab.result(here, session))["status"] == "ended", "the run itself was not paused"


def _is_reached(message: object) -> bool:
    return isinstance(message, ev.Event) and isinstance(message.data, ev.LimitReached)


async def test_who_changed_a_setting_and_why_is_kept(make_lab: MakeLab) -> None:
    lab = make_lab()
    harness = await lab.open()
    await harness.records.note_setting("budgets.day_limit_usd", "", "$20.00", "bar", " Quarter end ")
    await harness.records.note_setting("budgets.steps", "25", "40", "bar", "")

    newest, before = await harness.records.setting_changes(5)
    assert (newest.key, newest.old, newest.new, newest.by, newest.why) == ("budgets.steps", "25", "40", "bar", "")
    assert before.why == "Quarter end"
    assert all(finding.ok for finding in await harness.reader.verify())


async def test_the_day_limit_holds_over_sessions(make_lab: MakeLab) -> None:
    lab = make_lab(*[READ] * 3)
    lab.home.create()
    lab.home.settings.write_text('[budgets]\nday_limit_usd = "0.05"\n')
    harness = await lab.open()
    await lab.start(harness)
    await lab.start(harness)

    cards = await lab.cards(harness)
    assert {card.facts["scope"] for card in cards} == {"day"}
    budget = await harness.reader.day_budget()
    assert budget.limit_usd == Decimal("0.05")
    assert budget.spent_usd is not None
    assert budget.spent_usd <= Decimal("0.05")
