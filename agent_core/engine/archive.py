"""Archive: backups of the home's database, and putting one back. An operator's act, never a tool's."""

from pathlib import Path

from agent_core.config.operators import check_may_decide
from agent_core.engine import ancestry
from agent_core.engine.house import House
from agent_core.model.events import Restored
from agent_core.store.backup import Backups


class LiveArchive:
    """The archive of one home."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._backups = Backups(house.journal, house.leases, house.keys)

    async def backup(self, target: Path | None = None) -> Path:
        """Copy the database as it is now, by default into the home's backups; gives the file.

        Raises InputError for a file that exists already, StorageError.
        """
        return await self._backups.backup(self._house.clock.now(), target)

    async def restore(self, source: Path, by: str) -> list[str]:
        """Put a backup back; gives the sessions that it sets back. What was there before is backed up first.

        Raises InputError, NewerDatabase, SessionBusy while a session is worked, DecisionRefused, StorageError. What
        this process had read is of yesterday then: open the home anew.
        """
        check_may_decide(by, self._house.settings.usable())
        ancestry.refuse_tools(self._house.home, "Restoring")
        event = await self._backups.restore(source, by, self._house.clock.now())
        assert isinstance(event.data, Restored)
        return sorted(event.data.heads)
