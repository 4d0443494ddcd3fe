"""TraceView: what the selected session did, live. Tabs for the trace, the files that it changed, and what was said."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from ui import formatting
from ui.console_state import ConsoleState
from ui.models.trace.model import TraceModel
from ui.theme import px
from ui.views.trace.filter_menu import FilterButton
from ui.views.trace.find_bar import FindBar
from ui.views.trace.trace_list import TraceList
from ui.widgets.button import Button
from ui.widgets.label import Label
from ui.widgets.marks import Line
from ui.widgets.segmented_tabs import SegmentedTabs
from ui.widgets.skeleton import Skeleton
from ui.widgets.surface import Surface, column, row

_SKELETON_MS: Final = 300
TABS: Final = ("Trace", "Files", "Messages")


class TraceView(Surface):
    """The centre of the console. `card_wanted` carries the id of a card whose link was followed."""

    card_wanted = Signal(str)

    def __init__(self, state: ConsoleState, now: Callable[[], datetime], parent: QWidget | None = None) -> None:
        super().__init__("raised", parent)
        self.setObjectName("trace.view")
        self._state, self._now = state, now
        self.list = TraceList(now, self)
        self.tabs = SegmentedTabs(TABS, name="Views of this session", parent=self)
        self.tabs.setObjectName("trace.tabs")
        self.following = Button("Following live", icon="arrow-down", height=22)
        self.filter = FilterButton()
        self.find_button = Button("", "ghost", icon="search", height=26, tip="Find in trace", key="Ctrl F")
        self.find_bar = FindBar(self.list, self)
        self._pages = QStackedWidget()
        self._empty = Label("Planning. First step usually takes 3 to 6 s.", "body", "text3")
        self._skeleton = Skeleton(5)
        self._waited = QTimer(self, interval=_SKELETON_MS, singleShot=True)
        self._build()
        self._connect()
        self.refresh()

    def _build(self) -> None:
        layout = column(self, 0)
        layout.addLayout(self._head())
        layout.addWidget(Line())
        layout.addWidget(self.find_bar)
        self._trace_page = QWidget()
        inside = column(self._trace_page, 0)
        notes = column(None, 0, (18, 16, 18, 0))
        notes.addWidget(self._empty)
        notes.addWidget(self._skeleton)
        inside.addLayout(notes)
        inside.addWidget(self.list, 1)
        self._pages.addWidget(self._trace_page)
        layout.addWidget(self._pages, 1)
        self.following.setObjectName("trace.following")
        self.find_button.setObjectName("trace.find")
        self.setFocusProxy(self.list)

    def _head(self) -> QHBoxLayout:
        head = row(None, 4, (12, 6, 14, 6))
        head.addWidget(self.tabs)
        head.addStretch(1)
        head.addWidget(self.following)
        head.addWidget(self.filter)
        head.addWidget(self.find_button)
        return head

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self._show_tab)
        self.following.clicked.connect(self._following_clicked)
        self.find_button.clicked.connect(self.find_bar.open)
        self.filter.chosen.connect(self.list.show_groups)
        self.list.find_wanted.connect(self.find_bar.open)
        self.list.step_prompt_wanted.connect(self.find_bar.ask_step)
        self.list.find_next_wanted.connect(self.find_bar.go)
        self.list.following_changed.connect(self._show_following)
        self.list.card_wanted.connect(self.card_wanted)
        self._waited.timeout.connect(self._show_state)
        self._state.current_changed.connect(self.refresh)
        self._state.current_advanced.connect(self._advance)

    # ---------------------------------------------------------------- content

    def refresh(self) -> None:
        """Another session is selected, or its events have been read."""
        model = TraceModel()
        if self._state.state is not None:
            model.load(self._state.events)
        self.list.set_model(model)
        self.find_bar.restart()
        self._waited.start()
        self._show_state()
        self._show_following()

    def _advance(self, events: object, streamed: object) -> None:
        change = self.list.model.apply(events, streamed, self._now())  # type: ignore[arg-type]
        self.list.apply(change)
        self.find_bar.more()
        self._show_state()

    def _show_state(self) -> None:
        loading = self._state.current is not None and self._state.state is None
        model = self.list.model
        planning = self._state.state is not None and not model.has_steps and len(model) > 0
        self._skeleton.setVisible(loading and not self._waited.isActive())
        self._empty.setVisible(planning)
        self.list.setVisible(not loading)

    def go_to_step(self, step: int) -> bool:
        """Show a step of the trace; False when there is none of that number."""
        self.tabs.setCurrentIndex(0)
        return self.list.go_to_step(step)

    def _show_tab(self, index: int) -> None:
        on_trace = index == 0
        for widget in (self.following, self.filter, self.find_button):
            widget.setVisible(on_trace)
        if not on_trace:
            self.find_bar.close_bar()
        self._pages.setCurrentIndex(min(index, self._pages.count() - 1))

    # ---------------------------------------------------------------- following

    def _following_clicked(self) -> None:
        if self.list.following:
            self.list.stop_following(pause=True)
        else:
            self.list.follow()

    def _show_following(self) -> None:
        if self.list.following:
            words, icon, tip = "Following live", "arrow-down", "New events scroll into view. Stop with P"
        elif self.list.below:
            words, icon = f"{self.list.below:,} new below", "arrow-down"
            tip = f"{formatting.plural(self.list.below, 'new event')} below. Go there with End"
        else:
            words, icon, tip = "Not following", "pause", "New events stay below. Follow with End"
        self.following.set_label(words)
        self.following.set_icon(icon)
        self.following.setToolTip(tip)
        self.following.setMinimumWidth(px(0))
