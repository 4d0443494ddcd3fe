"""Redaction: known secrets become ``{{secret:NAME}}`` where text enters; the executor puts them back for a tool that
declares them.

A secret is found as it is, URL-encoded, escaped (JSON, Python, HTML) and inside base64 at any alignment. Nothing is
guessed: text that merely looks like a secret (a hash, a UUID) stays as it is.
"""

import base64
import html
import json
import re
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

from agent_core.model.errors import InputError
from agent_core.model.text import LONG

SHORTEST = 6
"""Characters. Shorter values cannot be told from ordinary text; they are listed in `too_short` and not replaced."""

_SHORTEST_ENCODED = 8
_MARKER = re.compile(r"\{\{secret:([^{}]+)\}\}")

T = TypeVar("T")


class Redactor:
    """Replaces the secrets that it was given. Cheap on large texts, and free when there are none."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._secrets = dict(secrets)
        self.too_short = tuple(name for name, value in secrets.items() if len(value) < SHORTEST)
        self._forms = _all_forms({name: value for name, value in secrets.items() if name not in self.too_short})
        self._raw = tuple(form.encode(errors="surrogatepass") for form, marked in self._forms.items() if form != marked)
        self._clean: deque[str] = deque(maxlen=2)
        """Very long texts that were looked at: each passes several doors."""
        self._numbers = {value: marker(name) for name, value in secrets.items() if value.isdecimal()}

    def __repr__(self) -> str:
        return f"Redactor({len(self._secrets)} secrets)"

    @property
    def knows_any(self) -> bool:
        """Whether there is anything to replace."""
        return bool(self._forms)

    def occurs_in(self, raw: bytes) -> bool:
        """Whether a secret stands in those bytes of JSON or text: quick, for what is to be looked at again if so."""
        return any(form in raw for form in self._raw)

    def redact(self, value: T) -> T:
        """The same value with every secret replaced: text, bytes, and JSON with its keys. Other values stay."""
        if not self._forms:
            return value
        return self._walk(value)  # type: ignore[no-any-return]

    def stream(self) -> "StreamRedactor":
        """A redactor for one text that comes in pieces."""
        return StreamRedactor(self._forms)

    def reveal(self, value: T, names: Collection[str]) -> T:
        """The same value with the markers of these secrets replaced by what they stand for.

        Raises InputError for a marker of any other name: a tool gets only the secrets that it declares.
        """
        return _in_strings(value, lambda text: _MARKER.sub(lambda found: self._revealed(found, names), text))  # type: ignore[no-any-return]

    def _revealed(self, found: re.Match[str], names: Collection[str]) -> str:
        name = found[1]
        if name not in names or name not in self._secrets:
            raise InputError(f'The arguments use the secret "{name}", which this tool does not have')
        return self._secrets[name]

    def _walk(self, value: Any) -> Any:
        if isinstance(value, bytes):
            return self._in_bytes(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._numbers.get(str(value), value) if self._numbers else value
        return _in_strings(value, self._in_text, self._walk)

    def _in_text(self, text: str) -> str:
        if len(text) <= LONG:
            return self._replaced(text)
        if not any(text is known for known in self._clean):
            text = self._replaced(text)
            self._clean.append(text)
        return text

    def _replaced(self, text: str) -> str:
        present = [form for form in self._forms if form in text]
        if not any(self._forms[form] != form for form in present):
            return text
        return _alternation(present).sub(lambda found: self._forms[found[0]], text)

    def _in_bytes(self, raw: bytes) -> bytes:
        present = {form.encode(): marked.encode() for form, marked in self._forms.items() if form.encode() in raw}
        if not any(form != marked for form, marked in present.items()):
            return raw
        pattern = re.compile(b"|".join(re.escape(form) for form in sorted(present, key=len, reverse=True)))
        return pattern.sub(lambda found: present[found[0]], raw)


class StreamRedactor:
    """Redacts a text that comes in pieces as it would in one piece: it holds back what may become a secret."""

    def __init__(self, forms: Mapping[str, str]) -> None:
        self._forms = forms
        self._pattern = _alternation(forms) if forms else None
        self._longest = max(map(len, forms), default=0)
        self._by_first: dict[str, list[str]] = {}
        for form in forms:
            self._by_first.setdefault(form[0], []).append(form)
        self._held = ""

    def feed(self, piece: str) -> str:
        """What may be shown after this piece."""
        if self._pattern is None:
            return piece
        text = self._held + piece
        shown: list[str] = []
        at, hold = 0, self._first_beginning(text, 0)
        for found in self._pattern.finditer(text):
            if found.start() >= hold:
                break
            shown += [text[at : found.start()], self._forms[found[0]]]
            at = found.end()
            if at > hold:
                hold = self._first_beginning(text, at)
        shown.append(text[at:hold])
        self._held = text[max(at, hold) :]
        return "".join(shown)

    def flush(self) -> str:
        """The rest, once no piece follows."""
        rest, self._held = self._held, ""
        return rest

    def _first_beginning(self, text: str, start: int) -> int:
        """Where the first form begins that the end of the text cuts off; the length of the text when none does."""
        for at in range(max(start, len(text) - self._longest + 1), len(text)):
            tail = text[at:]
            if any(len(form) > len(tail) and form.startswith(tail) for form in self._by_first.get(text[at], ())):
                return at
        return len(text)


def marker(name: str) -> str:
    """What stands in place of a secret."""
    return f"{{{{secret:{name}}}}}"


def _all_forms(secrets: Mapping[str, str]) -> dict[str, str]:
    """Every spelling of every secret with its marker; markers stand for themselves, so that none is replaced within."""
    forms = {form: marker(name) for name, value in secrets.items() for form in sorted(_forms(value))}
    return forms | {marker(name): marker(name) for name in secrets}


def _forms(value: str) -> set[str]:
    escaped = {
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        repr(value)[1:-1],
        html.escape(value),
    }
    quoted = {quote(value, safe=""), quote(value), quote_plus(value)}
    lower = {re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), form) for form in quoted}
    encoded = {form for form in _base64_forms(value.encode()) if len(form) >= _SHORTEST_ENCODED}
    return {value} | escaped | quoted | lower | encoded


def _base64_forms(raw: bytes) -> set[str]:
    """What base64 shows of the bytes wherever they stand: three alignments, without the characters that they share with
    their neighbours, and the whole by itself."""
    forms: set[str] = set()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        forms.add(encode(raw).decode())
        for before, shared in ((0, 0), (1, 2), (2, 3)):
            text = encode(b"\0" * before + raw).decode().rstrip("=")
            whole = len(text) if (before + len(raw)) % 3 == 0 else len(text) - 1
            forms.add(text[shared:whole])
    return forms


def _alternation(forms: Collection[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True)))


def _in_strings(value: Any, change: Callable[[str], str], other: Callable[[Any], Any] | None = None) -> Any:
    """A JSON value with every string in it changed, keys too; `other` is asked for what is neither."""
    again = other or (lambda inner: _in_strings(inner, change))
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [again(item) for item in value]
    if isinstance(value, tuple):
        return tuple(again(item) for item in value)
    if isinstance(value, dict):
        return {change(key) if isinstance(key, str) else key: again(item) for key, item in value.items()}
    return value
