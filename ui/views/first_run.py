"""What stands in the middle before the first run: try the demo, or connect a model."""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeyEvent, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from agent_core.config.home import Home
from agent_core.config.secrets import ModelKey, ModelKeys
from ui.key_keeper import KeyKeeper
from ui.models.model_key import key_problem, key_status, place_words
from ui.theme import px, theme
from ui.tokens import RADIUS_CARD
from ui.widgets.button import Button
from ui.widgets.containers import HfwScrollArea
from ui.widgets.field import Field, FormField
from ui.widgets.label import Label
from ui.widgets.marks import Chip, Icon
from ui.widgets.paint import full_rect, painter_for, rounded_box
from ui.widgets.surface import Surface, column, row

WIDTH = 760
_SIDE_BY_SIDE = 600
_TOP = Qt.AlignmentFlag.AlignTop
KEYS_PAGE = "https://console.anthropic.com/settings/keys"
DEMO_POINTS = (
    "Watch steps, budgets and context live",
    "Approve, edit and reject on sample data",
    "Close the window half-way and resume",
)


class Choice(QFrame):
    """One of the two cards; the first on offer has the blue line."""

    def __init__(self, *, first: bool = False) -> None:
        super().__init__()
        self._first = first
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # both cards are equally wide
        theme().follow(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground and line."""
        painter = painter_for(self)
        line = theme().color("accent" if self._first else "line_mid")
        rounded_box(painter, full_rect(self), px(RADIUS_CARD), theme().color("bg_raised"), line)
        painter.end()


class DemoChoice(Choice):
    """Card 1: the demo, without key and network."""

    def __init__(self) -> None:
        super().__init__(first=True)
        self.start = Button("Start demo", "primary", icon="play", key="↵", height=34)
        self.start.setObjectName("first_run.demo")
        body = column(self, 0, (20, 18, 20, 18))
        head = row()
        head.addWidget(Icon("circle-play", "accent", 20))
        head.addStretch(1)
        head.addWidget(Chip("no key, no network", "plain"))
        body.addLayout(head)
        body.addSpacing(px(8))
        body.addWidget(Label("Try the demo agent", "card_title", wrap=True))
        body.addSpacing(px(6))
        story = "A scripted agent does the Monday books of a small joinery in sample files. A few minutes, no cost."
        body.addWidget(Label(story, "body", "text2", wrap=True))
        body.addSpacing(px(12))
        for point in DEMO_POINTS:
            line = row(None, 9)
            line.addWidget(Icon("check", "text3", 14, beside="body"), 0, _TOP)
            line.addWidget(Label(point, "body", "text2", wrap=True), 1)
            body.addLayout(line)
            body.addSpacing(px(4))
        body.addSpacing(px(10))
        body.addStretch(1)
        body.addWidget(self.start)


class KeyChoice(Choice):
    """Card 2: a key for the model's service; once there is one, the first run."""

    def __init__(self, keeper: KeyKeeper) -> None:
        super().__init__()
        self._keeper = keeper
        self.key = Field(placeholder="sk-ant-…", name="API key of Anthropic", mono=True)
        self.key.set_secret()
        self.key.setObjectName("first_run.key")
        self.save = Button("Save and check", icon="plug", height=34)
        self.save.setObjectName("first_run.save")
        self.new_run = Button("New run", "primary", icon="plus", key="Ctrl N", height=34)
        self.new_run.setObjectName("first_run.new_run")
        self._where = Button("Where do I get one?", "link", height=20)
        self._where.setObjectName("first_run.where")
        self._where.setToolTip(f"Opens {KEYS_PAGE}")
        self._where.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(KEYS_PAGE)))
        self._chip = Chip("", "plain")
        self._title = Label("Connect Anthropic", "card_title", wrap=True)
        self._sentence = Label("", "body", "text2", wrap=True)
        self._entry = FormField("API key", self.key)
        self._build()
        self.key.textEdited.connect(lambda _text: self.key.set_problem(""))
        self.key.returnPressed.connect(self.give)
        self.save.clicked.connect(self.give)
        keeper.refused.connect(self.key.set_problem)
        keeper.changed.connect(self.refresh)
        self.refresh()

    def _build(self) -> None:
        body = column(self, 0, (20, 18, 20, 18))
        head = row()
        head.addWidget(Icon("key-round", "text2", 20))
        head.addStretch(1)
        head.addWidget(self._chip)
        head.addWidget(self._where)
        body.addLayout(head)
        body.addSpacing(px(8))
        body.addWidget(self._title)
        body.addSpacing(px(6))
        body.addWidget(self._sentence)
        body.addSpacing(px(12))
        body.addWidget(self._entry)
        body.addStretch(1)
        body.addSpacing(px(10))
        body.addLayout(self._buttons())

    def _buttons(self) -> QHBoxLayout:
        line = row(None, 6)
        for button in (self.save, self.new_run):
            line.addWidget(button)
        line.addStretch(1)
        return line

    def give(self) -> None:
        """Keep what was typed, or say why not."""
        problem = key_problem(self.key.text())
        self.key.set_problem(problem)
        if not problem:
            self.save.set_label("Saving…")
            self.save.setEnabled(False)
            self._keeper.keep(self.key.text())

    def refresh(self) -> None:
        """Show how the key stands."""
        key = self._keeper.current
        has_key = key is not None and key.key is not None
        status = key_status(key)
        self.save.set_label("Save and check")
        self.save.setEnabled(True)
        if has_key:
            self.key.clear()
        self._chip.setText(status.chip)
        self._chip.set_tone(status.tone, status.icon)
        self._chip.setVisible(has_key or status.tone == "attn")
        self._title.setText("Connected to Anthropic" if has_key else "Connect Anthropic")
        self._sentence.setText(_sentence(key))
        for widget, shown in ((self._entry, not has_key), (self.save, not has_key), (self._where, not has_key)):
            widget.setVisible(shown and (status.editable or key is None))
        self.new_run.setVisible(has_key)


def _sentence(key: ModelKey | None) -> str:
    status = key_status(key)
    if key is not None and (key.key is not None or not status.editable):
        return f"{status.sentence} It is first used when you start a run." if key.key else status.sentence
    return "Paste an API key. It goes into your system’s keyring, never into the database, logs or exports."


class FirstRunPage(Surface):
    """Signals say what was chosen. The key is read when the page is first shown."""

    demo_wanted = Signal()
    new_run_wanted = Signal()
    sessions_wanted = Signal()

    def __init__(self, keys: ModelKeys, home: Home, parent: QWidget | None = None) -> None:
        super().__init__("app", parent)
        self.setObjectName("first_run")
        self.setAccessibleName("First steps")
        self._home = home
        self._keeper = KeyKeeper(keys, self)
        self._keeper.changed.connect(self._show_place)
        self.demo, self.key = DemoChoice(), KeyChoice(self._keeper)
        self._cards = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._sessions = Button("Open existing sessions…", "ghost", icon="folder", height=28, flush=True)
        self._new_run = Button("New run", "ghost", icon="plus", key="Ctrl N", height=28)
        self._place = Label("", "meta", "text3", wrap=True)
        self._place.setObjectName("first_run.place")
        self._build()
        self.demo.start.clicked.connect(self.demo_wanted)
        self.key.new_run.clicked.connect(self.new_run_wanted)
        self._new_run.clicked.connect(self.new_run_wanted)
        self._sessions.clicked.connect(self.sessions_wanted)
        self._show_place()

    def _build(self) -> None:
        content = QWidget()
        outer = column(content, 0, (24, 24, 24, 8))
        middle = row(None, 0)
        middle.addStretch(1)
        body = QWidget()
        body.setMaximumWidth(px(WIDTH))
        self._fill(column(body, 0))
        middle.addWidget(body, 100)
        middle.addStretch(1)
        outer.addStretch(2)
        outer.addLayout(middle)
        outer.addStretch(3)
        layout = column(self, 0)
        layout.addWidget(HfwScrollArea("Welcome", content), 1)
        foot = Surface("bar_bottom")
        column(foot, 0, (14, 5, 14, 5)).addWidget(self._place)
        layout.addWidget(foot)

    def _fill(self, body: QVBoxLayout) -> None:
        mark = Icon("shield-check", "accent", 36)
        body.addWidget(mark)
        body.addSpacing(px(14))
        body.addWidget(Label("Agents propose, you decide", "hero", wrap=True))
        body.addSpacing(px(10))
        words = (
            "Runs agents on this computer, shows every step and stops for you before anything that cannot be undone."
        )
        body.addWidget(Label(words, "body", "text2", wrap=True))
        body.addSpacing(px(22))
        self._cards.setSpacing(px(12))
        self._cards.addWidget(self.demo, 1)
        self._cards.addWidget(self.key, 1)
        body.addLayout(self._cards)
        body.addSpacing(px(14))
        line = row(None, 16)
        for name, button in (("sessions", self._sessions), ("more.new_run", self._new_run)):
            button.setObjectName(f"first_run.{name}")
            line.addWidget(button)
        line.addStretch(1)
        body.addLayout(line)

    def _show_place(self) -> None:
        key = self._keeper.current
        self._new_run.setVisible(key is None or key.key is None)
        if key is not None and key.key is not None:
            sends = f"Requests go to {key.address}, and only when you start a run."
        else:
            sends = "Nothing is sent until you add a key."
        self._place.setText(f"Data stays in {place_words(self._home.data, Path.home())}. {sends}")

    def showEvent(self, event: QShowEvent) -> None:
        """Look for a key."""
        super().showEvent(event)
        self._keeper.read()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cards stand side by side where there is room."""
        super().resizeEvent(event)
        wide = min(px(WIDTH), self.width() - px(48)) >= px(_SIDE_BY_SIDE)
        self._cards.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter starts the demo, unless it was meant for the key's field."""
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and plain and not self.key.key.hasFocus():
            self.demo.start.click()
        else:
            super().keyPressEvent(event)
