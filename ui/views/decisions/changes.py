"""What changes, drawn: fields, texts, tables, messages, files and commands, each with a way to its very end."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QAbstractScrollArea, QScrollArea, QWidget

from agent_core.model import proposal as card_model
from agent_core.model.proposal import (
    Change,
    CommandChange,
    FieldsChange,
    FileChange,
    ImageChange,
    MessageChange,
    Picture,
    PlanChange,
    Sign,
    TableChange,
    TextChange,
)
from ui import formatting
from ui.models.plan_rows import proposed_rows
from ui.tokens import Role
from ui.widgets.field_diff import ChangeKind, FieldChange, FieldDiff
from ui.widgets.image_pair import ImagePair, PictureBytes
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Chip, Line
from ui.widgets.plan_list import PlanList
from ui.widgets.surface import Surface, column, row
from ui.widgets.table import Cell, Column
from ui.widgets.table_diff import TableDiff
from ui.widgets.text_diff import TextDiff

_KINDS: dict[Sign, ChangeKind] = {
    Sign.ADDED: "added",
    Sign.REMOVED: "removed",
    Sign.CHANGED: "changed",
    Sign.SAME: "changed",
}
_FILE_KINDS: dict[str, ChangeKind] = {"create": "added", "delete": "removed"}
_CARD_HEIGHT = 400
_PICTURE, _TALL_PICTURE = 150, 300
FEW_ROWS = 6


@dataclass(frozen=True, slots=True)
class ChangePart:
    """One drawn change: its name for "Looked at", the widget, and whether it has been seen to its end.

    `watch` calls back whenever that may have changed; `flags_left` counts flagged rows that nobody opened.
    """

    name: str
    widget: QWidget
    seen: Callable[[], bool]
    watch: Callable[[Callable[[], None]], None]
    flags_left: Callable[[], int] = lambda: 0

    def scroll_on(self, around: QScrollArea) -> None:
        """Bring the next unseen screen of it into view: first the part, then on inside it, then its end."""
        area = self.widget.findChild(QAbstractScrollArea)
        around.ensureWidgetVisible(self.widget, 0, 0)
        if area is None:
            return
        bar = area.verticalScrollBar()
        if bar.value() < bar.maximum():
            bar.setValue(bar.value() + max(1, bar.pageStep()))
            return
        content = around.widget()
        if content is not None:
            bottom = area.mapTo(content, area.rect().bottomLeft())
            around.ensureVisible(bottom.x(), bottom.y(), 0, 8)


def draw_change(change: Change, *, tall: bool = False) -> ChangePart:
    """A widget for one change. `tall` gives it the room of a page instead of a card."""
    height = None if tall else _CARD_HEIGHT
    if isinstance(change, FieldsChange):
        return _fields(change.title, change.rows, height)
    if isinstance(change, TextChange):
        return _text(change, height)
    if isinstance(change, TableChange):
        return _table(change, height)
    if isinstance(change, MessageChange):
        return _message(change, height)
    if isinstance(change, FileChange):
        return _file(change, height)
    if isinstance(change, PlanChange):
        return _plan(change)
    if isinstance(change, ImageChange):
        return _image(change, tall=tall)
    return _command(change, height)


def _boxed(title: str, right: str, body: QWidget, role: Role = "mono") -> Surface:
    box = Surface("inset")
    layout = column(box, 0, (1, 1, 1, 1))
    if title or right:
        head = row(None, 8, (11, 7, 11, 6))
        head.addWidget(ElidedLabel(title, role), 1)
        if right:
            head.addWidget(Label(right, "meta", "text3"))
        layout.addLayout(head)
        layout.addWidget(Line())
    layout.addWidget(body)
    return box


def _fields(title: str, rows: list[card_model.FieldChange], height: int | None) -> ChangePart:
    shown = [FieldChange(_KINDS[r.sign], r.field, r.before or "", r.after or "") for r in rows]
    diff = FieldDiff(shown, max_height=height or 800)
    return ChangePart(title or "changes", _boxed(title, "", diff), lambda: diff.is_seen_to_end, _on(diff.seen_to_end))


def _text(change: TextChange, height: int | None) -> ChangePart:
    diff = TextDiff(max_height=height)
    diff.setAccessibleName(f"Changes in {change.path}")
    diff.set_texts(change.before or "", change.after or "")
    counts = f"+{change.added} −{change.removed}"
    if change.before is None:
        counts = f"new file, {formatting.plural(change.added, 'line')}"
    elif change.after is None:
        counts = f"deleted, {formatting.plural(change.removed, 'line')}"
    return ChangePart(
        change.path, _boxed(change.path, counts, diff), lambda: diff.is_seen_to_end, _on(diff.seen_to_end)
    )


def _table(change: TableChange, height: int | None) -> ChangePart:
    """A few rows in a card are told field by field; more of them, and every review, get the whole table."""
    if height is not None and len(change.rows) <= FEW_ROWS and not any(r.flag for r in change.rows):
        told = [*rows_as_fields(change), *_changed_totals(change)]
        right = f"{formatting.plural(len(change.rows), 'row')} · {change.unchanged:,} unchanged"
        diff = FieldDiff(told, max_height=height)
        box = _boxed(change.path, right, diff)
        return ChangePart(change.path, box, lambda: diff.is_seen_to_end, _on(diff.seen_to_end))
    columns = [Column("", 34), *(Column(name, 96, stretch=1.0) for name in change.columns), Column("Check", 110)]
    table = TableDiff(columns, name=f"Changes in {change.path}")
    table.set_rows([_cells(r) for r in change.rows], [i for i, r in enumerate(change.rows) if r.flag])
    table.fit_rows()
    body = QWidget()
    layout = column(body, 0)
    layout.addWidget(table)
    totals = _changed_totals(change)
    if totals:
        layout.addWidget(FieldDiff(totals))
    right = f"{table.summary()} · {change.unchanged:,} unchanged"
    return ChangePart(
        change.path,
        _boxed(change.path, right, body),
        lambda: table.is_seen_to_end and table.unopened_flagged == 0,
        _either(table.seen_to_end, table.flagged_seen),
        lambda: table.unopened_flagged,
    )


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


def _column(change: TableChange, place: int) -> str:
    return change.columns[place] if place < len(change.columns) else f"column {place + 1}"


def _changed_totals(change: TableChange) -> list[FieldChange]:
    moved = [t for t in change.totals if t.before != t.after]
    return [FieldChange(_KINDS[t.sign], t.field, t.before or "", t.after or "") for t in moved]


def _cells(changed: card_model.TableRow) -> list[Cell | str]:
    before = changed.before or []
    cells: list[Cell | str] = [changed.sign.value]
    for place, value in enumerate(changed.cells):
        old = before[place] if place < len(before) else None
        cells.append(
            Cell(f"{old} → {value}", color="text", role="secondary_medium")
            if old is not None and old != value
            else value
        )
    cells.append(Cell(changed.flag, color="attn", icon="triangle-alert") if changed.flag else Cell("ok", color="text3"))
    return cells


def _message(change: MessageChange, height: int | None) -> ChangePart:
    body = QWidget()
    layout = column(body, 6, (11, 9, 11, 10))
    to = row(None, 6)
    to.addWidget(Label("To", "secondary", "text3"))
    to.addWidget(Label(", ".join(change.to), "mono_body", wrap=True), 1)
    layout.addLayout(to)
    subject = row(None, 6)
    subject.addWidget(Label("Subject", "secondary", "text3"))
    subject.addWidget(Label(change.subject, "key_value", wrap=True), 1)
    layout.addLayout(subject)
    layout.addWidget(Line())
    text = TextDiff(max_height=height)
    text.setAccessibleName("Message text")
    text.set_texts(change.body, change.body)
    text.unfold_all()
    layout.addWidget(text)
    count = formatting.plural(len(change.to), "recipient")
    return ChangePart(
        "message",
        _boxed("Message", count, body, "secondary_medium"),
        lambda: text.is_seen_to_end,
        _on(text.seen_to_end),
    )


def _file(change: FileChange, height: int | None) -> ChangePart:
    """Counts and totals on top, then every file, the flagged ones first with the reason."""
    kind = _FILE_KINDS.get(change.action, "changed")
    what = change.path if change.target is None else f"{change.path} → {change.target}"
    why = {flag.name: flag.why for flag in change.flagged}
    rows = [_one_side(kind, change.action.capitalize(), what)]
    rows += [_one_side(kind, why.get(name, ""), name) for name in change.names]
    diff = FieldDiff(rows, max_height=height or 800)
    size = formatting.byte_size(change.size) if change.size is not None else ""
    flagged = f"{len(change.flagged):,} flagged first" if change.flagged else ""
    right = ", ".join(part for part in (formatting.plural(change.files, "file"), size, flagged) if part)
    return ChangePart(
        change.path,
        _boxed("Files", right, diff, "secondary_medium"),
        lambda: diff.is_seen_to_end,
        _on(diff.seen_to_end),
    )


def _one_side(kind: ChangeKind, field: str, value: str) -> FieldChange:
    return FieldChange(kind, field, *(("", value) if kind != "removed" else (value, "")))


def _image(change: ImageChange, *, tall: bool) -> ChangePart:
    pair = ImagePair(_side(change.before), _side(change.after), height=_TALL_PICTURE if tall else _PICTURE)
    box = _boxed(change.path, "", pair)
    return ChangePart(change.path, box, lambda: pair.is_seen_to_end, _on(pair.seen_to_end))


def _side(picture: Picture | None) -> PictureBytes | None:
    return None if picture is None else PictureBytes(picture.form, picture.size, picture.sha256, picture.data)


def _plan(change: PlanChange) -> ChangePart:
    steps = PlanList(proposed_rows(change))
    steps.setObjectName("card.plan")
    done = f"{', '.join(change.done)} done already" if change.done else ""
    box = _boxed(f"Against {change.against}" if change.against else "", done, steps, "secondary_medium")
    return ChangePart("plan", box, lambda: steps.is_seen_to_end, _on(steps.seen_to_end))


def _command(change: CommandChange, height: int | None) -> ChangePart:
    text = TextDiff(max_height=height)
    text.setAccessibleName("Command")
    text.set_texts(change.command, change.command)
    text.unfold_all()
    chip = Chip(change.where, "plain", "folder", mono=True)
    box = Surface("inset")
    layout = column(box, 6, (11, 8, 11, 8))
    layout.addWidget(chip)
    layout.addWidget(text)
    return ChangePart("command", box, lambda: text.is_seen_to_end, _on(text.seen_to_end))


def _either(*signals: object) -> Callable[[Callable[[], None]], None]:
    def watch(call: Callable[[], None]) -> None:
        for signal in signals:
            _on(signal)(call)

    return watch


def _on(signal: object) -> Callable[[Callable[[], None]], None]:
    def watch(call: Callable[[], None]) -> None:
        signal.connect(lambda *_: call())  # type: ignore[attr-defined]

    return watch
