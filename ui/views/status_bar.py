"""The bar at the bottom: saved when, which model service, how heavy the load of decisions, who decides."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from agent_core.model import events as ev
from agent_core.model.intents import SessionSummary
from ui import formatting
from ui.bridge import Batch
from ui.theme import px, theme
from ui.widgets.label import Label
from ui.widgets.marks import Icon
from ui.widgets.surface import Surface, row

HEIGHT = 26
LOAD_WINDOW = timedelta(minutes=10)
AMBER_LOAD = 2
FLOOD_LOAD = 10


class StatusBar(Surface):
    """`apply(batch)` takes the engine's news; `flooded` tells whether more cards come than a person can judge."""

    def __init__(self, operator: str, now: Callable[[], datetime], parent: QWidget | None = None) -> None:
        super().__init__("bar_bottom", parent)
        self.setObjectName("status")
        self._now = now
        self._opened: dict[str, datetime] = {}
        self._saved_at: datetime | None = None
        self._saved = Label("Nothing to save yet", "meta", "text3")
        self._model = Label("", "meta", "text3")
        self._load = Label("", "meta", "text3")
        self._operator = Label(f"Operator: {operator}", "meta", "text3")
        line = row(self, 6, (14, 0, 14, 0))
        line.addWidget(Icon("database", "text3", 12))
        line.addWidget(self._saved)
        line.addSpacing(px(10))
        line.addWidget(Icon("plug", "text3", 12))
        line.addWidget(self._model)
        line.addStretch(1)
        line.addWidget(self._load)
        line.addSpacing(px(10))
        line.addWidget(self._operator)
        self._clock = QTimer(self, interval=5_000)
        self._clock.timeout.connect(self.refresh)
        self._clock.start()
        theme().follow(self.restyle)
        self.set_model("No request since the start")
        self.refresh()

    def restyle(self) -> None:
        """Height again after a scale change."""
        self.setFixedHeight(px(HEIGHT))

    def set_model(self, words: str) -> None:
        """Which service answers, and how fast."""
        self._model.setText(words)

    @property
    def load(self) -> int:
        """Cards opened in the last ten minutes."""
        return len(self._opened)

    @property
    def flooded(self) -> bool:
        """More than ten in ten minutes."""
        return self.load > FLOOD_LOAD

    def apply(self, batch: Batch) -> None:
        """Take in what the bridge brought."""
        for event in batch.events:
            if isinstance(event.data, ev.ProposalOpened):
                self._opened[event.data.proposal.proposal] = event.at
            elif isinstance(event.data, ev.ModelResponded) and event.data.duration_ms:
                first = event.data.first_token_ms or event.data.duration_ms
                self.set_model(f"{event.data.model}  {formatting.duration(first / 1000)}")
        if batch.events:
            self._show_saved(batch.events[-1].at)
        self.refresh()

    def take_opened(self, opened: Mapping[str, datetime]) -> None:
        """Cards that were opened before this window was."""
        self._opened = {**opened, **self._opened}
        self.refresh()

    def take_sessions(self, sessions: Iterable[SessionSummary]) -> None:
        """What was saved before anything happens in this window."""
        if self._saved_at is None:
            self._show_saved(max((session.updated_at for session in sessions), default=None))

    def _show_saved(self, moment: datetime | None) -> None:
        """The time of day for what is of today, the day too for what is older."""
        if moment is None:
            return
        self._saved_at = moment
        when, now = moment.astimezone(), self._now().astimezone()
        same_day = when.date() == now.date()
        self._saved.setText(f"Saved {formatting.clock_time(when) if same_day else formatting.day_and_time(when, now)}")

    def refresh(self) -> None:
        """Forget cards older than ten minutes."""
        oldest = self._now() - LOAD_WINDOW
        self._opened = {card: at for card, at in self._opened.items() if at >= oldest}
        self._load.setText(f"Decision load {self.load} per 10 min")
        self._load.set_color("attn" if self.load > AMBER_LOAD else "text3")
