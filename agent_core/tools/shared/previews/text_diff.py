"""Line diffs whose cost stays linear in the text: exact where texts are small, anchored on unique lines elsewhere."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from agent_core.model.proposal import TextChange

WHOLE = 512 * 1024
"""Characters, before and after together, up to which a change carries both texts whole; beyond, what stays the same is
left out around the changed regions. Nothing that changes is ever left out."""

_EXACT = 40_000
_DEPTH = 12
_CONTEXT = 3


class Hunk(NamedTuple):
    """Lines `before_start` to `before_end` become lines `after_start` to `after_end`; ends are exclusive, from 0."""

    before_start: int
    before_end: int
    after_start: int
    after_end: int


def text_changes(path: str, before: str | None, after: str | None) -> list[TextChange]:
    """The change of one text: a single part for all but large ones, which come in regions named by their lines."""
    old, new = lines(before), lines(after)
    found = hunks(old, new)
    if len(before or "") + len(after or "") <= WHOLE or before is None or after is None:
        return [_change(path, before, after, found)]
    parts = []
    for group in _groups(found):
        start, stop = max(0, group[0].before_start - _CONTEXT), min(len(old), group[-1].before_end + _CONTEXT)
        shift_start, shift_stop = (
            group[0].after_start - group[0].before_start,
            group[-1].after_end - group[-1].before_end,
        )
        region = f"{path}, lines {start + 1:,} to {stop:,}"
        old_text, new_text = "".join(old[start:stop]), "".join(new[start + shift_start : stop + shift_stop])
        parts.append(_change(region, old_text, new_text, group, (start + 1, start + shift_start + 1)))
    return parts


def added_and_removed(found: Sequence[Hunk]) -> tuple[int, int]:
    """How many lines were added and how many removed."""
    return sum(h.after_end - h.after_start for h in found), sum(h.before_end - h.before_start for h in found)


def lines(text: str | None) -> list[str]:
    """The lines with their ends; only LF ends one, as editors and version control count. None and "" have none."""
    if not text:
        return []
    parts = text.split("\n")
    whole = [part + "\n" for part in parts[:-1]]
    return [*whole, parts[-1]] if parts[-1] else whole


def hunks(before: Sequence[str], after: Sequence[str]) -> list[Hunk]:
    """Where two lists of lines differ, in order, with equal lines between them."""
    return _merged(_hunks(before, after, 0, len(before), 0, len(after), _DEPTH))


def _hunks(a: Sequence[str], b: Sequence[str], a0: int, a1: int, b0: int, b1: int, depth: int) -> list[Hunk]:
    while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
        a0, b0 = a0 + 1, b0 + 1
    while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
    if a0 == a1 and b0 == b1:
        return []
    if a0 == a1 or b0 == b1:
        return [Hunk(a0, a1, b0, b1)]
    if (a1 - a0) * (b1 - b0) <= _EXACT:
        return _exact(a, b, a0, a1, b0, b1)
    anchors = _anchors(a, b, a0, a1, b0, b1) if depth else []
    if not anchors:
        return [Hunk(a0, a1, b0, b1)]
    found: list[Hunk] = []
    for x, y in [*anchors, (a1, b1)]:
        found += _hunks(a, b, a0, x, b0, y, depth - 1)
        a0, b0 = x + 1, y + 1
    return found


def _exact(a: Sequence[str], b: Sequence[str], a0: int, a1: int, b0: int, b1: int) -> list[Hunk]:
    matcher = SequenceMatcher(None, a[a0:a1], b[b0:b1], autojunk=False)
    return [Hunk(a0 + i1, a0 + i2, b0 + j1, b0 + j2) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"]


def _anchors(a: Sequence[str], b: Sequence[str], a0: int, a1: int, b0: int, b1: int) -> list[tuple[int, int]]:
    """Lines that occur once on either side, as far as their order agrees (the idea of patience diff, Bram Cohen)."""
    once_a, once_b = Counter(a[a0:a1]), Counter(b[b0:b1])
    where = {line: y for y, line in enumerate(b[b0:b1], b0) if once_b[line] == 1}
    pairs = [(x, where[line]) for x, line in enumerate(a[a0:a1], a0) if once_a[line] == 1 and line in where]
    return _longest_rise(pairs)


def _longest_rise(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs, in order of the first, whose seconds rise."""
    tails: list[int] = []
    ends: list[int] = []
    previous: list[int] = []
    for index, (_, y) in enumerate(pairs):
        place = bisect_left(tails, y)
        previous.append(ends[place - 1] if place else -1)
        tails[place : place + 1], ends[place : place + 1] = [y], [index]
    chain = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]


def _merged(found: list[Hunk]) -> list[Hunk]:
    joined: list[Hunk] = []
    for hunk in found:
        if joined and joined[-1].before_end == hunk.before_start and joined[-1].after_end == hunk.after_start:
            joined[-1] = Hunk(joined[-1].before_start, hunk.before_end, joined[-1].after_start, hunk.after_end)
        else:
            joined.append(hunk)
    return joined


def _groups(found: list[Hunk]) -> list[list[Hunk]]:
    groups: list[list[Hunk]] = []
    for hunk in found:
        if groups and hunk.before_start - groups[-1][-1].before_end <= 2 * _CONTEXT:
            groups[-1].append(hunk)
        else:
            groups.append([hunk])
    return groups


def _change(
    path: str, before: str | None, after: str | None, found: Sequence[Hunk], first: tuple[int, int] = (1, 1)
) -> TextChange:
    added, removed = added_and_removed(found)
    return TextChange(
        path=path, before=before, after=after, added=added, removed=removed,
        first_before=first[0], first_after=first[1],
    )  # fmt: skip
