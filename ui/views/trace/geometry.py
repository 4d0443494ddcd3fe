"""Measures of the trace, px at 100 %."""

from typing import Final

MARGIN: Final = 18
"""Left and right of everything."""
TOP: Final = 2
BOTTOM: Final = 12
RAIL: Final = 26
RAIL_LINE: Final = 13
ICON: Final = 16
ICON_LEFT: Final = 5
ICON_TOP: Final = 5
TEXT_LEFT: Final = 54
"""Where titles and bodies begin: margin, rail and a gap of 10."""
WIDEST: Final = 980
"""Of the text column; wider windows leave the rest empty."""

ROW: Final = 30
LINE_TOP: Final = 3
LINE: Final = 20
"""The line of title, text, chips and figures in a row of 30."""
HEAD: Final = 32
HEAD_TOP: Final = 9
BODY_TOP: Final = 24
BODY_BOTTOM: Final = 9
BODY_LINES: Final = 4

DETAIL_ROW: Final = 18
DETAIL_TOP: Final = 2
DETAIL_PAD: Final = 8
DETAIL_BOTTOM: Final = 10
DETAIL_INSET: Final = 12

GAP: Final = 8
"""Between title, text, chips and figures."""
CHIP: Final = 20
"""Height of a chip."""
CARET: Final = 7
