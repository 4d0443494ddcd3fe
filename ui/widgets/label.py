"""Text that is always plain: no markup from outside is ever interpreted, and hidden characters are shown."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent, QPalette, QResizeEvent, QTextLayout
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ui.hostile import visible, visible_line
from ui.theme import theme
from ui.tokens import TYPE_SCALE, ColorName, Role
from ui.widgets.paint import draw_text, elided, full_rect, line_height, painter_for, text_layout, text_width
from ui.widgets.tooltip import set_plain_tooltip

_WIDTHS = 4
"""How many widths a label remembers its lines for."""


class Label(QLabel):
    """Plain text in a named style; with `wrap` it flows at the style's line height and answers height for width.

    `text()` is what is shown; `raw_text()` is what was given.
    """

    def __init__(
        self,
        text: str = "",
        role: Role = "body",
        color: ColorName = "text",
        *,
        wrap: bool = False,
        selectable: bool = False,
        align: Qt.AlignmentFlag | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._role: Role = role
        self._color: ColorName = color
        self._raw = ""
        self._flowed: dict[float, tuple[QTextLayout, float]] = {}
        """By width: layouts ask about several in turn."""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        if align is not None:
            self.setAlignment(align)
        if selectable:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if wrap:
            policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
            policy.setHeightForWidth(True)
            self.setSizePolicy(policy)
        self.setText(text)
        theme().follow(self.restyle)

    def setText(self, text: str) -> None:  # noqa: N802
        """Show `text`, with hidden characters made visible."""
        self._raw = text
        shown = visible(text)
        if shown != self.text():
            self._flowed.clear()
            super().setText(shown)

    def raw_text(self) -> str:
        """The text as it was given."""
        return self._raw

    def set_color(self, color: ColorName) -> None:
        """Change the text colour."""
        if color != self._color:
            self._color = color
            self.restyle()

    def setToolTip(self, text: str) -> None:  # noqa: N802
        """A plain-text tooltip."""
        set_plain_tooltip(self, text)

    def restyle(self) -> None:
        """Read font and colour from the theme again."""
        self._flowed.clear()
        self.setFont(theme().font(self._role))
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, theme().color(self._color))
        palette.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.WindowText, theme().color("text_dis"))
        self.setPalette(palette)
        self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        """The style sheet puts the palette of an earlier theme back when a widget is shown first: set it again."""
        handled = super().event(event)
        if event.type() == QEvent.Type.Polish:
            self.restyle()
        return handled

    # ---------------------------------------------------------------- wrapped text

    def _flows(self) -> bool:
        return self.wordWrap() and not self.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse

    def _flow(self, width: float) -> tuple[QTextLayout, float]:
        if width not in self._flowed:
            if len(self._flowed) == _WIDTHS:
                del self._flowed[next(iter(self._flowed))]
            self._flowed[width] = flow_text(self.text(), self._role, width, self.alignment())
        return self._flowed[width]

    def minimumSizeHint(self) -> QSize:
        """One line when wrapped: QLabel otherwise asks for a square, which leaves columns with surplus height."""
        if not self.wordWrap():
            return super().minimumSizeHint()
        return QSize(0, math.ceil(line_height(self._role)))

    def sizeHint(self) -> QSize:
        """Natural size; for wrapped text one unbroken line."""
        if not self._flows():
            return super().sizeHint()
        longest = max((text_width(line[:4_096], self._role) for line in self.text().split("\n")), default=0.0)
        width = math.ceil(min(longest, 560.0)) + 1
        return QSize(width, self.heightForWidth(width))

    def hasHeightForWidth(self) -> bool:
        """Whether the height depends on the width."""
        return self.wordWrap()

    def heightForWidth(self, width: int) -> int:
        """Exact height at `width` px."""
        if not self._flows():
            return super().heightForWidth(width)
        margins = self.contentsMargins()
        _, height = self._flow(max(1, width - margins.left() - margins.right()))
        return math.ceil(height) + margins.top() + margins.bottom()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay wrapped text out for the new width."""
        super().resizeEvent(event)
        if self._flows():
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Wrapped text at the style's line height; everything else as Qt does it."""
        if not self._flows():
            super().paintEvent(event)
            return
        painter = painter_for(self)
        area = QRectF(self.contentsRect())
        layout, height = self._flow(area.width())
        top = (
            area.top()
            if not self.alignment() & Qt.AlignmentFlag.AlignVCenter
            else (area.top() + max(0.0, (area.height() - height) / 2))
        )
        painter.setPen(theme().color(self._color if self.isEnabled() else "text_dis"))
        layout.draw(painter, QPointF(area.left(), top))
        painter.end()


def flow_text(
    text: str, role: Role, width: float, align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft
) -> tuple[QTextLayout, float]:
    """`text` broken into lines of at most `width` px at the line height of `role`: the layout and its height."""
    layout = text_layout(text, role, align & Qt.AlignmentFlag.AlignHorizontal_Mask)
    natural = theme().metrics(role).height()
    spacing = natural * TYPE_SCALE[role].line_height
    top = (spacing - natural) / 2
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, top))
        top += spacing
    layout.endLayout()
    return layout, max(top - (spacing - natural) / 2, natural)


class ElidedLabel(QLabel):
    """One line of plain text that shortens itself with "…"; the whole text is then in the tooltip and the name."""

    def __init__(
        self,
        text: str = "",
        role: Role = "body",
        color: ColorName = "text",
        *,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._role: Role = role
        self._color: ColorName = color
        self._mode = mode
        self._raw = ""
        self._explicit_tip = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(align | Qt.AlignmentFlag.AlignVCenter)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setText(text)
        theme().follow(self.restyle)

    def setText(self, text: str) -> None:  # noqa: N802
        """Show `text` on one line, with hidden characters and line breaks made visible."""
        self._raw = text
        shown = visible_line(text)
        if shown != self.text():
            super().setText(shown)
            self._update_tip()

    def raw_text(self) -> str:
        """The text as it was given."""
        return self._raw

    def is_elided(self) -> bool:
        """Whether the text does not fit at the present width."""
        return self._shown() != self.text()

    def set_color(self, color: ColorName) -> None:
        """Change the text colour."""
        self._color = color
        self.update()

    def setToolTip(self, text: str) -> None:  # noqa: N802
        """A plain-text tooltip that stands even when nothing is shortened."""
        self._explicit_tip = text
        self._update_tip()

    def restyle(self) -> None:
        """Read font and colour from the theme again."""
        self.setFont(theme().font(self._role))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """The width of the whole text."""
        return QSize(math.ceil(text_width(self.text()[:4_096], self._role)) + 1, self._height())

    def minimumSizeHint(self) -> QSize:
        """Room for a letter and the dots."""
        return QSize(theme().px(24), self._height())

    def _height(self) -> int:
        return math.ceil(line_height(self._role)) + 2

    def _shown(self) -> str:
        return elided(self.text(), self._role, self.contentsRect().width(), self._mode)

    def _update_tip(self) -> None:
        tip = self._explicit_tip or (self._raw if self.is_elided() else "")
        set_plain_tooltip(self, tip)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The tooltip depends on the width."""
        super().resizeEvent(event)
        self._update_tip()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The text, shortened to the width."""
        painter = painter_for(self)
        color: ColorName = self._color if self.isEnabled() else "text_dis"
        area = full_rect(self).adjusted(0, 0, 0.5, 0)
        draw_text(painter, area, self._shown(), self._role, color, self.alignment())
        painter.end()
