"""Workshop: puts together what one session is worked with."""

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from agent_core.config.profile import Profile
from agent_core.config.profile_file import load_profile
from agent_core.context.assemble import Assembler
from agent_core.engine.approvals import Approvals
from agent_core.engine.equipment import Equipment, LivePolicy, denied_paths
from agent_core.engine.examination import Examiner
from agent_core.engine.execution import CallRunner
from agent_core.engine.house import House
from agent_core.engine.judging import Judge
from agent_core.engine.ledger import Ledger
from agent_core.engine.patterns import NextCommand, pattern_for
from agent_core.engine.paymaster import Paymaster, Voice
from agent_core.engine.preparation import Preparer
from agent_core.engine.repeats import Repeats
from agent_core.engine.requests import Requests
from agent_core.engine.runner import Runner
from agent_core.engine.side_questions import SideQuestions
from agent_core.engine.signals import Signals
from agent_core.engine.summary import profile_of
from agent_core.metrics.rollup import usual
from agent_core.model.budget import Spend
from agent_core.model.intents import SessionQuery
from agent_core.model.run import SessionStatus
from agent_core.model.state import SessionState, StopReason
from agent_core.policy.digest import call_digest
from agent_core.providers.base import Provider
from agent_core.providers.registry import stated_price
from agent_core.tools.executor import Executor
from agent_core.tools.registry import Registry

EARLIER_RUNS = 30
"""How many of an agent's newest runs say what it usually takes."""


def equip(house: House, state: SessionState) -> Equipment:
    """What a session's calls are looked at and run with. Blocks on small files."""
    assert state.opened is not None
    profile = profile_of(state)
    demo = state.opened.demo
    registry = Registry(house.tools).for_profile(profile, demo)
    executor = Executor(registry, call_digest)
    return Equipment(
        home=house.home,
        clock=house.clock,
        ids=house.ids,
        profile=profile,
        policy=LivePolicy(profile, lambda path: read_profile(house, str(path)), house.settings.standing),
        registry=registry,
        executor=executor,
        stamp=executor.stamp(),
        workspace=Path(state.opened.workspace),
        at_limit=lambda name, scope: house.settings.read().at_limit(name, scope),
        trash=house.home.trash / state.session,
        outbox=house.home.outbox,
        staging=house.home.staging,
        demo=demo,
        denied=denied_paths(house.home, profile),
        redactor=house.services.redactor(),
    )


def read_profile(house: House, name_or_path: str) -> Profile:
    """A profile as its file says now. Raises ProfileError, NotInThisVersion."""
    settings = house.settings.read()
    return load_profile(name_or_path, house.home, settings=settings, tool_names=[tool.name for tool in house.tools])


def command_of(state: SessionState) -> NextCommand:
    """The loop pattern of a session."""
    return pattern_for(profile_of(state).pattern)


def outfit(
    house: House,
    ledger: Ledger,
    signals: Signals,
    equipment: Equipment,
    provider: Provider,
    usual: Spend | None = None,
) -> Runner:
    """The runner of one session."""
    examiner = Examiner(equipment)
    judge = Judge(equipment, examiner, Repeats())
    preparer = Preparer(equipment, examiner, judge, Approvals(house.keys))
    planner, executor = _voices(equipment, ledger.state)
    paymaster = Paymaster(ledger, house.clock, house.prices, house.shared)
    requests = Requests(equipment, ledger, signals, provider, planner, executor, paymaster, house.bus.publish)
    questions = SideQuestions(equipment, ledger, signals, provider, planner, paymaster, preparer, judge, examiner)
    return Runner(
        equipment,
        ledger,
        signals,
        pattern_for(equipment.profile.pattern),
        requests,
        judge,
        CallRunner(equipment, ledger, signals, preparer),
        questions,
        _stop_orders(house, ledger.session),
        usual,
    )


def _voices(equipment: Equipment, state: SessionState) -> tuple[Voice, Voice]:
    """Who plans and who carries out; one and the same where the profile names no executor."""
    assert state.opened is not None
    goal, profile, executing = state.opened.goal, equipment.profile, equipment.profile.executing
    planner = Voice(profile, Assembler(profile, equipment.registry, goal), stated_price(profile))
    if profile.executor is None:
        return planner, planner
    return planner, Voice(executing, Assembler(executing, equipment.registry, goal), stated_price(executing))


def _stop_orders(house: House, session: str) -> Callable[[], str | None]:
    """Asks who has ordered this session to stop; None while nobody has."""
    halt, own = str(house.home.halt), str(house.home.stops / session)

    def stop_ordered() -> str | None:
        if not os.path.exists(halt) and not os.path.exists(own):  # noqa: PTH110 - asked three times a step
            return None
        order = house.stops.halt() or house.stops.ordered(session)
        return order.by if order is not None else None

    return stop_ordered


async def usual_spend(house: House, agent: str) -> Spend | None:
    """What this agent's earlier runs usually took; None where there are too few."""
    query = SessionQuery(agent=agent, statuses=[SessionStatus.ENDED], limit=EARLIER_RUNS)
    rows = await house.sessions.page(query)
    return usual([row.spend for row in rows if row.stop_reason == StopReason.COMPLETED.value])


def judge_for(house: House, state: SessionState) -> Judge:
    """A gate step for looking only: it never runs a call."""
    equipment = equip(house, state)
    return Judge(equipment, Examiner(equipment), Repeats())


def stored(profile: Profile) -> dict[str, object]:
    """A profile as the journal keeps it."""
    plain: dict[str, object] = msgspec.to_builtins(profile)
    return plain
