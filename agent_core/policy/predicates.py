"""Predicates of rules: one typed question about one argument, answered yes, no, or "cannot tell" (None).

Whoever asks decides what "cannot tell" means: an allow rule takes it as no, a deny or ask rule as yes.

Shapes: a text (held against the value as the rule's `match` says), a number or boolean (equal, with its type), a list
(any of them), or a table of conditions that must all hold: ``min``, ``max`` (amounts), ``inside`` (a folder),
``domain`` (a host, or ``*.host``), ``exact``, ``glob``, ``regex``. A value that is a list is asked item by item.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from agent_core.config.profile import Match
from agent_core.policy.hosts import host_matches, host_of
from agent_core.policy.patterns import BadPattern, matches_glob, matches_regex, normal

_TOP = ("", ".")
"""The workspace itself."""

_AMOUNT = re.compile(r"[+-]?\d{1,30}(\.\d{1,30})?", re.ASCII)


class Question:
    """How a rule asks. `strict` is set for allow rules: exact case, and a folder does not stand for what lies in it.

    Without it (deny, ask) case is ignored, ``folder/**`` means the folder itself too, and with `tree` so does any
    folder above it: to delete or move that one would touch what the rule guards.
    """

    def __init__(self, match: Match, *, strict: bool, tree: bool) -> None:
        self.match, self.strict, self.tree = match, strict, tree

    def answer(self, wanted: Any, value: Any) -> bool | None:
        """Whether the value fits what the rule wants."""
        if isinstance(value, list | tuple):
            return self._over_items(wanted, value)
        if isinstance(wanted, list):
            return _any(self.answer(option, value) for option in wanted)
        if isinstance(wanted, Mapping):
            return _all(self._condition(name, bound, value) for name, bound in wanted.items()) if wanted else None
        if isinstance(wanted, bool) or isinstance(value, bool):
            return self._boolean(wanted, value)
        if isinstance(wanted, int | float | Decimal):
            return _compare(value, wanted, lambda amount, bound: amount == bound)
        if isinstance(wanted, str):
            return self._text(self.match, wanted, value)
        return None

    def _over_items(self, wanted: Any, items: list[Any] | tuple[Any, ...]) -> bool | None:
        if not items:
            return None if self.strict else False
        answers = [self.answer(wanted, item) for item in items]
        return _all(answers) if self.strict else _any(answers)

    def _boolean(self, wanted: Any, value: Any) -> bool | None:
        if isinstance(wanted, bool) and isinstance(value, bool):
            return wanted is value
        if isinstance(wanted, str) and isinstance(value, bool):
            return self._text(self.match, wanted, "true" if value else "false")
        return False

    def _condition(self, name: str, bound: Any, value: Any) -> bool | None:
        condition = CONDITIONS.get(name)
        return None if condition is None else condition(self, bound, value)

    def _text(self, match: Match, wanted: str, value: Any) -> bool | None:
        if value is None:
            return False
        if isinstance(value, int | float | Decimal):
            value = _number_text(value)
        if not isinstance(value, str):
            return None
        if match is Match.EXACT:
            return self._same(wanted, value)
        if match is Match.REGEX:
            return self._regex(wanted, value)
        return self._glob(wanted, value)

    def _same(self, wanted: str, value: str) -> bool:
        left, right = normal(wanted), normal(value)
        return left == right if self.strict else left.casefold() == right.casefold()

    def _regex(self, wanted: str, value: str) -> bool | None:
        try:
            return matches_regex(wanted, value, ignore_case=False)
        except BadPattern:
            return None
        except UnicodeEncodeError:
            return None

    def _glob(self, wanted: str, value: str) -> bool | None:
        pattern = wanted.removeprefix("./")
        if "/" in pattern and not _canonical_path(value):
            return None
        try:
            if matches_glob(pattern, value, ignore_case=not self.strict):
                return True
        except UnicodeEncodeError:
            return None
        return not self.strict and self._touches(pattern, value)

    def _touches(self, pattern: str, value: str) -> bool:
        """Whether a path stands for what a restrictive pattern guards, though it does not match it itself."""
        folder = pattern.removesuffix("/**")
        if folder != pattern and matches_glob(folder, value, ignore_case=True):
            return True
        if not self.tree:
            return False
        return value in _TOP or any(matches_glob(above, value, ignore_case=True) for above in _folders_above(pattern))

    def _inside(self, folder: Any, value: Any) -> bool | None:
        if not isinstance(folder, str) or not isinstance(value, str):
            return None
        root = normal(folder.removeprefix("./").rstrip("/"))
        if not _canonical_path(value):
            return None
        path = normal(value)
        if not self.strict:
            root, path = root.casefold(), path.casefold()
        if root in _TOP:
            return path not in _TOP or not self.strict
        if path.startswith(root + "/"):
            return True
        return not self.strict and (path == root or (self.tree and _above(path, root)))

    def _domain(self, wanted: Any, value: Any) -> bool | None:
        options = wanted if isinstance(wanted, list) else [wanted]
        host = host_of(value) if isinstance(value, str) else None
        if host is None:
            return None
        return _any(host_matches(option, host) if isinstance(option, str) else None for option in options)

    def _as(self, match: Match, wanted: Any, value: Any) -> bool | None:
        if isinstance(wanted, list):
            return _any(self._as(match, option, value) for option in wanted)
        return self._text(match, wanted, value) if isinstance(wanted, str) else None

    def _least(self, bound: Any, value: Any) -> bool | None:
        return _compare(value, bound, lambda amount, limit: amount >= limit)

    def _most(self, bound: Any, value: Any) -> bool | None:
        return _compare(value, bound, lambda amount, limit: amount <= limit)


CONDITIONS: dict[str, Callable[[Question, Any, Any], bool | None]] = {
    "min": Question._least,
    "max": Question._most,
    "inside": Question._inside,
    "domain": Question._domain,
    "exact": lambda question, wanted, value: question._as(Match.EXACT, wanted, value),
    "glob": lambda question, wanted, value: question._as(Match.GLOB, wanted, value),
    "regex": lambda question, wanted, value: question._as(Match.REGEX, wanted, value),
}
"""The conditions of a table predicate, by name."""


def amount_of(value: Any) -> Decimal | None:
    """A number, or a text that is nothing but a plain decimal number; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return Decimal(value) if _AMOUNT.fullmatch(value) else None
    if not isinstance(value, int | float | Decimal):
        return None
    try:
        amount = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() else None


def _compare(value: Any, bound: Any, holds: Callable[[Decimal, Decimal], bool]) -> bool | None:
    amount, limit = amount_of(value), amount_of(bound)
    return None if amount is None or limit is None else holds(amount, limit)


def _number_text(value: float | Decimal) -> str:
    amount = amount_of(value)
    return str(value) if amount is None or amount != amount.to_integral_value() else f"{amount:.0f}"


def _canonical_path(path: str) -> bool:
    """No spelling that could mean another place: relative, no dot segments, no empty ones, no NUL."""
    if path in _TOP:
        return True
    segments = path.split("/")
    odd = any(segment in ("", ".", "..") for segment in segments)
    return not odd and not path.startswith("~") and "\0" not in path and "\\" not in path


def _folders_above(pattern: str) -> Iterator[str]:
    """Patterns of the folders that hold what a pattern means, from the top down to its first ``**``."""
    segments = pattern.split("/")
    for depth, segment in enumerate(segments):
        if depth:
            yield "/".join(segments[:depth])
        if "**" in segment:
            return


def _above(path: str, guarded: str) -> bool:
    path, guarded = normal(path).casefold(), guarded.casefold()
    return path in _TOP or guarded.startswith(path + "/")


def _all(answers: Any) -> bool | None:
    seen = list(answers)
    if any(answer is False for answer in seen):
        return False
    return None if any(answer is None for answer in seen) else True


def _any(answers: Any) -> bool | None:
    seen = list(answers)
    if any(answer is True for answer in seen):
        return True
    return None if any(answer is None for answer in seen) else False
