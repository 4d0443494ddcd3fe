"""The pyqtgraph half of the cost graph. Importing this module costs most of a second: see `cost_graph`."""

from __future__ import annotations

from typing import Any, Final

import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QFrame, QWidget

from ui.formatting import money
from ui.theme import px, theme
from ui.tokens import ColorName
from ui.widgets.cost_data import Bars, CostState, cost_label, make_bars, nice_ticks, step_ticks

_PART_COLORS: Final[tuple[ColorName, ...]] = ("s4", "s2", "s3", "s1")
_BAR_SHARE: Final = 0.62
_HEADROOM: Final = 1.26


class CostPlot(pg.PlotWidget):  # type: ignore[misc]
    """Stacked bars on the left axis, the cumulative line with halo and projection on the right one."""

    step_clicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bars = make_bars(())
        self._state = CostState()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseEnabled(False, False)
        self._plot = self.getPlotItem()
        self._plot.setMenuEnabled(False)
        self._plot.hideButtons()
        self._totals = pg.ViewBox(enableMenu=False)
        self._totals.setMouseEnabled(False, False)
        self._totals.setZValue(10)  # over the bars: the halo of the line cuts into them
        self._plot.showAxis("right")
        self._plot.scene().addItem(self._totals)
        self._plot.getAxis("right").linkToView(self._totals)
        self._totals.setXLink(self._plot)
        self._plot.vb.sigResized.connect(self._match_views)
        self._plot.scene().sigMouseClicked.connect(self._clicked)

    def wheelEvent(self, event: Any) -> None:
        """The wheel belongs to the page."""
        event.ignore()

    def viewportEvent(self, event: QEvent) -> bool:
        """Likewise for the viewport."""
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return False
        return bool(super().viewportEvent(event))

    def set_state(self, state: CostState) -> None:
        """Draw other figures, or the same in other colours."""
        self._state = state
        self._bars = make_bars(state.steps)
        self._plot.clear()
        self._totals.clear()
        self.setBackground(theme().color("bg_raised"))
        self._set_axes()
        self._add_bars()
        self._add_totals()
        self._add_budget()
        self._match_views()

    # ---------------------------------------------------------------- axes

    @property
    def _last_step(self) -> float:
        projection = self._state.projection
        return float(max([*self._bars.last[-1:], projection[0] if projection else 0, 8]))

    @property
    def _highest_total(self) -> float:
        projection = self._state.projection
        known = [*self._bars.cumulative[-1:], projection[1] if projection else 0.0, self._state.known_budget or 0.0]
        return max(known) or 0.01

    def _set_axes(self) -> None:
        first = self._bars.first[0] if self._bars.first else 1
        last = self._last_step
        highest = self._bars.highest or 0.01
        self._plot.setXRange(first - 0.7, last + 0.7, padding=0)
        self._plot.setYRange(0, highest * _HEADROOM, padding=0)
        self._totals.setYRange(0, self._highest_total * _HEADROOM, padding=0)
        left_ticks = nice_ticks(highest * _HEADROOM)
        self._style_axis("left", [(0.0, "0"), *((tick, cost_label(tick)) for tick in left_ticks)], px(34))
        right_ticks = nice_ticks(self._highest_total * 1.05)
        self._style_axis("right", [(0.0, "$0"), *((tick, money(tick)) for tick in right_ticks)], px(50))
        self._style_axis("bottom", [(float(step), f"{step:,}") for step in step_ticks(int(first), int(last))], None)
        for tick in left_ticks:
            self._plot.addItem(pg.InfiniteLine(tick, 0, pen=pg.mkPen(theme().color("line"), width=1)))

    def _style_axis(self, name: str, ticks: list[tuple[float, str]], width: int | None) -> None:
        axis = self._plot.getAxis(name)
        axis.setTextPen(theme().color("text3"))
        axis.setPen(theme().color("line"))
        axis.setTickPen(theme().color("line"))
        axis.setStyle(tickFont=theme().font("axis"), tickLength=0, tickTextOffset=5)
        axis.setTicks([ticks])
        if width is not None:
            axis.setWidth(width)

    # ---------------------------------------------------------------- items

    def _add_bars(self) -> None:
        bars: Bars = self._bars
        if not bars.parts:
            return
        base = [0.0] * len(bars.parts)
        widths = [(b - a + 1) * _BAR_SHARE for a, b in zip(bars.first, bars.last, strict=True)]
        for part, color in enumerate(_PART_COLORS):
            heights = [parts[part] for parts in bars.parts]
            brush = theme().color(color)
            self._plot.addItem(
                pg.BarGraphItem(x=bars.positions, y0=base, height=heights, width=widths, brush=brush, pen=None)
            )
            base = [a + b for a, b in zip(base, heights, strict=True)]

    def _add_totals(self) -> None:
        x, y = list(self._bars.positions), list(self._bars.cumulative)
        if not x:
            return
        for color, width in (("bg_raised", 5.0), ("text", 1.8)):
            self._curve(x, y, _pen(color, width))  # type: ignore[arg-type]
        projection = self._state.projection
        if projection is None or projection[0] <= x[-1]:
            return
        step, total = projection
        self._curve([x[-1], step], [y[-1], total], _pen("text3", 1.5, dotted=True))
        label = self._label(f"projected {money(total)}", "text3", (1, 1 if self._room_above(total) else -1.0))
        label.setPos(self._last_step + 0.6, total)

    def _room_above(self, projected: float) -> bool:
        """Whether the words of the projection fit between its end and the budget line."""
        budget = self._state.known_budget
        return budget is None or not projected < budget < projected + 0.24 * self._highest_total

    def _curve(self, x: list[float], y: list[float], pen: QPen) -> None:
        self._totals.addItem(pg.PlotCurveItem(x, y, pen=pen, antialias=True))

    def _add_budget(self) -> None:
        budget = self._state.known_budget
        if budget is None:
            return
        pen = pg.mkPen(theme().color("dang_fill"), width=1.3, style=Qt.PenStyle.DashLine)
        self._totals.addItem(pg.InfiniteLine(budget, 0, pen=pen))
        first = self._bars.first[0] if self._bars.first else 1
        self._label(f"Budget {money(budget)}", "dang", (0, 1)).setPos(first - 0.6, budget)

    def _label(self, text: str, color: ColorName, anchor: tuple[float, float]) -> Any:
        item = pg.TextItem(color=theme().color(color), anchor=anchor)
        item.setPlainText(text)
        item.setFont(theme().font("key_hint" if color == "dang" else "axis"))
        self._totals.addItem(item)
        return item

    # ---------------------------------------------------------------- events

    def _match_views(self) -> None:
        self._totals.setGeometry(self._plot.vb.sceneBoundingRect())
        self._totals.linkedViewChanged(self._plot.vb, self._totals.XAxis)

    def _clicked(self, event: Any) -> None:
        at = self._plot.vb.mapSceneToView(event.scenePos()).x()
        for first, last in zip(self._bars.first, self._bars.last, strict=True):
            if first - 0.5 <= at < last + 0.5:
                self.step_clicked.emit(first)
                return


def _pen(color: ColorName, width: float, *, dotted: bool = False) -> QPen:
    pen = QPen(theme().color(color), width)
    pen.setCosmetic(True)
    if dotted:
        pen.setStyle(Qt.PenStyle.DotLine)
    return pen
