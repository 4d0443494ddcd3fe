"""Provenance: where the value of an argument came from, found by looking for it in everything that was said and read.

Only exact values count, with whole words around them; look-alikes do not. What the model wrote itself is no source:
whoever gathers the texts leaves its notes out, and a result does not vouch for what its own call asked with.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar

from agent_core.policy.hosts import host_of
from agent_core.policy.patterns import normal
from agent_core.policy.predicates import amount_of

T = TypeVar("T")

LONGEST_TRACED = 200
"""Characters. Longer texts and texts of several lines are content, which has no single origin."""

_NUMBER = re.compile(r"(?<!\w)(?<![^\W\d]-)\d(?:[\d.,'\u00a0\u202f ]*\d)?(?![^\W\d])")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+|\d+")
_LONGEST_NUMBER = 40
_PATH = re.compile(r"[^\s:*?\"<>|]*(?:/[^\s:*?\"<>|]*|\.[A-Za-z][A-Za-z0-9]{0,7})")
_BEFORE_NAME, _AFTER_NAME = r"(?<![\w.-])", r"(?![\w-]|\.\w)"
_BEFORE_PATH, _AFTER_PATH = r"(?<![\w./~-])(?:\./)?", r"(?![\w-]|\.\w)"
_BEFORE_ADDRESS = r"(?<![\w.%+-])"
_BEFORE_PHRASE, _AFTER_PHRASE = r"(?<!\w)", r"(?!\w)"


class OriginKind(StrEnum):
    """Who said it."""

    GOAL = "goal"
    OPERATOR = "operator"
    RESULT = "result"


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """One thing that was said or read. `content` is text or JSON; `asked` the arguments of the call that it answers."""

    kind: OriginKind
    content: Any
    name: str = ""
    """As a card shows it: "the goal", "files_read ledger.csv (step 3)"."""
    call_id: str | None = None
    asked: Any = None
    age_seconds: float | None = None
    limit_seconds: float | None = None
    untrusted: bool = False

    @property
    def stale(self) -> bool:
        """Older than its limit; False when either is unknown."""
        return self.age_seconds is not None and self.limit_seconds is not None and self.age_seconds > self.limit_seconds

    @cached_property
    def words(self) -> str:
        """Every text in the content, one a line, in the form that values are compared in."""
        return _words(self.content)

    @cached_property
    def asked_words(self) -> str:
        """The same of what the call asked with."""
        return _words(self.asked)

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        """Every number in the content, however it is written."""
        return _numbers(self.words)

    @cached_property
    def asked_numbers(self) -> frozenset[Decimal]:
        """The same of what the call asked with."""
        return _numbers(self.asked_words)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Everything that an argument can have come from."""

    texts: tuple[SourceText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a value was found: the most trustworthy place of all."""

    kind: OriginKind
    name: str
    call_id: str | None
    untrusted: bool
    stale: bool


WORKSPACE = Origin(kind=OriginKind.OPERATOR, name="the workspace", call_id=None, untrusted=False, stale=False)
"""Where the name of a new file at the top of the workspace comes from: the operator chose that folder."""


def trace_value(value: Any, texts: Sequence[SourceText], *, path: bool = False) -> Origin | None:
    """Where a value came from; None when it is nowhere. Of a list or object: the least trustworthy of its parts.

    `path` is set for a path of the workspace: a new name at its top comes from the workspace itself.

    A value that appears nowhere itself still has an origin when what holds it is trusted: the folder of a path, the
    host of a URL. Raises ValueError for a value that nothing traces (see `traceable_parts`).
    """
    parts = list(traceable_parts(value))
    if not parts:
        raise ValueError("nothing in the value can be traced")
    origins = [_trace_part(part, texts, path=path) for part in parts]
    if None in origins:
        return None
    return max((origin for origin in origins if origin is not None), key=_rank)


def traceable_parts(value: Any) -> Iterator[str | int | float]:
    """The single values in an argument that have an origin: no booleans, no empty text, no content."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from traceable_parts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from traceable_parts(inner)
    elif isinstance(value, str):
        if value.strip() and len(value) <= LONGEST_TRACED and "\n" not in value:
            yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def _trace_part(part: str | float, texts: Sequence[SourceText], *, path: bool) -> Origin | None:
    found = [_origin(text) for text in texts if _appears(part, text, path=path)]
    if not found and isinstance(part, str):
        wanted = _folded(part)
        if path and "/" not in _bare(wanted):
            return WORKSPACE
        found = [_origin(text) for text in texts if not text.untrusted and _holder_appears(wanted, text, path=path)]
    return min(found, key=_rank) if found else None


def _origin(text: SourceText) -> Origin:
    return Origin(kind=text.kind, name=text.name, call_id=text.call_id, untrusted=text.untrusted, stale=text.stale)


def _rank(origin: Origin) -> tuple[bool, bool, int]:
    return origin.untrusted, origin.stale, list(OriginKind).index(origin.kind)


def _appears(part: str | float, text: SourceText, *, path: bool) -> bool:
    if isinstance(part, str):
        if _appears_as_text(_folded(part), text, path=path):
            return True
        if part.startswith("0") and part != "0" and "." not in part:
            return False  # an identifier of digits is no amount
    amount = amount_of(part)
    return amount is not None and abs(amount) in text.numbers and abs(amount) not in text.asked_numbers


def _appears_as_text(wanted: str, text: SourceText, *, path: bool) -> bool:
    if path or _is_path(wanted):
        # A result that names a path vouches for it although its call asked with it: the tool found it there.
        return _holds(text.words, _bare(wanted), _BEFORE_PATH, _AFTER_PATH)
    if "://" in wanted:
        return _vouches(wanted, "", "", text)
    if "@" in wanted:
        return _vouches(wanted, _BEFORE_ADDRESS, _AFTER_NAME, text)
    if " " in wanted:
        return _vouches(wanted, _BEFORE_PHRASE, _AFTER_PHRASE, text)
    return _vouches(wanted, _BEFORE_NAME, _AFTER_NAME, text)


def _holder_appears(wanted: str, text: SourceText, *, path: bool) -> bool:
    if "://" in wanted:
        host = host_of(wanted)
        return host is not None and _vouches(host, _BEFORE_NAME, _AFTER_NAME, text)
    folder = _bare(wanted).rpartition("/")[0] if path or _is_path(wanted) else ""
    return bool(folder) and _holds(text.words, folder, _BEFORE_PATH, _AFTER_PATH)


def _vouches(wanted: str, before: str, after: str, text: SourceText) -> bool:
    """Whether the text brings the value itself: a result that only repeats what its call asked with does not."""
    return _holds(text.words, wanted, before, after) and not _holds(text.asked_words, wanted, before, after)


def _is_path(wanted: str) -> bool:
    return "@" not in wanted and "://" not in wanted and _PATH.fullmatch(wanted) is not None


def _bare(path: str) -> str:
    return path.removeprefix("./").rstrip("/")


def _holds(words: str, wanted: str, before: str, after: str) -> bool:
    return wanted in words and re.search(before + re.escape(wanted) + after, words) is not None


def _words(content: Any) -> str:
    return "\n".join(_folded(leaf) for leaf in _leaves(content))


def beginning(content: Any, characters: int) -> Any:
    """The content up to so many characters of its texts. What follows may be many megabytes and is not looked at."""
    return _Beginning(characters).of(content)


class _Beginning:
    def __init__(self, characters: int) -> None:
        self._left = characters

    def of(self, content: Any) -> Any:
        """As much of it as there is room for."""
        if isinstance(content, str):
            cut = content[: self._left]
            self._left -= len(cut)
            return cut
        if isinstance(content, dict):
            return {self.of(str(name)): self.of(inner) for name, inner in self._while_room(content.items())}
        if isinstance(content, list | tuple):
            return [self.of(inner) for inner in self._while_room(content)]
        self._left -= 1
        return content

    def _while_room(self, parts: Iterable[T]) -> Iterator[T]:
        return itertools.takewhile(lambda _: self._left > 0, parts)


def _leaves(content: Any) -> Iterator[str]:
    if isinstance(content, dict):
        for name, inner in content.items():
            yield str(name)
            yield from _leaves(inner)
    elif isinstance(content, list | tuple):
        for inner in content:
            yield from _leaves(inner)
    elif isinstance(content, str):
        yield content
    elif isinstance(content, int | float) and not isinstance(content, bool):
        yield repr(content)


def _folded(text: str) -> str:
    return " ".join(normal(text).casefold().split())


def _numbers(words: str) -> frozenset[Decimal]:
    return frozenset(number for token in _NUMBER.findall(words) for number in _readings(token))


def _readings(token: str) -> Iterator[Decimal]:
    """What a written number can mean: 1,250 is a thousand or one and a quarter; 3 400 is one number or two."""
    pieces = re.split(r"[ \u00a0\u202f]", token)
    for written in {token, *pieces}:
        bare = re.sub(r"[ '\u00a0\u202f]", "", written)
        if len(bare) > _LONGEST_NUMBER:
            continue
        if _GROUPED.fullmatch(bare):
            yield Decimal(re.sub(r"[.,]", "", bare))
        last = max(bare.rfind("."), bare.rfind(","))
        if last > 0 and _GROUPED.fullmatch(bare[:last]):
            yield Decimal(f"{re.sub(r'[.,]', '', bare[:last])}.{bare[last + 1 :]}")
