"""Surface: a frame with one of the named grounds of the stylesheet, and layout helpers."""

from __future__ import annotations

from typing import Literal

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLayout, QSizePolicy, QVBoxLayout, QWidget

from ui.theme import px

SurfaceName = Literal[
    "app", "panel", "raised", "sunken", "code", "card", "card_flat", "inset", "row", "row_selected", "selected",
    "attn", "dang", "unk", "ok", "quiet", "bar_top", "bar_bottom", "side_left", "side_right",
    "banner_attn", "banner_dang", "none",
]  # fmt: skip

HEAD_HEIGHT = 32
"""Of the line with a page's title, in px at 100 %: titles stand at one height, whatever buttons are beside them."""


class Surface(QFrame):
    """A QFrame painted by the stylesheet according to its `surface` property."""

    def __init__(self, surface: SurfaceName = "raised", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("surface", surface)
        policy = self.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Preferred)
        self.setSizePolicy(policy)

    def set_surface(self, surface: SurfaceName) -> None:
        """Change the ground."""
        if self.property("surface") != surface:
            set_style_property(self, "surface", surface)


def set_style_property(widget: QWidget, name: str, value: object) -> None:
    """Set a dynamic property that the stylesheet matches, and match again."""
    widget.setProperty(name, value)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
    widget.update()


def column(
    parent: QWidget | None = None, spacing: float = 8, margins: tuple[float, float, float, float] = (0, 0, 0, 0)
) -> QVBoxLayout:
    """A vertical layout; spacing and margins (left, top, right, bottom) in px at 100 %."""
    layout = QVBoxLayout(parent) if parent is not None else QVBoxLayout()
    layout.setSpacing(px(spacing))
    layout.setContentsMargins(*(px(margin) for margin in margins))
    return layout


def row(
    parent: QWidget | None = None, spacing: float = 8, margins: tuple[float, float, float, float] = (0, 0, 0, 0)
) -> QHBoxLayout:
    """A horizontal layout; spacing and margins (left, top, right, bottom) in px at 100 %."""
    layout = QHBoxLayout(parent) if parent is not None else QHBoxLayout()
    layout.setSpacing(px(spacing))
    layout.setContentsMargins(*(px(margin) for margin in margins))
    return layout


def clear(layout: QLayout) -> None:
    """Take every widget out of a layout and away."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
