"""Five gauges and the context bar of the selected session."""

from collections.abc import Callable
from datetime import datetime

import msgspec
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QGridLayout, QWidget

from agent_core.model.budget import LimitName
from agent_core.model.context import Worksheet
from ui.console_state import ConsoleState
from ui.models.gauges import GAUGE_ORDER, GAUGE_WORDS, context_state, gauge_states
from ui.theme import px
from ui.widgets.context_bar import ContextMeter
from ui.widgets.gauge import Gauge
from ui.widgets.surface import Surface, column

_NARROW_COLUMNS = 3


class GaugeStrip(Surface):
    """Follows the selected session; time moves while a call or request is under way."""

    def __init__(self, state: ConsoleState, now: Callable[[], datetime], parent: QWidget | None = None) -> None:
        super().__init__("raised", parent)
        self.setObjectName("gauges")
        self._state, self._now = state, now
        self.gauges = {name: Gauge(GAUGE_WORDS[name]) for name in GAUGE_ORDER}
        self.context = ContextMeter()
        self.context.setObjectName("gauges.context")
        layout = column(self, 10, (18, 10, 18, 8))
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        for name, gauge in self.gauges.items():
            gauge.setObjectName(f"gauges.{name.value}")
        layout.addLayout(self._grid)
        self.set_narrow(False)
        layout.addWidget(self.context)
        self._clock = QTimer(self, interval=1_000)
        self._clock.timeout.connect(self._tick)
        self._clock.start()
        state.current_changed.connect(self.refresh)
        state.current_advanced.connect(lambda _events, _streamed: self.refresh())
        self.refresh()

    def set_low(self, low: bool) -> None:
        """Hide the names of the ticks in low windows."""
        self.context.bar.set_labels(not low)

    def set_narrow(self, narrow: bool) -> None:
        """All in one row, or three in a row where that is all there is room for."""
        columns = _NARROW_COLUMNS if narrow else len(self.gauges)
        self._grid.setHorizontalSpacing(px(22))
        self._grid.setVerticalSpacing(px(4))
        for place, gauge in enumerate(self.gauges.values()):
            self._grid.addWidget(gauge, place // columns, place % columns)

    def _tick(self) -> None:
        state = self._state.state
        if state is not None and state.runs and state.run.active_since is not None:
            self._show_gauges()

    def refresh(self) -> None:
        """Show the newest figures."""
        self._show_gauges()
        state = self._state.state
        if state is not None and state.opened is not None:
            self.context.set_state(context_state(state, _worksheet(state.opened.profile)))

    def _show_gauges(self) -> None:
        state = self._state.state
        if state is None or not state.runs:
            return
        for name, shown in gauge_states(state.run, self._now()).items():
            self.gauges[name].set_state(shown)

    def gauge(self, name: LimitName) -> Gauge:
        """One gauge."""
        return self.gauges[name]


def _worksheet(profile: dict[str, object]) -> Worksheet:
    return msgspec.convert(profile.get("context") or {}, Worksheet)
