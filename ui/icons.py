"""Lucide icons, tinted and sharp at any device pixel ratio."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

_STROKE_WIDTH: Final = re.compile(rb'stroke-width="[\d.]+"')
_pixmaps: dict[tuple[str, int, int, float, float], QPixmap] = {}


def default_stroke(size: float) -> float:
    """Stroke width in the icon's own 24 px grid: smaller icons need heavier lines to stay as dark as text."""
    return 2.3 if size <= 12 else 2.1 if size <= 14 else 1.8


def icon_pixmap(name: str, color: QColor, size: int, dpr: float = 1.0, stroke: float | None = None) -> QPixmap:
    """Icon `name` in `color`, `size` logical px square; cached until `clear_icon_cache`."""
    width = default_stroke(size) if stroke is None else stroke
    key = (name, color.rgba(), size, dpr, width)
    pixmap = _pixmaps.get(key)
    if pixmap is None:
        pixmap = _pixmaps[key] = _render(name, color, size, dpr, width)
    return pixmap


def make_icon(name: str, color: QColor, disabled: QColor, size: int = 16, dpr: float = 1.0) -> QIcon:
    """A QIcon for menus and actions, with a disabled look."""
    icon = QIcon(icon_pixmap(name, color, size, dpr))
    icon.addPixmap(icon_pixmap(name, disabled, size, dpr), QIcon.Mode.Disabled)
    return icon


def clear_icon_cache() -> None:
    """Forget all tinted pixmaps, after a theme or scale change."""
    _pixmaps.clear()


def icon_names() -> list[str]:
    """Every bundled icon, sorted."""
    entries = (files("resources") / "icons").iterdir()
    return sorted(entry.name.removesuffix(".svg") for entry in entries if entry.name.endswith(".svg"))


@cache
def _source(name: str) -> bytes:
    return (files("resources") / "icons" / f"{name}.svg").read_bytes()


def _render(name: str, color: QColor, size: int, dpr: float, stroke: float) -> QPixmap:
    svg = _source(name).replace(b"currentColor", color.name().encode())
    svg = _STROKE_WIDTH.sub(f'stroke-width="{stroke}"'.encode(), svg)
    pixels = max(1, round(size * dpr))
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setOpacity(color.alphaF())
    QSvgRenderer(QByteArray(svg)).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    pixmap.setDevicePixelRatio(dpr)
    return pixmap
