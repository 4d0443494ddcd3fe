"""Button: a QPushButton painted from the tokens, which gives up its icon, then its key hint, but never its verb."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from ui.hostile import visible_line
from ui.theme import px, theme
from ui.tokens import HEIGHT_BUTTON, RADIUS_CONTROL, ColorName, Role
from ui.widgets.paint import draw_icon, draw_text, focus_ring, full_rect, painter_for, rounded_box, text_width
from ui.widgets.painted import PaintedControl

ButtonKind = Literal["primary", "default", "quiet", "outline", "ghost", "danger", "arm", "attn", "link"]


@dataclass(frozen=True, slots=True)
class ButtonLook:
    """Colours of a button kind; None means that the ground shows through."""

    foreground: ColorName
    fill: ColorName | None
    line: ColorName | None
    hover: ColorName | None


_LOOKS: Final[Mapping[ButtonKind, ButtonLook]] = MappingProxyType(
    {
        "primary": ButtonLook("on_accent", "accent", None, "accent_hover"),
        "default": ButtonLook("text", "bg_raised", "line_mid", "bg_hover"),
        "quiet": ButtonLook("text2", "bg_sunken", "line", "bg_hover"),
        "outline": ButtonLook("accent", "bg_raised", "accent", "accent_bg"),
        "ghost": ButtonLook("text2", None, None, "bg_hover"),
        "danger": ButtonLook("dang", "bg_raised", "dang_line", "dang_bg"),
        "arm": ButtonLook("dang", "dang_bg", "dang_line", "dang_bg"),
        "attn": ButtonLook("attn", "attn_bg", "attn_line", "attn_bg"),
        "link": ButtonLook("accent", None, None, None),
    }
)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What is drawn at the present width: icon and key hint may have been dropped."""

    icon: bool
    key: bool
    width: float


class Button(PaintedControl, QPushButton):
    """A push button.

    Kinds: primary (filled blue), default, outline (blue line: another step follows), ghost, danger, arm (red ground),
    attn (the decisions chip), link. `key` is the hint shown, not a shortcut. `flush` drops the left padding of a ghost
    so that its text lines up with text above it. Without `text` the button is a square and `tip` is its name.
    """

    def __init__(
        self,
        text: str = "",
        kind: ButtonKind = "default",
        *,
        icon: str | None = None,
        key: str = "",
        height: int = HEIGHT_BUTTON,
        menu: bool = False,
        flush: bool = False,
        tip: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._kind: ButtonKind = kind
        self._icon = icon
        self._key = key
        self._height = height
        self._has_menu = menu
        self._flush = flush
        self._label = ""
        self._tip = tip
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor if kind == "link" else Qt.CursorShape.ArrowCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.set_label(text)
        if tip:
            self.setToolTip(f"{tip}  {key}".rstrip() if not text else tip)
        theme().follow(self.restyle)

    # ---------------------------------------------------------------- contents

    def set_label(self, text: str) -> None:
        """Change the words. They are plain: an ampersand is an ampersand, not a shortcut."""
        self._label = visible_line(text)
        super().setText(self._label.replace("&", "&&"))
        self.setAccessibleName(self._label or self._tip)
        self.updateGeometry()
        self.update()

    def setText(self, text: str) -> None:  # noqa: N802
        """The words that Qt knows are the ones that are painted."""
        self.set_label(text)

    def label(self) -> str:
        """The words as shown."""
        return self._label

    def set_icon(self, icon: str | None) -> None:
        """Change the icon."""
        self._icon = icon
        self.updateGeometry()
        self.update()

    def set_key(self, key: str) -> None:
        """Change the key hint."""
        self._key = key
        self.updateGeometry()
        self.update()

    def set_kind(self, kind: ButtonKind) -> None:
        """Change the look."""
        self._kind = kind
        self.update()

    @property
    def kind(self) -> ButtonKind:
        """The present look."""
        return self._kind

    def set_expanding(self, expanding: bool = True) -> None:
        """Let the button grow in a row of equal buttons."""
        horizontal = QSizePolicy.Policy.Expanding if expanding else QSizePolicy.Policy.Fixed
        self.setSizePolicy(horizontal, QSizePolicy.Policy.Fixed)

    # ---------------------------------------------------------------- size

    def restyle(self) -> None:
        """Size and paint again after a theme change."""
        self.setFont(theme().font(self._role))
        super().restyle()

    @property
    def _role(self) -> Role:
        small = self._height < 30
        if self._kind == "primary":
            return "section_head" if small else "key_value"
        if self._kind == "link":
            return "meta_medium" if self._height < 24 else "secondary_medium"
        return "secondary_medium" if small else "button"

    def _padding(self) -> float:
        return 0.0 if self._kind == "link" else px(12)

    def _icon_width(self) -> float:
        return px(16) + (px(7) if self._label else 0)

    def _key_width(self) -> float:
        return text_width(self._key, "key_hint") + px(8)

    def _parts(self, available: float) -> _Parts:
        """Drop the icon first, then the key hint, until the words fit in `available` px."""
        words = text_width(self._label, self._role) + (px(16) if self._has_menu else 0)
        icon = self._icon_width() if self._icon else 0.0
        key = self._key_width() if self._key and self._label else 0.0
        if words + icon + key <= available or not self._label:
            return _Parts(bool(self._icon), key > 0, words + icon + key)
        if words + key <= available:
            return _Parts(False, key > 0, words + key)
        return _Parts(False, False, words)

    def sizeHint(self) -> QSize:
        """Room for everything."""
        height = px(self._height)
        if not self._label and not self._has_menu:
            return QSize(height, height)
        padding = self._padding() * (1 if self._flush else 2)
        return QSize(math.ceil(self._parts(math.inf).width + padding), height)

    def minimumSizeHint(self) -> QSize:
        """Room for the words alone."""
        if not self._label:
            return self.sizeHint()
        tight = px(4) if self._flush or self._kind == "link" else px(16)
        return QSize(math.ceil(text_width(self._label, self._role) + tight), px(self._height))

    # ---------------------------------------------------------------- look

    def enterEvent(self, event: QEnterEvent) -> None:
        """Hover look."""
        super().enterEvent(event)
        self.update()

    # ---------------------------------------------------------------- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Ground, icon, words, key hint, ring."""
        painter = painter_for(self)
        look = self.look()
        self.paint_ground(painter, look)
        self.paint_contents(painter, theme().color(look.foreground))
        if self.shows_ring:
            focus_ring(painter, full_rect(self), px(RADIUS_CONTROL), on_fill=self._kind == "primary")
        painter.end()

    def looks_disabled(self) -> bool:
        """Whether to paint greyed; guarded buttons stay enabled, and keep focus, while they are locked."""
        return not self.isEnabled()

    def look(self) -> ButtonLook:
        """The colours at this moment."""
        look = _LOOKS[self._kind]
        bare = self._kind in ("ghost", "link")
        if self.looks_disabled():
            return ButtonLook("text_dis", None if bare else "bg_sunken", None if bare else "line", None)
        if self.isDown() and look.hover is not None:
            pressed: ColorName = "bg_sunken" if self._kind in ("default", "ghost") else look.hover
            return ButtonLook(look.foreground, pressed, look.line, None)
        if (self.underMouse() or self.isChecked()) and look.hover is not None:
            return ButtonLook(look.foreground, look.hover, look.line, None)
        return look

    def paint_ground(self, painter: QPainter, look: ButtonLook) -> None:
        """Fill and line."""
        fill = theme().color(look.fill) if look.fill else None
        line = theme().color(look.line) if look.line else None
        if fill is not None or line is not None:
            ground = full_rect(self)
            if self._flush:
                ground.adjust(-px(8), 0, 0, 0)
            rounded_box(painter, ground, px(RADIUS_CONTROL), fill, line)

    def paint_contents(self, painter: QPainter, color: QColor) -> None:
        """Icon, words, key hint and menu arrow, centred as one group."""
        parts = self._parts(self.width() - (px(4) if self._flush or self._kind == "link" else px(16)))
        height = self.height()
        x = 0.0 if self._flush or self._kind == "link" else (self.width() - parts.width) / 2
        if self._icon and parts.icon:
            self.paint_icon(painter, QRectF(x, (height - px(16)) / 2, px(16), px(16)), color)
            x += self._icon_width()
        words = text_width(self._label, self._role)
        draw_text(painter, QRectF(x, 0, words + 2, height), self._label, self._role, color)
        x += words
        if parts.key:
            faint = QColor(color)
            faint.setAlphaF(color.alphaF() * 0.78)
            draw_text(painter, QRectF(x + px(8), 1, self._key_width(), height - 1), self._key, "key_hint", faint)
            x += self._key_width()
        if self._has_menu:
            draw_icon(painter, "chevron-down", color, x + px(4), (height - px(12)) / 2, px(12))

    def paint_icon(self, painter: QPainter, rect: QRectF, color: QColor) -> None:
        """The icon; guarded buttons put the lock ring here."""
        if self._icon:
            draw_icon(painter, self._icon, color, rect.x(), rect.y(), round(rect.width()))
