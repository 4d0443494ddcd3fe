"""Harness: opens a home and everything that works on it, and closes it in order.

    harness = await open_harness(home, operator="bar")
    session = await harness.supervisor.start(StartRun(...))
    await harness.supervisor.wait(session)            # it ended, rests, or waits for decisions
    shown, code = await harness.reader.result(session)  # the JSON of `run`, and the exit code
    await harness.desk.decide(Decide(...))            # recorded; a session of this process goes on by itself:
    await harness.supervisor.wait(session)            # ... so wait again
    await harness.close()

`takes_decided=True` is for a console: it goes on with any resting session whose decision has come. `works=False` is for
commands that only read or record (`decide`, `proposals`, `show`): nothing is ever executed by them.
"""

import asyncio
import logging
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from agent_core.config.home import Home
from agent_core.config.secret_store import SecretStore
from agent_core.config.secrets import ModelKeys, SystemKeyring
from agent_core.engine.bus import LiveBus
from agent_core.engine.clock import SystemClock, SystemIds, WatchedClock
from agent_core.engine.deadlines import DeadlineKeeper
from agent_core.engine.house import House, LiveSettings
from agent_core.engine.reader import LiveReader
from agent_core.engine.services import ModelServices, ProviderFor
from agent_core.engine.shared_limits import SharedLimits
from agent_core.model.clock import Clock, Ids
from agent_core.model.errors import PilothouseError, StorageError
from agent_core.model.events import DecisionMade, DecisionUndone, Event, LimitChanged
from agent_core.model.ids import HOME_SESSION
from agent_core.providers.pricing import PriceBook
from agent_core.store.cards import Cards
from agent_core.store.half_filled import HalfFilledForms
from agent_core.store.journal import Journal
from agent_core.store.keys import OperatorKeys
from agent_core.store.leases import Leases
from agent_core.store.sessions import Sessions
from agent_core.store.spend import Spending
from agent_core.store.stops import Stops
from agent_core.store.verify import Verifier

if TYPE_CHECKING:
    from agent_core.engine.archive import LiveArchive
    from agent_core.engine.desk import LiveDesk
    from agent_core.engine.records import LiveRecords
    from agent_core.engine.rulebook import LiveRulebook
    from agent_core.engine.supervisor import LiveSupervisor
    from agent_core.tools.base import Tool

_log = logging.getLogger(__name__)

WATCH_SECONDS = 0.15
"""How often stop files and other processes' events are looked for."""

_LETS_GO_ON = (DecisionMade, DecisionUndone, LimitChanged)


class Harness:
    """One open home: the faces that screens and command lines see. Close it once, at the end.

    Each face is made, and its part of the engine imported, when somebody first asks for it: a command that only reads
    never loads what runs tools.
    """

    def __init__(self, house: House, *, works: bool, takes_decided: bool) -> None:
        self.house = house
        self.bus = house.bus
        self._works, self._takes_decided = works, takes_decided
        self._tasks: list[asyncio.Task[None]] = []

    @cached_property
    def supervisor(self) -> "LiveSupervisor":
        """Runs."""
        from agent_core.engine import supervisor

        return supervisor.LiveSupervisor(self.house, takes_decided=self._takes_decided)

    @cached_property
    def desk(self) -> "LiveDesk":
        """Cards and decisions."""
        from agent_core.engine import desk

        return desk.LiveDesk(self.house, self.supervisor.go_on if self._works else _nobody)

    @cached_property
    def reader(self) -> LiveReader:
        """Queries."""
        return LiveReader(self.house)

    @cached_property
    def archive(self) -> "LiveArchive":
        """Backups."""
        from agent_core.engine import archive

        return archive.LiveArchive(self.house)

    @cached_property
    def records(self) -> "LiveRecords":
        """The audit."""
        from agent_core.engine import records

        return records.LiveRecords(self.house)

    @cached_property
    def rulebook(self) -> "LiveRulebook":
        """The standing rules."""
        from agent_core.engine import rulebook

        return rulebook.LiveRulebook(self.house)

    async def watch(self) -> None:
        """Work from now on: heed clocks, stop files and other processes, and take up what was decided."""
        desk, supervisor = self.desk, self.supervisor
        keeper = DeadlineKeeper(self.house.clock, desk.expire, self.bus.publish)
        self.bus.subscribe(keeper.hear)
        self.bus.subscribe(supervisor.hear)
        self._tasks += [
            asyncio.create_task(keeper.keep(), name="deadlines"),
            asyncio.create_task(_watch_clock(self.house.clock, supervisor), name="the clock"),
            asyncio.create_task(_watch_stops(supervisor), name="stop files"),
            asyncio.create_task(_follow(self.house, supervisor), name="other processes"),
        ]
        if self._takes_decided:
            for _, card in await self.house.cards.open():
                keeper.watch(card)
            await supervisor.take_decided()

    async def close(self) -> None:
        """In order: runs come to rest, watchers end, connections and the journal are closed."""
        if "supervisor" in self.__dict__:
            await self.supervisor.close()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self.house.services.close()
        await asyncio.to_thread(self.house.journal.close)


async def open_harness(
    home: Home,
    *,
    operator: str,
    clock: Clock | None = None,
    ids: Ids | None = None,
    provider_for: ProviderFor | None = None,
    secrets: SecretStore | None = None,
    keys: ModelKeys | None = None,
    environ: Mapping[str, str] | None = None,
    tools: "Sequence[Tool] | None" = None,
    works: bool = True,
    takes_decided: bool = False,
) -> Harness:
    """Open a home. Raises NewerDatabase, WriteLocked, StorageError, ProfileError."""
    store = secrets or SystemKeyring()
    model_keys = keys or ModelKeys(os.environ if environ is None else environ, store)
    house = await asyncio.to_thread(
        _house, home, operator, clock or SystemClock(), ids or SystemIds(), provider_for, store, model_keys, tools
    )
    harness = Harness(house, works=works, takes_decided=takes_decided)
    if works:
        await harness.watch()
    return harness


def _house(
    home: Home,
    operator: str,
    clock: Clock,
    ids: Ids,
    provider_for: ProviderFor | None,
    store: SecretStore,
    keys: ModelKeys,
    tools: "Sequence[Tool] | None",
) -> House:
    home.create()
    journal = Journal.open(home)
    leases, spending = Leases(home), Spending(journal)
    settings = LiveSettings(home)
    operator_keys = OperatorKeys(journal, store, clock)
    return House(
        home=home,
        clock=WatchedClock(clock),
        ids=ids,
        operator=operator,
        journal=journal,
        leases=leases,
        stops=Stops(home),
        sessions=Sessions(journal, leases),
        cards=Cards(journal),
        half_filled=HalfFilledForms(journal),
        spending=spending,
        keys=operator_keys,
        verifier=Verifier(journal, operator_keys),
        bus=LiveBus(),
        services=ModelServices(keys, clock, provider_for),
        settings=settings,
        prices=PriceBook(),
        shared=SharedLimits(spending, clock, lambda: settings.read().day_limit_usd),
        own_tools=tools,
    )


def _nobody(session: str) -> None:
    """Decisions are recorded here and executed elsewhere."""


async def _watch_clock(clock: WatchedClock, supervisor: "LiveSupervisor") -> None:
    """Look at the clock all the time, so that a jump is noticed at once and is not laid at anything's door."""
    told = len(clock.jumps)
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        clock.now()
        if len(clock.jumps) > told:
            told = len(clock.jumps)
            try:
                await supervisor.tell_jumps()
            except PilothouseError as error:
                _log.warning("that the clock jumped is not journaled: %s", error)


async def _watch_stops(supervisor: "LiveSupervisor") -> None:
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        try:
            await supervisor.heed_stops()
        except StorageError as error:
            _log.warning("stop files cannot be read: %s", error)


async def _follow(house: House, supervisor: "LiveSupervisor") -> None:
    """Take in what other processes append: for screens, and for runs whose decision it is."""
    while True:
        try:
            async for event in house.journal.follow():
                await _heard(house, supervisor, event)
        except PilothouseError as error:
            _log.warning("an event of another process cannot be taken in: %s", error)
            await asyncio.sleep(WATCH_SECONDS)


async def _heard(house: House, supervisor: "LiveSupervisor", event: Event) -> None:
    ledger = house.known(event.session)
    if ledger is not None:
        await ledger.catch_up()
        house.publish(event)
    else:
        house.publish(event)
        if event.session != HOME_SESSION:
            house.bus.publish(await house.sessions.summary(event.session))
    if isinstance(event.data, _LETS_GO_ON):
        supervisor.go_on(event.session)
