"""Supervisor: many runs in one process. Starts, resumes, holds and stops them, and goes on when their decision came."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent_core.engine import admission, ancestry, deadlines, halts, stopping
from agent_core.engine.commands import AwaitDecisions, Idle
from agent_core.engine.facade import BusMessage, Notice
from agent_core.engine.house import House
from agent_core.engine.ledger import Ledger, draft
from agent_core.engine.requests import OVERLOADED
from agent_core.engine.runner import Runner
from agent_core.engine.signals import Signal, Signals
from agent_core.engine.summary import profile_of
from agent_core.engine.trees import change_tree_limit, open_fork
from agent_core.engine.workshop import command_of, equip, outfit, usual_spend
from agent_core.model.budget import AtLimit, LimitName
from agent_core.model.errors import Halted, InputError, PilothouseError, SessionBusy, StorageError
from agent_core.model.events import Draft, Event, HaltReleased, LimitReached, MessageAdded, ToolReleased
from agent_core.model.ids import HOME_SESSION
from agent_core.model.intents import ChangeLimit, ForkSession, Preflight, StartRun
from agent_core.model.state import SessionState
from agent_core.policy.limits import limit_text, parse_limit
from agent_core.store.leases import Lease
from agent_core.store.names import typed_name
from agent_core.store.stops import StopOrder

_log = logging.getLogger(__name__)

RECOVER_AFTER = (60.0, 120.0, 240.0, 480.0, 600.0)
"""Seconds until a run that was paused because of overload tries again, growing with each time."""


@dataclass(slots=True)
class _Work:
    """One session that this process works."""

    session: str
    signals: Signals = field(default_factory=Signals)
    task: "asyncio.Task[None] | None" = None


class LiveSupervisor:
    """The supervisor of one home in this process."""

    def __init__(self, house: House, *, takes_decided: bool) -> None:
        self._house = house
        self._takes_decided = takes_decided
        """Whether sessions of earlier processes go on here once their decision has come: a console does so."""
        self._works: dict[str, _Work] = {}
        self._own: set[str] = set()
        self._others: set[asyncio.Task[None]] = set()
        self._overloads: dict[str, int] = {}
        self._closing = False
        self._halt: StopOrder | None = None
        """The halt as it was last told."""
        self._cannot_save: str | None = None
        """What was told about the disk, and still stands."""
        self._unsaved: dict[str, object] = {}
        """Sessions that rest because nothing could be saved, in the order in which they came to it."""

    async def start(self, intent: StartRun) -> str:
        """Open a session and work it; gives its id as soon as it is journaled."""
        self._refuse_start("A session")
        opening = await admission.admit(self._house, intent)
        lease = self._house.leases.take(opening.session)
        ledger = self._house.ledger(opening.session)
        try:
            await ledger.append(opening.drafts)
        except BaseException:
            lease.release()
            raise
        self._spawn(opening.session, ledger, lease)
        return opening.session

    async def resume(self, session: str, by: str, message: str | None = None) -> None:
        """Go on with a session that rests. An ended one needs a message, which starts a new run."""
        self._refuse_start("Resuming")
        if session in self._works:
            raise SessionBusy(f"Session {session} is being worked by this process")
        await self._house.sessions.summary(session)
        lease = self._house.leases.take(session)
        try:
            ledger = await self._house.load(session)
            await self._house.services.learn(profile_of(ledger.state))
            self._house.stops.clear(session)
            await deadlines.expire(ledger, self._house.clock)
            await ledger.decide(lambda state: admission.resumed(self._house, state, by, message))
        except BaseException:
            lease.release()
            raise
        self._spawn(session, ledger, lease)

    async def fork(self, intent: ForkSession) -> str:
        """Begin a session with the history of another one up to a step, and work it; gives its id."""
        self._refuse_start("A fork")
        ledger, lease = await open_fork(self._house, intent)
        self._spawn(ledger.session, ledger, lease)
        return ledger.session

    async def preflight(self, session: str) -> Preflight:
        """What changed since it stopped."""
        await self._house.sessions.summary(session)
        ledger = self._house.ledger(session)
        await ledger.catch_up()
        return await asyncio.to_thread(admission.preflight, self._house, ledger.state)

    async def pause(self, session: str, by: str) -> None:
        """After the calls in flight; a session that rests on its cards stays there until somebody resumes it."""
        work = self._works.get(session)
        if work is not None:
            work.signals.give(Signal.PAUSE, by)
            return
        await self._at_rest(session, lambda state: admission.paused(self._house, state, by))

    async def pause_all(self, by: str) -> None:
        """Every session that this process works."""
        for work in self._works.values():
            work.signals.give(Signal.PAUSE, by)

    def hear(self, message: BusMessage) -> None:
        """A limit that pauses all was reached, here or in another process: every other run of this one is held."""
        if isinstance(message, Event) and isinstance(message.data, LimitReached):
            if message.data.then is not AtLimit.PAUSE_ALL:
                return
            why = f"Session {message.session} reached its limit, and the settings pause all then."
            for work in self._works.values():
                if work.session != message.session:
                    work.signals.give(Signal.PAUSE, "system", why, "limit")

    async def stop(self, session: str, by: str, *, force: bool = False) -> None:
        """At once: streams are cut, a started non-idempotent call becomes outcome unknown; ends `cancelled`.

        With `force`, recorded process groups of the session are ended too, even if their process hangs.
        """
        if force:
            await asyncio.to_thread(stopping.end_groups, self._house.home, session)
        work = self._works.get(session)
        if work is not None:
            work.signals.give(Signal.STOP, by)
            return
        summary = await self._house.sessions.summary(session)
        if summary.lease_pid is not None:
            self._house.stops.order(session, by, self._house.clock.now(), force=force)
            return
        await self._at_rest(session, lambda state: admission.cancelled(self._house, state, by))

    async def stop_all(self, by: str, *, force: bool = False) -> None:
        """Set the halt flag and stop everything, in every process; with `force` their recorded process groups too."""
        self._house.stops.set_halt(by, self._house.clock.now(), force=force)
        for work in self._works.values():
            work.signals.give(Signal.STOP, by, "everything was stopped")
        if force:
            await asyncio.to_thread(stopping.end_groups, self._house.home, None)
        await self._tell_halt()

    async def release(self, by: str) -> None:
        """Lift the halt flag. Raises StorageError, and then it stands: no release without a trace."""
        ancestry.refuse_tools(self._house.home, "A release")
        if self._house.stops.halt() is None:
            return
        await halts.journal_halt(self._house)
        released = Draft(data=HaltReleased(by=by), at=self._house.clock.now())
        await self._house.journal.append(HOME_SESSION, [released])
        self._house.stops.clear_halt()
        await self._tell_halt()

    async def message(self, session: str, text: str, by: str) -> None:
        """Tell the agent something; it reads it with its next request."""
        ancestry.refuse_tools(self._house.home, "A message")
        if not text.strip():
            raise InputError("The message is empty")
        ledger = await self._house.load(session)
        said = self._house.services.redactor().redact(text)

        def record(state: SessionState) -> list[Draft]:
            if state.run.stopped is not None:
                raise InputError("The session has ended; resume it with the message to start a new run")
            return [draft(state, MessageAdded(text=said, by=by), self._house.clock.now())]

        await ledger.decide(record)

    async def change_limit(self, intent: ChangeLimit) -> None:
        """Edit a limit of the newest run; that of its tree in every session of it."""
        ancestry.refuse_tools(self._house.home, "A changed limit")
        ledger = await self._house.load(intent.session)

        def record(state: SessionState) -> Sequence[Draft]:
            return admission.changed_limit(self._house, state, intent)

        if intent.limit is LimitName.TREE_COST_USD:
            value = limit_text(parse_limit(intent.limit, intent.value))
            others = await change_tree_limit(self._house, ledger, record, value=value, by=intent.by, why=intent.why)
            for session in others:
                self.go_on(session)
        else:
            await ledger.decide(record)
        self.go_on(intent.session)

    async def lift(self, session: str, tool: str, by: str) -> None:
        """Switch a contained tool on again for the newest run; its denials count from nought."""
        ancestry.refuse_tools(self._house.home, "Lifting a containment")
        ledger = await self._house.load(session)

        def record(state: SessionState) -> list[Draft]:
            if not state.runs or tool not in state.run.contained:
                raise InputError(f"{typed_name(tool)} is not switched off in session {session}")
            if state.run.stopped is not None:
                raise InputError(f"Session {session} has ended; what is off in it can be lifted once it goes on")
            return [draft(state, ToolReleased(tool=tool, by=by), self._house.clock.now())]

        await ledger.decide(record)

    async def retry_saving(self, by: str) -> None:
        """Go on with the sessions that rest because nothing could be saved. Raises StorageError while that is so."""
        for session in list(self._unsaved):
            if session not in self._works:
                try:
                    await self.resume(session, by)
                except StorageError:
                    raise
                except PilothouseError as error:
                    _log.info("session %s does not go on: %s", session, error)
            self._unsaved.pop(session, None)
        self._tell_can_save()

    async def wait(self, session: str) -> None:
        """Until this process no longer works the session: it ended, rests or waits for a decision."""
        while (work := self._works.get(session)) is not None and work.task is not None:
            await asyncio.wait({work.task})

    def go_on(self, session: str) -> None:
        """Something happened to a resting session that may let it go on here: work it, if it is ours to work."""
        if self._closing or session in self._works:
            return
        if session in self._own or self._takes_decided:
            work = self._works[session] = _Work(session)
            work.task = asyncio.create_task(self._take(work), name=f"take {session}")

    async def take_decided(self) -> None:
        """Go on with resting sessions of earlier processes whose decision has come."""
        for session in await admission.decided(self._house):
            self.go_on(session)

    async def heed_stops(self) -> None:
        """Carry out the stop files: for runs at work at once, also in the middle of a request or call."""
        halt = await self._tell_halt()
        for work in list(self._works.values()):
            order = halt or self._house.stops.ordered(work.session)
            if order is not None:
                work.signals.give(Signal.STOP, order.by)

    async def tell_jumps(self) -> None:
        """Journal that the clock jumped, in each run that had work in flight."""
        for session in list(self._works):
            await self._house.ledger(session).tell_jumps()

    async def close(self) -> None:
        """No new request or call; streams cut, calls get 3 s; runs are paused with reason `closed`."""
        self._closing = True
        for work in self._works.values():
            work.signals.give(Signal.CLOSE, self._house.operator)
        tasks = [work.task for work in self._works.values() if work.task is not None]
        if tasks:
            await asyncio.wait(tasks)
        for task in self._others:
            task.cancel()
        if self._others:
            await asyncio.wait(self._others)

    async def _tell_halt(self) -> StopOrder | None:
        """The halt as it stands. Once it was set or lifted, by whichever process, screens and the journal are told."""
        halt = self._house.stops.halt()
        if halt != self._halt:
            self._halt = halt
            text = f"Everything was stopped by {halt.by}. Nothing starts until the halt is released." if halt else ""
            self._house.publish(Notice(kind="halt", level="dang", text=text))
            try:
                await halts.journal_halt(self._house)
            except StorageError as error:
                _log.warning("the halt is not journaled yet: %s", error)
        return halt

    def _refuse_start(self, act: str) -> None:
        """Nothing starts while the program closes, under the halt, or from a tool: a goal is an operator's word."""
        ancestry.refuse_tools(self._house.home, act)
        if self._closing:
            raise InputError("The program is being closed")
        order = self._house.stops.halt()
        if order is not None:
            raise Halted(f"Everything was stopped by {order.by}; `pilothouse release` lifts it")

    def _spawn(self, session: str, ledger: Ledger, lease: Lease) -> None:
        work = self._works[session] = _Work(session)
        self._own.add(session)
        work.task = asyncio.create_task(self._work(work, ledger, lease), name=f"work {session}")

    async def _take(self, work: _Work) -> None:
        """Take up a resting session, unless another process has it."""
        try:
            lease = self._house.leases.take(work.session)
        except PilothouseError:
            self._works.pop(work.session, None)
            return
        try:
            ledger = await self._house.load(work.session)
            if work.session not in self._own and admission.was_interrupted(ledger.state):
                raise InputError("it was interrupted, so a person resumes it")
            await deadlines.expire(ledger, self._house.clock)
        except PilothouseError as error:
            _log.warning("session %s cannot go on: %s", work.session, error)
            lease.release()
            self._works.pop(work.session, None)
            return
        await self._work(work, ledger, lease)

    async def _work(self, work: _Work, ledger: Ledger, lease: Lease) -> None:
        """Work a session until it rests. The lease is released whatever happens."""
        try:
            if self._can_go_on(ledger):
                runner = await self._runner(work, ledger)
                ledger.heed(self._house.clock.jumps)
                while self._can_go_on(ledger):
                    await runner.work()
                    self._tell_can_save()
                    if work.signals.raised is not None:
                        break
        except StorageError as error:
            self._tell_cannot_save(error)
            self._unsaved.update(self._works)
            for other in self._works.values():
                other.signals.give(Signal.PAUSE, "system", reason="cannot_save")
        except PilothouseError as error:
            _log.warning("session %s cannot be worked: %s", work.session, error)
            self._house.publish(Notice(kind=f"session:{work.session}", level="dang", text=str(error)))
        finally:
            lease.release()
            self._works.pop(work.session, None)
            self._house.stops.clear(work.session)
        self._after(work.session, ledger.state)

    def _tell_cannot_save(self, error: StorageError) -> None:
        """Once for all agents of this process, however many of them run into it."""
        said = str(error)
        reason = said if said.startswith("Cannot save") else f"Cannot save: {said}"
        text = f"{reason}. All agents of this process are paused."
        if text != self._cannot_save:
            self._cannot_save = text
            self._house.publish(Notice(kind="storage", level="dang", text=text))

    def _tell_can_save(self) -> None:
        """Withdraw that notice once something was saved again."""
        if self._cannot_save is not None:
            self._cannot_save = None
            self._house.publish(Notice(kind="storage", level="info", text=""))

    async def _runner(self, work: _Work, ledger: Ledger) -> Runner:
        equipment = await asyncio.to_thread(equip, self._house, ledger.state)
        provider = await self._house.services.open(equipment.profile)
        equipment.redactor = self._house.services.redactor()
        usual = await usual_spend(self._house, equipment.profile.name)
        return outfit(self._house, ledger, work.signals, equipment, provider, usual)

    def _can_go_on(self, ledger: Ledger) -> bool:
        state = ledger.state
        if not state.runs:
            return False
        command = command_of(state)(state, self._house.clock.now())
        return not isinstance(command, Idle | AwaitDecisions)

    def _after(self, session: str, state: SessionState) -> None:
        """A run that was paused because the model's service does not answer tries again by itself, later."""
        paused = state.runs[-1].paused if state.runs else None
        if paused is not None and paused.reason == OVERLOADED and not self._closing:
            tries = self._overloads.get(session, 0)
            self._overloads[session] = tries + 1
            why = (paused.detail or "The model's service does not answer").rstrip(".")
            text = f"{why}. The run is paused and tries again by itself."
            self._house.publish(Notice(kind="provider", level="attn", text=text))
            self._later(self._recover(session, RECOVER_AFTER[min(tries, len(RECOVER_AFTER) - 1)]))
        elif paused is None and self._overloads.pop(session, None) is not None:
            self._house.publish(Notice(kind="provider", level="info", text=""))

    async def _recover(self, session: str, seconds: float) -> None:
        await self._house.clock.sleep(seconds)
        try:
            await self.resume(session, "system")
        except PilothouseError as error:
            _log.info("session %s did not recover by itself: %s", session, error)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    async def _at_rest(self, session: str, record: Callable[[SessionState], Sequence[Draft]]) -> None:
        """Record something about a session that nobody works. Raises SessionBusy, naming who does."""
        lease = self._house.leases.take(session)
        try:
            ledger = await self._house.load(session)
            await ledger.decide(record)
        finally:
            lease.release()
