"""Design tokens: the one table of colours, sizes and type, plus the contrast maths that keeps it readable.

No Qt here: the table is plain data, so it is checked by plain unit tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

ColorName = Literal[
    "bg_app", "bg_panel", "bg_raised", "bg_sunken", "bg_hover", "bg_selected",
    "line", "line_mid", "line_strong",
    "text", "text2", "text3", "text_dis",
    "accent", "accent_hover", "on_accent", "accent_bg",
    "attn", "attn_fill", "attn_bg", "attn_line",
    "dang", "dang_fill", "dang_bg", "dang_line", "on_dang",
    "unk", "unk_fill", "unk_bg", "unk_line",
    "ok", "ok_fill", "ok_bg", "ok_line",
    "g_fill", "g_track", "g_mark",
    "s1", "s2", "s3", "s4", "s5",
    "code_bg",
]  # fmt: skip

ToneName = Literal["neutral", "attn", "dang", "unk", "ok", "accent", "plain"]

FONT_FILES: Final = (
    "Inter-Regular.otf",
    "Inter-Medium.otf",
    "Inter-SemiBold.otf",
    "JetBrainsMono-Regular.ttf",
    "JetBrainsMono-SemiBold.ttf",
)
"""The bundled typefaces, in resources/fonts."""

Role = Literal[
    "hero", "review_title", "page_title", "session_title", "card_title", "panel_head",
    "body", "body_medium", "key_value", "button", "section_head", "secondary", "secondary_medium",
    "meta", "meta_medium", "meta_strong", "axis", "key_hint", "mono", "mono_strong", "mono_body",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Palette:
    """One complete set of colours. `colors` maps every `ColorName` to "#RRGGBB"."""

    name: Literal["light", "dark"]
    colors: Mapping[ColorName, str]

    def __getitem__(self, name: ColorName) -> str:
        return self.colors[name]


@dataclass(frozen=True, slots=True)
class ToneColors:
    """The colours of one tone; `background` is None where the surface below shows through."""

    foreground: ColorName
    background: ColorName | None
    line: ColorName


@dataclass(frozen=True, slots=True)
class TypeStyle:
    """One named text style. `px` is the size at 100 %, `line_height` the share of the natural line height."""

    px: int
    weight: int = 400
    mono: bool = False
    line_height: float = 1.0


def _palette(name: Literal["light", "dark"], colors: dict[ColorName, str]) -> Palette:
    return Palette(name, MappingProxyType(colors))


LIGHT: Final = _palette(
    "light",
    {
        "bg_app": "#ECEDEF", "bg_panel": "#F6F7F8", "bg_raised": "#FFFFFF", "bg_sunken": "#E9EAED",
        "bg_hover": "#ECEEF1", "bg_selected": "#E1E7F4",
        "line": "#DFE1E5", "line_mid": "#C6CAD1", "line_strong": "#848A95",
        "text": "#1A1C20", "text2": "#484D57", "text3": "#626874", "text_dis": "#9AA0AA",
        "accent": "#2A55BF", "accent_hover": "#22479F", "on_accent": "#FFFFFF", "accent_bg": "#E4EAF8",
        "attn": "#855000", "attn_fill": "#AD6C00", "attn_bg": "#FDF1D7", "attn_line": "#E3BC6A",
        "dang": "#B3261E", "dang_fill": "#C4332A", "dang_bg": "#FBE9E7", "dang_line": "#E5A9A4",
        "on_dang": "#FFFFFF",
        "unk": "#673BA6", "unk_fill": "#7D53BD", "unk_bg": "#F1EAFA", "unk_line": "#C9B3E6",
        "ok": "#1C6838", "ok_fill": "#2F8551", "ok_bg": "#E4F2E9", "ok_line": "#A9D0B8",
        "g_fill": "#6B727E", "g_track": "#DCDFE3", "g_mark": "#1A1C20",
        "s1": "#2B3645", "s2": "#4B5F7C", "s3": "#7286A4", "s4": "#97A6BB", "s5": "#B9C3D1",
        "code_bg": "#F1F2F4",
    },
)  # fmt: skip

DARK: Final = _palette(
    "dark",
    {
        "bg_app": "#131517", "bg_panel": "#191B1E", "bg_raised": "#212428", "bg_sunken": "#101214",
        "bg_hover": "#262A2F", "bg_selected": "#26304A",
        "line": "#2B2F35", "line_mid": "#3D424A", "line_strong": "#777D88",
        "text": "#E9EBEE", "text2": "#B5BAC3", "text3": "#949AA5", "text_dis": "#646A74",
        "accent": "#8DADFF", "accent_hover": "#A9C1FF", "on_accent": "#0E1830", "accent_bg": "#232D47",
        "attn": "#F0BF66", "attn_fill": "#D99A2B", "attn_bg": "#332A14", "attn_line": "#6B5420",
        "dang": "#FF9A8F", "dang_fill": "#E0554B", "dang_bg": "#3A201D", "dang_line": "#7A3A34",
        "on_dang": "#1B0604",
        "unk": "#CBB0F4", "unk_fill": "#9C78D6", "unk_bg": "#2C2440", "unk_line": "#594581",
        "ok": "#8FD1A5", "ok_fill": "#4FA56E", "ok_bg": "#1A2E22", "ok_line": "#345C43",
        "g_fill": "#8B919C", "g_track": "#30343A", "g_mark": "#E9EBEE",
        "s1": "#D3DAE5", "s2": "#A6B4C8", "s3": "#8091AB", "s4": "#61718A", "s5": "#4A576A",
        "code_bg": "#1A1D20",
    },
)  # fmt: skip

TONES: Final[Mapping[ToneName, ToneColors]] = MappingProxyType(
    {
        "neutral": ToneColors("text2", "bg_sunken", "line_mid"),
        "attn": ToneColors("attn", "attn_bg", "attn_line"),
        "dang": ToneColors("dang", "dang_bg", "dang_line"),
        "unk": ToneColors("unk", "unk_bg", "unk_line"),
        "ok": ToneColors("ok", "ok_bg", "ok_line"),
        "accent": ToneColors("accent", "accent_bg", "accent"),
        "plain": ToneColors("text3", None, "line_mid"),
    }
)

TYPE_SCALE: Final[Mapping[Role, TypeStyle]] = MappingProxyType(
    {
        "hero": TypeStyle(24, 600),
        "review_title": TypeStyle(20, 600),
        "page_title": TypeStyle(18, 600),
        "session_title": TypeStyle(17, 600),
        "card_title": TypeStyle(16, 600, line_height=1.1),
        "panel_head": TypeStyle(15, 600),
        "body": TypeStyle(13, line_height=1.3),
        "body_medium": TypeStyle(13, 500, line_height=1.3),
        "key_value": TypeStyle(13, 600),
        "button": TypeStyle(13, 500),
        "section_head": TypeStyle(12, 600),
        "secondary": TypeStyle(12, line_height=1.25),
        "secondary_medium": TypeStyle(12, 500, line_height=1.25),
        "meta": TypeStyle(11, line_height=1.2),
        "meta_medium": TypeStyle(11, 500),
        "meta_strong": TypeStyle(11, 600),
        "axis": TypeStyle(10),
        "key_hint": TypeStyle(10, 500),
        "mono": TypeStyle(12, mono=True, line_height=1.15),
        "mono_strong": TypeStyle(12, 600, mono=True, line_height=1.15),
        "mono_body": TypeStyle(13, mono=True, line_height=1.15),
    }
)

# Corner radii, px at 100 %.
RADIUS_CHIP: Final = 4
RADIUS_CONTROL: Final = 6
RADIUS_CARD: Final = 8

# Heights, px at 100 %.
HEIGHT_DECISION: Final = 34
HEIGHT_BUTTON: Final = 32
HEIGHT_FIELD: Final = 32
HEIGHT_TABLE_ROW: Final = 36
HEIGHT_BANNER: Final = 44

SCALE_MIN: Final = 90
SCALE_MAX: Final = 150

# (foreground, background, least ratio). Text needs 4.5, shapes 3.0; ramp neighbours also carry separators and labels.
CONTRAST_PAIRS: Final[tuple[tuple[ColorName, ColorName, float], ...]] = (
    ("text", "bg_app", 7.0), ("text", "bg_panel", 7.0), ("text", "bg_raised", 7.0),
    ("text2", "bg_app", 4.5), ("text2", "bg_panel", 4.5), ("text2", "bg_raised", 4.5), ("text2", "bg_sunken", 4.5),
    ("text3", "bg_app", 4.5), ("text3", "bg_panel", 4.5), ("text3", "bg_raised", 4.5), ("text3", "bg_selected", 4.5),
    ("text3", "bg_sunken", 4.5), ("text3", "code_bg", 4.5),
    ("accent", "bg_raised", 4.5), ("accent", "bg_panel", 4.5), ("accent", "accent_bg", 4.5), ("accent", "bg_app", 3.0),
    ("on_accent", "accent", 4.5), ("on_accent", "accent_hover", 4.5),
    ("attn", "attn_bg", 4.5), ("attn", "bg_raised", 4.5), ("attn", "bg_panel", 4.5),
    ("dang", "dang_bg", 4.5), ("dang", "bg_raised", 4.5), ("dang", "bg_panel", 4.5), ("on_dang", "dang_fill", 4.5),
    ("unk", "unk_bg", 4.5), ("unk", "bg_raised", 4.5),
    ("ok", "ok_bg", 4.5), ("ok", "bg_raised", 4.5),
    ("text", "ok_bg", 4.5), ("text", "dang_bg", 4.5), ("text2", "dang_bg", 4.5),
    ("line_strong", "bg_raised", 3.0), ("line_strong", "bg_panel", 3.0),
    ("g_fill", "g_track", 3.0), ("attn_fill", "g_track", 3.0), ("dang_fill", "g_track", 3.0),
    ("s1", "s2", 1.3), ("s2", "s3", 1.3), ("s3", "s4", 1.3),
)  # fmt: skip


def relative_luminance(color: str) -> float:
    """WCAG relative luminance of "#RRGGBB", 0 (black) to 1 (white)."""
    channels = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast_ratio(first: str, second: str) -> float:
    """WCAG contrast ratio of two "#RRGGBB" colours, 1 to 21, in either order."""
    low, high = sorted((relative_luminance(first), relative_luminance(second)))
    return (high + 0.05) / (low + 0.05)


def failing_pairs(palette: Palette) -> list[str]:
    """One line for each pair of `CONTRAST_PAIRS` that `palette` does not satisfy; empty when all is well."""
    measured = ((fg, bg, least, contrast_ratio(palette[fg], palette[bg])) for fg, bg, least in CONTRAST_PAIRS)
    return [f"{fg} on {bg}: {ratio:.2f} < {least}" for fg, bg, least, ratio in measured if ratio < least]


def high_contrast(palette: Palette) -> Palette:
    """The same palette for operators who asked their desktop for more contrast."""
    stronger: dict[ColorName, str] = {
        "line": palette["line_mid"],
        "line_mid": palette["line_strong"],
        "text3": palette["text2"],
        "text2": palette["text"],
    }
    return _palette(palette.name, {**palette.colors, **stronger})
