"""Halts: the flag is a file; what it told is journaled by whoever writes next."""

from agent_core.engine.house import House
from agent_core.model.errors import StaleHead
from agent_core.model.events import Draft, HaltReleased, HaltSet
from agent_core.model.ids import HOME_SESSION


async def journal_halt(house: House) -> None:
    """Journal the halt that the flag tells of, unless that was done. Raises WriteLocked, StorageError."""
    while (halt := house.stops.halt()) is not None:
        events = await house.journal.read(HOME_SESSION)
        newest = next((e for e in reversed(events) if isinstance(e.data, HaltSet | HaltReleased)), None)
        if newest is not None and isinstance(newest.data, HaltSet) and newest.at == halt.at:
            return
        drafted = Draft(data=HaltSet(by=halt.by, force=halt.force, reason=halt.reason), at=halt.at)
        try:
            await house.journal.append(HOME_SESSION, [drafted], head=events[-1].digest if events else "")
            return
        except StaleHead:
            continue
