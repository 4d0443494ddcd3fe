"""Tooltips as plain text. Qt guesses rich text from a leading tag, so text from outside must never reach it raw."""

from __future__ import annotations

import html
from typing import Final

from PySide6.QtWidgets import QWidget

from ui.hostile import visible

_LONGEST: Final = 2_000


def plain_tooltip(text: str) -> str:
    """`text` as a tooltip that shows exactly these characters and wraps; empty stays empty."""
    if not text:
        return ""
    shown = visible(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")
    return f"<p style='white-space:pre-wrap'>{html.escape(shown)}</p>"


def set_plain_tooltip(widget: QWidget, text: str) -> None:
    """Give `widget` a plain tooltip; screen readers get the text without the markup that carries it."""
    QWidget.setToolTip(widget, plain_tooltip(text))
    widget.setAccessibleDescription(visible(text[:_LONGEST]))
