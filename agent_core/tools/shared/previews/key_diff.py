"""What changes in a JSON or TOML file, key by key: each value with the path that leads to it and its exact form."""

import json
import tomllib
from collections.abc import Iterator
from typing import Any

from agent_core.model.proposal import FieldChange, FieldsChange, Sign
from agent_core.model.strict_json import read_json
from agent_core.tools.shared.previews.text_diff import hunks

ENDINGS = (".json", ".toml")
_MISSING = object()


class NotReadable(ValueError):
    """The text does not hold what its ending promises; says what is wrong and where."""


def parse_keys(text: str, ending: str) -> Any:
    """The value of a JSON or TOML text; raises NotReadable, for repeated keys and numbers that are none as well."""
    try:
        if ending.lower() == ".toml":
            return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
        return read_json(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise NotReadable(str(error) or "nested too deeply") from error


def key_change(path: str, before: Any, after: Any) -> FieldsChange:
    """The changed values from one parsed file to another."""
    try:
        rows = list(_compare("", before, after))
    except RecursionError:
        rows = [_field("", before, after)]
    return FieldsChange(title=f"Values of {path}", rows=rows)


def _compare(path: str, before: Any, after: Any) -> Iterator[FieldChange]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*after, *(key for key in before if key not in after)]:
            yield from _compare(_joined(path, key), before.get(key, _MISSING), after.get(key, _MISSING))
    elif isinstance(before, list) and isinstance(after, list):
        yield from _compare_lists(path, before, after)
    elif before is _MISSING or after is _MISSING or _exact(before) != _exact(after):
        yield _field(path, before, after)


def _compare_lists(path: str, before: list[Any], after: list[Any]) -> Iterator[FieldChange]:
    """Items are told apart by their whole value, so that one that is put in does not change all that follow."""
    for hunk in hunks([_exact(item) for item in before], [_exact(item) for item in after]):
        gone, come = before[hunk.before_start : hunk.before_end], after[hunk.after_start : hunk.after_end]
        both = min(len(gone), len(come))
        for offset in range(both):
            yield from _compare(f"{path}[{hunk.after_start + offset}]", gone[offset], come[offset])
        for offset, item in enumerate(gone[both:], both):
            yield _field(f"{path}[{hunk.before_start + offset}]", item, _MISSING)
        for offset, item in enumerate(come[both:], both):
            yield _field(f"{path}[{hunk.after_start + offset}]", _MISSING, item)


def _field(path: str, before: Any, after: Any) -> FieldChange:
    if before is _MISSING:
        return FieldChange(sign=Sign.ADDED, field=path or "(whole)", after=_exact(after))
    if after is _MISSING:
        return FieldChange(sign=Sign.REMOVED, field=path or "(whole)", before=_exact(before))
    return FieldChange(sign=Sign.CHANGED, field=path or "(whole)", before=_exact(before), after=_exact(after))


def _exact(value: Any) -> str:
    """A value in its exact form: "1" and 1, 1 and 1.0 stay apart."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _joined(path: str, key: str) -> str:
    name = key if key.replace("_", "").replace("-", "").isalnum() else json.dumps(key, ensure_ascii=False)
    return f"{path}.{name}" if path else name
