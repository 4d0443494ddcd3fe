"""What the newest run of a session has cost, step by step, and where it is heading. Pure."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from agent_core.model import events as ev
from agent_core.model.bills import Bills, StepBill
from agent_core.model.intents import DayBudget
from agent_core.model.run import RunState
from ui import formatting
from ui.models.gauges import active_seconds
from ui.widgets.cost_data import CostState, StepCost

_FEWEST_STEPS = 2
"""Before that a pace says nothing."""


class CostModel:
    """What is drawn of some bills."""

    def __init__(self, kept: Bills | None = None) -> None:
        self._kept = Bills() if kept is None else kept

    def apply(self, events: Iterable[ev.Event]) -> bool:
        """Take in more events; whether anything has changed."""
        return sum(self._kept.take(event) for event in events) > 0

    @property
    def bills(self) -> list[StepBill]:
        """Bills of the newest run."""
        return self._kept.steps

    @property
    def total(self) -> StepBill:
        """Their sum."""
        return self._kept.total

    @property
    def model(self) -> str:
        """The model that answered last."""
        return self._kept.model

    @property
    def lost(self) -> Decimal:
        """What lost requests may have cost besides."""
        return self._kept.lost

    # ---------------------------------------------------------------- what is shown

    @property
    def known(self) -> bool:
        """Whether every response had a price."""
        return self.total.cost is not None

    def state(self, run: RunState | None, now: datetime) -> CostState:
        """What the graph draws. Without a known price there is nothing to draw."""
        steps = tuple(map(_step_cost, self.bills)) if self.known else ()
        budget = run.limits.cost_usd if run is not None else None
        projected = self._projection(run, now) if run is not None and self.known else None
        return CostState(
            steps=steps,
            budget=None if budget is None else float(budget),
            projected_step=projected[0] if projected is not None else None,
            projected_total=projected[1] if projected is not None else None,
            cache_read_share=self.total.cache_read / self.total.read if self.total.read else None,
        )

    def _projection(self, run: RunState, now: datetime) -> tuple[int, float] | None:
        """Step and cost at which the first limit will be reached, at the pace so far."""
        spend, limits, cost = run.spend, run.limits, self.total.cost
        if run.stopped is not None or spend.steps < _FEWEST_STEPS or not cost:
            return None
        shares = [
            _share(spend.steps, limits.steps),
            _share(spend.tool_calls, limits.tool_calls),
            _share(spend.tokens, limits.tokens),
            _share(active_seconds(run, now), limits.seconds),
            _share(float(cost), float(limits.cost_usd)) if limits.cost_usd is not None else 0.0,
        ]
        fullest = max(shares)
        if not 0 < fullest < 1:
            return None
        return round(spend.steps / fullest), float(cost) / fullest


def _share(spent: float, limit: float) -> float:
    return spent / limit if limit else 1.0


def _step_cost(bill: StepBill) -> StepCost:
    read, write, fresh, output = map(float, bill.parts)
    return StepCost(bill.first, read, write, fresh, output, last_step=bill.last if bill.last != bill.first else None)


def unknown_words(model: CostModel) -> str:
    """What stands in place of a cost that is not known: never 0."""
    name = f" for {model.model}" if model.model else ""
    read, written = formatting.compact_count(model.total.read), formatting.compact_count(model.total.output)
    return f"Cost unknown: there is no price{name}. {read} tokens in, {written} out"


def day_words(day: DayBudget | None) -> str:
    """What all sessions have spent today, against the limit of the day; empty without such a limit."""
    if day is None or day.limit_usd is None:
        return ""
    spent = "unknown" if day.spent_usd is None else formatting.money(day.spent_usd)
    return f"day limit is nearer: {spent} of {formatting.money(day.limit_usd)} spent today"


def day_is_tighter(day: DayBudget | None, shown: CostState) -> bool:
    """Whether the limit of the day leaves less than the run's own."""
    if day is None or day.limit_usd is None or day.spent_usd is None:
        return False
    left_today = float(day.limit_usd - day.spent_usd)
    return shown.budget is None or left_today < shown.budget - shown.total


def lost_words(model: CostModel) -> str:
    """What lost requests may have cost on top; empty when none was lost."""
    return f"up to {formatting.money(model.lost)} more for lost requests" if model.lost else ""


HEADINGS = ("Step", "Cache read", "Cache write", "Fresh input", "Output", "Cost", "Total")


def table_rows(model: CostModel) -> list[tuple[str, ...]]:
    """The graph as a table: tokens by kind, cost and running total of each step."""
    rows, total = [], Decimal(0)
    for bill in model.bills:
        steps = f"{bill.first:,}" if bill.first == bill.last else f"{bill.first:,} to {bill.last:,}"
        total += bill.cost or Decimal(0)
        tokens = (bill.cache_read, bill.cache_write, bill.fresh, bill.output)
        costs = ("unknown", "unknown") if not model.known or bill.cost is None else (_exact(bill.cost), _exact(total))
        rows.append((steps, *map(formatting.count, tokens), *costs))
    return rows


def _exact(amount: Decimal) -> str:
    return f"${amount:,.4f}"
