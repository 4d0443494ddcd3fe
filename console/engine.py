"""What the window needs of a home: the engine's faces, and what is beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from agent_core.config.home import Home
    from agent_core.config.secrets import ModelKeys
    from agent_core.config.settings import Settings
    from agent_core.engine.facade import Archive, Bus, Desk, Reader, Records, Rulebook, Supervisor
    from agent_core.engine.harness import Harness


class Engine(Protocol):
    """The same for a home that is open, for one that is being opened, and for one that is only drawn."""

    @property
    def supervisor(self) -> Supervisor: ...
    @property
    def desk(self) -> Desk: ...
    @property
    def reader(self) -> Reader: ...
    @property
    def bus(self) -> Bus: ...
    @property
    def home(self) -> Home: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def keys(self) -> ModelKeys: ...
    @property
    def operator(self) -> str: ...
    @property
    def now(self) -> Callable[[], datetime]: ...
    @property
    def archive(self) -> Archive | None:
        """Backups; None where the home is only drawn."""
        ...

    @property
    def records(self) -> Records | None: ...
    @property
    def rulebook(self) -> Rulebook | None: ...
    @property
    def lock_clock(self) -> Callable[[], float] | None:
        """Seconds for the lock of the decision buttons; None: the monotonic clock."""
        ...


@dataclass(frozen=True, slots=True)
class OpenEngine:
    """An engine that is there."""

    supervisor: Supervisor
    desk: Desk
    reader: Reader
    bus: Bus
    home: Home
    settings: Settings
    keys: ModelKeys
    operator: str
    now: Callable[[], datetime]
    archive: Archive | None = None
    records: Records | None = None
    rulebook: Rulebook | None = None
    lock_clock: Callable[[], float] | None = None


def engine_of(
    harness: Harness, settings: Settings, *, now: Callable[[], datetime], lock_clock: Callable[[], float] | None = None
) -> OpenEngine:
    """What a window needs of an open home."""
    house = harness.house
    return OpenEngine(
        supervisor=harness.supervisor,
        desk=harness.desk,
        reader=harness.reader,
        bus=harness.bus,
        home=house.home,
        settings=settings,
        keys=house.services.keys,
        operator=house.operator,
        now=now,
        archive=harness.archive,
        records=harness.records,
        rulebook=harness.rulebook,
        lock_clock=lock_clock,
    )
