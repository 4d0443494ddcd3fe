"""What the newest run of a session has cost, step by step, and where it is heading. Pure; each event is looked at once.

Steps are merged as they become many, so that a run of a million steps is drawn as fast as one of a thousand.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from operator import add

from agent_core.model import events as ev
from agent_core.model.intents import DayBudget
from agent_core.model.run import RunState
from ui import formatting
from ui.models.gauges import active_seconds
from ui.widgets.cost_data import MOST_BARS, PARTS, CostState, StepCost

_MOST_KEPT = 2 * MOST_BARS
_FEWEST_STEPS = 2
"""Before that a pace says nothing."""


@dataclass(slots=True)
class StepBill:
    """Tokens and dollars of one step, or of several that were merged. `cost` is None where the price is not known."""

    first: int
    last: int
    cache_read: int = 0
    cache_write: int = 0
    fresh: int = 0
    output: int = 0
    parts: tuple[Decimal, ...] = (Decimal(0),) * len(PARTS)
    """Dollars in the order of `PARTS`; what the service's own tools cost counts as output."""
    cost: Decimal | None = Decimal(0)

    @property
    def read(self) -> int:
        """Tokens that the model read."""
        return self.cache_read + self.cache_write + self.fresh

    def add(self, data: ev.ModelResponded) -> None:
        """Count one more response."""
        usage, parts = data.usage, data.cost_parts
        self.cache_read += usage.cache_read_tokens
        self.cache_write += usage.cache_write_tokens
        self.fresh += usage.input_tokens
        self.output += usage.output_tokens
        if parts is not None:
            given = (parts.cache_read, parts.cache_write, parts.fresh_input, parts.output + parts.server_tools)
            self.parts = tuple(map(add, self.parts, given))
        self.cost = None if self.cost is None or data.cost_usd is None else self.cost + data.cost_usd

    def join(self, later: "StepBill") -> "StepBill":
        """This bill and the next as one."""
        return StepBill(
            self.first,
            later.last,
            self.cache_read + later.cache_read,
            self.cache_write + later.cache_write,
            self.fresh + later.fresh,
            self.output + later.output,
            tuple(map(add, self.parts, later.parts)),
            None if self.cost is None or later.cost is None else self.cost + later.cost,
        )


class CostModel:
    """Bills of the newest run."""

    def __init__(self) -> None:
        self.bills: list[StepBill] = []
        self.total = StepBill(0, 0)
        self.model = ""
        self.lost = Decimal(0)
        """What lost requests may have cost besides."""
        self._width = 1

    def apply(self, events: Iterable[ev.Event]) -> bool:
        """Take in more events; whether anything has changed."""
        changed = False
        for event in events:
            data = event.data
            if isinstance(data, ev.ModelResponded):
                self._add(event.step, data)
            elif isinstance(data, ev.RunStarted):
                self._restart()
            elif isinstance(data, ev.ModelFailed):
                self.lost += data.cost_bound_usd or Decimal(0)
            else:
                continue
            changed = True
        return changed

    def _restart(self) -> None:
        self.bills, self.total, self.lost = [], StepBill(0, 0), Decimal(0)
        self._width = 1

    def _add(self, step: int, data: ev.ModelResponded) -> None:
        self.model = data.model
        self.total.add(data)
        last = self.bills[-1] if self.bills else None
        if last is None or (step > last.last and last.last - last.first + 1 >= self._width):
            last = StepBill(step, step)
            self.bills.append(last)
        last.last = max(last.last, step)
        last.add(data)
        if len(self.bills) > _MOST_KEPT:
            self._merge()

    def _merge(self) -> None:
        """Half as many bills, each for twice as many steps."""
        self._width *= 2
        pairs = [self.bills[at : at + 2] for at in range(0, len(self.bills), 2)]
        self.bills = [pair[0].join(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]

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
