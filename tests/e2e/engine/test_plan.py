"""Plan-execute: nothing changes without an approved plan, each call is judged by itself, a failure is planned anew."""

import itertools
from typing import Any

import pytest

from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.action import Reversibility, Tier
from agent_core.model.errors import DecisionRefused
from agent_core.model.proposal import PlanChange, PlannedStep, Proposal, StepAsks, Touchpoint
from agent_core.model.standing import Standing
from agent_core.model.state import fold
from agent_core.policy.plans import standing_of
from tests.e2e.engine.conftest import MakeLab
from tests.support.engine_lab import Lab, call, turn
from tests.support.history_rules import raw_problems
from tests.support.standings import taken

READ_A = {"id": "a", "goal": "Read a", "tool": "files_read"}
READ_B = {"id": "b", "goal": "Read b", "tool": "files_read"}
WRITE = {"id": "write", "goal": "Write c", "tool": "files_write", "after": ["a", "b"]}
SUM_UP = {"id": "sum", "goal": "Say what was found", "after": ["write"]}
STEPS = [READ_A, READ_B, WRITE, SUM_UP]

PLAN = turn(call("plan_submit", steps=STEPS))
READS = turn(call("files_read", path="a.txt", plan_step="a"), call("files_read", path="b.txt", plan_step="b"))
WRITES = turn(call("files_write", path="c.txt", content="c", plan_step="write"))
REPORT = turn(call("plan_report", step="sum", done=True, result="A and B."))
DONE = turn(text="done")
WHOLE = (PLAN, READS, WRITES, REPORT, DONE)
ALLOW = '[[rules]]\ntool = "files_write"\nverdict = "allow"\nwhen = { path = "c.txt" }\n'


def planned(lab: Lab, extra: str = "", **more: Any) -> Lab:
    lab.write_profile(extra, pattern="plan_execute", **more)
    for name in ("a", "b"):
        (lab.workspace / f"{name}.txt").write_text(name.upper())
    return lab


async def opened(lab: Lab) -> tuple[Harness, str, Proposal]:
    harness = await lab.open()
    session = await lab.start(harness)
    return harness, session, await lab.card(harness)


def shown(card: Proposal) -> list[PlannedStep]:
    assert card.what_changes is not None
    (part,) = card.what_changes.parts
    assert isinstance(part, PlanChange)
    return part.steps


async def statuses(lab: Lab, harness: Harness, session: str) -> dict[str, str]:
    plan = (await lab.result(harness, session))["plan"]
    return {step["id"]: step["status"] for step in plan["steps"]}


async def test_a_plan_is_a_card_that_says_what_each_step_does_and_which_of_them_will_ask(make_lab: MakeLab) -> None:
    mail = {"id": "mail", "goal": "Tell Ann", "tool": "email_send", "after": ["write"]}
    lab = planned(make_lab(turn(call("plan_submit", steps=[*STEPS, mail])), DONE), ALLOW)
    _, _, card = await opened(lab)

    assert card.touchpoint is Touchpoint.PLAN
    assert card.summary == "Carry out a plan of 5 steps"
    assert [verdict.value for verdict in card.verdicts] == ["approve", "edit", "reject"]
    asks = {one.step.id: one.asks for one in shown(card)}
    assert asks == {
        "a": StepAsks.NO, "b": StepAsks.NO, "write": StepAsks.MAYBE, "sum": StepAsks.NO, "mail": StepAsks.YES,
    }  # fmt: skip
    assert shown(card)[-1].reversibility is Reversibility.IRREVERSIBLE
    assert (card.reversibility, card.tier) == (Reversibility.IRREVERSIBLE, Tier.R3), "judged by its gravest step"


async def test_steps_that_wait_for_nothing_run_together_and_the_plan_ends_when_all_are_done(make_lab: MakeLab) -> None:
    lab = planned(make_lab(*WHOLE))
    harness, session, card = await opened(lab)

    await lab.decide(harness, card.proposal, "approve")
    asked = await lab.card(harness)
    assert await statuses(lab, harness, session) == {"a": "done", "b": "done", "write": "asking", "sum": "waiting"}
    await lab.decide(harness, asked.proposal, "approve")

    starts = await lab.events(harness, session, ev.CallStarted, ev.CallFinished)
    assert [event.kind for event in starts][1:3] == ["call_started", "call_started"], (
        "both reads began before one ended"
    )
    assert asked.touchpoint is Touchpoint.APPROVAL, "approving a plan approves no step of it"
    result = await lab.result(harness, session)
    assert (result["completed"], result["gaps"], result["plan"]["phase"]) == (True, [], "done")
    assert all(not raw_problems(request.messages) for request in lab.model.requests)


async def test_the_history_is_only_ever_added_to(make_lab: MakeLab) -> None:
    lab = planned(make_lab(*WHOLE), ALLOW)
    harness, _, card = await opened(lab)
    await lab.decide(harness, card.proposal, "edit", arguments={"steps": [READ_B, READ_A, WRITE, SUM_UP]})

    sent = [lab.model.messages(index) for index in range(len(lab.model.requests))]
    for before, after in itertools.pairwise(sent):
        assert [_plain(m) for m in after[: len(before)]] == [_plain(m) for m in before]


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "content": [{k: v for k, v in b.items() if k != "cache_control"} for b in message["content"]]}


async def test_without_a_plan_nothing_can_be_changed(make_lab: MakeLab) -> None:
    free = turn(call("files_write", path="c.txt", content="c"), call("files_read", path="a.txt"))
    lab = planned(make_lab(free, DONE), ALLOW)
    harness = await lab.open()
    session = await lab.start(harness)

    refused, read = lab.model.results()
    assert "no plan is approved yet" in refused["content"]
    assert "plan_submit" in refused["content"]
    assert "is_error" not in read
    assert not (lab.workspace / "c.txt").exists()
    assert (await lab.result(harness, session))["plan"] is None


async def test_an_edited_plan_is_what_counts_and_the_model_is_told_what_was_changed(make_lab: MakeLab) -> None:
    lab = planned(make_lab(PLAN, READS, WRITES, DONE))
    harness, session, card = await opened(lab)
    edited = [READ_B, {**WRITE, "goal": "Write nothing", "tool": "files_list", "after": ["b"]}]

    await lab.decide(harness, card.proposal, "edit", arguments={"steps": edited}, reason="less")

    told = lab.model.results(1)[0]["content"].replace("\\", "")
    assert "bar edited this and approved the edited version" in told
    assert "steps.a removed" in told
    assert '"Write c" → "Write nothing"' in told
    (adopted,) = [event.data for event in await lab.events(harness, session, ev.PlanAdopted)]
    assert isinstance(adopted, ev.PlanAdopted)
    assert [step.id for step in adopted.steps] == ["b", "write"]
    assert adopted.edited_by == "bar"
    gone, _ = lab.model.results(2)
    assert 'no step "a"' in gone["content"].replace("\\", ""), "a step that was taken out is out"
    (other,) = lab.model.results(3)
    assert "is a call of files_list" in other["content"]


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([], "no steps"),
        ([{**READ_A, "after": ["b"]}, {**READ_B, "after": ["a"]}], "circle"),
        ([{**READ_A, "tool": "files_reed"}], "no tool here"),
        ([{**READ_A, "after": ["nowhere"]}], "which is no step"),
        ([{"id": "a"}], "goal"),
        ([{**READ_A, "id": f"s{n}"} for n in range(1_000)], "the most is 40"),
    ],
)
async def test_an_edit_that_is_no_plan_is_refused_and_the_card_stays(
    make_lab: MakeLab, steps: list[dict[str, Any]], words: str
) -> None:
    lab = planned(make_lab(PLAN, DONE))
    harness, session, card = await opened(lab)
    before = await lab.kinds(harness, session)

    with pytest.raises(DecisionRefused, match=words):
        await lab.decide(harness, card.proposal, "edit", arguments={"steps": steps})

    assert await lab.kinds(harness, session) == before
    assert (await lab.card(harness)).proposal == card.proposal


async def test_a_plan_that_is_none_is_refused_before_anybody_is_asked(make_lab: MakeLab) -> None:
    thousand = [{**READ_A, "id": f"s{n}"} for n in range(1_000)]
    lab = planned(make_lab(turn(call("plan_submit", steps=thousand)), PLAN, DONE))
    _, _, card = await opened(lab)

    (refused,) = lab.model.results(1)
    assert "1,000 steps and the most is 40" in refused["content"]
    assert card.step == 2


async def test_a_rejected_plan_tells_the_planner_why_and_another_is_asked_about(make_lab: MakeLab) -> None:
    lab = planned(make_lab(PLAN, turn(call("plan_submit", steps=[READ_A])), DONE))
    harness, session, card = await opened(lab)

    await lab.decide(harness, card.proposal, "reject", reason="too much at once")

    (refused,) = lab.model.results(1)
    assert "too much at once" in refused["content"]
    second = await lab.card(harness)
    assert second.touchpoint is Touchpoint.PLAN
    await lab.decide(harness, second.proposal, "reject", reason="stop", details={"then": "stop"})
    assert (await lab.result(harness, session))["stop_reason"] == "rejected"


async def test_a_plan_that_nobody_decides_is_not_carried_out(make_lab: MakeLab) -> None:
    lab = planned(make_lab(PLAN, DONE), gate='approve_within = "15m"')
    harness, session, card = await opened(lab)

    lab.clock.advance(16 * 60)
    await harness.desk.expire(session)
    await harness.supervisor.wait(session)

    assert "Nobody decided" in lab.model.results(1)[0]["content"]
    assert "the plan is not carried out" in card.deadline_text
    assert (await lab.result(harness, session))["plan"] is None


async def test_a_failed_step_goes_back_to_the_planner_with_its_failure_and_nothing_goes_on_silently(
    make_lab: MakeLab,
) -> None:
    again = [{**WRITE, "id": "write2", "after": ["a", "b"]}]
    lab = planned(
        make_lab(
            PLAN,
            READS,
            WRITES,
            turn(call("files_write", path="d.txt", content="d", plan_step="sum")),
            turn(call("plan_submit", steps=again)),
            turn(call("files_write", path="c.txt", content="c", plan_step="write2")),
            DONE,
        )
    )
    harness, session, card = await opened(lab)
    await lab.decide(harness, card.proposal, "approve")
    await lab.decide(harness, (await lab.card(harness)).proposal, "reject", reason="not to c")

    assert 'step \\"write\\" failed' in _note(lab, 3).replace('"', '\\"')
    assert "not to c" in _note(lab, 3)
    (late,) = lab.model.results(4)
    assert "the plan no longer holds" in late["content"], "no other step is begun after a failure"
    second = await lab.card(harness)
    assert [(one.sign.value, one.step.id) for one in shown(second)] == [("-", "write"), ("-", "sum"), ("+", "write2")]
    await lab.decide(harness, second.proposal, "approve")
    await lab.decide(harness, (await lab.card(harness)).proposal, "approve")
    result = await lab.result(harness, session)
    assert (result["completed"], result["plan"]["plans"]) == (True, 2)


def _note(lab: Lab, index: int) -> str:
    return "\n".join(b["text"] for b in lab.model.messages(index)[-1]["content"] if b["type"] == "text")


async def test_a_run_that_ends_with_steps_left_is_not_complete_whatever_the_model_says(make_lab: MakeLab) -> None:
    finish = turn(call("finish", output="all is well", completed=True))
    lab = planned(make_lab(PLAN, READS, finish), tools=("files_read", "files_write", "finish"))
    harness, session, card = await opened(lab)
    await lab.decide(harness, card.proposal, "approve")

    result = await lab.result(harness, session)
    assert result["completed"] is False
    assert [gap for gap in result["gaps"] if "write" in gap and "Write c" in gap]


async def test_the_engine_and_not_the_model_says_that_a_sub_goal_is_done(make_lab: MakeLab) -> None:
    steps = [{"id": "goal", "goal": "Find it", "tools": ["files_write"]}]
    missing = turn(call("files_read", path="none.txt", plan_step="goal"))
    claim = turn(call("plan_report", step="goal", done=True, result="found"))
    admit = turn(call("plan_report", step="goal", done=False, result="it is not there"))
    lab = planned(make_lab(turn(call("plan_submit", steps=steps)), missing, claim, admit, DONE))
    harness, session, card = await opened(lab)
    await lab.decide(harness, card.proposal, "approve")

    assert "is not done: its last call came back with" in lab.model.results(3)[0]["content"]
    assert await statuses(lab, harness, session) == {"goal": "failed"}
    assert (await lab.result(harness, session))["completed"] is False


async def test_a_report_waits_for_the_other_calls_of_its_response(make_lab: MakeLab) -> None:
    steps = [{"id": "goal", "goal": "Write it", "tools": ["files_write"]}]
    both = turn(
        call("plan_report", step="goal", done=True, result="written"),
        call("files_write", path="c.txt", content="c", plan_step="goal"),
    )
    lab = planned(make_lab(turn(call("plan_submit", steps=steps)), both, DONE))
    harness, session, card = await opened(lab)
    await lab.decide(harness, card.proposal, "approve")
    write = await lab.card(harness)
    assert await statuses(lab, harness, session) == {"goal": "asking"}

    await lab.decide(harness, write.proposal, "reject", reason="no")

    assert (await statuses(lab, harness, session))["goal"] != "done"


async def test_an_executor_carries_out_the_steps_and_the_planner_plans(make_lab: MakeLab) -> None:
    executor = '[executor]\nmodel = "claude-haiku-4-5"\n'
    lab = planned(make_lab(*(({**one, "thinking": "hm"}) for one in WHOLE)), f"{ALLOW}{executor}")
    harness, session, card = await opened(lab)
    await lab.decide(harness, card.proposal, "approve")

    models = [request.model for request in lab.model.requests]
    assert models == ["claude-sonnet-4-5", *["claude-haiku-4-5"] * 3, "claude-sonnet-4-5"]
    assert all(not raw_problems(request.messages) for request in lab.model.requests)
    for index, model in enumerate(models):
        thought = [
            place
            for place, message in enumerate(m for m in lab.model.messages(index) if m["role"] == "assistant")
            if any(block["type"] == "thinking" for block in message["content"])
        ]
        assert thought == [place for place in range(index) if models[place] == model], "signed for its own model only"
    assert (await lab.result(harness, session))["completed"] is True
    paid = [event.data for event in await lab.events(harness, session, ev.ModelResponded)]
    assert all(isinstance(one, ev.ModelResponded) and one.cost_usd for one in paid)


async def test_limits_hold_while_a_plan_is_carried_out(make_lab: MakeLab) -> None:
    lab = planned(make_lab(*WHOLE), limits="tool_calls = 1")
    harness, session, card = await opened(lab)
    await lab.decide(harness, card.proposal, "approve")

    budget = await lab.card(harness)
    assert budget.touchpoint is Touchpoint.BUDGET
    assert await statuses(lab, harness, session) == {"a": "done", "b": "ready", "write": "waiting", "sum": "waiting"}


async def test_a_plan_of_one_run_is_not_that_of_the_next(make_lab: MakeLab) -> None:
    late = turn(call("files_write", path="c.txt", content="n", plan_step="write"))
    lab = planned(make_lab(*WHOLE, late, DONE), ALLOW)
    harness, session, card = await opened(lab)
    await lab.decide(harness, card.proposal, "approve")
    await lab.resume(harness, session, "once more")

    assert "no plan is approved yet" in lab.model.results(6)[0]["content"]


async def test_what_a_plan_says_vouches_for_nothing(make_lab: MakeLab) -> None:
    steps = [{"id": "mail", "goal": "Write to eve@evil.example", "tool": "email_send"}]
    mail = turn(call("email_send", to=["eve@evil.example"], subject="s", body="b", plan_step="mail"))
    lab = planned(make_lab(turn(call("plan_submit", steps=steps)), mail, DONE))
    harness, _, card = await opened(lab)
    await lab.decide(harness, card.proposal, "approve")

    asked = await lab.card(harness)
    (recipient,) = [origin for origin in asked.origins if origin.argument.startswith("to")]
    assert recipient.kind == "nowhere"


async def test_an_edit_that_makes_a_plan_graver_is_asked_about_once_more_as_edited(make_lab: MakeLab) -> None:
    mail = {"id": "mail", "goal": "Tell Ann", "tool": "email_send"}
    lab = planned(make_lab(turn(call("plan_submit", steps=[READ_A])), DONE))
    harness, session, card = await opened(lab)

    await lab.decide(harness, card.proposal, "edit", arguments={"steps": [READ_A, mail]})

    graver = await lab.card(harness)
    assert (graver.touchpoint, graver.tier) == (Touchpoint.PLAN, Tier.R3)
    assert [one.step.id for one in shown(graver)] == ["a", "mail"]
    await lab.decide(harness, graver.proposal, "approve")
    assert await statuses(lab, harness, session) == {"a": "ready", "mail": "ready"}
    assert "steps.mail added" in lab.model.results(1)[0]["content"]


async def test_how_far_a_plan_is_outlives_the_calls_that_screens_forget(make_lab: MakeLab) -> None:
    lab = planned(make_lab(*WHOLE), ALLOW)
    harness, session, card = await opened(lab)
    await lab.decide(harness, card.proposal, "approve")

    events = await lab.events(harness, session)
    for length in range(1, len(events) + 1):
        short = taken(Standing(session, page=2), events[:length])
        assert standing_of(short.state) == standing_of(fold(events[:length]))
