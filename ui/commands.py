"""From the screen to the engine: intents become coroutines.

Widgets never change state themselves: the event comes back. Every task is held until it ends. A known error becomes one
sentence through `refused`; a bug goes to the loop's handler.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from agent_core.engine.facade import Desk, Reader, Supervisor
from agent_core.model.errors import LOCKED, PilothouseError
from agent_core.model.intents import ChangeLimit, Decide, ForkSession, Trial

MORE_MINUTES = 15


class Commands(QObject):
    """The way in. `operator` is who sits here."""

    refused = Signal(str)
    """One sentence, for a toast or beside the field."""
    decided = Signal(object)
    """A Receipt."""
    decision_refused = Signal(str, str)
    """Proposal id and sentence."""
    passphrase_wanted = Signal()
    """The operator decides with a passphrase that was not given here yet; nothing was decided."""
    started = Signal(str)
    """Id of a session that was opened."""

    def __init__(
        self, supervisor: Supervisor, desk: Desk, reader: Reader, operator: str, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.supervisor, self.desk, self.reader, self.operator = supervisor, desk, reader, operator
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    def spawn(
        self,
        work: Coroutine[Any, Any, Any],
        *,
        then: Callable[[Any], None] | None = None,
        otherwise: Callable[[PilothouseError], None] | None = None,
    ) -> None:
        """Run a coroutine of the facade; `then` gets its result, `otherwise` a known error (default: `refused`).

        Where a passphrase is missing, only that is said: `passphrase_wanted`.
        After `close` nothing is taken any more: the engine is being put away.
        """
        if self._closed:
            work.close()
            return
        task = asyncio.ensure_future(self._guard(work, then, otherwise))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _guard(
        self,
        work: Coroutine[Any, Any, Any],
        then: Callable[[Any], None] | None,
        otherwise: Callable[[PilothouseError], None] | None,
    ) -> None:
        try:
            result = await work
        except PilothouseError as error:
            if error.code == LOCKED:
                self.passphrase_wanted.emit()  # what is asked for then says why; a refusal beside it would outlive it
            elif otherwise is not None:
                otherwise(error)
            else:
                self.refused.emit(str(error))
        else:
            if then is not None:
                then(result)

    def decide(self, intent: Decide) -> None:
        """Record a decision; `decided` or `decision_refused` follows."""
        self.spawn(
            self.desk.decide(intent),
            then=self.decided.emit,
            otherwise=lambda error: self.decision_refused.emit(intent.proposal, str(error)),
        )

    def look_at(self, proposal: str) -> None:
        """A person is shown a card: record that, and read again what it rests on."""
        self.spawn(self.desk.present(proposal, self.operator))
        self.recheck(proposal)

    def recheck(self, proposal: str) -> None:
        """Read again what a card rests on; another version of it comes as an event."""
        self.spawn(self.desk.recheck(proposal))

    def more_time(self, proposal: str) -> None:
        """Wait longer for a decision."""
        self.spawn(self.desk.extend_deadline(proposal, MORE_MINUTES, self.operator))

    def try_out(self, proposal: str, arguments: dict[str, Any], answer: Callable[[Trial], None]) -> None:
        """What edited arguments would mean, told to `answer`; nothing is decided."""
        self.spawn(self.desk.trial(proposal, arguments), then=answer)

    def undo(self, proposal: str) -> None:
        """Take back an approval that has not started."""
        self.spawn(
            self.desk.undo(proposal, self.operator),
            otherwise=lambda error: self.decision_refused.emit(proposal, str(error)),
        )

    def resume(self, session: str, message: str | None = None) -> None:
        """Go on with a session."""
        self.spawn(self.supervisor.resume(session, self.operator, message))

    def fork(self, intent: ForkSession) -> None:
        """Begin a session with the history of another one; `started` follows."""
        self.spawn(self.supervisor.fork(intent), then=self.started.emit)

    def pause(self, session: str) -> None:
        """Hold a session after the calls in flight."""
        self.spawn(self.supervisor.pause(session, self.operator))

    def pause_all(self) -> None:
        """Hold every session of this process."""
        self.spawn(self.supervisor.pause_all(self.operator))

    def stop(self, session: str) -> None:
        """End a session at once."""
        self.spawn(self.supervisor.stop(session, self.operator))

    def stop_all(self) -> None:
        """Stop everything, in every process, until the halt is released."""
        self.spawn(self.supervisor.stop_all(self.operator))

    def release(self) -> None:
        """Lift the halt."""
        self.spawn(self.supervisor.release(self.operator))

    def lift(self, session: str, tool: str) -> None:
        """Switch a contained tool on again."""
        self.spawn(self.supervisor.lift(session, tool, self.operator))

    def retry_saving(self) -> None:
        """Go on with what rests because nothing could be saved."""
        self.spawn(self.supervisor.retry_saving(self.operator))

    def message(self, session: str, text: str) -> None:
        """Tell the agent something."""
        self.spawn(self.supervisor.message(session, text, self.operator))

    def change_limit(self, intent: ChangeLimit) -> None:
        """Edit a limit."""
        self.spawn(self.supervisor.change_limit(intent))

    async def settle(self) -> None:
        """Wait for what is under way."""
        if self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def close(self) -> None:
        """Take nothing more, and wait for what is under way."""
        self._closed = True
        await self.settle()
