"""House: what all sessions of one home share in this process. Made by the harness; supervisor and desk use it."""

import asyncio
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from agent_core.config.home import Home
from agent_core.config.profile import Rule
from agent_core.config.settings import Settings
from agent_core.config.watched_file import WatchedFile
from agent_core.engine.bus import LiveBus
from agent_core.engine.clock import WatchedClock
from agent_core.engine.facade import BusMessage, Notice
from agent_core.engine.ledger import Ledger
from agent_core.engine.redacting import redacted
from agent_core.engine.services import ModelServices
from agent_core.engine.shared_limits import SharedLimits
from agent_core.model.clock import Ids
from agent_core.model.errors import BrokenChain, InputError
from agent_core.model.events import DecisionMade, Draft, Event, encode_data
from agent_core.model.state import SessionState, fold
from agent_core.model.text import is_large
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
    from agent_core.tools.base import Tool


class LiveSettings:
    """The home's settings, read again whenever their file changed."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._file = WatchedFile(home.settings)
        self._settings = Settings.open(home)

    def read(self) -> Settings:
        """The settings at this moment; `problem` says why they cannot be read."""
        if self._file.changed():
            self._settings = Settings.open(self._home)
        return self._settings

    def standing(self) -> tuple[Sequence[Rule], str | None]:
        """The standing rules, and why they cannot be read where they cannot."""
        settings = self.read()
        return settings.rules, settings.problem

    def usable(self) -> Settings:
        """The settings for a start; raises InputError for a file that cannot be understood."""
        settings = self.read()
        if settings.problem is not None:
            raise InputError(settings.problem)
        return settings


@dataclass(slots=True)
class House:
    """One home, opened by this process."""

    home: Home
    clock: WatchedClock
    ids: Ids
    operator: str
    journal: Journal
    leases: Leases
    stops: Stops
    sessions: Sessions
    cards: Cards
    half_filled: HalfFilledForms
    spending: Spending
    keys: OperatorKeys
    verifier: Verifier
    bus: LiveBus
    services: ModelServices
    settings: LiveSettings
    prices: PriceBook
    shared: SharedLimits
    own_tools: "Sequence[Tool] | None" = None
    """Tools in place of those that come with the program."""
    _told: dict[str, int] = field(default_factory=dict)
    _ledgers: "weakref.WeakValueDictionary[str, Ledger]" = field(default_factory=weakref.WeakValueDictionary)

    @property
    def tools(self) -> "Sequence[Tool]":
        """What profiles of this process can list. Imported once somebody asks: many commands never do."""
        if self.own_tools is None:
            from agent_core.tools.registry import TOOLS

            self.own_tools = TOOLS
        return self.own_tools

    def ledger(self, session: str) -> Ledger:
        """The one ledger of a session in this process. It may be behind: catch up before looking at its state."""
        found = self._ledgers.get(session)
        if found is None:
            found = self._ledgers[session] = Ledger(session, self.journal, self.publish, self._admit)
        return found

    def _admit(self, draft: Draft) -> Draft:
        """The draft with known secrets replaced, wherever in it they stand. What is signed was looked at before."""
        redactor = self.services.redactor()
        if not redactor.knows_any or isinstance(draft.data, DecisionMade):
            return draft
        try:
            if not is_large(draft.data) and not redactor.occurs_in(encode_data(draft.data)):
                return draft
        except UnicodeEncodeError:
            pass  # broken characters, which the journal mends: each string is looked at
        return msgspec.structs.replace(draft, data=redacted(redactor, draft.data))

    def publish(self, message: BusMessage) -> None:
        """Tell everybody, and of each event once: a ledger may be let go, and read its session again."""
        if isinstance(message, Event):
            if message.seq <= self._told.get(message.session, 0):
                return
            self._told[message.session] = message.seq
        elif isinstance(message, Notice):
            message = redacted(self.services.redactor(), message)
        self.bus.publish(message)

    async def load(self, session: str) -> Ledger:
        """The session's ledger, up to date. Its chain is checked when this process sees it for the first time.

        Raises InputError for a session that is not there, BrokenChain for one that was altered: it opens read-only.
        """
        ledger = self.ledger(session)
        if not ledger.loaded:
            finding = await asyncio.to_thread(self.verifier.session, session)
            if not finding.ok:
                raise BrokenChain(f"Session {session} was altered ({finding.reason}); it can only be read")
        await ledger.catch_up()
        return ledger

    async def state(self, session: str) -> SessionState:
        """The whole state of a session as its journal tells it: folded beside the loop, which the window lives on."""
        return await self.journal.off_thread(lambda: fold(self.journal.read_now(session), session))

    def known(self, session: str) -> Ledger | None:
        """The session's ledger, where somebody uses it now."""
        return self._ledgers.get(session)
