"""The table that the benchmark prints: plain text, one line a figure, its goal and whether it is met at the end."""

from collections.abc import Sequence

from tests.bench.figures import Figure, number

_HEADS = ("figure", "ours", "beside it", "ratio", "min–max", "goal", "")
_MET = {True: "met", False: "NOT MET", None: ""}


def lines(figures: Sequence[Figure]) -> list[str]:
    """The figures as lines of a table."""
    rows = [_HEADS, *(_cells(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (rows[0], tuple("─" * width for width in widths), *rows[1:])
    ]


def _cells(figure: Figure) -> tuple[str, ...]:
    values = figure.values
    spread = f"{number(min(values))}–{number(max(values))}" if len(values) > 1 else ""
    goal = figure.goal.text(figure.unit) if figure.goal is not None else ""
    value = f"{number(figure.value)} {figure.unit}"
    return figure.what, figure.ours, figure.beside, value, spread, goal, _MET[figure.met]
