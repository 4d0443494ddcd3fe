"""Together: events of several sessions in one transaction, each computed from its newest state; all of them or none."""

import contextlib
from collections.abc import Callable, Sequence

from agent_core.engine.ledger import Ledger
from agent_core.model.errors import StaleHead, TogetherRefused
from agent_core.model.events import Draft, Event
from agent_core.model.state import SessionState
from agent_core.store.journal import Journal

Part = tuple[Ledger, Callable[[SessionState], Sequence[Draft]]]


async def decide_together(journal: Journal, parts: Sequence[Part]) -> list[list[Event]]:
    """Write what each part says of its session: compare and set over all. When one raises, nothing is written.

    A part that says nothing is still bound to: nothing is written unless its session stands where it was looked at.
    Parts that raise TogetherRefused are heard to the last one, and raised as one.
    """
    ordered = sorted(parts, key=lambda part: part[0].session)  # one order for all: nobody waits in a circle
    async with contextlib.AsyncExitStack() as held:
        for ledger, _ in ordered:
            await held.enter_async_context(ledger.held())
        while True:
            made = _made(ordered)
            appends = [ledger.pending(drafts) for ledger, drafts in made]
            try:
                written = await journal.append_all(appends)
            except BaseException as error:
                for ledger, _ in made:
                    await ledger.given_up(error)
                if isinstance(error, StaleHead):
                    continue
                raise
            for (ledger, _), append, events in zip(made, appends, written, strict=True):
                ledger.written(append, events)
            return written


def _made(parts: Sequence[Part]) -> list[tuple[Ledger, Sequence[Draft]]]:
    made: list[tuple[Ledger, Sequence[Draft]]] = []
    refusals: list[TogetherRefused] = []
    for ledger, make in parts:
        try:
            made.append((ledger, make(ledger.state)))
        except TogetherRefused as error:
            refusals.append(error)
    if refusals:
        raise TogetherRefused([card for error in refusals for card in error.refused])
    return made
