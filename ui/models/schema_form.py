"""From a JSON Schema to fields: which kind of field each argument gets, also inside objects and lists. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from ui.hostile import has_hidden
from ui.models.exact_text import as_json, is_date, plain_lines

LONG_TEXT = 60
DEEPEST = 5
"""Objects within objects that still get fields of their own; what lies deeper is edited as JSON."""
_LONGEST_WAY = 20
"""References that are followed one after the other: they may go in a circle."""
MOST_ITEMS = 40
"""Objects of a list that still get fields of their own; a longer list is edited as JSON."""


class FieldKind(StrEnum):
    """How an argument is edited."""

    TEXT = "text"
    LONG_TEXT = "long_text"
    QUOTED = "quoted"
    """Text that no plain editor would show or keep as it is: as a JSON string, with its hidden characters escaped."""
    WHOLE = "whole"
    NUMBER = "number"
    YES_NO = "yes_no"
    CHOICE = "choice"
    DATE = "date"
    LINES = "lines"
    """A list of plain texts or numbers, one a line."""
    ITEMS = "items"
    """A list of objects: each has fields of its own."""
    JSON = "json"


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One argument, or one value inside it: its path, kind, the value proposed, and what it may be."""

    path: tuple[str, ...]
    kind: FieldKind
    value: Any
    present: bool
    required: bool
    choices: tuple[Any, ...] = ()
    help: str = ""
    nullable: bool = False
    """Nothing may stand in its place: an empty field that was a number or a list becomes null."""
    item: FieldKind | None = None
    """What a line of LINES is."""
    item_schema: Mapping[str, Any] | None = None
    """Of each object of ITEMS, with the definitions that it refers to."""

    @property
    def name(self) -> str:
        """The path as it is written: "customer.address.city"."""
        return ".".join(self.path)

    @property
    def key(self) -> str:
        """The same, told apart from every other path: "a.b" is not b in a."""
        return ".".join(name.replace("~", "~0").replace(".", "~1") for name in self.path)

    @property
    def may_be_left_out(self) -> bool:
        """An optional argument that was not given stays so until somebody gives it."""
        return not self.present and not self.required


LEFT_OUT: Final = object()
"""The value of an argument that is not given."""


def schema_fields(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[SchemaField]:
    """A field for every property of the schema, and for every argument that it does not name; those of objects too."""
    return list(_fields(schema, schema, arguments, ()))


def _fields(
    root: Mapping[str, Any], schema: Mapping[str, Any], arguments: Mapping[str, Any], within: tuple[str, ...]
) -> Iterator[SchemaField]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    required = set(schema.get("required", ()))
    for name in (*properties, *(name for name in arguments if name not in properties)):
        part, value, path = resolve(root, properties.get(name, {})), arguments.get(name), (*within, name)
        if isinstance(value, dict) and value and len(path) < DEEPEST:
            yield from _fields(root, part, value, path)
        else:
            yield _field(root, path, part, arguments, required=name in required)


def item_fields(field: SchemaField, item: Mapping[str, Any]) -> list[SchemaField]:
    """The fields of one object of a list; an empty one is a new object."""
    return schema_fields(field.item_schema or {}, item)


def nested(values: Iterable[tuple[SchemaField, Any]]) -> dict[str, Any]:
    """The arguments that these fields and their values make."""
    whole: dict[str, Any] = {}
    for field, value in values:
        inner = whole
        for name in field.path[:-1]:
            inner = inner.setdefault(name, {})
        inner[field.path[-1]] = value
    return whole


def resolve(root: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow a local reference, and take the one type beside null of an argument that may be null."""
    met: dict[str, Any] = {}
    for _ in range(_LONGEST_WAY):
        if "$ref" in part:
            part = _target(root, str(part["$ref"]))
            continue
        options = [option for option in part.get("anyOf", ()) if option.get("type") != "null"]
        met.update(part)
        if len(options) != 1:
            break
        part = options[0]
    return met


def _target(root: Mapping[str, Any], reference: str) -> Mapping[str, Any]:
    target: Any = root
    for step in reference.removeprefix("#/").split("/"):
        target = target.get(step) if isinstance(target, Mapping) else None
    return target if isinstance(target, Mapping) else {}


def _field(
    root: Mapping[str, Any],
    path: tuple[str, ...],
    part: Mapping[str, Any],
    arguments: Mapping[str, Any],
    *,
    required: bool,
) -> SchemaField:
    name = path[-1]
    value = arguments.get(name)
    declared, nullable = _declared(part)
    choices = tuple(part.get("enum", (True, False) if declared == "boolean" and not isinstance(value, bool) else ()))
    items = resolve(root, part.get("items") or {}) if isinstance(part.get("items"), dict) else {}
    item = _item_kind(items, value)
    kind = FieldKind.CHOICE if choices else _kind(declared, value, part, items, item)
    words = str(part.get("description", ""))
    if "default" in part:
        words = f"{words} Without it: {as_json(part['default'])}.".strip()
    inner = {**items, "$defs": root.get("$defs", {})}
    return SchemaField(path, kind, value, name in arguments, required, choices, words, nullable, item, inner)


def _declared(part: Mapping[str, Any]) -> tuple[Any, bool]:
    """The one type beside null, and whether null is allowed too."""
    declared = part.get("type")
    types = declared if isinstance(declared, list) else [declared]
    beside = [one for one in types if one != "null"]
    nullable = len(beside) < len(types) or any(option.get("type") == "null" for option in part.get("anyOf", ()))
    return (beside[0] if len(beside) == 1 else None), nullable


def choice_rows(field: SchemaField) -> list[tuple[str, Any]]:
    """The rows of a choice with their values: what is proposed as it is, also where it is none of the choices."""
    rows = [(_choice_words(choice), choice) for choice in field.choices]
    if field.nullable and None not in field.choices:
        rows.append(("null", None))
    if not field.present:
        rows.insert(0, ("not given", LEFT_OUT))
    elif not any(_same(value, field.value) for _, value in rows):
        rows.insert(0, (_choice_words(field.value), field.value))
    return list(_told_apart(rows))


def _told_apart(rows: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """A text stands in quotes where something else reads the same: "1" beside 1."""
    alike = Counter(words for words, _ in rows)
    for words, value in rows:
        yield (as_json(value) if isinstance(value, str) and alike[words] > 1 else words), value


def chosen_row(field: SchemaField) -> int:
    """The row of what is proposed."""
    wanted = field.value if field.present else LEFT_OUT
    return next(place for place, (_, value) in enumerate(choice_rows(field)) if _same(value, wanted))


def _same(one: Any, other: Any) -> bool:
    """Equal and of the same type: 1 is neither true nor 1.0."""
    return type(one) is type(other) and bool(one == other)


def _choice_words(choice: Any) -> str:
    return choice if isinstance(choice, str) else as_json(choice)


def _kind(
    declared: Any, value: Any, part: Mapping[str, Any], items: Mapping[str, Any], item: FieldKind | None
) -> FieldKind:
    if declared == "string" or (declared is None and isinstance(value, str)):
        if part.get("format") == "date" and (value is None or is_date(value)):
            return FieldKind.DATE
        return _text_kind(value)
    if declared in _BY_TYPE and declared != "string":
        return _BY_TYPE[declared]
    if declared == "array" or isinstance(value, list):
        if _has_items(items, value):
            return FieldKind.ITEMS
        return FieldKind.LINES if item is not None else FieldKind.JSON
    return FieldKind.JSON


def _text_kind(value: Any) -> FieldKind:
    if isinstance(value, str) and has_hidden(plain_lines(value)):
        return FieldKind.QUOTED
    return FieldKind.LONG_TEXT if isinstance(value, str) and _is_long(value) else FieldKind.TEXT


def _is_long(value: str) -> bool:
    return "\n" in value or len(value) > LONG_TEXT


def _has_items(items: Mapping[str, Any], value: Any) -> bool:
    """Whether a list is all objects that get fields of their own, or may become one."""
    if not isinstance(value, list) or not value:
        return "properties" in items and (value is None or value == [])
    return len(value) <= MOST_ITEMS and all(isinstance(one, dict) for one in value)


def _item_kind(items: Mapping[str, Any], value: Any) -> FieldKind | None:
    """What each line of a list is, where all its values stand on a line each and come back from there; else None."""
    given = value if isinstance(value, list) else []
    declared, nullable = _declared(items)
    if nullable or not isinstance(value, list | None):
        return None
    kind = _BY_TYPE.get(declared) if declared is not None or not given else _kind_of_all(given)
    fits = kind in _ITEM_FITS and all(_ITEM_FITS[kind](one) for one in given)
    return kind if fits and kind is not None else None


def _kind_of_all(given: Sequence[Any]) -> FieldKind | None:
    return next((kind for kind, fits in _ITEM_FITS.items() if all(map(fits, given))), None)


def _is_line(text: Any) -> bool:
    return isinstance(text, str) and bool(text.strip()) and "\n" not in text and not has_hidden(text)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_BY_TYPE: Mapping[Any, FieldKind] = {
    "string": FieldKind.TEXT, "integer": FieldKind.WHOLE, "number": FieldKind.NUMBER, "boolean": FieldKind.YES_NO
}  # fmt: skip
_ITEM_FITS: Mapping[FieldKind | None, Callable[[Any], bool]] = {
    FieldKind.TEXT: _is_line,
    FieldKind.WHOLE: _is_whole,
    FieldKind.NUMBER: lambda value: _is_whole(value) or isinstance(value, float),
}
