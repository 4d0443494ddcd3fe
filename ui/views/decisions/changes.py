"""What changes, drawn: fields, texts, tables, messages, files and commands, each with a way to its very end."""

from PySide6.QtWidgets import QWidget

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
    TableChange,
    TextChange,
)
from ui import formatting
from ui.models.plan_rows import proposed_rows
from ui.views.decisions.change_part import ChangePart, boxed, plain_part
from ui.views.decisions.table_change import draw_files, draw_table, field_change
from ui.widgets.field_diff import ChangeKind, FieldChange, FieldDiff
from ui.widgets.image_pair import ImagePair, PictureBytes
from ui.widgets.label import Label
from ui.widgets.marks import Chip, Line
from ui.widgets.plan_list import PlanList
from ui.widgets.surface import Surface, column, row
from ui.widgets.text_diff import TextDiff

_FILE_KINDS: dict[str, ChangeKind] = {"create": "added", "delete": "removed"}
_CARD_HEIGHT = 400
_PICTURE, _TALL_PICTURE = 150, 300


def draw_change(change: Change, *, tall: bool = False) -> ChangePart:
    """A widget for one change. `tall` gives it the room of a page instead of a card."""
    height = None if tall else _CARD_HEIGHT
    if isinstance(change, FieldsChange):
        return _fields(change.title, change.rows, height)
    if isinstance(change, TextChange):
        return _text(change, height)
    if isinstance(change, TableChange):
        return draw_table(change, height)
    if isinstance(change, MessageChange):
        return _message(change, height)
    if isinstance(change, FileChange):
        return _file(change, height)
    if isinstance(change, PlanChange):
        return _plan(change)
    if isinstance(change, ImageChange):
        return _image(change, tall=tall)
    return _command(change, height)


def _fields(title: str, rows: list[card_model.FieldChange], height: int | None) -> ChangePart:
    diff = FieldDiff([field_change(row) for row in rows], max_height=height or 800)
    return plain_part(title or "changes", boxed(title, "", diff), diff)


def _text(change: TextChange, height: int | None) -> ChangePart:
    diff = TextDiff(max_height=height)
    diff.setAccessibleName(f"Changes in {change.path}")
    diff.set_texts(change.before or "", change.after or "", first=(change.first_before, change.first_after))
    counts = f"+{change.added} −{change.removed}"
    if change.before is None:
        counts = f"new file, {formatting.plural(change.added, 'line')}"
    elif change.after is None:
        counts = f"deleted, {formatting.plural(change.removed, 'line')}"
    return plain_part(change.path, boxed(change.path, counts, diff), diff)


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
    return plain_part("message", boxed("Message", count, body, "secondary_medium"), text)


def _file(change: FileChange, height: int | None) -> ChangePart:
    if change.names:
        return draw_files(change)
    kind = _FILE_KINDS.get(change.action, "changed")
    what = change.path if change.target is None else f"{change.path} → {change.target}"
    diff = FieldDiff([_one_side(kind, change.action.capitalize(), what)], max_height=height or 800)
    size = formatting.byte_size(change.size) if change.size is not None else ""
    right = ", ".join(part for part in (formatting.plural(change.files, "file"), size) if part)
    box = boxed("Files", right, diff, "secondary_medium")
    return plain_part(change.path, box, diff)


def _one_side(kind: ChangeKind, field: str, value: str) -> FieldChange:
    return FieldChange(kind, field, *(("", value) if kind != "removed" else (value, "")))


def _image(change: ImageChange, *, tall: bool) -> ChangePart:
    pair = ImagePair(_side(change.before), _side(change.after), height=_TALL_PICTURE if tall else _PICTURE)
    box = boxed(change.path, "", pair)
    return plain_part(change.path, box, pair)


def _side(picture: Picture | None) -> PictureBytes | None:
    return None if picture is None else PictureBytes(picture.form, picture.size, picture.sha256, picture.data)


def _plan(change: PlanChange) -> ChangePart:
    steps = PlanList(proposed_rows(change))
    steps.setObjectName("card.plan")
    done = f"{', '.join(change.done)} done already" if change.done else ""
    box = boxed(f"Against {change.against}" if change.against else "", done, steps, "secondary_medium")
    return plain_part("plan", box, steps)


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
    return plain_part("command", box, text)
