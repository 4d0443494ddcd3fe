"""The bar at the top: name, search, the decisions chip, today's spend, pause all, new run."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from agent_core.model.intents import TreeBudget
from agent_core.model.run import SessionStatus
from ui import formatting
from ui.console_state import ConsoleState
from ui.theme import px, theme
from ui.widgets.button import Button
from ui.widgets.field import Field
from ui.widgets.label import Label
from ui.widgets.marks import Icon
from ui.widgets.surface import Surface, row

HEIGHT = 48
_DAY_WIDTH = 132
_NEAR = Decimal("0.8")
"""Share of a limit from which its figure stands out."""


class SearchButton(Field):
    """Looks like a field, opens the command palette; it takes no text itself."""

    wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            placeholder="Search sessions, actions, settings…",
            name="Search sessions, actions and settings",
            icon="search",
            key="Ctrl K",
            quiet=True,
            height=32,
            parent=parent,
        )
        self.setObjectName("top.search")
        self.setReadOnly(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        """Open the palette."""
        self.wanted.emit()


class TopBar(Surface):
    """Signals say what was asked for; nothing is done here."""

    search_wanted = Signal()
    decisions_wanted = Signal()
    pause_all_wanted = Signal()
    new_run_wanted = Signal()

    def __init__(self, state: ConsoleState, now: Callable[[], datetime], parent: QWidget | None = None) -> None:
        super().__init__("bar_top", parent)
        self.setObjectName("top")
        self._state, self._now = state, now
        self.search = SearchButton()
        self.decisions = Button("No decisions", "quiet", icon="inbox", height=30)
        self._name = Label("Pilothouse", "panel_head")
        self._today = Label("", "meta", "text3")
        self._spent = Label("", "key_value")
        self._limit = Label("", "meta", "text3")
        self._day_room, self._tree_room = QWidget(), QWidget()
        self._with_forks = Label("", "meta", "text3")
        self._tree_spent = Label("", "key_value")
        self._tree_limit = Label("", "meta", "text3")
        self.pause_all = Button("Pause all", icon="pause", height=30)
        self.new_run = Button("New run", "primary", icon="plus", key="Ctrl N", height=30)
        self._build()
        self._connect()
        theme().follow(self.restyle)
        self.refresh()

    def _build(self) -> None:
        line = row(self, 12, (14, 0, 12, 0))
        line.addWidget(Icon("shield-check", "accent", 20))
        line.addWidget(self._name)
        line.addStretch(2)
        line.addWidget(self.search, 6)
        line.addStretch(2)
        line.addWidget(self.decisions)
        line.addWidget(self._day())
        line.addWidget(self.pause_all)
        line.addWidget(self.new_run)
        for name, widget in (("decisions", self.decisions), ("pause_all", self.pause_all), ("new_run", self.new_run)):
            widget.setObjectName(f"top.{name}")

    def _day(self) -> QWidget:
        """Room for the words is kept from the start: nothing moves when the day was read."""
        day = row(self._day_room, 5, (4, 0, 4, 0))
        day.addStretch(1)
        self._spent.setObjectName("top.spent")
        self._tree_spent.setObjectName("top.tree_spent")
        for label in (self._today, self._spent, self._limit):
            day.addWidget(label)
        tree = row(self._tree_room, 5, (8, 0, 0, 0))
        for label in (self._with_forks, self._tree_spent, self._tree_limit):
            tree.addWidget(label)
        day.addWidget(self._tree_room)
        return self._day_room

    def _connect(self) -> None:
        self.search.wanted.connect(self.search_wanted)
        self.search.returnPressed.connect(self.search_wanted)
        self.decisions.clicked.connect(self.decisions_wanted)
        self.pause_all.clicked.connect(self.pause_all_wanted)
        self.new_run.clicked.connect(self.new_run_wanted)
        self._state.queue_changed.connect(self.refresh)
        self._state.day_changed.connect(self.refresh)
        self._state.tree_changed.connect(self.refresh)
        self._state.sessions_changed.connect(self.refresh)
        self._clock = QTimer(self, interval=1_000)
        self._clock.timeout.connect(self.refresh)
        self._clock.start()

    def restyle(self) -> None:
        """Height again after a scale change."""
        self.setFixedHeight(px(HEIGHT))
        self.search.setMaximumWidth(px(560))
        self.search.setMinimumWidth(px(160))
        self._day_room.setMinimumWidth(px(_DAY_WIDTH))

    def set_narrow(self, narrow: bool) -> None:
        """The mark stands for the name where there is little room."""
        self._name.setVisible(not narrow)

    def refresh(self) -> None:
        """Show how things stand now."""
        self._show_decisions()
        self._show_day()
        self._show_tree()

    def _show_decisions(self) -> None:
        waiting, deadlines = self._waiting()
        if not waiting:
            self.decisions.set_kind("quiet")
            self.decisions.set_label("No decisions")
            return
        self.decisions.set_kind("attn")
        words = formatting.plural(waiting, "decision")
        left = (min(deadlines) - self._now()).total_seconds() if deadlines else None
        wide = self.width() >= px(1400)
        due = f" · next due in {formatting.countdown(left)}" if left is not None and wide else ""
        self.decisions.set_label(words + due)

    def _waiting(self) -> tuple[int, list[datetime]]:
        """How many cards wait, and their deadlines; what the sessions say of them until the cards were read."""
        if self._state.queue_known:
            cards = [card.proposal for card in self._state.queue if not card.with_agent and not card.expired]
            return len(cards), [card.approve_by for card in cards if card.approve_by is not None]
        open_still = [one for one in self._state.sessions.values() if one.status is not SessionStatus.ENDED]
        deadlines = [one.nearest_deadline for one in open_still if one.nearest_deadline is not None]
        return sum(len(one.open_proposals) for one in open_still), deadlines

    def _show_day(self) -> None:
        day = self._state.day
        self._today.setText("Today" if day is not None else "")
        if day is None:
            return
        spent = formatting.money(day.spent_usd) if day.spent_usd is not None else "cost unknown"
        self._spent.setText(spent + (" +" if day.unknown_runs and day.spent_usd is not None else ""))
        self._spent.setToolTip(_unknown_words(day.unknown_runs))
        self._limit.setText(f"/ {formatting.money(day.limit_usd)}" if day.limit_usd is not None else "")
        self._limit.setVisible(day.limit_usd is not None)
        self._spent.set_color("attn" if _is_near(day.spent_usd, day.limit_usd) else "text")

    def _show_tree(self) -> None:
        """The selected session with its forks, where a limit holds over them."""
        tree = self._state.tree
        self._tree_room.setVisible(tree is not None)
        if tree is None or tree.limit_usd is None:
            return
        self._with_forks.setText("With forks")
        self._tree_spent.setText(formatting.money(tree.at_most_usd))
        self._tree_spent.setToolTip(_tree_words(tree))
        self._tree_spent.set_color("attn" if _is_near(tree.at_most_usd, tree.limit_usd) else "text")
        self._tree_limit.setText(f"/ {formatting.money(tree.limit_usd)}")


def _is_near(spent: Decimal | None, limit: Decimal | None) -> bool:
    return limit is not None and spent is not None and spent >= limit * _NEAR


def _tree_words(tree: TreeBudget) -> str:
    whole = f"What this session and its forks spent: {formatting.plural(tree.sessions, 'session')}"
    lost = tree.at_most_usd - tree.spent_usd
    return f"{whole}; up to {formatting.money(lost)} of it for lost requests" if lost else whole


def _unknown_words(runs: int) -> str:
    if not runs:
        return "What all sessions spent today"
    return f"{formatting.plural(runs, 'run')} of today used a model whose price is not known; they are not in this sum"
