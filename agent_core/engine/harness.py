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
from dataclasses import dataclass, field

from agent_core.config.home import Home
from agent_core.config.secret_store import SecretStore
from agent_core.config.secrets import ModelKeys, SystemKeyring
from agent_core.engine.archive import LiveArchive
from agent_core.engine.bus import LiveBus
from agent_core.engine.clock import SystemClock, SystemIds, WatchedClock
from agent_core.engine.deadlines import DeadlineKeeper
from agent_core.engine.desk import LiveDesk
from agent_core.engine.house import House, LiveSettings
from agent_core.engine.reader import LiveReader
from agent_core.engine.records import LiveRecords
from agent_core.engine.rulebook import LiveRulebook
from agent_core.engine.services import ModelServices, ProviderFor
from agent_core.engine.shared_limits import SharedLimits
from agent_core.engine.supervisor import LiveSupervisor
from agent_core.model.clock import Clock, Ids
from agent_core.model.errors import PilothouseError, StorageError
from agent_core.model.events import DecisionMade, DecisionUndone, Event, LimitChanged
from agent_core.model.ids import HOME_SESSION
from agent_core.providers.pricing import PriceBook
from agent_core.store.cards import Cards
from agent_core.store.journal import Journal
from agent_core.store.keys import OperatorKeys
from agent_core.store.leases import Leases
from agent_core.store.sessions import Sessions
from agent_core.store.spend import Spending
from agent_core.store.stops import Stops
from agent_core.store.verify import Verifier
from agent_core.tools.base import Tool
from agent_core.tools.registry import TOOLS

_log = logging.getLogger(__name__)

WATCH_SECONDS = 0.15
"""How often stop files and other processes' events are looked for."""

_LETS_GO_ON = (DecisionMade, DecisionUndone, LimitChanged)


@dataclass(slots=True)
class Harness:
    """One open home: the four faces that screens and command lines see. Close it once, at the end."""

    supervisor: LiveSupervisor
    desk: LiveDesk
    reader: LiveReader
    archive: LiveArchive
    records: LiveRecords
    rulebook: LiveRulebook
    bus: LiveBus
    house: House
    _tasks: list["asyncio.Task[None]"] = field(default_factory=list)

    async def close(self) -> None:
        """In order: runs come to rest, watchers end, connections and the journal are closed."""
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
    tools: Sequence[Tool] = TOOLS,
    works: bool = True,
    takes_decided: bool = False,
) -> Harness:
    """Open a home. Raises NewerDatabase, WriteLocked, StorageError, ProfileError."""
    store = secrets or SystemKeyring()
    model_keys = keys or ModelKeys(os.environ if environ is None else environ, store)
    house = await asyncio.to_thread(
        _house, home, operator, clock or SystemClock(), ids or SystemIds(), provider_for, store, model_keys, tools
    )
    supervisor = LiveSupervisor(house, takes_decided=takes_decided)
    desk = LiveDesk(house, supervisor.go_on if works else _nobody)
    harness = Harness(
        supervisor,
        desk,
        LiveReader(house),
        LiveArchive(house),
        LiveRecords(house),
        LiveRulebook(house),
        house.bus,
        house,
    )
    keeper = DeadlineKeeper(house.clock, desk.expire, house.bus.publish)
    if works:
        house.bus.subscribe(keeper.hear)
        harness._tasks += [
            asyncio.create_task(keeper.keep(), name="deadlines"),
            asyncio.create_task(_watch_clock(house.clock, supervisor), name="the clock"),
            asyncio.create_task(_watch_stops(supervisor), name="stop files"),
            asyncio.create_task(_follow(house, supervisor), name="other processes"),
        ]
    if takes_decided:
        for _, card in await house.cards.open():
            keeper.watch(card)
        await supervisor.take_decided()
    return harness


def _house(
    home: Home,
    operator: str,
    clock: Clock,
    ids: Ids,
    provider_for: ProviderFor | None,
    store: SecretStore,
    keys: ModelKeys,
    tools: Sequence[Tool],
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
        spending=spending,
        keys=operator_keys,
        verifier=Verifier(journal, operator_keys),
        bus=LiveBus(),
        services=ModelServices(keys, clock, provider_for),
        settings=settings,
        prices=PriceBook(),
        shared=SharedLimits(spending, clock, lambda: settings.read().day_limit_usd),
        tools=tools,
    )


def _nobody(session: str) -> None:
    """Decisions are recorded here and executed elsewhere."""


async def _watch_clock(clock: WatchedClock, supervisor: LiveSupervisor) -> None:
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


async def _watch_stops(supervisor: LiveSupervisor) -> None:
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        try:
            await supervisor.heed_stops()
        except StorageError as error:
            _log.warning("stop files cannot be read: %s", error)


async def _follow(house: House, supervisor: LiveSupervisor) -> None:
    """Take in what other processes append: for screens, and for runs whose decision it is."""
    while True:
        try:
            async for event in house.journal.follow():
                await _heard(house, supervisor, event)
        except PilothouseError as error:
            _log.warning("an event of another process cannot be taken in: %s", error)
            await asyncio.sleep(WATCH_SECONDS)


async def _heard(house: House, supervisor: LiveSupervisor, event: Event) -> None:
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
