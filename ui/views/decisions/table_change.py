"""Changed tables and lists of files, drawn: totals on top, flagged rows first, and the chosen row whole below them."""

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from agent_core.model import proposal as card_model
from agent_core.model.proposal import FileChange, Sign, TableChange
from ui import formatting
from ui.views.decisions.change_part import ChangePart, boxed, on, plain_part
from ui.widgets.field_diff import ChangeKind, FieldChange, FieldDiff
from ui.widgets.label import Label
from ui.widgets.surface import column
from ui.widgets.table import Cell, Column
from ui.widgets.table_diff import TableDiff, fitted

FEW_ROWS = 6
_DETAIL_HEIGHT = 190
_WIDEST, _WIDEST_ON_CARD = 260, 150
_KINDS: dict[Sign, ChangeKind] = {
    Sign.ADDED: "added",
    Sign.REMOVED: "removed",
    Sign.CHANGED: "changed",
    Sign.SAME: "same",
}


def field_change(field: card_model.FieldChange) -> FieldChange:
    """A field of the model as the kit draws it."""
    kind = _KINDS[field.sign]
    if kind == "same":
        return FieldChange(kind, field.field, after=field.after or field.before or "")
    return FieldChange(kind, field.field, field.before or "", field.after or "")


def draw_table(change: TableChange, height: int | None) -> ChangePart:
    """A few rows in a card are told field by field; more of them, and every review, get a table."""
    counts = f"{change.unchanged:,} unchanged"
    if height is not None and len(change.rows) <= FEW_ROWS and not any(r.flag for r in change.rows):
        told = [*_changed_totals(change), *rows_as_fields(change)]
        diff = FieldDiff(told, max_height=height)
        box = boxed(change.path, f"{formatting.plural(len(change.rows), 'row')} · {counts}", diff)
        return plain_part(change.path, box, diff)
    shown = _telling_columns(change, everything=height is None)
    flagged = [place for place, row in enumerate(change.rows) if row.flag]
    rows = [_cells(row, shown, bool(flagged)) for row in change.rows]
    columns = [Column("", 34), *([Column("Look at")] if flagged else []), *(Column(change.columns[i]) for i in shown)]
    table = _Rows(
        columns,
        rows,
        flagged,
        f"Changes in {change.path}",
        lambda row: whole_row(change, row),
        _WIDEST if height is None else _WIDEST_ON_CARD,
    )
    if totals := _changed_totals(change):
        table.put_on_top(FieldDiff(totals))
    if left_out := len(change.columns) - len(shown):
        table.hint(f"Choose a row to read it whole; {formatting.plural(left_out, 'column')} stay as they are.")
    return table.part(change.path, boxed(change.path, f"{table.table.summary()} · {counts}", table))


def draw_files(change: FileChange) -> ChangePart:
    """The files of a folder that goes or moves, the odd ones first with the reason."""
    why = {flag.name: flag.why for flag in change.flagged}
    rows = [_file_cells(name, why.get(name)) for name in change.names]
    columns = [*([Column("Look at")] if why else []), Column("File", stretch=1, role="mono", color="text")]
    what = change.path if change.target is None else f"{change.path} → {change.target}"
    table = _Rows(columns, [row if why else row[1:] for row in rows], [], f"Files of {what}", None, _WIDEST)
    size = formatting.byte_size(change.size) if change.size is not None else ""
    flagged = f"{len(why):,} to look at first" if why else ""
    right = ", ".join(part for part in (formatting.plural(change.files, "file"), size, flagged) if part)
    return table.part(change.path, boxed(f"{change.action.capitalize()} {what}", right, table))


class _Rows(QWidget):
    """A table whose chosen row is told whole below it, where `whole` says how."""

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Sequence[Sequence[Cell | str]],
        flagged: Sequence[int],
        name: str,
        whole: Callable[[int], list[FieldChange]] | None,
        widest: int,
    ) -> None:
        super().__init__()
        self._layout = column(self, 0)
        self.table = TableDiff(fitted(columns, rows, widest), name=name)
        self.table.set_rows(rows, flagged)
        self.table.fit_rows()
        self._layout.addWidget(self.table)
        self._whole = whole
        self._hint = Label("Choose a row to read it whole.", "meta", "text3", wrap=True)
        self._hint.setContentsMargins(11, 5, 11, 6)
        self.detail = FieldDiff(max_height=_DETAIL_HEIGHT)
        self.detail.setObjectName("change.row")
        self.detail.hide()
        if whole is not None:
            self._layout.addWidget(self._hint)
            self._layout.addWidget(self.detail)
            self.table.row_chosen.connect(self._tell)

    def put_on_top(self, totals: QWidget) -> None:
        """Show totals above the rows."""
        totals.setObjectName("change.totals")
        self._layout.insertWidget(0, totals)

    def hint(self, words: str) -> None:
        """Other words for what a chosen row shows."""
        self._hint.setText(words)

    def _tell(self, row: int) -> None:
        assert self._whole is not None
        self.detail.set_changes(self._whole(row))
        self._hint.hide()
        self.detail.show()

    def part(self, name: str, box: QWidget) -> ChangePart:
        """The table as a part of a card."""
        table = self.table
        return ChangePart(
            name,
            box,
            lambda: table.is_seen_to_end and table.unopened_flagged == 0,
            on(table.seen_to_end, table.flagged_seen),
            lambda: table.unopened_flagged,
            table.open_next_flagged,
        )


def whole_row(change: TableChange, place: int) -> list[FieldChange]:
    """One row, column by column: what changes in it, and what stays."""
    row = change.rows[place]
    told = [FieldChange("same", "Look at", after=row.flag)] if row.flag else []
    before = row.before or []
    for at, value in enumerate(row.cells):
        name, old = _column(change, at), before[at] if at < len(before) else value
        if row.sign is Sign.CHANGED:
            told.append(FieldChange("changed", name, old, value) if old != value else _same(name, value))
        else:
            added = row.sign is Sign.ADDED
            told.append(FieldChange(_KINDS[row.sign], name, "" if added else value, value if added else ""))
    return told


def _same(name: str, value: str) -> FieldChange:
    return FieldChange("same", name, after=value)


def rows_as_fields(change: TableChange) -> list[FieldChange]:
    """Rows of a table as fields: each changed cell under the row's first cell; an added or removed row whole."""
    fields: list[FieldChange] = []
    for changed in change.rows:
        name = changed.cells[0] if changed.cells else ""
        if changed.sign is Sign.CHANGED and changed.before is not None:
            for place, value in enumerate(changed.cells):
                old = changed.before[place] if place < len(changed.before) else ""
                if old != value:
                    fields.append(FieldChange("changed", f"{name} · {_column(change, place)}", old, value))
            continue
        whole = ", ".join(changed.cells)
        added = changed.sign is Sign.ADDED
        fields.append(FieldChange(_KINDS[changed.sign], name, "" if added else whole, whole if added else ""))
    return fields


def _telling_columns(change: TableChange, *, everything: bool) -> Sequence[int]:
    """The first column, those in which rows differ, then the others: on a card only where rows come or go."""
    pairs = [(row.before or [], row.cells) for row in change.rows if row.sign is Sign.CHANGED]
    places = range(len(change.columns))
    telling = [i for i in places if i == 0 or any(old[i : i + 1] != new[i : i + 1] for old, new in pairs)]
    if everything or len(pairs) < len(change.rows):
        telling += [i for i in places if i not in telling]
    return telling


def _column(change: TableChange, place: int) -> str:
    return change.columns[place] if place < len(change.columns) else f"column {place + 1}"


def _changed_totals(change: TableChange) -> list[FieldChange]:
    return [field_change(total) for total in change.totals if total.before != total.after]


def _cells(changed: card_model.TableRow, shown: Sequence[int], flags: bool) -> list[Cell | str]:
    before = changed.before or []
    cells: list[Cell | str] = [changed.sign.value]
    if flags:
        cells.append(Cell(changed.flag, color="attn", icon="triangle-alert") if changed.flag else "")
    for place in shown:
        value = changed.cells[place] if place < len(changed.cells) else ""
        old = before[place] if place < len(before) else value
        cells.append(Cell(f"{old} → {value}", color="text", role="secondary_medium") if old != value else value)
    return cells


def _file_cells(name: str, why: str | None) -> list[Cell | str]:
    flag: Cell | str = Cell(why, color="attn", icon="triangle-alert") if why else ""
    return [flag, name]
