"""An engine that is not there yet: the window stands before the home is open, and nothing asked meanwhile is lost."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from agent_core.config.home import Home
    from agent_core.config.secrets import ModelKeys
    from agent_core.config.settings import Settings
    from agent_core.engine.facade import Archive, Bus, BusMessage, Desk, Reader, Records, Rulebook, Supervisor
    from agent_core.engine.harness import Harness


class OpeningEngine:
    """An Engine whose faces answer once the home is open."""

    lock_clock: Callable[[], float] | None = None

    def __init__(self, home: Home, operator: str) -> None:
        self.home, self.operator = home, operator
        self._harness: asyncio.Future[Harness] = asyncio.get_running_loop().create_future()
        self.bus: Bus = _LaterBus(self._harness)
        self.supervisor = cast("Supervisor", _Later(self._harness, "supervisor"))
        self.desk = cast("Desk", _Later(self._harness, "desk"))
        self.reader = cast("Reader", _Later(self._harness, "reader"))
        self.archive = cast("Archive", _Later(self._harness, "archive"))
        self.records = cast("Records", _Later(self._harness, "records"))
        self.rulebook = cast("Rulebook", _Later(self._harness, "rulebook"))

    @cached_property
    def settings(self) -> Settings:
        """The settings, which need no open home."""
        from agent_core.config.settings import Settings

        return Settings.open(self.home)

    @cached_property
    def keys(self) -> ModelKeys:
        """The model's keys; the harness is to be opened with them."""
        from agent_core.config.secrets import ModelKeys, SystemKeyring

        return ModelKeys(os.environ, SystemKeyring())

    @property
    def now(self) -> Callable[[], datetime]:
        """The wall clock."""
        return _now

    async def open(self) -> Harness:
        """Open the home; then what was asked is answered. Everything heavy is imported off the GUI thread."""
        await asyncio.to_thread(import_module, "agent_core.engine.harness")
        from agent_core.engine.harness import open_harness

        harness = await open_harness(self.home, operator=self.operator, keys=self.keys, takes_decided=True)
        self._harness.set_result(harness)
        return harness

    def give_up(self) -> None:
        """Whoever still waits for a home that did not open waits no more."""
        self._harness.cancel()

    async def close(self) -> None:
        """Close the home, where it was opened."""
        if self._harness.done() and not self._harness.cancelled():
            await self._harness.result().close()


class _Later:
    """One face of the engine. Every method of it waits for the engine and then does what it does."""

    def __init__(self, harness: asyncio.Future[Harness], face: str) -> None:
        self._harness, self._face = harness, face

    def __getattr__(self, method: str) -> Callable[..., Any]:
        async def later(*args: Any, **kwargs: Any) -> Any:
            harness = await asyncio.shield(self._harness)
            return await getattr(getattr(harness, self._face), method)(*args, **kwargs)

        return later


class _LaterBus:
    """Takes listeners before there is anything to hear."""

    def __init__(self, harness: asyncio.Future[Harness]) -> None:
        self._harness = harness

    def subscribe(self, listener: Callable[[BusMessage], None]) -> Callable[[], None]:
        """Listen from the moment on that the engine is there."""
        stop: list[Callable[[], None]] = []

        def hear(opened: asyncio.Future[Harness]) -> None:
            if not opened.cancelled():
                stop.append(opened.result().bus.subscribe(listener))

        def unsubscribe() -> None:
            self._harness.remove_done_callback(hear)
            for one in stop:
                one()

        self._harness.add_done_callback(hear)
        return unsubscribe


def _now() -> datetime:
    return datetime.now(UTC)
