"""VirtualRows: a scroll area that paints only the rows in view, so that a megabyte opens as fast as a line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QWidget

from ui.theme import px, theme
from ui.tokens import RADIUS_CONTROL
from ui.widgets.paint import focus_ring

_DESCRIBED_ROWS = 60


class VirtualRows(QAbstractScrollArea):
    """Base of the painted lists. A subclass gives row positions with `set_tops` and paints one row in `paint_row`.

    `tops` are row edges in px: row i lies from tops[i] to tops[i + 1]; a `range` serves uniform rows. `seen_to_end`
    fires once for each content, when its last row has been on screen and nothing is left hidden at the right.
    """

    seen_to_end = Signal()

    def __init__(self, *, max_height: int | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tops: Sequence[int] = (0,)
        self._content_width = 0
        self._max_height = max_height
        self._seen_end = False
        self._seen_right = False
        self._laid_out_for = -1
        self._keyboard_focus = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.viewport().setAutoFillBackground(False)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled)
        theme().follow(self.restyle)

    # ---------------------------------------------------------------- for subclasses

    def lay_out(self, width: int) -> None:
        """Compute the rows for `width` px and call `set_tops`."""
        raise NotImplementedError

    def paint_row(self, painter: QPainter, row: int, rect: QRectF) -> None:
        """Paint row `row` into `rect`, already shifted by the horizontal scroll."""
        raise NotImplementedError

    def row_text(self, row: int) -> str:
        """The words of a row, for screen readers and copying."""
        raise NotImplementedError

    def set_tops(self, tops: Sequence[int], content_width: int = 0) -> None:
        """Give the row edges and the width of the widest row; 0 fits the view."""
        self._tops = tops
        self._content_width = content_width
        self._update_bars()
        self.updateGeometry()
        self.viewport().update()

    def content_changed(self) -> None:
        """Lay out again and forget what was seen: for new content."""
        self._seen_end = self._seen_right = False
        self._laid_out_for = -1
        self._lay_out_now()
        self.setAccessibleDescription("\n".join(self.row_text(i) for i in range(min(self.row_count, _DESCRIBED_ROWS))))

    def layout_changed(self) -> None:
        """Lay out again, with what was seen kept: for a fold that opens."""
        self._laid_out_for = -1
        self._lay_out_now()

    # ---------------------------------------------------------------- state

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self._tops) - 1

    @property
    def total_height(self) -> int:
        """Height of all rows in px."""
        return self._tops[-1]

    @property
    def is_seen_to_end(self) -> bool:
        """Whether the whole content has been on screen."""
        return self._seen_end and self._seen_right

    def row_at(self, y: float) -> int:
        """The row at viewport height `y`, or -1."""
        at = int(y) + self.verticalScrollBar().value()
        row = bisect_right(self._tops, at) - 1
        return row if 0 <= row < self.row_count else -1

    def visible_rows(self) -> range:
        """The rows that touch the viewport."""
        top = self.verticalScrollBar().value()
        first = max(0, bisect_right(self._tops, top) - 1)
        last = bisect_right(self._tops, top + self.viewport().height() - 1)
        return range(first, min(self.row_count, last))

    # ---------------------------------------------------------------- geometry

    def restyle(self) -> None:
        """Lay out again after a theme change."""
        self._laid_out_for = -1
        self._lay_out_now()

    def _lay_out_now(self) -> None:
        width = self.viewport().width()
        if width != self._laid_out_for:
            self._laid_out_for = width
            self.lay_out(width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Rows may depend on the width."""
        super().resizeEvent(event)
        self._lay_out_now()
        self._update_bars()

    def _update_bars(self) -> None:
        viewport, vertical, horizontal = self.viewport(), self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setRange(0, max(0, self.total_height - viewport.height()))
        vertical.setPageStep(viewport.height())
        vertical.setSingleStep(px(24))
        horizontal.setRange(0, max(0, self._content_width - viewport.width()))
        horizontal.setPageStep(viewport.width())
        horizontal.setSingleStep(px(24))

    def sizeHint(self) -> QSize:
        """All rows, up to the greatest height."""
        height = self.total_height if self._max_height is None else min(self.total_height, px(self._max_height))
        return QSize(px(320), height)

    def minimumSizeHint(self) -> QSize:
        """Content up to the greatest height is never squeezed; without one a few rows must do."""
        return QSize(px(120), self.sizeHint().height() if self._max_height is not None else px(48))

    # ---------------------------------------------------------------- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """The rows in the exposed part of the viewport."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, top = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        width = max(self._content_width, self.viewport().width())
        exposed = event.rect()
        for row in self.visible_rows():
            y, bottom = self._tops[row] - top, self._tops[row + 1] - top
            if bottom >= exposed.top() and y <= exposed.bottom():
                self.paint_row(painter, row, QRectF(-left, y, width, bottom - y))
        if self.hasFocus() and self._keyboard_focus:
            focus_ring(painter, QRectF(self.viewport().rect()), px(RADIUS_CONTROL))
        painter.end()
        self._note_seen()

    def _scrolled(self) -> None:
        self.viewport().update()

    def _note_seen(self) -> None:
        seen_before = self.is_seen_to_end
        if seen_before or not self.isVisible() or self.row_count == 0:
            return
        on_screen = self.viewport().visibleRegion().boundingRect()
        if on_screen.isEmpty():
            return
        end = self.total_height - self.verticalScrollBar().value()
        self._seen_end = self._seen_end or end <= on_screen.bottom() + 2
        right = max(self._content_width, self.viewport().width()) - self.horizontalScrollBar().value()
        self._seen_right = self._seen_right or right <= on_screen.right() + 2
        if self._seen_end and self._seen_right:
            self.seen_to_end.emit()

    # ---------------------------------------------------------------- keys and focus

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The ring shows for keyboard focus only."""
        self._keyboard_focus = event.reason() not in (
            Qt.FocusReason.MouseFocusReason,
            Qt.FocusReason.ActiveWindowFocusReason,
        )
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The ring goes."""
        super().focusOutEvent(event)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows and pages scroll, Home and End jump, Ctrl+C copies; Enter and letters go on to the card."""
        bar = self.verticalScrollBar()
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText("\n".join(map(self.row_text, range(self.row_count))))
        elif event.key() == Qt.Key.Key_Home:
            bar.setValue(bar.minimum())
        elif event.key() == Qt.Key.Key_End:
            bar.setValue(bar.maximum())
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) or event.text().strip():
            event.ignore()
        else:
            super().keyPressEvent(event)
