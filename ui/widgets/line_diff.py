"""Comparing two texts by line, then by word. Pure, and close to linear even for texts that have little in common.

Lines that occur exactly once on both sides anchor the comparison (patience diff); only the small gaps between anchors
get the exact and slow treatment.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

LineKind = Literal["same", "removed", "added"]
Span = tuple[int, int]

NO_BREAK: Final = " (no line break at the end)"
_EXACT_GAP: Final = 400
_LONGEST_MARKED: Final = 2_000
_WORDS: Final = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a unified diff. Numbers count from 1; `partner` is the index of the line that it was paired with."""

    kind: LineKind
    text: str
    before: int | None
    after: int | None
    partner: int | None = None


def diff_lines(before: str, after: str) -> list[DiffLine]:
    """Every line of both texts, in order, none left out. A line break at the end ends a line, and begins none."""
    old, new = _both_sides(*alike_ends(before, after))
    lines: list[DiffLine] = []
    for old_start, old_end, new_start, new_end, same in _blocks(old, new):
        if same:
            lines += [DiffLine("same", old[i], i + 1, new_start + i - old_start + 1) for i in range(old_start, old_end)]
        else:
            lines += _changed(old, new, (old_start, old_end), (new_start, new_end), len(lines))
    return lines


def alike_ends(before: str, after: str) -> tuple[str, str]:
    """Both texts with plain line ends, where those of Windows are no difference between them; else as they are."""
    if _all_windows(before) and _all_windows(after):
        return before.replace("\r\n", "\n"), after.replace("\r\n", "\n")
    return before, after


def _all_windows(text: str) -> bool:
    return text.count("\r\n") == text.count("\n")


def _both_sides(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines of both; a break at the end that only one of them has is a difference, and shows."""
    sides = (_lines(before), _lines(after))
    if before and after and before.endswith("\n") != after.endswith("\n"):
        (sides[1] if before.endswith("\n") else sides[0])[-1] += NO_BREAK
    return sides


def _lines(text: str) -> list[str]:
    parts = text.split("\n")
    return parts[:-1] if not parts[-1] else parts


def word_marks(before: str, after: str) -> tuple[list[Span], list[Span]]:
    """Which parts of a changed line differ: spans in `before` and in `after`. Very long lines are not marked."""
    if max(len(before), len(after)) > _LONGEST_MARKED:
        return [], []
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.quick_ratio() < 0.3:
        return [], []  # nearly nothing in common: marking everything marks nothing
    old_at, new_at = _offsets(old), _offsets(new)
    removed: list[Span] = []
    added: list[Span] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            removed += [(old_at[i1], old_at[i2])] if i2 > i1 else []
            added += [(new_at[j1], new_at[j2])] if j2 > j1 else []
    return _joined(removed, before), _joined(added, after)


def _joined(spans: Sequence[Span], text: str) -> list[Span]:
    """Spans with nothing but space between them read as one."""
    joined: list[Span] = []
    for start, end in spans:
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _changed(old: Sequence[str], new: Sequence[str], gone: Span, come: Span, index: int) -> Iterator[DiffLine]:
    removed, added = gone[1] - gone[0], come[1] - come[0]
    pairs = min(removed, added)
    for i in range(removed):
        partner = index + removed + i if i < pairs else None
        yield DiffLine("removed", old[gone[0] + i], gone[0] + i + 1, None, partner)
    for j in range(added):
        partner = index + j if j < pairs else None
        yield DiffLine("added", new[come[0] + j], None, come[0] + j + 1, partner)


Block = tuple[int, int, int, int, bool]


def _blocks(old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
    """Alternating blocks (old start, old end, new start, new end, same) that cover both sides."""
    shortest = min(len(old), len(new))
    head = 0
    while head < shortest and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shortest - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    if head:
        yield 0, head, 0, head, True
    yield from _middle(old, new, (head, len(old) - tail), (head, len(new) - tail))
    if tail:
        yield len(old) - tail, len(old), len(new) - tail, len(new), True


def _middle(old: Sequence[str], new: Sequence[str], olds: Span, news: Span) -> Iterator[Block]:
    i, j = olds[0], news[0]
    for anchor_old, anchor_new in [*_anchors(old, new, olds, news), (olds[1], news[1])]:
        yield from _gap(old, new, (i, anchor_old), (j, anchor_new))
        if anchor_old < olds[1] and anchor_new < news[1]:
            yield anchor_old, anchor_old + 1, anchor_new, anchor_new + 1, True
        i, j = anchor_old + 1, anchor_new + 1


def _gap(old: Sequence[str], new: Sequence[str], olds: Span, news: Span) -> Iterator[Block]:
    if olds[0] == olds[1] and news[0] == news[1]:
        return
    if max(olds[1] - olds[0], news[1] - news[0]) > _EXACT_GAP:
        yield olds[0], olds[1], news[0], news[1], False
        return
    matcher = SequenceMatcher(None, old[slice(*olds)], new[slice(*news)], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        yield olds[0] + i1, olds[0] + i2, news[0] + j1, news[0] + j2, tag == "equal"


def _anchors(old: Sequence[str], new: Sequence[str], olds: Span, news: Span) -> list[tuple[int, int]]:
    """Lines unique on both sides, as the longest run of pairs that rises on both."""
    once_old = _unique(old, olds)
    once_new = _unique(new, news)
    pairs = [(i, once_new[line]) for line, i in once_old.items() if line in once_new]
    pairs.sort()
    return _longest_rising(pairs)


def _unique(lines: Sequence[str], span: Span) -> dict[str, int]:
    counts = Counter(lines[slice(*span)])
    return {lines[i]: i for i in range(*span) if counts[lines[i]] == 1}


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Longest subsequence of `pairs` (sorted by the first) whose second rises too."""
    ends: list[int] = []
    at: list[int] = []
    previous: list[int] = []
    for index, (_, value) in enumerate(pairs):
        place = bisect_left(ends, value)
        previous.append(at[place - 1] if place else -1)
        if place == len(ends):
            ends.append(value)
            at.append(index)
        else:
            ends[place], at[place] = value, index
    chain: list[tuple[int, int]] = []
    index = at[-1] if at else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    return chain[::-1]


def _offsets(words: Sequence[str]) -> list[int]:
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return offsets
