"""What a preview shows now against what it showed before, in sentences that name both. Pure."""

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from agent_core.model.proposal import (
    Change,
    FieldChange,
    FieldsChange,
    FileChange,
    ImageChange,
    Sign,
    TextChange,
    WhatChanges,
)

_LONGEST_QUOTE = 80
"""Characters of a line that are quoted; the card shows it whole below."""
_NAMED = 3
"""Fields or files that are named one by one."""
_PLAIN = "What would change is different."


def preview_changes(before: WhatChanges | None, after: WhatChanges | None) -> list[str]:
    """The new against the old; empty when both show the same."""
    if before == after:
        return []
    if before is None or after is None:
        return [_PLAIN]
    if after.unavailable is not None and after.unavailable != before.unavailable:
        return [f"What would change cannot be computed any more: {after.unavailable}"]
    return list(_told(before, after)) or [_PLAIN]


def _told(before: WhatChanges, after: WhatChanges) -> Iterator[str]:
    earlier = {_key(part): part for part in before.parts}
    for part in after.parts:
        old = earlier.get(_key(part))
        if old is not None and old != part:
            yield from _TELLERS.get(type(part), _nothing)(old, part)
    if before.headline != after.headline:
        yield f"In all it was “{before.headline}”; it is “{after.headline}” now."


def _key(part: Change) -> tuple[type, str]:
    return type(part), str(getattr(part, "path", getattr(part, "title", "")))


def _nothing(_old: Any, _new: Any) -> Iterator[str]:
    return iter(())


def _text(old: TextChange, new: TextChange) -> Iterator[str]:
    """What somebody else did to the text meanwhile; what the call itself would do to it stands in the preview."""
    if old.before is None and new.before is not None:
        yield f"{new.path} is there now; it was not."
    elif new.before is None and old.before is not None:
        yield f"{new.path} is no longer there."
    elif old.before is not None and new.before is not None and old.before != new.before:
        yield _difference(new.path, _lines(old.before), _lines(new.before))


def _lines(text: str) -> list[str]:
    """Without their ends. Only LF ends one, as in the preview: the numbers are to be the same."""
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def _difference(path: str, old: Sequence[str], new: Sequence[str]) -> str:
    """Where two texts differ: the first line that does, and over how many it goes."""
    start = _same(old, new)
    was, now = old[start:], new[start:]
    end = _same(was[::-1], now[::-1])
    was, now = was[: len(was) - end], now[: len(now) - end]
    more = max(len(was), len(now)) - 1
    rest = f", and {more} more line{'s' if more > 1 else ''}" if more > 0 else ""
    where = f"{path}, line {start + 1}"
    if not was and not now:
        return f"{path} ends its lines in another way now."
    if not was:
        return f"{where}: “{_short(now[0])}” is new{rest}."
    if not now:
        return f"{where}: “{_short(was[0])}” is gone{rest}."
    return f"{where}: it was “{_short(was[0])}”, it is “{_short(now[0])}” now{rest}."


def _same(old: Sequence[str], new: Sequence[str]) -> int:
    """With how many equal lines both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _fields(old: FieldsChange, new: FieldsChange) -> Iterator[str]:
    known = {row.field: row for row in old.rows}
    differing = [row for row in new.rows if known.get(row.field) != row]
    for row in differing[:_NAMED]:
        was = known.get(row.field)
        yield f"{row.field}: it was {_field(was)}, it is {_field(row)} now."
    if len(differing) > _NAMED:
        yield f"{len(differing) - _NAMED} more fields are different."


def _field(row: FieldChange | None) -> str:
    if row is None:
        return "not touched"
    sides = [f"“{_short(side)}”" for side in (row.before, row.after) if side is not None]
    return "removed" if row.sign is Sign.REMOVED and not sides else " → ".join(sides) or "empty"


def _files(old: FileChange, new: FileChange) -> Iterator[str]:
    if (old.files, old.size) != (new.files, new.size):
        yield f"{new.path}: it was {_amount(old)}, it is {_amount(new)} now."
    for verb, names in (("new", set(new.names) - set(old.names)), ("gone", set(old.names) - set(new.names))):
        listed = sorted(names)
        more = f" and {len(listed) - _NAMED} more" if len(listed) > _NAMED else ""
        if listed:
            yield f"{', '.join(listed[:_NAMED])}{more}: {verb} since."


def _amount(change: FileChange) -> str:
    files = f"{change.files:,} file{'' if change.files == 1 else 's'}"
    return files if change.size is None else f"{files} of {change.size:,} bytes"


def _image(old: ImageChange, new: ImageChange) -> Iterator[str]:
    if old.before != new.before:
        yield f"{new.path} is another picture now."


_TELLERS: dict[type, Callable[[Any, Any], Iterator[str]]] = {
    TextChange: _text,
    FieldsChange: _fields,
    FileChange: _files,
    ImageChange: _image,
}


def _short(line: str) -> str:
    return line if len(line) <= _LONGEST_QUOTE else f"{line[: _LONGEST_QUOTE - 1]}…"
