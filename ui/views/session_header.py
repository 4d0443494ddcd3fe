"""The head of the selected session: what it is, how it stands, and the buttons that steer it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from agent_core.model.intents import SessionSummary
from agent_core.model.run import SessionStatus
from ui.models.pattern_words import pattern_name
from ui.models.session_words import state_chip
from ui.widgets.button import Button
from ui.widgets.label import ElidedLabel
from ui.widgets.marks import Chip, Line
from ui.widgets.surface import Surface, column, row


class SessionHeader(Surface):
    """Title, state, agent, model, workspace; Message, Pause or Resume, Stop and a menu."""

    message_wanted = Signal()
    pause_wanted = Signal()
    resume_wanted = Signal()
    stop_wanted = Signal()
    menu_wanted = Signal(QWidget)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("raised", parent)
        self.setObjectName("session.header")
        self._title = ElidedLabel("", "session_title")
        self._title.setObjectName("session.title")
        self._chip = Chip("Running", "plain", "circle-play")
        self._facts = ElidedLabel("", "secondary", "text3")
        self.message = Button("Message", icon="send", height=30)
        self.pause = Button("Pause", icon="pause", height=30)
        self.stop = Button("Stop", icon="square", height=30)
        self.more = Button("", "ghost", icon="ellipsis", height=30, tip="More for this session")
        self._resumes = False
        self._build()

    def _build(self) -> None:
        outer = column(self, 0)
        layout = column(None, 6, (18, 12, 18, 10))
        outer.addLayout(layout)
        outer.addWidget(Line())
        first = row(None, 8)
        first.addWidget(self._title, 1)
        for name in ("message", "pause", "stop", "more"):
            button: Button = getattr(self, name)
            button.setObjectName(f"session.{name}")
            first.addWidget(button)
        layout.addLayout(first)
        layout.addLayout(self._second_line())
        self.message.clicked.connect(self.message_wanted)
        self.stop.clicked.connect(self.stop_wanted)
        self.pause.clicked.connect(self._pause_or_resume)
        self.more.clicked.connect(lambda: self.menu_wanted.emit(self.more))

    def _second_line(self) -> QHBoxLayout:
        line = row(None, 8)
        line.addWidget(self._chip)
        line.addWidget(self._facts, 1)
        return line

    def _pause_or_resume(self) -> None:
        (self.resume_wanted if self._resumes else self.pause_wanted).emit()

    def set_compact(self, compact: bool) -> None:
        """Icons only, in narrow windows."""
        words = {"message": "Message", "stop": "Stop"}
        for name, label in words.items():
            button: Button = getattr(self, name)
            button.set_label("" if compact else label)
            button.setAccessibleName(label)
            button.setToolTip(label)
        self._label_pause(compact)

    def _label_pause(self, compact: bool) -> None:
        label = "Resume" if self._resumes else "Pause"
        self.pause.set_icon("play" if self._resumes else "pause")
        self.pause.set_label("" if compact else label)
        self.pause.setAccessibleName(label)
        self.pause.setToolTip(label)

    def show_summary(self, summary: SessionSummary) -> None:
        """Show a session."""
        self._title.setText(summary.goal)
        words, tone, icon = state_chip(summary)
        self._chip.setText(words)
        self._chip.set_tone(tone, icon)
        demo = ["demo"] if summary.demo else []
        pattern = pattern_name(summary.pattern)
        facts = [f"{summary.agent} {summary.agent_version}", *demo, pattern, summary.model, summary.workspace]
        self._facts.setText("   ·   ".join(facts))
        ended = summary.status is SessionStatus.ENDED
        resting = summary.status in (SessionStatus.PAUSED, SessionStatus.INTERRUPTED)
        self._resumes = resting
        self._label_pause(compact=not self.message.label())
        self.pause.setEnabled(not ended)
        self.stop.setEnabled(not ended)
