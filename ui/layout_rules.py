"""How the window divides its width and height: the breakpoints of the layout, as data. Lengths in px at 100 %."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LayoutRule:
    """What a window of some width shows."""

    sessions: int
    decisions: int
    compact: bool
    narrow: bool = False
    """Too little room for three columns, as with large letters on a small screen: the sessions wait for Ctrl+B."""


def layout_for(width: int) -> LayoutRule:
    """Column widths at a window width."""
    if width < 1000:
        return LayoutRule(sessions=228, decisions=400, compact=True, narrow=True)
    if width < 1400:
        return LayoutRule(sessions=228, decisions=400, compact=True)
    if width < 2200:
        return LayoutRule(sessions=256, decisions=440, compact=False)
    return LayoutRule(sessions=320, decisions=520, compact=False)


def is_low(height: int) -> bool:
    """Whether the queue becomes a pager, the cost graph one line, and tick names hide."""
    return height < 800


def graph_height(height: int) -> int:
    """Height of the cost graph."""
    return 220 if height >= 1300 else 120
