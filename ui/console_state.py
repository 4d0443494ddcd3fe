"""What the console shows, in one place: sessions, the queue of cards, the selected session, notices, today's spend.

The only writer is `apply(batch)` (and first loads); views read and listen. All reading happens off the GUI thread.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from agent_core.engine.facade import Notice
from agent_core.model import events as ev
from agent_core.model.intents import SessionQuery
from ui.commands import Commands

if TYPE_CHECKING:
    from agent_core.engine.facade import StreamDelta
    from agent_core.model.events import Event
    from agent_core.model.intents import DayBudget, OpenProposal, SessionSummary, TreeBudget
    from agent_core.model.run import SessionState
    from agent_core.model.standing import Opening
    from ui.bridge import Batch

CARD_EVENTS = (
    ev.ProposalOpened,
    ev.ProposalChanged,
    ev.ProposalWithdrawn,
    ev.ProposalExpired,
    ev.DecisionMade,
    ev.DecisionUndone,
)
ALERT_EVENTS = (ev.AlertRaised, ev.AlertAcknowledged)
TREE_EVENTS = (ev.ModelResponded, ev.ModelFailed, ev.SideAnswered, ev.LimitChanged, ev.RunStarted)
"""What changes the spend of a tree, or its limit; a fork's counts for its source too."""
RECENT_SESSIONS = 200


class ConsoleState(QObject):
    """Signals say what changed; read the attributes for how it is now."""

    sessions_changed = Signal()
    queue_changed = Signal()
    current_changed = Signal()
    """Another session is selected, or more is known of the one that is."""
    current_advanced = Signal(object, object)
    """New events (list) and streamed text (list of (StreamDelta, str)) of the selected session."""
    notices_changed = Signal()
    day_changed = Signal()
    alerts_changed = Signal()
    tree_changed = Signal()
    announced = Signal(str, bool)
    """A sentence for screen readers, and whether it is urgent."""

    def __init__(self, commands: Commands, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.commands = commands
        self.sessions: dict[str, SessionSummary] = {}
        self.sessions_known = False
        """Whether `sessions` was read; before, nobody knows whether there are any."""
        self._in_advance: set[str] = set()
        self.queue: list[OpenProposal] = []
        self.queue_known = False
        self.notices: dict[str, Notice] = {}
        self.day: DayBudget | None = None
        self.open_alerts = 0
        """Alerts that nobody has acknowledged yet."""
        self.tree: TreeBudget | None = None
        """Of the selected session, where a limit holds over its runs and forks."""
        self.current: str | None = None
        self.opening: Opening | None = None
        """What is known of it; None until something has been read."""
        self._late: list[Event] = []
        """What happened in it while it was read."""
        self._queue_stale = self._queue_loading = False

    def load(self) -> None:
        """Read what is there at the start."""
        reader = self.commands.reader
        self.commands.spawn(reader.sessions(SessionQuery(limit=RECENT_SESSIONS)), then=self._sessions_read)
        self.refresh_queue()
        self.refresh_day()
        self.refresh_alerts()

    def show_recent(self, found: Sequence[SessionSummary]) -> None:
        """Show sessions that were read in advance; what is read or heard later replaces them."""
        self._sessions_read(found)
        self._in_advance = {summary.session for summary in found}

    def _sessions_read(self, found: Sequence[SessionSummary]) -> None:
        self.sessions_known = True
        newer = {name: summary for name, summary in self.sessions.items() if name not in self._in_advance}
        self.sessions = {summary.session: summary for summary in found} | newer
        self._in_advance = set()
        self.sessions_changed.emit()

    def refresh_queue(self) -> None:
        """Read the open cards again; several wishes at once become one reading after the one under way."""
        if self._queue_loading:
            self._queue_stale = True
            return
        self._queue_loading = True
        self.commands.spawn(self.commands.desk.open_proposals(), then=self._queue_read)

    def _queue_read(self, queue: list[OpenProposal]) -> None:
        self._queue_loading = False
        self.queue, self.queue_known = queue, True
        self.queue_changed.emit()
        if self._queue_stale:
            self._queue_stale = False
            self.refresh_queue()

    def refresh_day(self) -> None:
        """Read today's spend again."""
        self.commands.spawn(self.commands.reader.day_budget(), then=self._day_read)

    def _day_read(self, day: DayBudget) -> None:
        self.day = day
        self.day_changed.emit()

    def refresh_alerts(self) -> None:
        """Count the open alerts again."""
        self.commands.spawn(self.commands.reader.open_alerts(), then=self._alerts_counted)

    def _alerts_counted(self, count: int) -> None:
        self.open_alerts = count
        self.alerts_changed.emit()

    @property
    def state(self) -> SessionState | None:
        """How the selected session stands; None until that is known."""
        standing = self.opening.standing if self.opening is not None else None
        return standing.state if standing is not None else None

    def refresh_tree(self) -> None:
        """Read again what the selected session spent with its forks, where that has a limit."""
        state = self.state
        if state is None or not state.runs or state.run.limits.tree_cost_usd is None:
            self._tree_read(self.current, None)
            return
        session = state.session
        self.commands.spawn(
            self.commands.reader.tree_budget(session),
            then=lambda tree: self._tree_read(session, tree),
            otherwise=lambda _error: None,
        )

    def _tree_read(self, session: str | None, tree: TreeBudget | None) -> None:
        if session == self.current and tree != self.tree:
            self.tree = tree
            self.tree_changed.emit()

    def select(self, session: str | None) -> None:
        """Show another session. It is read off the GUI thread; what arrives meanwhile is not lost."""
        if session == self.current:
            return
        self.current, self.opening, self._late = session, None, []
        self.refresh_tree()
        self.current_changed.emit()
        if session is not None:
            self._read(session, self.commands.reader.first_look(session))

    def _read(self, session: str, opening: Coroutine[Any, Any, Opening]) -> None:
        self.commands.spawn(
            opening,
            then=lambda found: self._session_read(session, found),
            otherwise=lambda error: self._altered(session, str(error)),
        )

    def _session_read(self, session: str, opening: Opening) -> None:
        """Everything that is known of a session, or its newest events while the rest is being read."""
        if session != self.current:
            return
        for event in self._late:
            if event.seq > opening.newest:
                opening.take(event)
        self.opening = opening
        self.refresh_tree()
        self.current_changed.emit()
        if opening.standing is None:
            self._read(session, self.commands.reader.whole(session))
        else:
            self._late = []
            self.commands.spawn(self.commands.reader.fault(session), then=lambda fault: self._altered(session, fault))

    def _altered(self, session: str, fault: str) -> None:
        """Somebody changed what was saved: the session can be read, and nothing in it goes on."""
        kind = f"altered:{session}"
        if fault:
            text = f"Read-only: the history of this session was altered ({fault}). Nothing in it goes on."
            self.notices[kind] = Notice(kind=kind, level="dang", text=text)
            self.notices_changed.emit()
        elif self.notices.pop(kind, None) is not None:
            self.notices_changed.emit()

    def apply(self, batch: Batch) -> None:
        """Take in what the bridge brought."""
        if batch.summaries:
            self.sessions.update(batch.summaries)
            self._in_advance -= batch.summaries.keys()
            self.sessions_changed.emit()
        if batch.notices:
            self._take_notices(batch)
        if any(isinstance(event.data, CARD_EVENTS) for event in batch.events):
            self.refresh_queue()
        if any(isinstance(event.data, ev.ModelResponded) for event in batch.events):
            self.refresh_day()
        if any(isinstance(event.data, ALERT_EVENTS) for event in batch.events):
            self.refresh_alerts()
        self._advance_current(batch)
        if any(isinstance(event.data, TREE_EVENTS) for event in batch.events):
            self.refresh_tree()

    def _advance_current(self, batch: Batch) -> None:
        if self.current is None:
            return
        opening = self.opening
        fresh = batch.of_session(self.current)
        if opening is None or opening.standing is None:
            self._late.extend(fresh)
        if opening is None:
            return
        fresh = [event for event in fresh if event.seq > opening.newest]
        for event in fresh:
            opening.take(event)
        streamed: list[tuple[StreamDelta, str]] = [
            (first, "".join(pieces)) for first, pieces in batch.deltas.values() if first.session == self.current
        ]
        if fresh or streamed:
            self.current_advanced.emit(fresh, streamed)

    def _take_notices(self, batch: Batch) -> None:
        for kind, notice in batch.notices.items():
            if notice.text:
                self.notices[kind] = notice
            else:
                self.notices.pop(kind, None)
        self.notices_changed.emit()
