"""Editing a plan: complete at every moment, ids kept, and never a dependency on what is gone."""

from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.plan import PlanStep
from agent_core.model.plan_diff import compare_plans
from agent_core.model.proposal import Sign
from agent_core.policy.plans import plan_fault
from ui.models.plan_edit import PlanDraft

TOOLS = ("files_read", "files_write")


def step(name: str, *after: str) -> PlanStep:
    return PlanStep(id=name, goal=f"do {name}", tool="files_read", after=list(after))


@st.composite
def proposed(draw: st.DrawFn) -> list[PlanStep]:
    names = draw(st.lists(st.text("abcde", min_size=1, max_size=2), min_size=1, max_size=6, unique=True))
    return [step(n, *draw(st.lists(st.sampled_from(["old", *names[:i]]), unique=True))) for i, n in enumerate(names)]


edits = st.lists(
    st.tuples(st.sampled_from(["take_out", "put_back", "move", "add"]), st.integers(0, 9), st.sampled_from([-1, 1])),
    max_size=12,
)


@given(proposed(), edits)
def test_whatever_is_taken_out_put_back_and_moved_the_plan_can_be_carried_out(
    steps: list[PlanStep], acts: list[tuple[str, int, int]]
) -> None:
    draft = PlanDraft(steps, ["old"])
    for act, place, by in acts:
        name = steps[place % len(steps)].id
        if act == "take_out":
            draft.take_out(name)
        elif act == "put_back":
            draft.put_back(name)
        elif act == "move":
            draft.move(name, by)
        else:
            draft.change(draft.add(name), goal="something more")
    ids = [one.id for one in draft.steps]
    assert len(ids) == len(set(ids))
    assert not draft.steps or plan_fault(draft.steps, TOOLS, {"old"}) is None
    assert {one.id for one, _, _ in draft.compared()} == {*ids, *(one.id for one in steps)}


@given(proposed(), st.integers(0, 9))
def test_a_step_that_is_taken_out_and_put_back_has_its_place_and_words_again(steps: list[PlanStep], place: int) -> None:
    name = steps[place % len(steps)].id
    draft = PlanDraft(steps, ["old"])
    draft.take_out(name)
    assert draft.step(name) is None
    draft.put_back(name)
    assert [one.id for one in draft.steps] == [one.id for one in steps]
    assert draft.step(name) == next(one for one in steps if one.id == name)
    for one in steps:
        again = draft.step(one.id)
        assert again is not None
        assert set(one.after) <= set(again.after)


@given(proposed(), proposed())
def test_a_comparison_holds_every_step_of_both_plans_once_in_the_order_of_the_newer(
    before: list[PlanStep], after: list[PlanStep]
) -> None:
    found = list(compare_plans(after, before))
    assert [one for one, sign, _ in found if sign is not Sign.REMOVED] == after
    gone = [one.id for one, sign, _ in found if sign is Sign.REMOVED]
    assert gone == [one.id for one in before if one.id not in {s.id for s in after}]
    for one, sign, old in found:
        assert (old is not None) is (sign is Sign.CHANGED)
        assert sign is not Sign.SAME or one in before


def test_what_waited_for_a_step_that_was_taken_out_waits_for_what_it_waited_for() -> None:
    draft = PlanDraft([step("a"), step("b", "a"), step("c", "b")])
    draft.take_out("b")
    assert draft.steps == [step("a"), step("c", "a")]
