"""The one application stylesheet, generated from a palette.

Rules match the dynamic property `surface` (see `ui.widgets.surface`) and the few standard widgets that the kit does not
paint itself. There is no `QWidget {}` rule: one wide rule makes every widget pay for the stylesheet machinery.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final

from ui.tokens import RADIUS_CARD, RADIUS_CONTROL, TYPE_SCALE, ColorName, Palette

Px = Callable[[float], int]

# surface: (background, border or None, radius in px at 100 %)
SURFACES: Final[Mapping[str, tuple[ColorName, ColorName | None, int]]] = MappingProxyType(
    {
        "app": ("bg_app", None, 0),
        "panel": ("bg_panel", None, 0),
        "raised": ("bg_raised", None, 0),
        "sunken": ("bg_sunken", None, 0),
        "code": ("code_bg", None, 0),
        "card": ("bg_raised", "line_mid", RADIUS_CARD),
        "card_flat": ("bg_raised", "line", RADIUS_CARD),
        "inset": ("code_bg", "line", RADIUS_CONTROL),
        "row": ("bg_raised", "line", RADIUS_CONTROL),
        "row_selected": ("bg_raised", "accent", RADIUS_CONTROL),
        "selected": ("bg_selected", None, RADIUS_CONTROL),
        "attn": ("attn_bg", "attn_line", RADIUS_CONTROL),
        "dang": ("dang_bg", "dang_line", RADIUS_CONTROL),
        "unk": ("unk_bg", "unk_line", RADIUS_CONTROL),
        "ok": ("ok_bg", "ok_line", RADIUS_CONTROL),
    }
)


def build_stylesheet(palette: Palette, px: Px) -> str:
    """The stylesheet text. `px` turns px at 100 % into px at the operator's text scale."""
    sections = (_surfaces(palette, px), _fields(palette, px), _views(palette, px), _scroll_bars(palette, px),
                _pop_ups(palette, px))  # fmt: skip
    return "\n".join(rule for section in sections for rule in section)


def _surfaces(palette: Palette, px: Px) -> Iterable[str]:
    for name, (background, border, radius) in SURFACES.items():
        edge = f"border:1px solid {palette[border]}" if border else "border:none"
        yield f'QFrame[surface="{name}"]{{background:{palette[background]};{edge};border-radius:{px(radius)}px;}}'
    line = palette["line"]
    yield (
        'QFrame[surface="quiet"]{background:transparent;'
        f"border:1px solid {line};border-radius:{px(RADIUS_CONTROL)}px;}}"
    )
    for name, side in (("bar_top", "bottom"), ("bar_bottom", "top"), ("side_left", "right"), ("side_right", "left")):
        edge = f"border:none;border-{side}:1px solid {line}"
        yield f'QFrame[surface="{name}"]{{background:{palette["bg_panel"]};{edge};}}'
    for tone in ("attn", "dang"):
        yield (
            f'QFrame[surface="banner_{tone}"]{{background:{_tone(palette, tone, "bg")};border:none;'
            f"border-bottom:1px solid {_tone(palette, tone, 'line')};}}"
        )
    yield f"QMainWindow,QDialog{{background:{palette['bg_app']};}}"
    yield f"QSplitter::handle{{background:{line};}}"


def _tone(palette: Palette, tone: str, part: str) -> str:
    names: dict[str, ColorName] = {
        "attn_bg": "attn_bg", "attn_line": "attn_line", "dang_bg": "dang_bg", "dang_line": "dang_line",
    }  # fmt: skip
    return palette[names[f"{tone}_{part}"]]


def _fields(palette: Palette, px: Px) -> Iterable[str]:
    radius = px(RADIUS_CONTROL)
    for kind in ("QLineEdit", "QPlainTextEdit"):
        base = f'{kind}[field="true"]'
        pad = px(10) if kind == "QLineEdit" else px(8)
        yield (
            f"{base}{{background:{palette['bg_raised']};color:{palette['text']};"
            f"border:1px solid {palette['line_strong']};border-radius:{radius}px;padding:1px {pad}px;"
            f"selection-background-color:{palette['accent']};selection-color:{palette['on_accent']};}}"
        )
        yield f'{base}[quiet="true"]{{background:{palette["bg_sunken"]};border:1px solid {palette["line"]};}}'
        yield (
            f"{base}:disabled,{base}:read-only{{background:{palette['bg_sunken']};color:{palette['text2']};"
            f"border-color:{palette['line']};}}"
        )
        yield f'{base}[invalid="true"]{{border:1px solid {palette["dang_fill"]};}}'
        yield f"{base}:focus{{border:2px solid {palette['accent']};padding:0px {pad - 1}px;}}"
        yield f'{base}[invalid="true"]:focus{{border:2px solid {palette["dang_fill"]};padding:0px {pad - 1}px;}}'


def _views(palette: Palette, px: Px) -> Iterable[str]:
    yield (
        f'QTableView[kit="true"]{{background:transparent;border:none;outline:none;color:{palette["text2"]};'
        f"selection-background-color:{palette['bg_selected']};selection-color:{palette['text']};}}"
    )
    yield 'QTableView[kit="true"] QHeaderView{background:transparent;}'
    head = TYPE_SCALE["meta_strong"]
    yield (
        f'QTableView[kit="true"] QHeaderView::section{{background:transparent;color:{palette["text3"]};border:none;'
        f"border-bottom:1px solid {palette['line']};padding:0 {px(12)}px;"
        f"font-size:{px(head.px)}px;font-weight:{head.weight};}}"
    )
    yield f'QTableView[in_card="true"] QHeaderView::section:first{{padding-left:{px(16)}px;}}'


def _scroll_bars(palette: Palette, px: Px) -> Iterable[str]:
    handle, hover = palette["line_mid"], palette["line_strong"]
    for axis, length, thickness in (("vertical", "min-height", "width"), ("horizontal", "min-width", "height")):
        margin = "2px 2px 2px 0" if axis == "vertical" else "0 2px 2px 2px"
        bar = f"QScrollBar:{axis}"
        yield f"{bar}{{background:transparent;border:none;{thickness}:{px(9)}px;margin:{margin};}}"
        yield f"QScrollBar::handle:{axis}{{background:{handle};border-radius:3px;{length}:{px(32)}px;}}"
        yield f"QScrollBar::handle:{axis}:hover{{background:{hover};}}"
    yield "QScrollBar::add-line,QScrollBar::sub-line{width:0;height:0;}"
    yield "QScrollBar::add-page,QScrollBar::sub-page{background:transparent;}"
    yield "QAbstractScrollArea::corner{background:transparent;}"


def _pop_ups(palette: Palette, px: Px) -> Iterable[str]:
    raised, line, text = palette["bg_raised"], palette["line_mid"], palette["text"]
    yield f"QToolTip{{background:{raised};color:{text};border:1px solid {line};padding:{px(4)}px {px(6)}px;}}"
    yield f"QMenu{{background:{raised};color:{text};border:1px solid {line};padding:{px(4)}px;}}"
    yield f"QMenu::item{{padding:{px(6)}px {px(24)}px {px(6)}px {px(10)}px;border-radius:{px(4)}px;}}"
    yield f"QMenu::item:selected{{background:{palette['bg_selected']};}}"
    yield f"QMenu::item:disabled{{color:{palette['text_dis']};}}"
    yield f"QMenu::separator{{height:1px;background:{palette['line']};margin:{px(4)}px {px(6)}px;}}"
    yield f"QMenu::icon{{left:{px(6)}px;}}"
    popup = "QComboBox QAbstractItemView"
    yield (
        f"{popup}{{background:{raised};color:{text};border:1px solid {line};outline:none;padding:{px(4)}px;"
        f"selection-background-color:{palette['bg_selected']};selection-color:{text};}}"
    )
    yield f"{popup}::item{{min-height:{px(28)}px;padding:0 {px(6)}px;}}"
