"""Headless sessions: work one until it rests, with somebody who answers its cards, and leave cleanly when told to."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator, Mapping

from agent_core.engine.facade import BusMessage, Notice
from agent_core.engine.harness import Harness
from agent_core.engine.summary import EXIT_WAITING
from agent_core.model.errors import LOCKED, DecisionRefused, StorageError
from agent_core.model.events import Event
from agent_core.model.intents import Decide, Receipt
from agent_core.model.proposal import Proposal, Verdict
from console.deciding import Decider, intent
from console.output import Output
from console.passphrase import unlock
from console.progress import lines_for
from console.signals import heed

Idle = Callable[[list[Proposal]], Awaitable[bool]]
"""Called when nothing but time can move the session on, with its open cards; True when time was moved on."""

Version = tuple[str, str | None, int]
"""A card's id, the digest of its call, and how many questions about it were answered."""

_SETTLED = ("closed", "expired")
"""Refusals after which nobody needs to be asked any more: somebody else, or time, closed the card."""
CANNOT_SAVE = "storage"
"""The kind of notice that tells that nothing more can be saved."""


class HeadlessSession:
    """One session in this process, from its start or resume until it rests."""

    def __init__(
        self,
        harness: Harness,
        decider: Decider,
        output: Output,
        by: str,
        environ: Mapping[str, str],
        idle: Idle | None = None,
    ) -> None:
        self._harness, self._decider, self._output, self._by = harness, decider, output, by
        self._environ = environ
        self._idle = idle
        self._fault: str | None = None
        self._session: str | None = None
        self._early: list[Event] = []
        """What was heard before it was known which session is ours."""
        self._told_to_leave = asyncio.Event()
        self._left_open: set[Version] = set()
        """Cards that the decider has seen and left: one that changed, or was answered, is shown again."""

    async def work(self, session: str) -> None:
        """Until it ended or nobody here moves it on. A signal pauses it. Raises StorageError when nothing is saved."""
        self._session = session
        for event in self._early:
            self._follow(event)
        working = asyncio.ensure_future(self._until_rest(session))
        leaving = asyncio.ensure_future(self._told_to_leave.wait())
        try:
            await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                await self._harness.supervisor.close()
                working.cancel()
                await asyncio.wait({working})
            else:
                working.result()
        finally:
            leaving.cancel()
        if self._fault is not None:
            raise StorageError(self._fault)

    @contextlib.contextmanager
    def attended(self) -> Iterator[None]:
        """Print a line for whatever happens in it, and let signals pause the run, as long as the context lasts."""

        def hear(message: BusMessage) -> None:
            if isinstance(message, Event):
                self._follow(message)
            elif isinstance(message, Notice) and message.kind == CANNOT_SAVE:
                self._fault = message.text or None
            elif isinstance(message, Notice) and message.text:
                self._output.warning(f"pilothouse: {message.text}")

        stop = self._harness.bus.subscribe(hear)
        try:
            heed(self._told_to_leave.set)  # also while the result is told and the engine closes
            yield
        finally:
            stop()

    async def report(self, session: str) -> int:
        """Print the result and give the exit code."""
        result, code = await self._harness.reader.result(session)
        if self._output.as_json:
            self._output.value(result)
        elif code == EXIT_WAITING:
            self._output.line(f"Session {session} rests. Go on with: pilothouse resume {session}")
        return code

    def _follow(self, event: Event) -> None:
        """Other sessions of the home may be at work, here or in other processes: their lines are not ours."""
        if self._session is None:
            self._early.append(event)
        elif event.session == self._session:
            for line in lines_for(event):
                self._output.aside(line)

    async def _until_rest(self, session: str) -> None:
        while True:
            await self._harness.supervisor.wait(session)
            cards = await self._open_cards(session)
            if not cards:
                return
            answered = [await self._answer(card) for card in cards]
            if not any(answered) and not (self._idle is not None and await self._idle(cards)):
                return

    async def _open_cards(self, session: str) -> list[Proposal]:
        entries = await self._harness.desk.open_proposals()
        return [entry.proposal for entry in entries if entry.proposal.session == session and not entry.expired]

    async def _answer(self, card: Proposal) -> bool:
        """Whether the session can go on: the card was closed, or comes back with what the agent or a check says."""
        while _version(card) not in self._left_open:
            reply = await self._decider.reply(card, self._harness.house.clock.now())
            if reply is None:
                self._left_open.add(_version(card))
                return False
            decision = intent(card.proposal, reply, by=self._by, via=self._decider.via, digest=card.digest)
            try:
                receipt = await self._decide(decision)
            except DecisionRefused as refusal:
                if refusal.code in _SETTLED:
                    # Decided elsewhere: what that lets go on is this process's to work, and not only once it is heard.
                    self._harness.supervisor.go_on(card.session)
                    return True
                if not await self._decider.refused(card, str(refusal)):
                    self._left_open.add(_version(card))
                continue
            if not receipt.closed and receipt.verdict != Verdict.CHECK_AGAIN:
                self._left_open.add(_version(card))
            return receipt.closed or receipt.verdict in (Verdict.ASK, Verdict.CHECK_AGAIN)
        return False

    async def _decide(self, decision: Decide) -> Receipt:
        """Record it; an operator who decides with a passphrase is asked for it before the first."""
        try:
            return await self._harness.desk.decide(decision)
        except DecisionRefused as refusal:
            if refusal.code != LOCKED:
                raise
        await unlock(self._harness, self._by, self._environ)
        return await self._harness.desk.decide(decision)


def _version(card: Proposal) -> Version:
    return card.proposal, card.digest, len(card.answers)
