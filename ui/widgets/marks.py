"""Small painted marks: Icon, Chip, Badge, KeyHint, Line, Swatch and Ring."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from ui.hostile import visible_line
from ui.theme import px, theme
from ui.tokens import RADIUS_CHIP, TONES, ColorName, Role, ToneName
from ui.widgets.paint import (
    CENTER,
    draw_elided,
    draw_icon,
    draw_text,
    full_rect,
    line_pitch,
    painter_for,
    rounded_box,
    text_width,
)
from ui.widgets.tooltip import set_plain_tooltip


class _Mark(QLabel):
    """A fixed-size painted label: QLabel underneath, so that screen readers read its text."""

    def __init__(self, text: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        QLabel.setText(self, visible_line(text))

    def setText(self, text: str) -> None:  # noqa: N802
        """Show other text."""
        shown = visible_line(text)
        if shown != self.text():
            QLabel.setText(self, shown)
            self.restyle()

    def setToolTip(self, text: str) -> None:  # noqa: N802
        """A plain-text tooltip."""
        set_plain_tooltip(self, text)

    def restyle(self) -> None:
        """Size and paint again after a theme change."""
        self.updateGeometry()
        self.update()

    def minimumSizeHint(self) -> QSize:
        """Marks never shrink."""
        return self.sizeHint()


class Icon(_Mark):
    """One tinted icon. Silent for screen readers unless `name_for_readers` is given.

    `beside` names the role of wrapped words that it stands before: it is then as high as their first line.
    """

    def __init__(
        self,
        name: str,
        color: ColorName = "text2",
        size: int = 16,
        *,
        stroke: float | None = None,
        beside: Role | None = None,
        name_for_readers: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("", parent)
        self._name = name
        self._beside = beside
        self._color: ColorName = color
        self._size = size
        self._stroke = stroke
        self.setAccessibleName(name_for_readers)
        theme().follow(self.restyle)

    def set_icon(self, name: str, color: ColorName | None = None) -> None:
        """Show another icon, or the same in another colour."""
        self._name = name
        self._color = color or self._color
        self.update()

    def sizeHint(self) -> QSize:
        """The icon's square, or one as high as the line beside it."""
        side = px(self._size)
        return QSize(side, side if self._beside is None else max(side, line_pitch(self._beside)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The tinted pixmap."""
        painter = painter_for(self)
        size = px(self._size)
        color: ColorName = self._color if self.isEnabled() else "text_dis"
        x, y = (self.width() - size) / 2, (self.height() - size) / 2
        draw_icon(painter, self._name, color, x, y, size, self._stroke)
        painter.end()


class Chip(_Mark):
    """A word with an optional icon on a tinted ground. Tones: neutral attn dang unk ok accent plain (outlined)."""

    def __init__(
        self,
        text: str,
        tone: ToneName = "neutral",
        icon: str | None = None,
        *,
        height: int = 20,
        border: bool = False,
        mono: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._tone: ToneName = tone
        self._icon = icon
        self._height = height
        self._border = border
        self._role: Role = "mono" if mono else "meta_medium"
        theme().follow(self.restyle)

    def set_tone(self, tone: ToneName, icon: str | None = None) -> None:
        """Change tone and icon together: colour never stands alone."""
        self._tone, self._icon = tone, icon
        self.restyle()

    @property
    def tone(self) -> ToneName:
        """The present tone."""
        return self._tone

    def sizeHint(self) -> QSize:
        """Text, icon and padding."""
        icon = px(16) if self._icon else 0
        return QSize(math.ceil(text_width(self.text(), self._role)) + px(14) + icon, px(self._height))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground, icon, word."""
        painter = painter_for(self)
        tone = TONES[self._tone]
        fill = theme().color(tone.background) if tone.background else None
        line = theme().color(tone.line) if self._border or self._tone == "plain" else None
        rounded_box(painter, full_rect(self), px(RADIUS_CHIP), fill, line)
        x = px(7)
        if self._icon:
            draw_icon(painter, self._icon, tone.foreground, px(6), (self.height() - px(12)) / 2, px(12))
            x = px(22)
        rect = QRectF(x, 0, self.width() - x - px(5), self.height())
        draw_elided(painter, rect, self.text(), self._role, tone.foreground)
        painter.end()


class Badge(_Mark):
    """A count in a pill. `name_for_readers` says what is counted: "2 open decisions"."""

    def __init__(
        self, text: str, tone: ToneName = "attn", *, name_for_readers: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(text, parent)
        self._tone: ToneName = tone
        self.setAccessibleName(name_for_readers or self.text())
        theme().follow(self.restyle)

    def set_tone(self, tone: ToneName) -> None:
        """Change the tone."""
        self._tone = tone
        self.update()

    def sizeHint(self) -> QSize:
        """A circle for one digit, a pill for more."""
        height = px(18)
        return QSize(max(height, math.ceil(text_width(self.text(), "meta_strong")) + px(10)), height)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Pill and count."""
        painter = painter_for(self)
        tone = TONES[self._tone]
        rounded_box(painter, full_rect(self), self.height() / 2, theme().color(tone.background or "bg_sunken"), None)
        draw_text(painter, full_rect(self), self.text(), "meta_strong", tone.foreground, CENTER)
        painter.end()


class KeyHint(_Mark):
    """A key cap: "J", "Ctrl K"."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        theme().follow(self.restyle)

    def sizeHint(self) -> QSize:
        """The cap around its text."""
        return QSize(max(px(17), math.ceil(text_width(self.text(), "key_hint")) + px(10)), px(17))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Cap and letters."""
        painter = painter_for(self)
        rounded_box(painter, full_rect(self), px(3), theme().color("bg_raised"), theme().color("line_mid"))
        draw_text(painter, full_rect(self), self.text(), "key_hint", "text3", CENTER)
        painter.end()


class Line(QFrame):
    """A 1 px divider."""

    def __init__(self, *, vertical: bool = False, color: ColorName = "line", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._color: ColorName = color
        if vertical:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)
        theme().follow(self.restyle)

    def restyle(self) -> None:
        """Paint in the new colour."""
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """One filled pixel row or column."""
        painter = painter_for(self)
        painter.fillRect(self.rect(), theme().color(self._color))
        painter.end()


class Ring(_Mark):
    """Share of time left, 0 to 1, as an arc from twelve o'clock."""

    def __init__(
        self, share: float = 1.0, tone: ToneName = "neutral", size: int = 16, parent: QWidget | None = None
    ) -> None:
        super().__init__("", parent)
        self._share = 0.0
        self._tone: ToneName = tone
        self._size = size
        theme().follow(self.restyle)
        self.set_share(share)

    def set_share(self, share: float, tone: ToneName | None = None) -> None:
        """Set the share left; anything that is not a number shows an empty ring."""
        clean = min(1.0, max(0.0, share)) if math.isfinite(share) else 0.0
        tone = tone or self._tone
        if (clean, tone) != (self._share, self._tone):
            self._share, self._tone = clean, tone
            self.setAccessibleName(f"{round(clean * 100)} percent of the time left")
            self.update()

    @property
    def share(self) -> float:
        """The share shown, 0 to 1."""
        return self._share

    def sizeHint(self) -> QSize:
        """The ring's square."""
        return QSize(px(self._size), px(self._size))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Track and arc."""
        painter = painter_for(self)
        rect = full_rect(self).adjusted(2, 2, -2, -2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme().color("g_track"), 2))
        painter.drawEllipse(rect)
        if self._share > 0:
            pen = QPen(theme().color(TONES[self._tone].foreground), 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
            painter.setPen(pen)
            painter.drawArc(rect, 90 * 16, round(360 * 16 * self._share))
        painter.end()
