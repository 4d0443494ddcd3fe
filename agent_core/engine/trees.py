"""Trees: a session with all its runs, and every session forked from it. Their limit is one, and so is its change."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from decimal import Decimal

import msgspec

from agent_core.engine import admission, forking
from agent_core.engine.admission import limit_changed
from agent_core.engine.house import House
from agent_core.engine.ledger import Ledger
from agent_core.engine.summary import profile_of
from agent_core.engine.together import decide_together
from agent_core.engine.workshop import stored
from agent_core.model.budget import LimitName
from agent_core.model.errors import BrokenChain
from agent_core.model.events import Draft, RunStarted
from agent_core.model.ids import IdKind
from agent_core.model.intents import ForkSession
from agent_core.model.state import SessionState
from agent_core.store.leases import Lease

_log = logging.getLogger(__name__)

Record = Callable[[SessionState], Sequence[Draft]]


async def open_fork(house: House, intent: ForkSession) -> tuple[Ledger, Lease]:
    """Write the first events of a fork, if its source still stands where it was looked at; gives it with its lease.

    Raises InputError where it cannot be forked so, BrokenChain for a source that was altered.
    """
    house.settings.usable()
    await house.sessions.summary(intent.session)
    source = await house.load(intent.session)
    state = source.state
    plan, profile = forking.plan_of(state), profile_of(state)
    assert state.opened is not None
    workspace = await asyncio.to_thread(admission.workspace_of, house, state.opened.workspace)
    await admission.usable(house, profile, demo=state.opened.demo)
    goal = house.services.redactor().redact(admission.goal_of(plan.goal if intent.goal is None else intent.goal))
    opened = msgspec.structs.replace(
        state.opened, goal=goal, workspace=str(workspace), by=intent.by, app_version=admission.app_version()
    )
    unpriced = admission.unpriced(house, profile)
    session, run = house.ids.new(IdKind.SESSION), house.ids.new(IdKind.RUN)

    def opening(_: SessionState) -> Sequence[Draft]:
        now, begun = house.clock.now(), forking.forked(source.state, intent.step, intent.by)
        given = intent.limits or plan.limits
        limits = msgspec.structs.replace(given, tree_cost_usd=source.state.run.limits.tree_cost_usd)
        limited = admission.with_limits(profile, limits, unpriced)
        started = RunStarted(limits=limited.limits, agent_version=profile.version, by=intent.by)
        told = msgspec.structs.replace(opened, profile=stored(limited))
        return [
            Draft(data=told, at=now),
            Draft(data=begun, at=now, run=run, step=begun.step),
            Draft(data=started, at=now, run=run, step=begun.step),
        ]

    lease = house.leases.take(session)
    ledger = house.ledger(session)
    try:
        await decide_together(house.journal, [(source, _unchanged), (ledger, opening)])
    except BaseException:
        lease.release()
        raise
    return ledger, lease


def _unchanged(_: SessionState) -> Sequence[Draft]:
    return []


async def change_tree_limit(
    house: House, ledger: Ledger, record: Record, *, value: str, by: str, why: str
) -> Sequence[str]:
    """Write a new limit into every session of a tree, in one transaction with `record`, the part of the first one.

    Gives the other sessions that it reached. A fork that is made meanwhile is reached too: it is bound to the head of
    the session that it comes from, so it either knows the new limit or is found here.
    """

    def mirror(state: SessionState) -> Sequence[Draft]:
        if not state.runs or state.run.limits.tree_cost_usd == Decimal(value):
            return []
        return limit_changed(house, state, LimitName.TREE_COST_USD, value, by, why)

    reached = {ledger.session}
    others = await _besides(house, reached)
    await decide_together(house.journal, [(ledger, record), *((other, mirror) for other in others)])
    while late := await _besides(house, reached):
        await decide_together(house.journal, [(other, mirror) for other in late])
        others += late
    return [other.session for other in others]


async def _besides(house: House, reached: set[str]) -> list[Ledger]:
    """The tree's sessions that were not reached yet, up to date; they count as reached from now on."""
    found = []
    for session in await house.spending.members(min(reached)):
        if session in reached:
            continue
        reached.add(session)
        try:
            found.append(await house.load(session))
        except BrokenChain as error:  # it can only be read, so nothing is ever spent there again
            _log.warning("the limit of its tree is not changed in session %s: %s", session, error)
    return found
