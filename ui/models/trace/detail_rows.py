"""DetailRows: the sections of an expanded row as rows of equal height, found as far as they are looked at. Pure."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, Literal

from agent_core.model.proposal import Check, CheckResult
from ui.hostile import visible
from ui.models.trace.detail import CheckItem, Code, Fact, Item, Section, Words
from ui.models.trace.json_rows import Quoted, json_pieces
from ui.models.trace.wrapped import WrappedText

RowStyle = Literal["gap", "head", "fact", "words", "code", "quote", "check"]
Breaker = Callable[[str, float], list[str]]
"""Breaks running text into lines: the text and the share of the width that it has (0 to 1)."""

FACT_SHARE: Final = 0.8
_LONGEST_WORDS: Final = 20_000


@dataclass(frozen=True, slots=True)
class DetailRow:
    """One row: `label` stands at the left of facts and checks, `remark` at the right of heads."""

    style: RowStyle
    text: str = ""
    label: str = ""
    remark: str = ""
    result: CheckResult | None = None
    depth: int = 0
    mono: bool = False


class _Fixed:
    """Rows that are known at once."""

    __slots__ = ("complete", "rows")

    def __init__(self, rows: list[DetailRow]) -> None:
        self.rows, self.complete = rows, True

    @property
    def count(self) -> int:
        return len(self.rows)

    def extend(self, rows: int) -> int:
        return 0

    def row(self, number: int) -> DetailRow:
        return self.rows[number]


class _Text:
    """Rows of code or quoted text, wrapped as far as they are looked at."""

    __slots__ = ("depth", "style", "wrapped")

    def __init__(self, text: str, style: RowStyle, columns: int, depth: int = 0) -> None:
        self.wrapped = WrappedText(text, columns - 2 * depth)
        self.style, self.depth = style, depth

    @property
    def count(self) -> int:
        return self.wrapped.count

    @property
    def complete(self) -> bool:
        return self.wrapped.complete

    def extend(self, rows: int) -> int:
        return self.wrapped.extend(rows)

    def row(self, number: int) -> DetailRow:
        return DetailRow(self.style, self.wrapped.row(number), depth=self.depth)


class DetailRows:
    """Rows of sections at `columns` columns of code; `breaker` wraps running text. `extend` finds more of them."""

    def __init__(self, sections: Iterable[Section], columns: int, breaker: Breaker) -> None:
        self._columns, self._break = columns, breaker
        self._blocks: list[_Fixed | _Text] = []
        self._starts: list[int] = []
        self._source = self._make(sections)
        self._ended = False
        self.count = 0

    @property
    def complete(self) -> bool:
        """Whether every row has been found."""
        return self._ended and (not self._blocks or self._blocks[-1].complete)

    @property
    def share(self) -> float:
        """How much of the text that is being read has been, 0 to 1."""
        last = self._blocks[-1] if self._blocks else None
        return last.wrapped.share if isinstance(last, _Text) else 1.0

    def extend(self, rows: int) -> bool:
        """Find up to about that many more rows. Whether there are more now."""
        before, goal = self.count, self.count + rows
        while self.count < goal and not self.complete:
            if self._blocks and not self._blocks[-1].complete:
                self.count += self._blocks[-1].extend(goal - self.count)
                continue
            block = next(self._source, None)
            if block is None:
                self._ended = True
                break
            self._blocks.append(block)
            self._starts.append(self.count)
            self.count += block.count
        return self.count > before

    def row(self, number: int) -> DetailRow:
        """A row that has been found."""
        block = bisect_right(self._starts, number) - 1
        return self._blocks[block].row(number - self._starts[block])

    def texts(self) -> Iterator[str]:
        """The words of the rows found so far."""
        for number in range(self.count):
            row = self.row(number)
            yield f"{row.label} {row.text} {row.remark}".strip()

    # ---------------------------------------------------------------- making blocks

    def _make(self, sections: Iterable[Section]) -> Iterator[_Fixed | _Text]:
        for number, section in enumerate(sections):
            head = DetailRow("head", visible(section.title), remark=visible(section.remark))
            yield _Fixed([DetailRow("gap"), head] if number else [head])
            for item in section.items:
                yield from self._item(item)

    def _item(self, item: Item) -> Iterator[_Fixed | _Text]:
        if isinstance(item, Fact):
            yield _Fixed(self._fact(item))
        elif isinstance(item, Words):
            yield from self._words(item.text)
        elif isinstance(item, CheckItem):
            yield _Fixed(self._check(item.check))
        else:
            yield from self._code(item)

    def _fact(self, fact: Fact) -> list[DetailRow]:
        if fact.mono:
            wrapped = WrappedText(fact.value, int(self._columns * FACT_SHARE))
            wrapped.extend(len(fact.value) + 1)
            lines = [wrapped.row(number) for number in range(wrapped.count)]
        else:
            lines = self._break(visible(fact.value), FACT_SHARE)
        label, mono = visible(fact.name), fact.mono
        return [DetailRow("fact", line, label if not number else "", mono=mono) for number, line in enumerate(lines)]

    def _check(self, check: Check) -> list[DetailRow]:
        names, details = self._break(visible(check.name), 0.5), self._break(visible(check.detail), 0.45)
        return [
            DetailRow("check", detail, name, result=check.result if not number else None)
            for number, (name, detail) in enumerate(zip_longest(names, details, fillvalue=""))
        ]

    def _words(self, text: str) -> Iterator[_Fixed | _Text]:
        if len(text) > _LONGEST_WORDS:
            yield _Text(text, "code", self._columns)
        else:
            yield _Fixed([DetailRow("words", line) for line in self._break(visible(text), 1.0)])

    def _code(self, item: Code) -> Iterator[_Fixed | _Text]:
        if isinstance(item.value, str):
            yield _Text(item.value, "code", self._columns)
            return
        for piece in json_pieces(item.value):
            if isinstance(piece, Quoted):
                yield _Text(piece.text, "quote", self._columns - 2, piece.depth)
            else:
                yield _Text(piece, "code", self._columns)
