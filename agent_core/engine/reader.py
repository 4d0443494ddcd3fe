"""Reader: queries for screens and command lines. Reads only."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from agent_core.engine import exporting, forking
from agent_core.engine.house import House
from agent_core.engine.summary import exit_code, result_json, status_of
from agent_core.model.alerts import Alert, AlertQuery
from agent_core.model.events import Event
from agent_core.model.ids import HOME_SESSION
from agent_core.model.intents import DayBudget, ForkPlan, SessionQuery, SessionSummary, TreeBudget
from agent_core.model.standing import Opening
from agent_core.model.state import SessionState
from agent_core.store.alerts import Alerts
from agent_core.store.verify import Finding


class LiveReader:
    """The reader of one home."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._alerts = Alerts(house.journal)

    async def sessions(self, query: SessionQuery) -> list[SessionSummary]:
        """A page of sessions, newest first."""
        return await self._house.sessions.page(query)

    async def count_sessions(self, query: SessionQuery) -> int:
        """How many there are in all."""
        return await self._house.sessions.count(query)

    async def summary(self, session: str) -> SessionSummary:
        """One session."""
        return await self._house.sessions.summary(session)

    async def find(self, said: str) -> str:
        """The session that a person means by its id or a short form. Raises InputError for none, and for several.

        The home's own events have no summary, but are one.
        """
        return said if said == HOME_SESSION else await self._house.sessions.named(said)

    async def events(self, session: str, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Events of one session with a higher `seq`, in order."""
        return await self._house.journal.read(session, after, limit)

    async def alerts(self, query: AlertQuery) -> list[Alert]:
        """What is out of the ordinary in any session, newest first."""
        return await self._alerts.find(query)

    async def open_alerts(self) -> int:
        """How many alerts nobody has acknowledged yet."""
        return await self._alerts.count_open()

    async def newest(self, session: str, count: int) -> Sequence[Event]:
        """The newest events of a session, in order."""
        return await self._house.journal.read_last(session, count)

    async def first_look(self, session: str) -> Opening:
        """How a session stands, at once: its newest events alone, where the whole would take long."""
        return await self._house.journal.first_look(session)

    async def whole(self, session: str) -> Opening:
        """How a session stands, however long that takes."""
        return await self._house.journal.whole(session)

    async def step_of_call(self, session: str, call: str) -> int | None:
        """The step that a call was asked for in; None where the session knows no such call."""
        return await self._house.journal.step_of_call(session, call)

    async def day_budget(self) -> DayBudget:
        """Spend of today against the day limit."""
        return await self._house.shared.day()

    async def tree_budget(self, session: str) -> TreeBudget:
        """Spend of a session with its runs and forks, against their limit."""
        return await self._house.shared.tree(await self._newest(session))

    async def fork_plan(self, session: str) -> ForkPlan:
        """What a fork of a session can begin with. Raises InputError for one that cannot be forked."""
        return forking.plan_of(await self._newest(session))

    async def _newest(self, session: str) -> SessionState:
        """A session's state, kept up to date where somebody works it here."""
        known = self._house.known(session)
        if known is None or not known.loaded:
            return await self.state(session)
        await known.catch_up()
        return known.state

    async def export(self, session: str, form: str, out: Path) -> None:
        """Write a session to a file: jsonl, html or otel."""
        await self.find(session)
        events = await self.events(session)
        await asyncio.to_thread(exporting.export, events, form, out, self._house.services.redactor())

    async def state(self, session: str) -> SessionState:
        """The whole state of a session, folded from its events."""
        await self.summary(session)
        return await self._house.state(session)

    async def result(self, session: str) -> tuple[dict[str, object], int]:
        """The object that `run`, `resume` and `show` print, and the exit code of a run that rests there."""
        state = await self.state(session)
        status = status_of(state, self._house.leases.holder(session))
        return result_json(state, status), exit_code(state)

    async def fault(self, session: str) -> str:
        """Why a session can only be read: what `verify` finds in it; "" while all is well."""
        finding = await asyncio.to_thread(self._house.verifier.session, session)
        return finding.reason or ""

    async def missing(self) -> list[str]:
        """Sessions that were recorded in this home, and that its database does not hold."""
        return await asyncio.to_thread(self._house.verifier.missing)

    async def verify(self, session: str | None = None) -> list[Finding]:
        """Check chains, heads and signatures: of one session, or of all."""
        verifier = self._house.verifier
        if session is None:
            return await asyncio.to_thread(verifier.all_sessions)
        return [await asyncio.to_thread(verifier.session, session)]
