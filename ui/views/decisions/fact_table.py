"""A small table inside a card: a few columns of words, a head, lines between the rows."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from ui.theme import px
from ui.widgets.label import Label
from ui.widgets.marks import Line

_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight


def fact_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()
) -> QWidget:
    """Rows of plain words; columns in `right` stand at the right, the last of the others takes the room and wraps."""
    holder = QWidget()
    grid = QGridLayout(holder)
    grid.setContentsMargins(px(2), 0, px(2), 0)
    grid.setHorizontalSpacing(px(16))
    grid.setVerticalSpacing(px(5))
    stretched = max(place for place in range(len(columns)) if place not in right)
    grid.setColumnStretch(stretched, 1)
    for place, title in enumerate(columns):
        grid.addWidget(Label(title, "meta_strong", "text3", align=_side(place, right)), 0, place)
    for number, row in enumerate(rows, 1):
        grid.addWidget(Line(), 2 * number - 1, 0, 1, len(columns))
        for place, words in enumerate(row):
            cell = Label(words, "secondary", "text2", wrap=place == stretched, align=_side(place, right))
            grid.addWidget(cell, 2 * number, place, Qt.AlignmentFlag.AlignTop)
    holder.setAccessibleName(". ".join(", ".join(row) for row in rows))
    return holder


def _side(place: int, right: frozenset[int]) -> Qt.AlignmentFlag:
    return _RIGHT if place in right else _LEFT
