"""CostGraph: cost per step and in total, against the budget; collapses to one line.

pyqtgraph is imported on a worker thread when the graph is first shown open: on the GUI thread it would hold the window
up for most of a second.
"""

from __future__ import annotations

import importlib
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSpacerItem, QWidget

from ui.formatting import money, percent
from ui.theme import px, theme
from ui.tokens import ColorName
from ui.widgets.button import Button
from ui.widgets.cost_data import PARTS, CostState
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.legend import Legend, LegendEntry
from ui.widgets.surface import column, row

if TYPE_CHECKING:
    from ui.widgets.cost_plot import CostPlot

_COLORS: Final[tuple[ColorName, ...]] = ("s4", "s2", "s3", "s1")
_PLOT_HEIGHT: Final = 132
_LOAD_AFTER_MS: Final = 300
"""So that the import does not take the processor from the window that is just opening."""


class _Loaded(QObject):
    done = Signal()


class _Load(QRunnable):
    """Imports pyqtgraph away from the GUI thread."""

    def __init__(self) -> None:
        super().__init__()
        self.signals = _Loaded()

    def run(self) -> None:
        """Called by the pool."""
        importlib.import_module("pyqtgraph")
        with suppress(RuntimeError):  # the window has gone meanwhile
            self.signals.done.emit()


class CostGraph(QWidget):
    """Title, legend and plot. `step_clicked(int)` asks to scroll the trace, `collapsed_changed(bool)` to remember."""

    step_clicked = Signal(int)
    collapsed_changed = Signal(bool)

    def __init__(self, state: CostState | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state or CostState()
        self._collapsed = False
        self._plot: CostPlot | None = None
        self._instead: QWidget | None = None
        self._words = ""
        self._loading: _Load | None = None
        self._plot_height = _PLOT_HEIGHT
        self._note = Label("cumulative, right axis", "meta", "text3")
        self._summary = ElidedLabel("", "meta", "text3")
        self._legend = Legend([LegendEntry(color, name) for color, name in zip(_COLORS, PARTS, strict=True)])
        self._toggle = Button("", "ghost", icon="chevron-down", height=24, tip="Collapse cost graph")
        self._toggle.clicked.connect(lambda: self.set_collapsed(not self._collapsed))
        self._place = QWidget()
        self._inside = column(self._place)
        self._head_line = self._head()
        body = column(self, spacing=2)
        body.addLayout(self._head_line)
        body.addWidget(self._place)
        theme().follow(self.restyle)
        self.set_state(self._state)

    def _head(self) -> QHBoxLayout:
        head = row(spacing=8)
        head.addWidget(Label("Cost per step", "section_head"))
        head.addWidget(self._note)
        head.addWidget(self._summary, 1)
        head.addWidget(self._legend, 2)
        head.addItem(QSpacerItem(0, 0, QSizePolicy.Policy.Expanding))  # only while the legend is hidden
        head.addWidget(self._toggle)
        return head

    # ---------------------------------------------------------------- state

    def set_state(self, state: CostState) -> None:
        """Show other figures. Meant for a few times a second at most."""
        self._state = state
        words = self.summary()
        self._note.setText(self._words or ("cumulative, right axis" if state.steps else "no steps yet"))
        self._summary.setText(words)
        self.setAccessibleName(f"Cost per step, {words}")
        if self._plot is not None and not self._collapsed and self._instead is None:
            self._plot.set_state(state)

    def set_words(self, words: str, color: ColorName = "text3") -> None:
        """Words in place of the axis note and, where there are no steps, of the summary; "" for none."""
        self._words = words
        self._note.set_color(color)
        self.set_state(self._state)

    def summary(self) -> str:
        """The whole graph in one line: "$0.31 of $0.50 · projected $0.41 · cache read 92 %"."""
        state = self._state
        if self._words and not state.steps:
            return self._words
        total, budget, projection = money(state.total), state.known_budget, state.projection
        words = [total if budget is None else f"{total} of {money(budget)}"]
        if projection is not None:
            words.append(f"projected {money(projection[1])}")
        if state.cache_read_share is not None:
            words.append(f"cache read {percent(state.cache_read_share)}")
        return " · ".join(words)

    def add_tool(self, tool: QWidget) -> None:
        """Put a button before the one that folds the graph."""
        self._head_line.insertWidget(self._head_line.count() - 1, tool)

    def show_instead(self, other: QWidget | None) -> None:
        """Show another widget in the place of the plot, or (None) the plot again."""
        if other is self._instead:
            return
        if self._instead is not None:
            self._instead.hide()
        self._instead = other
        if other is not None:
            self._inside.addWidget(other)
            other.show()
        if self._plot is not None:
            self._plot.setVisible(other is None)
        self._arrange()
        if not self._collapsed:
            self._open()

    @property
    def collapsed(self) -> bool:
        """Whether only the summary line shows."""
        return self._collapsed

    def set_collapsed(self, collapsed: bool) -> None:
        """Show the summary line alone, or the graph."""
        if collapsed == self._collapsed:
            return
        self._collapsed = collapsed
        self._arrange()
        self.collapsed_changed.emit(collapsed)
        if not collapsed:
            self._open()

    def set_plot_height(self, height: int) -> None:
        """Height of the plot in px at 100 %: 132, or 220 in tall windows."""
        self._plot_height = height
        self._place.setFixedHeight(px(height))

    # ---------------------------------------------------------------- looks

    def restyle(self) -> None:
        """Colours and sizes again after a theme change."""
        self._place.setFixedHeight(px(self._plot_height))
        self._arrange()
        if self._plot is not None:
            self._plot.set_state(self._state)

    def _arrange(self) -> None:
        self._place.setVisible(not self._collapsed)
        self._note.setVisible(not self._collapsed)
        self._legend.setVisible(not self._collapsed and self._instead is None)
        self._summary.setVisible(self._collapsed)
        self._toggle.set_icon("chevron-up" if self._collapsed else "chevron-down")
        self._toggle.setAccessibleName("Expand cost graph" if self._collapsed else "Collapse cost graph")

    # ---------------------------------------------------------------- the plot

    def showEvent(self, event: QShowEvent) -> None:
        """The plot is made when it is first needed."""
        super().showEvent(event)
        if not self._collapsed:
            self._open()

    def _open(self) -> None:
        if self._instead is not None:
            return
        if self._plot is not None:
            self._plot.set_state(self._state)
        elif self._loading is None and self.isVisible():
            self._loading = _Load()
            self._loading.setAutoDelete(False)
            self._loading.signals.done.connect(self.build_plot, Qt.ConnectionType.QueuedConnection)
            QTimer.singleShot(_LOAD_AFTER_MS, self, self._load)

    def _load(self) -> None:
        if self._loading is not None:
            QThreadPool.globalInstance().start(self._loading)

    def build_plot(self) -> None:
        """Make the plot now (imports pyqtgraph here and now if that has not happened yet)."""
        self._loading = None
        if self._plot is None:
            from ui.widgets.cost_plot import CostPlot

            self._plot = CostPlot()
            self._plot.step_clicked.connect(self.step_clicked)
            self._inside.addWidget(self._plot)
            self._plot.setVisible(self._instead is None)
        self._plot.set_state(self._state)
