"""TraceView: what the selected session did, live. Tabs for the trace, the files that it changed, and what was said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from agent_core.engine.facade import StreamDelta
from agent_core.model.events import Event
from agent_core.model.run import SessionStatus
from ui import formatting
from ui.console_state import ConsoleState
from ui.models.trace.filters import CONVERSATION, Group, Shown, of_groups
from ui.models.trace.model import Change
from ui.models.trace.rows import RowKind
from ui.models.trace.whole import Trace
from ui.views.trace import accessible
from ui.views.trace.files_tab import FilesTab
from ui.views.trace.filter_menu import FilterButton
from ui.views.trace.find_bar import FindBar
from ui.views.trace.follow_chip import FollowChip
from ui.views.trace.plan_tab import PlanTab
from ui.views.trace.trace_list import TraceList
from ui.widgets.button import Button
from ui.widgets.marks import Line
from ui.widgets.segmented_tabs import SegmentedTabs
from ui.widgets.skeleton import Skeleton
from ui.widgets.surface import Surface, column, row

_SKELETON_MS: Final = 300
PLANNING: Final = "Planning. First step usually takes 3 to 6 s."
TABS: Final = ("Trace", "Plan", "Files", "Messages")
_TRACE, _PLAN, _FILES, _MESSAGES = range(4)
_FILES_AT_ONCE: Final = 1_000
"""Events that the tab of files reads in one go."""

Streamed = Sequence[tuple[StreamDelta, str]]


LOWEST = 96
"""Least height of trace, plan, files and messages, in px at any scale."""


class TraceView(Surface):
    """The centre of the console. `card_wanted` carries the id of a card whose link was followed."""

    card_wanted = Signal(str)

    def __init__(self, state: ConsoleState, now: Callable[[], datetime], parent: QWidget | None = None) -> None:
        super().__init__("raised", parent)
        accessible.install()
        self.setObjectName("trace.view")
        self._state, self._now = state, now
        self.list = TraceList(now)
        self.messages = TraceList(now, Shown(CONVERSATION, heads=False))
        self.messages.setObjectName("trace.messages")
        self.messages.setAccessibleName("Messages")
        self.plan = PlanTab()
        self.files = FilesTab()
        self.tabs = SegmentedTabs(TABS, name="Views of this session")
        self.tabs.setObjectName("trace.tabs")
        self.following = FollowChip()
        self.filter = FilterButton()
        self.find_button = Button("", "ghost", icon="search", height=26, tip="Find in trace", key="Ctrl F")
        self.find_button.setObjectName("trace.find")
        self.find_bar = FindBar(self.list)
        self._pages = QStackedWidget()
        self._pages.setMinimumHeight(LOWEST)  # whatever the pages would like: they all scroll
        self._skeleton = Skeleton(5)
        self._skeleton_place = QWidget()
        self._session: str | None = None
        self._messages_of: Trace | None = None
        """The trace whose conversation has been looked for."""
        self._patience = QTimer(self, interval=_SKELETON_MS, singleShot=True)
        self._build()
        self._connect()
        self._start()

    def _build(self) -> None:
        layout = column(self, 0)
        layout.addWidget(Line())
        layout.addLayout(self._head())
        layout.addWidget(Line())
        layout.addWidget(self.find_bar)
        layout.addWidget(self._pages, 1)
        page = QWidget()
        inside = column(page, 0)
        column(self._skeleton_place, 0, (18, 14, 18, 0)).addWidget(self._skeleton)
        inside.addWidget(self._skeleton_place)
        inside.addWidget(self.list, 1)
        for one in (page, self.plan, self.files, self.messages):
            self._pages.addWidget(one)
        self.setFocusProxy(self.list)

    def _head(self) -> QHBoxLayout:
        head = row(None, 4, (12, 6, 14, 6))
        head.addWidget(self.tabs)
        head.addStretch(1)
        for widget in (self.following, self.filter, self.find_button):
            head.addWidget(widget)
        return head

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self._show_tab)
        self.following.clicked.connect(self._following_clicked)
        self.find_button.clicked.connect(self.find_bar.open)
        self.filter.chosen.connect(self._filter)
        self.list.find_wanted.connect(self.find_bar.open)
        self.list.step_prompt_wanted.connect(self.find_bar.ask_step)
        self.list.find_next_wanted.connect(self.find_bar.go)
        self.list.following_changed.connect(self._show_following)
        self.plan.step_wanted.connect(self.go_to_step)
        self.files.step_wanted.connect(self.go_to_step)
        for one in (self.list, self.messages):
            one.card_wanted.connect(self.card_wanted)
            one.current_changed.connect(lambda one=one: accessible.tell_current(one))
        self._patience.timeout.connect(self._show_state)
        self._state.current_changed.connect(self._start)
        self._state.current_advanced.connect(self._advance)

    # ---------------------------------------------------------------- content

    def _start(self) -> None:
        """Another session is selected, or more is known of the one that is."""
        same, self._session = self._session == self._state.current, self._state.current
        opening = self._state.opening
        held = self._held() if same else None
        trace = Trace(opening)
        trace.wanted = partial(self._read_page, trace)
        self.list.set_model(trace)
        self._messages_of = None
        self._show_messages()
        self.files.restart(opening, self._read_files)
        if held is not None and (row := trace.row_at(held)) is not None:
            self.list.show_row(row, at_top=True)
        self.plan.show_plan(self._state.state)
        self.find_bar.restart()
        if self.loading and not same:
            self._patience.start()
        self._show_state()
        self._show_following()

    @property
    def loading(self) -> bool:
        """Whether nothing of the selected session has been read yet."""
        return self._state.current is not None and self._state.opening is None

    def _held(self) -> tuple[int, int] | None:
        """What stands at the top of a view that does not follow."""
        rows = self.list.view.rows
        return self.list.model.place_of(rows[0].row) if rows and not self.list.following else None

    def _read_page(self, trace: Trace, number: int) -> None:
        """Read a page that somebody looks at."""
        session = self._state.current
        if session is None:
            return
        after, count = trace.events_of(number)
        self._state.commands.spawn(
            self._state.commands.reader.events(session, after, count),
            then=lambda events: self._page_read(trace, number, events),
            otherwise=lambda error: self._page_lost(trace, number, str(error)),
        )

    def _page_read(self, trace: Trace, number: int, events: Sequence[Event]) -> None:
        rows = trace.arrive(number, events)
        if trace is not self.list.model:
            return
        self.list.arrived(rows)
        if self._messages_of is trace:
            self.messages.arrived(rows)
        self.find_bar.more()

    def _page_lost(self, trace: Trace, number: int, why: str) -> None:
        trace.give_up(number)
        self._state.commands.refused.emit(why)

    def _read_files(self, after: int) -> None:
        """Read on for the tab of files."""
        session = self._session
        if session is None:
            return
        self._state.commands.spawn(
            self._state.commands.reader.events(session, after, _FILES_AT_ONCE),
            then=lambda events: self._files_read(session, events),
        )

    def _files_read(self, session: str, events: Sequence[Event]) -> None:
        if session == self._session:
            self.files.take_stored(events)

    def _advance(self, events: Sequence[Event], streamed: Streamed) -> None:
        """What happens now."""
        trace = self.list.model
        change = trace.apply(events, streamed, self._now())
        self.list.apply(change)
        if self._messages_of is trace:
            self.messages.apply(change)
        if events:
            self.plan.show_plan(self._state.state)
            self.files.take_live(events)
            self.find_bar.more(change.changed)
            self._show_state()
            self._show_following()
            self._announce(change)

    def _show_messages(self) -> None:
        """The conversation is looked for when somebody wants to see it."""
        trace = self.list.model if self.tabs.currentIndex() == _MESSAGES else None
        if trace is not self._messages_of:
            self._messages_of = trace
            self.messages.set_model(trace or Trace())

    def _filter(self, groups: frozenset[Group]) -> None:
        self.list.filter_rows(of_groups(groups))

    def _show_state(self) -> None:
        state = self._state.state
        self._skeleton_place.setVisible(self.loading and not self._patience.isActive())
        begun = self.list.model.has_steps or not len(self.list.model)
        planning = not begun and state is not None and state.status is SessionStatus.RUNNING
        self.list.set_note(PLANNING if planning else "")

    def _announce(self, change: Change) -> None:
        """Finished events for screen readers while the trace has the focus; never a piece of a stream."""
        if not self.list.hasFocus():
            return
        model = self.list.model
        streaming = model.streaming
        fresh = [
            row
            for row in range(change.first_new, len(model))
            if row not in streaming and model.kind(row) is not RowKind.GONE
        ]
        if fresh:
            more = f"{formatting.plural(len(fresh), 'new event')}, the last: " if len(fresh) > 1 else ""
            self._state.announced.emit(more + model.line(fresh[-1]).spoken, False)

    def go_to_step(self, step: int) -> bool:
        """Show a step of the trace; False when there is none of that number."""
        self.tabs.setCurrentIndex(_TRACE)
        return self.list.go_to_step(step)

    def _show_tab(self, index: int) -> None:
        for widget in (self.following, self.filter, self.find_button):
            widget.setVisible(index == _TRACE)
        if index != _TRACE:
            self.find_bar.close_bar()
        if index == _FILES:
            self.files.begin()
        elif index == _MESSAGES:
            self._show_messages()
        self._pages.setCurrentIndex(index)
        self.setFocusProxy((self.list, self.plan.list, self.files.table, self.messages)[index])

    # ---------------------------------------------------------------- following

    def _following_clicked(self) -> None:
        if self.list.following:
            self.list.pause_following()
        else:
            self.list.follow()

    @property
    def _ended(self) -> bool:
        state = self._state.state
        return state is not None and state.status is SessionStatus.ENDED

    def _show_following(self) -> None:
        follows, below, show = self.list.following, self.list.below, self.following.show_state
        if below and not follows:
            tip = f"{formatting.plural(below, 'new event')} below. Go there with End"
            show(f"{below:,} new below", "arrow-down", tip, calls=True)
        elif self._ended:
            tip = "This session has ended. Should it go on, new events scroll into view" if follows else "Also with End"
            show("At the end" if follows else "To the end", "check" if follows else "arrow-down", tip, calls=False)
        elif follows:
            show("Following live", "arrow-down", "New events scroll into view. Stop with P", calls=False)
        else:
            show("Not following", "pause", "Follow again with End", calls=False)
