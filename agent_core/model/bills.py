"""Bills: what the newest run of a session has cost, step by step. Pure; each event is looked at once.

Steps are merged as they become many, so that a run of a million steps takes no more room than one of a thousand.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from operator import add

from agent_core.model import events as ev

MOST_KEPT = 480
PARTS = 4
"""Dollars are kept apart for what was read from the cache, written to it, read afresh, and answered."""


@dataclass(slots=True)
class StepBill:
    """Tokens and dollars of one step, or of several that were merged. `cost` is None where the price is not known."""

    first: int
    last: int
    cache_read: int = 0
    cache_write: int = 0
    fresh: int = 0
    output: int = 0
    parts: tuple[Decimal, ...] = (Decimal(0),) * PARTS
    """What the service's own tools cost counts as output."""
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


@dataclass(slots=True)
class Bills:
    """The bills of the newest run, in order, and their sum."""

    steps: list[StepBill] = field(default_factory=list)
    total: StepBill = field(default_factory=lambda: StepBill(0, 0))
    model: str = ""
    lost: Decimal = Decimal(0)
    """What lost requests may have cost besides."""
    width: int = 1
    """How many steps a full bill stands for."""

    def take(self, event: ev.Event) -> bool:
        """Take one more event; whether anything has changed."""
        data = event.data
        if isinstance(data, ev.ModelResponded):
            self._add(event.step, data)
        elif isinstance(data, ev.RunStarted):
            self.steps, self.total, self.lost, self.width = [], StepBill(0, 0), Decimal(0), 1
        elif isinstance(data, ev.ModelFailed):
            self.lost += data.cost_bound_usd or Decimal(0)
        else:
            return False
        return True

    def _add(self, step: int, data: ev.ModelResponded) -> None:
        self.model = data.model
        self.total.add(data)
        last = self.steps[-1] if self.steps else None
        if last is None or (step > last.last and last.last - last.first + 1 >= self.width):
            last = StepBill(step, step)
            self.steps.append(last)
        last.last = max(last.last, step)
        last.add(data)
        if len(self.steps) > MOST_KEPT:
            self._merge()

    def _merge(self) -> None:
        """Half as many bills, each for twice as many steps."""
        self.width *= 2
        pairs = [self.steps[at : at + 2] for at in range(0, len(self.steps), 2)]
        self.steps = [pair[0].join(pair[1]) if len(pair) == 2 else pair[0] for pair in pairs]
