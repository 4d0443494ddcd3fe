"""PlanList: the steps of a plan, painted: its name, what it reaches, with what, after which, and how it stands."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QTextLayout
from PySide6.QtWidgets import QWidget

from ui.hostile import visible_line
from ui.theme import px, theme
from ui.tokens import ColorName, Role
from ui.widgets.label import flow_text
from ui.widgets.paint import draw_elided, draw_icon, draw_text, text_width
from ui.widgets.virtual_rows import VirtualRows

_LEFT: Final = 36
_RIGHT: Final = 12
_ABOVE: Final = 8
_LINE: Final = 18
_LEFT_TOP: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
_GOAL: Final[Role] = "body_medium"


@dataclass(frozen=True, slots=True)
class Remark:
    """A line of its own below a step: an icon, words, and their colour."""

    icon: str
    text: str
    color: ColorName = "text3"


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One step as it is painted. `mark` stands at its left: an icon, or a sign such as "+"."""

    name: str
    goal: str
    means: str
    after: str = ""
    icon: str = ""
    sign: str = ""
    mark_color: ColorName = "text3"
    state: Remark | None = None
    remarks: tuple[Remark, ...] = ()
    ground: ColorName | None = None
    struck: bool = False
    spoken: str = ""

    @property
    def words(self) -> str:
        """The step as a screen reader says it."""
        state = self.state.text if self.state is not None else ""
        said = (self.spoken, self.name, self.goal, self.means, self.after, state, *(one.text for one in self.remarks))
        return ", ".join(part for part in said if part)


_Run = tuple[str, Role, ColorName]


@dataclass(frozen=True, slots=True)
class _Line:
    """One line below a goal: runs of text, an icon before them, and at the right how the step stands."""

    runs: tuple[_Run, ...]
    icon: str = ""
    """Blank: room for one, where a line goes on."""
    state: Remark | None = None


class PlanList(VirtualRows):
    """The list of steps. A long goal wraps; nothing of it is ever cut off."""

    def __init__(
        self, rows: Sequence[PlanRow] = (), *, max_height: int | None = None, parent: QWidget | None = None
    ) -> None:
        self._rows: tuple[PlanRow, ...] = ()
        self._goals: list[tuple[QTextLayout, float]] = []
        self._below: list[list[_Line]] = []
        super().__init__(max_height=max_height, parent=parent)
        self.set_rows(rows)

    def set_rows(self, rows: Sequence[PlanRow]) -> None:
        """Show other steps; the same ones again change nothing."""
        shown = tuple(rows)
        if shown == self._rows:
            return
        self._rows = shown
        self.setAccessibleName("; ".join(row.words for row in self._rows)[:4_000] or "No steps")
        self.content_changed()

    @property
    def rows(self) -> tuple[PlanRow, ...]:
        """What is shown."""
        return self._rows

    # ---------------------------------------------------------------- layout

    def lay_out(self, width: int) -> None:
        """A wrapped goal, then the lines below it."""
        room = max(80.0, width - px(_LEFT + _RIGHT))
        self._goals = [flow_text(visible_line(row.goal), _GOAL, room, _LEFT_TOP) for row in self._rows]
        self._below = [_lines_below(row, room) for row in self._rows]
        heights = (
            px(_ABOVE) * 2 + math.ceil(height) + px(_LINE) * len(below)
            for (_, height), below in zip(self._goals, self._below, strict=True)
        )
        self.set_tops(list(accumulate(heights, initial=0)))

    def row_text(self, row: int) -> str:
        """The whole step."""
        return self._rows[row].words

    def ground_of(self, row: int) -> ColorName | None:
        """What a step is painted on."""
        return self._rows[row].ground

    # ---------------------------------------------------------------- painting

    def paint_row(self, painter: QPainter, row: int, rect: QRectF) -> None:
        """One step, with a line above it except for the first."""
        shown = self._rows[row]
        ground = self.ground_of(row)
        if ground is not None:
            painter.fillRect(rect, theme().color(ground))
        if row:
            painter.fillRect(QRectF(rect.x(), rect.y(), rect.width(), 1), theme().color("line"))
        self._paint_mark(painter, shown, rect)
        goal, height = self._goals[row]
        at = QPointF(rect.x() + px(_LEFT), rect.y() + px(_ABOVE))
        painter.setPen(theme().color("text3" if shown.struck else "text"))
        goal.draw(painter, at)
        if shown.struck:
            self._strike(painter, goal, at)
        area = QRectF(at.x(), at.y() + math.ceil(height), rect.width() - px(_LEFT + _RIGHT), px(_LINE))
        for line in self._below[row]:
            self._paint_line(painter, line, area)
            area.translate(0, px(_LINE))

    def _paint_mark(self, painter: QPainter, row: PlanRow, rect: QRectF) -> None:
        x, y = rect.x() + px(11), rect.y() + px(_ABOVE) + 1
        if row.sign:
            draw_text(painter, QRectF(x, y, px(16), px(16)), row.sign, "mono_strong", row.mark_color)
        elif row.icon:
            draw_icon(painter, row.icon, row.mark_color, x, y, px(16))

    def _paint_line(self, painter: QPainter, line: _Line, area: QRectF) -> None:
        x = area.x()
        if line.icon:
            if line.icon.strip():
                draw_icon(painter, line.icon, line.runs[0][2], x, area.center().y() - px(6), px(12))
            x += px(18)
        if line.state is not None:
            self._paint_state(painter, line.state, area)
        for text, role, color in line.runs:
            draw_elided(painter, QRectF(x, area.y(), area.right() - x, area.height()), text, role, color)
            x += text_width(text, role)

    def _paint_state(self, painter: QPainter, state: Remark, area: QRectF) -> None:
        width = text_width(state.text, "meta_medium")
        x = area.right() - width
        draw_text(painter, QRectF(x, area.y(), width + 2, area.height()), state.text, "meta_medium", state.color)
        draw_icon(painter, state.icon, state.color, x - px(17), area.center().y() - px(6), px(12))

    def _strike(self, painter: QPainter, goal: QTextLayout, at: QPointF) -> None:
        painter.setPen(QPen(theme().color("text3"), 1))
        for index in range(goal.lineCount()):
            line = goal.lineAt(index)
            y = round(at.y() + line.y() + line.height() / 2) + 0.5
            painter.drawLine(QPointF(at.x(), y), QPointF(at.x() + line.naturalTextWidth(), y))


def _lines_below(row: PlanRow, room: float) -> list[_Line]:
    """Means, what it waits for, and remarks: side by side where they fit, else each on a line of its own."""
    means: list[_Run] = [(f"{row.name}  ", "mono_strong", "text2"), (row.means, "mono", "text2")]
    after: list[_Run] = [(row.after, "secondary", "text3")] if row.after else []
    beside: list[_Run] = [*means, *((f"  ·  {text}", role, color) for text, role, color in after)]
    state = 0.0 if row.state is None else text_width(row.state.text, "meta_medium") + px(26)
    texts = [beside] if _width(beside) + state <= room else [means, after] if after else [means]
    lines = [_Line(tuple(runs)) for runs in texts]
    if row.state is not None:
        place = next((at for at, runs in enumerate(texts) if _width(runs) + state <= room), None)
        if place is None:
            lines.append(_Line(((row.state.text, "meta_medium", row.state.color),), icon=row.state.icon))
        else:
            lines[place] = replace(lines[place], state=row.state)
    return [*lines, *(line for one in row.remarks for line in _remark_lines(one, room))]


def _remark_lines(remark: Remark, room: float) -> Iterator[_Line]:
    """A remark wraps as a goal does; its icon stands before the first line."""
    layout, _ = flow_text(remark.text, "secondary", room - px(18), _LEFT_TOP)
    for index in range(layout.lineCount()):
        line = layout.lineAt(index)
        text = remark.text[line.textStart() : line.textStart() + line.textLength()].strip()
        yield _Line(((text, "secondary", remark.color),), icon=remark.icon if not index else " ")


def _width(runs: Sequence[_Run]) -> float:
    return sum(text_width(text, role) for text, role, _ in runs)
