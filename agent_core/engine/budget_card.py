"""The budget card: why a run holds at a limit, how much was used and what for, what is left to do. Pure."""

from decimal import Decimal

from agent_core.engine import run_facts
from agent_core.engine.openings import Frame
from agent_core.engine.summary import money_text
from agent_core.model.action import Tier
from agent_core.model.budget import LimitName, Scope, Spend
from agent_core.model.events import LimitReached
from agent_core.model.proposal import FieldChange, FieldsChange, Proposal, Sign, Touchpoint, WhatChanges
from agent_core.model.state import RunState, SessionState
from agent_core.policy.limits import LIMIT_WORDS, limit_text

_UNKNOWN = limit_text(None)
_WHOSE = {Scope.DAY.value: "the day's "}
_ELSEWHERE = {
    Scope.DAY.value: "The limit of the day stands in the settings: raise it there, then extend this run.",
    Scope.TREE.value: "Its new value holds for this session, its other runs and every session forked from it.",
}
"""What an operator has to know of a limit that is not the run's alone."""


def reached_words(reached: LimitReached) -> str:
    """Why the run holds: a limit also stops what would go over it, while there is still something left."""
    word = f"{_WHOSE.get(reached.scope, '')}{LIMIT_WORDS[reached.limit]}"
    used = f"{_figure(reached.spent)} of {_figure(reached.value)} used"
    known = _UNKNOWN not in (reached.spent, reached.value)
    if known and Decimal(reached.spent) < Decimal(reached.value):
        return f"The limit of {word} leaves no room for the next step: {used}"
    return f"The limit of {word} is reached: {used}"


def _figure(text: str) -> str:
    return "unknown" if text == _UNKNOWN else f"{Decimal(text):,}"


def budget_card(frame: Frame, state: SessionState, reached: LimitReached, usual: Spend | None) -> Proposal:
    """The card of a reached limit: how much was used and what for, what is left to do, and what may be extended."""
    run = state.run
    spend = run.spend
    return Proposal(
        **frame.fields(Touchpoint.BUDGET),
        summary=reached_words(reached),
        what_changes=WhatChanges(
            headline=f"The run holds at step {frame.step}",
            parts=[FieldsChange(title="Used so far", rows=_used(run, reached))],
            not_happening=["Nothing more is spent until somebody decides.", *_elsewhere(reached)],
        ),
        could_go_wrong=["More budget may be spent without reaching the goal."],
        way_back="The limit can be lowered again at any time.",
        tier=Tier.R1,
        system="budget",
        options=[name.value for name in LimitName],
        facts={
            "limit": reached.limit.value,
            "value": reached.value,
            "spent": reached.spent,
            "scope": reached.scope,
            "cost_usd": money_text(spend.cost_usd),
            "tree_cost_usd": reached.spent if reached.limit is LimitName.TREE_COST_USD else None,
            "steps": spend.steps,
            "tool_calls": spend.tool_calls,
            "tokens": spend.tokens,
            "active_seconds": round(spend.active_seconds, 1),
            "limits": {name.value: _limit_text(run, name) for name in LimitName},
            "usual": {name.value: _usual_text(usual, name) for name in LimitName} if usual is not None else {},
            "money_went": run_facts.money_went(state),
            "done": run_facts.done_so_far(state),
            "to_finish": run_facts.to_finish(spend, usual),
        },
    )


def _elsewhere(reached: LimitReached) -> list[str]:
    return [_ELSEWHERE[reached.scope]] if reached.scope in _ELSEWHERE else []


def _limit_text(run: RunState, name: LimitName) -> str:
    """A limit as `extend` takes it; empty where none applies."""
    value = run.limits.get(name)
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _usual_text(usual: Spend, name: LimitName) -> str:
    """What a usual run takes of a limit; empty where that is not known."""
    value = usual.get(name)
    if isinstance(value, Decimal):
        return money_text(value) or ""
    return "" if value is None else str(round(value))


def _used(run: RunState, reached: LimitReached) -> list[FieldChange]:
    limits, spend = run.limits, run.spend
    cost = money_text(spend.cost_usd) or "unknown"
    figures = [
        ("Steps", str(spend.steps), str(limits.steps)),
        ("Tool calls", str(spend.tool_calls), str(limits.tool_calls)),
        ("Tokens", str(spend.tokens), str(limits.tokens)),
        ("Cost in USD", cost, money_text(limits.cost_usd) or "no limit"),
        ("Active seconds", f"{spend.active_seconds:.0f}", f"{limits.seconds:.0f}"),
    ]
    if reached.scope == Scope.TREE.value:
        figures.append(("Cost with forks in USD", reached.spent, reached.value))
    if reached.scope == Scope.DAY.value:
        figures.append(("Cost of the day in USD", reached.spent, reached.value))
    return [FieldChange(sign=Sign.SAME, field=name, before=used, after=limit) for name, used, limit in figures]
