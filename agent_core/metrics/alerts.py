"""Alerts: what is out of the ordinary in a run. Each is a record: a name, a level, and when it is due. Pure.

An alert never needs a decision; an analyst should look. One of each kind is raised in a session.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from agent_core.model.budget import LimitName, Spend
from agent_core.model.events import AlertRaised
from agent_core.model.proposal import Verdict
from agent_core.model.run import CallState, RequestState, RunState, SessionState

RECENT = 50
"""Calls and requests that rates are taken over, the newest ones."""
_FEWEST = 10
"""Below that many, a rate says nothing."""
_FEWEST_REQUESTS = 4
_FEWEST_DECISIONS = 20


@dataclass(frozen=True, slots=True)
class Watched:
    """What alerts look at: a run as it stands, the agent's usual spend, and the ceiling of its context."""

    state: SessionState
    usual: Spend | None
    ceiling: int

    @property
    def run(self) -> RunState:
        """The newest run."""
        return self.state.run

    @property
    def recent_calls(self) -> list[CallState]:
        """The newest calls that ran."""
        calls = [self.state.calls[c] for c in self.run.calls[-RECENT:]]
        return [call for call in calls if call.finished is not None and call.finished.ran]

    @property
    def recent_requests(self) -> list[RequestState]:
        """The newest requests that were answered."""
        requests = [self.state.requests[r] for r in self.run.requests[-RECENT:]]
        return [request for request in requests if request.responded is not None]


@dataclass(frozen=True, slots=True)
class Alert:
    """One kind of alert; `check` gives its sentence when it is due."""

    name: str
    level: str
    check: Callable[[Watched], str | None]


def due(watched: Watched, raised: Collection[str]) -> list[AlertRaised]:
    """The alerts that are due and were not raised in this run."""
    found = []
    for alert in ALERTS:
        sentence = alert.check(watched) if alert.name not in raised else None
        if sentence is not None:
            found.append(AlertRaised(alert=alert.name, message=sentence, level=alert.level))
    return found


def _cost_over(times: int) -> Callable[[Watched], str | None]:
    def check(watched: Watched) -> str | None:
        spent, usual = watched.run.spend.cost_usd, watched.usual.cost_usd if watched.usual is not None else None
        if spent is None or usual is None or usual <= 0 or spent <= usual * times:
            return None
        places = max(2, 1 - usual.adjusted())  # two figures of what is little, so that the two amounts differ
        return f"The run cost {spent:.{places}f} USD so far; this agent usually takes {usual:.{places}f}."

    return check


def _step_limit(watched: Watched) -> str | None:
    reached = watched.run.limit_reached
    if reached is None or reached.limit is not LimitName.STEPS:
        return None
    return f"The run reached its limit of {reached.value} steps."


def _tool_failures(watched: Watched) -> str | None:
    calls = watched.recent_calls
    failed = sum(call.finished is not None and not call.finished.ok for call in calls)
    if len(calls) < _FEWEST or failed * 10 <= len(calls):
        return None
    return f"{failed} of the last {len(calls)} tool calls failed."


def _full_context(watched: Watched) -> str | None:
    used = sorted(r.responded.usage.context_tokens for r in watched.recent_requests if r.responded is not None)
    if len(used) < _FEWEST_REQUESTS or watched.ceiling <= 0:
        return None
    high = used[(len(used) * 9 - 1) // 10]
    if high * 10 <= watched.ceiling * 8:
        return None
    return f"Nine of ten requests stay below {high:,} tokens only, over 80 % of the ceiling of {watched.ceiling:,}."


def _few_cache_hits(watched: Watched) -> str | None:
    usages = [r.responded.usage for r in watched.recent_requests[1:] if r.responded is not None]
    read, hit = sum(u.context_tokens for u in usages), sum(u.cache_read_tokens for u in usages)
    wrote = any(u.cache_write_tokens or u.cache_read_tokens for u in usages)
    if len(usages) < _FEWEST_REQUESTS or not wrote or not read or hit * 2 >= read:
        return None
    return f"Only {hit * 100 // read} % of the input came from the cache."


def _identical_calls(watched: Watched) -> str | None:
    loop = watched.run.loop
    return None if loop is None else f"{loop.tool} was asked for three times with the same result."


def _escalations(watched: Watched) -> str | None:
    cards = [card for card in watched.state.proposals.values() if card.decisions]
    if len(cards) < _FEWEST_DECISIONS:
        return None
    passed = sum(any(d.verdict is Verdict.ESCALATE for d in card.decisions) for card in cards)
    if passed * 100 > len(cards) * 15:
        return f"{passed} of {len(cards)} decisions were passed on to somebody else."
    return None


def _always_yes(watched: Watched) -> str | None:
    closed = watched.state.closed_by
    decided = sum(closed.values())
    yes = closed.get(Verdict.APPROVE, 0)
    if decided < _FEWEST_DECISIONS or yes < decided:
        return None
    return f"All {decided} decisions so far were approvals: a gate that never says no."


ALERTS: tuple[Alert, ...] = (
    Alert("cost_5x", "dang", _cost_over(5)),
    Alert("cost_2x", "warn", _cost_over(2)),
    Alert("step_limit", "warn", _step_limit),
    Alert("tool_failures", "warn", _tool_failures),
    Alert("full_context", "warn", _full_context),
    Alert("few_cache_hits", "info", _few_cache_hits),
    Alert("identical_calls", "warn", _identical_calls),
    Alert("many_escalations", "info", _escalations),
    Alert("always_yes", "info", _always_yes),
)
"""Every kind of alert. Adding one is a function and a line here."""
