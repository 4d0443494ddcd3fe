"""Admission: what must hold before a run starts or goes on, and the events that let it."""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agent_core.config.profile import PatternName, Profile
from agent_core.config.toml_source import nearest
from agent_core.engine import closing
from agent_core.engine.commands import AwaitDecisions, Idle
from agent_core.engine.house import House
from agent_core.engine.ledger import draft
from agent_core.engine.patterns import pattern_for
from agent_core.engine.summary import profile_of
from agent_core.engine.workshop import command_of, read_profile, stored
from agent_core.model.budget import MONEY_LIMITS, LimitName, Limits
from agent_core.model.errors import InputError, PilothouseError, ProfileError
from agent_core.model.events import (
    DecisionMade,
    DecisionUndone,
    Draft,
    Event,
    EventData,
    LimitChanged,
    MessageAdded,
    ProposalPresented,
    ProposalWithdrawn,
    RunPaused,
    RunResumed,
    RunStarted,
    SessionOpened,
)
from agent_core.model.ids import IdKind
from agent_core.model.intents import LONGEST_GOAL, ChangeLimit, Preflight, StartRun
from agent_core.model.proposal import ProposalStatus
from agent_core.model.state import CallStatus, SessionState, SessionStatus, StopReason
from agent_core.policy.limits import LIMIT_STOPS, limit_text, parse_limit, sound_limits
from agent_core.providers.registry import stated_price
from agent_core.tools.registry import Registry

_log = logging.getLogger(__name__)

_UNPRICED = 'The price of "{}" is not known, so a limit in money cannot hold; state its [price] in the profile'
_LOOKING_ON = (ProposalPresented, DecisionUndone)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A session that may start, with its first events."""

    session: str
    drafts: list[Draft]


async def admit(house: House, intent: StartRun) -> Admitted:
    """Check everything that a start needs. Raises InputError with one sentence; nothing is written."""
    house.settings.usable()
    goal = goal_of(intent.goal)
    profile = await asyncio.to_thread(_profile, house, intent)
    demo = profile.scripted
    await usable(house, profile, demo=demo)
    workspace = await asyncio.to_thread(workspace_of, house, intent.workspace)
    profile = with_limits(profile, intent.limits, unpriced(house, profile))
    now = house.clock.now()
    session, run = house.ids.new(IdKind.SESSION), house.ids.new(IdKind.RUN)
    redactor = house.services.redactor()
    done_when = f"\n\nDone when: {intent.done_when.strip()}" if intent.done_when.strip() else ""
    opened = SessionOpened(
        goal=redactor.redact(goal + done_when),
        agent=profile.name,
        agent_version=profile.version,
        profile=stored(profile),
        workspace=str(workspace),
        by=intent.by,
        demo=demo,
        app_version=app_version(),
    )
    started = RunStarted(limits=profile.limits, agent_version=profile.version, by=intent.by)
    return Admitted(session, [Draft(data=opened, at=now), Draft(data=started, at=now, run=run)])


def goal_of(given: str) -> str:
    """A goal as it is kept. Raises InputError for one that says nothing, or too much."""
    goal = given.strip()
    if not goal:
        raise InputError("The goal is empty; say what the agent is to do")
    if len(goal) > LONGEST_GOAL:
        raise InputError(f"The goal is longer than {LONGEST_GOAL:,} characters")
    return goal


async def usable(house: House, profile: Profile, *, demo: bool) -> None:
    """Look at what an agent needs: its key, so that no text with it gets in, its tools, its pattern."""
    await house.services.learn(profile)
    Registry(house.tools).for_profile(profile, demo)
    pattern_for(profile.pattern)


def _profile(house: House, intent: StartRun) -> Profile:
    profile = read_profile(house, intent.profile)
    if intent.model is not None:
        profile = msgspec.structs.replace(profile, model=intent.model)
    if intent.pattern is not None and intent.pattern != profile.pattern:
        profile = msgspec.structs.replace(profile, pattern=_pattern(intent.pattern), executor=None)
    return profile


def _pattern(name: str) -> PatternName:
    if name not in list(PatternName):
        raise InputError(f'There is no pattern "{name[:80]}"{nearest(name, [one.value for one in PatternName])}')
    return PatternName(name)


def unpriced(house: House, profile: Profile) -> str | None:
    """A model of the profile whose price is not known; None when every price is."""
    now = house.clock.now()
    speaking = (profile, profile.executing)
    return next((one.model for one in speaking if house.prices.price(one.model, now, stated_price(one)) is None), None)


def with_limits(profile: Profile, given: Limits | None, unpriced: str | None) -> Profile:
    """The profile with the limits of this run. An unknown price has no limit in money, and refuses one set by hand."""
    limits = profile.limits if given is None else sound_limits(given)
    for name in MONEY_LIMITS:
        value = limits.get(name)
        if unpriced is None or value is None:
            continue
        if profile.cost_limit_by_hand or value != profile.limits.get(name):
            raise ProfileError(_UNPRICED.format(unpriced))
        limits = msgspec.structs.replace(limits, **{name.value: None})
    return msgspec.structs.replace(profile, limits=limits)


def refuse_unpriced(house: House, state: SessionState, names: Iterable[LimitName]) -> None:
    """Raise InputError for a limit in money that could never be held."""
    model = unpriced(house, profile_of(state)) if MONEY_LIMITS.intersection(names) else None
    if model is not None:
        raise InputError(_UNPRICED.format(model))


def workspace_of(house: House, given: str) -> Path:
    """The folder that an agent works in. Raises InputError where it cannot be one."""
    folder = Path(given).expanduser()
    if not folder.is_dir():
        raise InputError(f"The workspace {given} is not a folder")
    if house.home.holds(folder):
        raise InputError(f"The workspace {given} lies in the home of Pilothouse itself; choose another folder")
    return folder.resolve()


def resumed(house: House, state: SessionState, by: str, message: str | None) -> Sequence[Draft]:
    """The events that let a resting session go on. Raises InputError where it cannot."""
    workspace = _workspace(state)
    if not workspace.is_dir():
        raise InputError(f"The workspace {workspace} is gone; put it back to go on with session {state.session}")
    now, run = house.clock.now(), state.run
    said = house.services.redactor().redact(message) if message and message.strip() else None
    if run.stopped is not None:
        return [_begun_again(house, state, by, said)]
    events: list[EventData] = []
    if run.paused is not None or was_interrupted(state):
        lines = [text for fine, text in changes(house, state) if not fine]
        events.append(RunResumed(by=by, preflight=lines, agent_version=run.agent_version))
    if said is not None:
        events.append(MessageAdded(text=said, by=by))
    return [draft(state, event, now) for event in events]


def _begun_again(house: House, state: SessionState, by: str, said: str | None) -> Draft:
    """The event after which a session that has ended goes on. Raises InputError where it needs a message for that."""
    now, run = house.clock.now(), state.run
    assert run.stopped is not None
    if said is not None:
        # Fresh limits, but for that of the tree, which holds over all its runs.
        limits = msgspec.structs.replace(profile_of(state).limits, tree_cost_usd=run.limits.tree_cost_usd)
        started = RunStarted(limits=limits, agent_version=run.agent_version, by=by, message=said)
        return Draft(data=started, at=now, run=house.ids.new(IdKind.RUN))
    if run.stopped.stop_reason in LIMIT_STOPS and run.limit_reached is not None:
        return draft(state, RunResumed(by=by, agent_version=run.agent_version), now)
    raise InputError(
        f"Session {state.session} has ended ({run.stopped.stop_reason}); give it a message to start a new run"
    )


def was_interrupted(state: SessionState) -> bool:
    """Whether work was under way when the process that did it ended."""
    return bool(state.run.in_flight)


def cancelled(house: House, state: SessionState, by: str) -> Sequence[Draft]:
    """The events that end a resting session. Raises InputError for one that has ended."""
    if not state.runs or state.run.stopped is not None:
        raise InputError(f"Session {state.session} has ended already")
    now = house.clock.now()
    ending = closing.Ending(StopReason.CANCELLED, by=by)
    return [draft(state, event, now) for event in closing.settle(state, profile_of(state), ending)]


def paused(house: House, state: SessionState, by: str) -> Sequence[Draft]:
    """The event that holds a resting session until somebody resumes it; twice is once. Raises InputError: it ended."""
    if not state.runs or state.run.stopped is not None:
        raise InputError(f"Session {state.session} has ended already")
    if state.run.paused is not None:
        return []
    return [draft(state, RunPaused(reason="operator", by=by), house.clock.now())]


def changed_limit(house: House, state: SessionState, intent: ChangeLimit) -> Sequence[Draft]:
    """The edit of one limit. Raises InputError for a value that cannot be meant."""
    if not state.runs or state.run.stopped is not None:
        raise InputError(f"Session {state.session} has ended; its limits cannot be changed")
    refuse_unpriced(house, state, [intent.limit])
    value = limit_text(parse_limit(intent.limit, intent.value))
    return limit_changed(house, state, intent.limit, value, intent.by, intent.why)


def limit_changed(
    house: House, state: SessionState, limit: LimitName, value: str, by: str, why: str
) -> Sequence[Draft]:
    """The new limit of the newest run. A card that says that it was reached has its answer then."""
    old = limit_text(state.run.limits.get(limit))
    events: list[EventData] = [LimitChanged(limit=limit, old=old, new=value, by=by, why=why)]
    card = state.proposals.get(state.run.card or "")
    reached = state.run.limit_reached
    if reached is not None and reached.limit is limit and card is not None and card.status is ProposalStatus.OPEN:
        told = f"{by} changed the limit {limit.value} from {old} to {value}."
        events.append(ProposalWithdrawn(proposal=card.proposal.proposal, why=told))
    now = house.clock.now()
    return [draft(state, event, now) for event in events]


def changes(house: House, state: SessionState) -> list[tuple[bool, str]]:
    """What is otherwise than when the session stopped: whether each is fine, and its sentence."""
    lines: list[tuple[bool, str]] = []
    profile = profile_of(state)
    if profile.path:
        try:
            now = read_profile(house, profile.path)
        except PilothouseError as error:
            lines.append((False, f"The agent's profile cannot be read: {error}"))
        else:
            same = now.rules == profile.rules and now.tools == profile.tools
            lines.append((same, "Tools and rules are as they were." if same else "Tools or rules were changed."))
    workspace = _workspace(state).is_dir()
    lines.append((workspace, "The workspace is there." if workspace else "The workspace is gone."))
    spend, limits = state.run.spend, state.run.limits
    lines.append((True, f"{spend.steps} of {limits.steps} steps are used."))
    return lines


def _workspace(state: SessionState) -> Path:
    assert state.opened is not None
    return Path(state.opened.workspace)


def _goes_on_at(state: SessionState) -> int:
    """The step that has begun, while its request is to be asked again or its calls are not all over; else the next."""
    begun, last = max(run.step for run in state.runs), state.last_request
    is_cut = last is not None and last.responded is None
    is_open = any(state.calls[call].finished is None for call in state.run.calls)
    return begun if is_cut or is_open else begun + 1


def preflight(house: House, state: SessionState) -> Preflight:
    """What changed since a session stopped, before it goes on."""
    run = state.run
    lines = changes(house, state)
    adrift = sum(state.calls[c].status is CallStatus.STARTED for c in run.calls)
    if was_interrupted(state):
        lines.append((adrift == 0, f"It was interrupted at step {run.step}, with {adrift} calls in flight."))
    return Preflight(
        lines=lines,
        next_step=_goes_on_at(state),
        can_resume=_workspace(state).is_dir(),
    )


async def decided(house: House) -> list[str]:
    """Resting sessions of earlier processes whose decision has come; interrupted ones are not among them."""
    found = []
    for row in await house.sessions.unfinished():
        if row.lease_pid is not None or row.status is SessionStatus.PAUSED:
            continue
        try:
            state = (await house.load(row.session)).state
        except PilothouseError as error:
            _log.warning("session %s cannot go on: %s", row.session, error)
            continue
        if was_interrupted(state) or not await _decision_is_last(house, row.session):
            continue
        if not isinstance(command_of(state)(state, house.clock.now()), Idle | AwaitDecisions):
            found.append(row.session)
    return found


async def _decision_is_last(house: House, session: str) -> bool:
    events: list[Event] = await house.journal.read_last(session, 20)
    newest = next((e.data for e in reversed(events) if not isinstance(e.data, _LOOKING_ON)), None)
    return isinstance(newest, DecisionMade | LimitChanged | MessageAdded)


def app_version() -> str:
    """The version that opens a session."""
    from agent_core import __version__

    return __version__
