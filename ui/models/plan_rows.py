"""Plan rows: the steps of a plan as a list paints them, proposed on a card or carried out in a session. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from agent_core.model.action import Reversibility
from agent_core.model.plan import PlanStep, StepState, StepStatus
from agent_core.model.plan_diff import ComparedStep
from agent_core.model.proposal import PlanChange, PlannedStep, Sign, StepAsks
from ui.hostile import visible_line
from ui.models import plan_words
from ui.models.card_text import RISK_WORDS
from ui.tokens import ColorName
from ui.widgets.plan_list import PlanRow, Remark

_SIGNS: Mapping[Sign, tuple[str, ColorName, ColorName | None, str]] = {
    Sign.ADDED: ("+", "ok", "ok_bg", "new"),
    Sign.REMOVED: ("−", "dang", "dang_bg", "taken out"),
    Sign.CHANGED: ("~", "text2", None, "changed"),
    Sign.SAME: ("", "text3", None, ""),
}
_ASKS: Mapping[StepAsks, str] = {
    StepAsks.NO: "shield-check",
    StepAsks.MAYBE: "hand",
    StepAsks.YES: "hand",
    StepAsks.NEVER: "lock",
}
_RISKS: Mapping[Reversibility, tuple[str, ColorName]] = {
    Reversibility.PARTLY_REVERSIBLE: ("undo-2", "attn"),
    Reversibility.IRREVERSIBLE: ("octagon-alert", "dang"),
}
_STATES: Mapping[StepStatus, ColorName] = {
    StepStatus.WAITING: "text3",
    StepStatus.READY: "text2",
    StepStatus.RUNNING: "text2",
    StepStatus.ASKING: "attn",
    StepStatus.DONE: "text3",
    StepStatus.FAILED: "dang",
}


def proposed_rows(change: PlanChange) -> list[PlanRow]:
    """The steps as a card proposes them, with the sign of every difference."""
    return [_proposed(planned) for planned in change.steps]


def compared_rows(compared: Iterable[ComparedStep]) -> list[PlanRow]:
    """The steps of an edited plan before anybody said which of them will ask."""
    return [_compared(step, sign, before) for step, sign, before in compared]


def live_rows(steps: list[StepState]) -> list[PlanRow]:
    """The steps as they stand."""
    return [_live(state) for state in steps]


def _compared(step: PlanStep, sign: Sign, before: PlanStep | None) -> PlanRow:
    words, color, ground, spoken = _SIGNS[sign]
    return PlanRow(
        name=visible_line(step.id),
        goal=visible_line(step.goal),
        means=visible_line(plan_words.means(step)),
        after=_after(step),
        icon="" if words else _icon(step),
        sign=words,
        mark_color=color,
        remarks=tuple(Remark("history", f"was {was}") for was in _was(before, step)) if before is not None else (),
        ground=ground,
        struck=sign is Sign.REMOVED,
        spoken=spoken,
    )


def _proposed(planned: PlannedStep) -> PlanRow:
    row = _compared(planned.step, planned.sign, planned.before)
    if planned.sign is Sign.REMOVED:
        return row
    asks = Remark(_ASKS[planned.asks], plan_words.asks(planned), "dang" if planned.asks is StepAsks.NEVER else "text3")
    risk = planned.reversibility
    risks = (Remark(_RISKS[risk][0], RISK_WORDS[risk], _RISKS[risk][1]),) if risk is not None and risk in _RISKS else ()
    return replace(row, state=asks, remarks=(*risks, *row.remarks))


def _was(before: PlanStep, after: PlanStep) -> Iterator[str]:
    """What a changed step was before, part by part."""
    if before.goal != after.goal:
        yield visible_line(before.goal)
    if (before.tool, before.tools) != (after.tool, after.tools):
        yield visible_line(plan_words.means(before))
    if before.after != after.after:
        yield _after(before) or "free to start"


def _live(state: StepState) -> PlanRow:
    words, icon = plan_words.STATUS[state.status]
    color = _STATES[state.status]
    failed = state.status is StepStatus.FAILED
    shows = failed or (state.status is StepStatus.DONE and state.step.tool is None)
    remark = Remark("corner-down-right", visible_line(state.detail), "dang" if failed else "text3")
    return PlanRow(
        name=visible_line(state.step.id),
        goal=visible_line(state.step.goal),
        means=visible_line(plan_words.means(state.step)),
        after=_after(state.step),
        icon=icon,
        mark_color=color,
        state=Remark(icon, words, color),
        remarks=(remark,) if shows and state.detail else (),
    )


def _icon(step: PlanStep) -> str:
    return "wrench" if step.tool is not None else "flag"


def _after(step: PlanStep) -> str:
    return visible_line(f"after {', '.join(step.after)}") if step.after else ""
