"""What changes in a table: rows told apart by a key column where there is one, cells side by side, odd rows first."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from agent_core.model.proposal import FieldChange, Sign, TableChange, TableRow
from agent_core.tools.shared.previews.numbers import number, written
from agent_core.tools.shared.previews.text_diff import hunks

DELIMITERS = {".csv": ",;\t|", ".tsv": "\t"}
"""Delimiters that are tried, by the file's ending; other files are no tables."""

LEAP = 5
"""How many times larger or smaller a number gets before it looks like a slip."""

_NOT_SUMMED = frozenset(
    ["id", "no", "nr", "number", "year", "month", "day", "date", "zip", "code", "phone", "key", "rate"]
)
_FORMULA = ("=", "+", "-", "@")


@dataclass(frozen=True, slots=True)
class Table:
    """A parsed table: its columns, and rows of as many cells each."""

    columns: list[str]
    rows: list[list[str]]


class _Pair(NamedTuple):
    before: list[str] | None
    after: list[str] | None


def parse_table(text: str, ending: str) -> Table | None:
    """The table that a text holds; None where it cannot be read as one without guessing."""
    for delimiter in DELIMITERS.get(ending.lower(), ""):
        rows = _rows(text, delimiter)
        if rows and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows):
            return _table(rows)
    return None


def table_change(path: str, before: Table, after: Table) -> TableChange:
    """The change from one table to another. Columns are those of the new table, then those that went."""
    columns = [*after.columns, *(name for name in before.columns if name not in after.columns)]
    old = [_laid_out(row, before.columns, columns) for row in before.rows]
    new = [_laid_out(row, after.columns, columns) for row in after.rows]
    key = _key_column(before, after, columns)
    pairs = _paired_by_order(old, new) if key is None else _paired_by_key(old, new, key)
    changed = [_row(pair, columns) for pair in pairs if pair.before != pair.after]
    flagged = [row for row in changed if row.flag] + [row for row in changed if not row.flag]
    unchanged = sum(pair.before == pair.after for pair in pairs)
    totals = _totals(old, new, columns, key)
    return TableChange(path=path, columns=columns, rows=flagged, unchanged=unchanged, totals=totals)


def _rows(text: str, delimiter: str) -> list[list[str]]:
    try:
        reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True)
        return [row for row in reader if row]
    except csv.Error:
        return []


def _table(rows: list[list[str]]) -> Table:
    first = [cell.strip() for cell in rows[0]]
    named = all(first) and len(set(first)) == len(first) and not any(number(cell) is not None for cell in first)
    if named:
        return Table(first, rows[1:])
    return Table([f"column {position}" for position in range(1, len(first) + 1)], rows)


def _laid_out(row: list[str], own: list[str], columns: list[str]) -> list[str]:
    if own == columns:
        return row
    cells = dict(zip(own, row, strict=True))
    return [cells.get(name, "") for name in columns]


def _key_column(before: Table, after: Table, columns: list[str]) -> int | None:
    """The first column whose cells are there, and different from each other, in both tables."""
    for position, name in enumerate(columns):
        if name in before.columns and name in after.columns:
            cells = [[row[table.columns.index(name)] for row in table.rows] for table in (before, after)]
            if all(all(column) and len(set(column)) == len(column) for column in cells):
                return position
    return None


def _paired_by_key(old: list[list[str]], new: list[list[str]], key: int) -> list[_Pair]:
    left = {row[key]: row for row in old}
    pairs = [_Pair(left.pop(row[key], None), row) for row in new]
    return [*pairs, *(_Pair(row, None) for row in left.values())]


def _paired_by_order(old: list[list[str]], new: list[list[str]]) -> list[_Pair]:
    """Without a key, by the diff of whole rows; rows that stand in each other's place count as changed."""
    pairs: list[_Pair] = []
    x = y = 0
    for hunk in hunks([_line(row) for row in old], [_line(row) for row in new]):
        pairs += [_Pair(a, b) for a, b in zip(old[x : hunk.before_start], new[y : hunk.after_start], strict=True)]
        gone, come = old[hunk.before_start : hunk.before_end], new[hunk.after_start : hunk.after_end]
        both = min(len(gone), len(come))
        pairs += [_Pair(a, b) for a, b in zip(gone[:both], come[:both], strict=True)]
        pairs += [_Pair(row, None) for row in gone[both:]] + [_Pair(None, row) for row in come[both:]]
        x, y = hunk.before_end, hunk.after_end
    return pairs + [_Pair(a, b) for a, b in zip(old[x:], new[y:], strict=True)]


def _line(row: list[str]) -> str:
    return "\0".join(row)


def _row(pair: _Pair, columns: Sequence[str]) -> TableRow:
    if pair.before is None:
        cells = pair.after or []
        return TableRow(sign=Sign.ADDED, cells=cells, flag=_formula(cells, columns, None))
    if pair.after is None:
        return TableRow(sign=Sign.REMOVED, cells=pair.before, flag="row is removed")
    return TableRow(
        sign=Sign.CHANGED, cells=pair.after, before=pair.before, flag=_oddity(pair.before, pair.after, columns)
    )


def _oddity(before: list[str], after: list[str], columns: Sequence[str]) -> str | None:
    """What is odd about a changed row: the first thing that a careful reader would stop at."""
    for name, old, new in zip(columns, before, after, strict=True):
        if old == new:
            continue
        if old.strip() and not new.strip():
            return f"{name} is emptied"
        was, now = number(old), number(new)
        if was is None:
            continue
        if now is None:
            return f"{name} is no longer a number"
        if was * now < 0:
            return f"{name} changes its sign"
        if was and now and max(abs(now / was), abs(was / now)) >= LEAP:
            return f"{name} is {'five times larger or more' if abs(now) > abs(was) else 'a fifth or less'}"
    return _formula(after, columns, before)


def _formula(cells: list[str], columns: Sequence[str], before: list[str] | None) -> str | None:
    for position, (name, cell) in enumerate(zip(columns, cells, strict=True)):
        fresh = before is None or before[position] != cell
        if fresh and cell.startswith(_FORMULA) and number(cell) is None and len(cell) > 1:
            return f"{name} looks like a formula"
    return None


def _totals(old: list[list[str]], new: list[list[str]], columns: list[str], key: int | None) -> list[FieldChange]:
    totals = [_changed("Rows", str(len(old)), str(len(new)))]
    for position, name in enumerate(columns):
        if position == key or any(word in _NOT_SUMMED for word in name.lower().replace("_", " ").split()):
            continue
        before, after = _sum(old, position), _sum(new, position)
        if before is not None and after is not None:
            totals.append(_changed(f"Total of {name}", written(before), written(after)))
    repeated = _repeated_keys(new, columns)
    return totals + ([FieldChange(sign=Sign.SAME, field="Repeated rows", after=str(repeated))] if repeated else [])


def _sum(rows: list[list[str]], position: int) -> Decimal | None:
    """The sum of a column; None where a cell is no number, or none is."""
    cells = [cell for row in rows if (cell := row[position]).strip()]
    values = [value for cell in cells if (value := number(cell)) is not None]
    return sum(values, Decimal(0)) if values and len(values) == len(cells) else None


def _repeated_keys(rows: list[list[str]], columns: list[str]) -> int:
    return sum(times - 1 for times in Counter(map(_line, rows)).values()) if columns else 0


def _changed(field: str, before: str, after: str) -> FieldChange:
    return FieldChange(sign=Sign.SAME if before == after else Sign.CHANGED, field=field, before=before, after=after)
