"""A small table inside a card: a few columns of words, a head, lines between the rows."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from ui.theme import px
from ui.widgets.label import Label
from ui.widgets.marks import Icon, Line
from ui.widgets.paint import line_pitch
from ui.widgets.surface import row

_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight


def fact_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset(), icon: str = ""
) -> QWidget:
    """Rows of plain words; columns in `right` stand at the right, the last of the others takes the room and wraps.

    An `icon` stands before each of the words that wrap.
    """
    holder = QWidget()
    grid = QGridLayout(holder)
    grid.setContentsMargins(px(2), 0, px(2), 0)
    grid.setHorizontalSpacing(px(16))
    grid.setVerticalSpacing(px(5))
    stretched = max(place for place in range(len(columns)) if place not in right)
    grid.setColumnStretch(stretched, 1)
    for place, title in enumerate(columns):
        grid.addWidget(Label(title, "meta_strong", "text3", align=_side(place, right)), 0, place)
    for number, cells in enumerate(rows, 1):
        grid.addWidget(Line(), 2 * number - 1, 0, 1, len(columns))
        for place, words in enumerate(cells):
            cell = _cell(words, wraps=place == stretched, side=_side(place, right), icon=icon)
            grid.addWidget(cell, 2 * number, place, Qt.AlignmentFlag.AlignTop)
    holder.setAccessibleName(". ".join(", ".join(cells) for cells in rows))
    return holder


def _cell(words: str, *, wraps: bool, side: Qt.AlignmentFlag, icon: str) -> QWidget:
    """The words of a cell; what stays on one line stands as high as the first line of what wraps."""
    cell = Label(words, "secondary", "text2", wrap=wraps, align=side if wraps else side | Qt.AlignmentFlag.AlignVCenter)
    if not wraps:
        cell.setMinimumHeight(line_pitch("secondary"))
    if not wraps or not icon:
        return cell
    holder = QWidget()
    line = row(holder, 6)
    line.addWidget(Icon(icon, "text3", 13, beside="secondary"), 0, Qt.AlignmentFlag.AlignTop)
    line.addWidget(cell, 1)
    return holder


def _side(place: int, right: frozenset[int]) -> Qt.AlignmentFlag:
    return _RIGHT if place in right else _LEFT
