"""The two bundled typefaces: Inter for the interface, JetBrains Mono for arguments, ids and diff values."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFont, QFontDatabase

from ui.tokens import FONT_FILES, TypeStyle

SANS: Final = "Inter"
MONO: Final = "JetBrains Mono"


@cache
def load_fonts() -> tuple[str, ...]:
    """Register the bundled fonts once; the families that Qt now knows. Needs a QGuiApplication."""
    folder = files("resources") / "fonts"
    families: list[str] = []
    for name in FONT_FILES:
        identifier = QFontDatabase.addApplicationFontFromData(QByteArray((folder / name).read_bytes()))
        families += QFontDatabase.applicationFontFamilies(identifier) if identifier >= 0 else []
    return tuple(dict.fromkeys(families))


def make_font(style: TypeStyle, scale: float) -> QFont:
    """`style` as a QFont at `scale` (1.0 = 100 %)."""
    font = QFont(MONO if style.mono else SANS)
    font.setStyleHint(QFont.StyleHint.Monospace if style.mono else QFont.StyleHint.SansSerif)
    font.setPixelSize(max(1, round(style.px * scale)))
    font.setWeight(QFont.Weight(style.weight))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if style.mono:
        font.setFeature(QFont.Tag("calt"), 0)  # no ligatures: `!=` in arguments must stay two characters
    else:
        font.setFeature(QFont.Tag("tnum"), 1)  # running numbers must not jitter
    return font
