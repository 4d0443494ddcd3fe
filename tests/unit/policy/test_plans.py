"""The scheduler of plans: total, never ahead of a dependency, and never past a failure."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent_core.model.action import EffectClass, ToolError
from agent_core.model.plan import (
    NOT_TRIED,
    PlanPhase,
    PlanState,
    PlanStep,
    ServingCall,
    StepReport,
    StepState,
    StepStatus,
    done_before,
    phase_of,
    steps_of,
)
from agent_core.policy.plans import MOST_STEPS, AskedCall, PlanStanding, call_fault, plan_fault, report_fault

TOOLS = ("files_read", "files_write", "email_send", "finish", "plan_submit", "plan_report")
NAMES = st.text("abcdef", min_size=1, max_size=2)


def made_call(waits: bool = False, answer: bool | None = None, error: ToolError | None = None) -> ServingCall:
    """A call as the scheduler looks at it."""
    return ServingCall(1, waits, answer, error)


def failed(code: str = "tool_error") -> ServingCall:
    return made_call(answer=False, error=ToolError(code=code, message="It went wrong."))


def step(name: str, *after: str, tool: str | None = "files_read", tools: list[str] | None = None) -> PlanStep:
    return PlanStep(id=name, goal=f"do {name}", tool=tool, tools=tools or [], after=list(after))


@st.composite
def plans(draw: st.DrawFn) -> list[PlanStep]:
    """A plan without circles: each step waits only for earlier ones."""
    names = draw(st.lists(NAMES, min_size=1, max_size=8, unique=True))
    found = []
    for place, name in enumerate(names):
        after = draw(st.lists(st.sampled_from(names[:place]), unique=True)) if place else []
        tool = draw(st.sampled_from(["files_read", "files_write", None]))
        found.append(PlanStep(id=name, goal="g", tool=tool, after=after))
    return found


calls = st.one_of(
    st.builds(made_call, answer=st.just(True)),
    st.builds(failed, st.sampled_from(["tool_error", "rejected", *NOT_TRIED])),
    st.builds(made_call, waits=st.booleans()),
)


@st.composite
def worlds(draw: st.DrawFn) -> PlanState:
    """A plan with some calls made for its steps and some reports given."""
    steps = draw(plans())
    state = PlanState("c-plan", steps)
    for place, one in enumerate(steps):
        for number in range(draw(st.integers(0, 2))):
            state.calls.setdefault(one.id, {})[f"c-{place}-{number}"] = draw(calls)
        if one.tool is None and draw(st.booleans()):
            state.reports[one.id] = StepReport(done=draw(st.booleans()), result="r")
    return state


@given(worlds())
def test_every_step_has_one_state_and_none_is_ready_ahead_of_what_it_waits_for(state: PlanState) -> None:
    found = steps_of(state, ())
    assert [one.step for one in found] == state.steps
    done = {one.step.id for one in found if one.status is StepStatus.DONE}
    for one in found:
        if one.status is StepStatus.READY:
            assert set(one.step.after) <= done
        if one.status is StepStatus.WAITING:
            assert not set(one.step.after) <= done
            assert one.detail


@given(worlds())
def test_a_plan_with_steps_left_always_has_something_to_do_or_has_failed(state: PlanState) -> None:
    phase = phase_of([state])
    found = steps_of(state, ())
    if phase is PlanPhase.EXECUTING:
        assert any(one.open for one in found), "no plan is ever stuck"
    assert (phase is PlanPhase.DONE) is all(one.status is StepStatus.DONE for one in found)
    assert (phase is PlanPhase.FAILED) is any(one.status is StepStatus.FAILED for one in found)


@given(worlds())
def test_only_an_answer_that_came_back_well_or_an_accepted_report_makes_a_step_done(state: PlanState) -> None:
    for one in steps_of(state, ()):
        tried = list(state.calls.get(one.step.id, {}).values())
        if one.status is StepStatus.DONE:
            assert any(call.answer for call in tried) or (one.step.id in state.reports)
        if one.status is StepStatus.FAILED and one.step.tool is not None:
            assert any(call.error for call in tried)


@given(worlds(), NAMES)
def test_a_plan_after_a_failed_one_builds_on_what_was_done(state: PlanState, name: str) -> None:
    done = done_before([state])
    assume(name not in done)
    again = PlanState("c-2", [step(name, *sorted(done))])
    (only,) = steps_of(again, [state])
    assert only.status is StepStatus.READY


def test_a_run_without_a_plan_is_unplanned() -> None:
    assert phase_of(()) is PlanPhase.UNPLANNED


# ---------------------------------------------------------------- which plan may be proposed


@given(plans())
def test_a_plan_without_circles_is_taken(steps: list[PlanStep]) -> None:
    assert plan_fault(steps, TOOLS, ()) is None


@given(plans(), st.data())
def test_a_circle_is_always_found(steps: list[PlanStep], data: st.DataObject) -> None:
    assume(len(steps) > 1)
    last = data.draw(st.integers(1, len(steps) - 1))
    linked = [
        PlanStep(id=s.id, goal="g", after=[*{*s.after, *([steps[i - 1].id] if i else [])}]) for i, s in enumerate(steps)
    ]
    linked[0] = PlanStep(id=steps[0].id, goal="g", after=[steps[last].id])
    fault = plan_fault(linked, TOOLS, ())
    assert fault is not None
    assert "circle" in fault


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([], "no steps"),
        ([step(f"s{n}") for n in range(1_000)], f"1,000 steps and the most is {MOST_STEPS}"),
        ([step("a"), step("a")], "id of its own"),
        ([step("a", "a")], "waits for itself"),
        ([step("a", "b", "b"), step("b")], "twice"),
        ([step("a", "reed"), step("read")], 'no step; the nearest is "read"'),
        ([step("a", tool="files_reed")], 'no tool here; the nearest is "files_read"'),
        ([step("a", tool=None, tools=["nothing"])], 'uses "nothing"'),
        ([step("a", tool="finish")], "about the plan itself"),
        ([step("a", tool="plan_submit")], "about the plan itself"),
        ([step("a", tools=["files_read"])], "a tool and tools"),
        ([step("old")], "done already"),
        ([step("a", "c"), step("b", "a"), step("c", "b")], "a → c → b → a"),
    ],
)
def test_what_cannot_be_a_plan_is_refused_with_the_way_out(steps: list[PlanStep], words: str) -> None:
    fault = plan_fault(steps, TOOLS, {"old"})
    assert fault is not None
    assert words in fault


def test_a_new_plan_may_wait_for_what_was_done_before() -> None:
    assert plan_fault([step("a", "old")], TOOLS, {"old"}) is None


# ---------------------------------------------------------------- which call a plan allows


def standing(*states: tuple[PlanStep, StepStatus], phase: PlanPhase = PlanPhase.EXECUTING) -> PlanStanding:
    return PlanStanding(phase, [StepState(one, status, "waits for a") for one, status in states])


WRITE, READ = EffectClass.IDEMPOTENT_BY_KEY, EffectClass.READ_ONLY
A, B = step("a", tool="files_write"), step("b", "a", tool="files_write")
GOAL = step("goal", tool=None, tools=["files_write"])
EXECUTING = standing((A, StepStatus.READY), (B, StepStatus.WAITING), (GOAL, StepStatus.RUNNING))


def asked(tool: str, name: str | None, effect: EffectClass = WRITE, claimed: tuple[str, ...] = ()) -> AskedCall:
    return AskedCall(tool, effect, name, claimed)


@pytest.mark.parametrize(
    "call",
    [asked("files_write", "a"), asked("files_write", "goal"), asked("files_read", "goal", READ), asked("finish", None)],
)
def test_a_call_of_a_step_that_is_due_is_allowed(call: AskedCall) -> None:
    assert call_fault(EXECUTING, call) is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (asked("files_write", None), "which step"),
        (asked("files_read", None, READ), "which step"),
        (asked("files_write", "z"), 'no step "z"'),
        (asked("files_write", "b"), "waits for a"),
        (asked("email_send", "a"), "is a call of files_write"),
        (asked("email_send", "goal"), "planned with files_write only"),
        (asked("files_write", "a", claimed=("a",)), "has it already"),
    ],
)
def test_a_call_that_the_plan_does_not_hold_is_refused_with_the_way_out(call: AskedCall, words: str) -> None:
    fault = call_fault(EXECUTING, call)
    assert fault is not None
    assert fault.code == "not_in_plan"
    assert words in fault.message
    assert fault.suggestion


@pytest.mark.parametrize("phase", [PlanPhase.UNPLANNED, PlanPhase.FAILED, PlanPhase.DONE])
def test_without_a_plan_in_force_only_reading_is_free(phase: PlanPhase) -> None:
    state = StepStatus.FAILED if phase is PlanPhase.FAILED else StepStatus.DONE
    now = standing(*([] if phase is PlanPhase.UNPLANNED else [(A, state)]), phase=phase)
    assert call_fault(now, asked("files_read", None, READ)) is None
    assert call_fault(now, asked("notes_write", None, EffectClass.ENGINE)) is None
    assert call_fault(now, asked("files_write", None)) is not None
    assert call_fault(now, asked("files_write", "a")) is not None
    assert call_fault(now, asked("files_read", "a", READ)) is not None


def test_a_report_has_to_fit_what_the_calls_came_back_with() -> None:
    error = ToolError(code="rejected", message="bar refused this call.")
    assert report_fault(EXECUTING, "goal", done=True, last_error=None) is None
    assert report_fault(EXECUTING, "goal", done=False, last_error=error) is None
    for name, done, last in (("goal", True, error), ("a", True, None), ("z", True, None)):
        assert report_fault(EXECUTING, name, done=done, last_error=last) is not None
