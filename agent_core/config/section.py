"""One table of a TOML file, read strictly: every refusal names the file, the line, the key and the way out."""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Any, TypeVar

from agent_core.config.toml_source import KeyPath, TomlSource, nearest
from agent_core.config.values import BadValue, as_text, shown

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)


class Section:
    """A table whose keys are all known. Readers take a key, a converter and, where it may be missing, a default."""

    def __init__(self, source: TomlSource, path: KeyPath, table: object, keys: Iterable[str]) -> None:
        self.source, self.path, self.keys = source, path, tuple(keys)
        if not isinstance(table, dict):
            raise source.refusal(path, f"{_named(path)} must be a table, not {shown(table)}")
        self.table: dict[str, Any] = table
        for key in table:
            if key not in self.keys:
                where = f" in {_named(path)}" if path else ""
                raise self.refusal(key, f'unknown key "{key}"{where}{nearest(key, self.keys)}')

    def __contains__(self, key: str) -> bool:
        return key in self.table

    def refusal(self, key: str, sentence: str) -> Exception:
        """An error at the line of that key."""
        return self.source.refusal((*self.path, key), sentence)

    def need(self, key: str, convert: Callable[[object], T]) -> T:
        """The value of a required key."""
        if key not in self.table:
            where = _named(self.path) if self.path else "the profile"
            raise self.source.refusal(self.path, f'{where} needs the key "{key}"')
        return self._converted(key, self.table[key], convert)

    def take(self, key: str, convert: Callable[[object], T], default: T) -> T:
        """The value of a key that may be missing."""
        return self._converted(key, self.table[key], convert) if key in self.table else default

    def choice(self, key: str, options: type[E], default: E) -> E:
        """One of a closed set of words."""
        return self.take(key, lambda value: one_of(value, options), default)

    def texts(self, key: str, default: Sequence[str] = ()) -> list[str]:
        """A list of texts that are not empty."""
        return self.take(key, texts, list(default))

    def section(self, key: str, keys: Iterable[str]) -> "Section":
        """A table inside; an empty one where it is missing."""
        return Section(self.source, (*self.path, key), self.table.get(key, {}), keys)

    def sections(self, key: str, keys: Iterable[str]) -> list["Section"]:
        """The tables of a list of tables, such as [[tools]]."""
        items = self.table.get(key, [])
        if not isinstance(items, list):
            raise self.refusal(key, f"{key} must be written as [[{key}]]")
        return [Section(self.source, (*self.path, key, number), item, keys) for number, item in enumerate(items)]

    def _converted(self, key: str, value: object, convert: Callable[[object], T]) -> T:
        try:
            return convert(value)
        except BadValue as error:
            where = f" in {_named(self.path)}" if self.path else ""
            raise self.refusal(key, f"{key}{where} {error}") from None


def one_of(value: object, options: type[E]) -> E:
    """A member of the set by its word; refused with the nearest right spelling."""
    try:
        return options(value)  # type: ignore[arg-type]
    except ValueError:
        names = [option.value for option in options]
        raise BadValue(f"cannot be {shown(value)}{nearest(str(value), names)}") from None


def texts(value: object) -> list[str]:
    """A list of texts that are not empty."""
    if not isinstance(value, list):
        raise BadValue(f'must be a list such as ["one", "two"], not {shown(value)}')
    return [as_text(item) for item in value]


def _named(path: KeyPath) -> str:
    """``[limits]``, or ``[[tools]] 2`` for the second entry of a list."""
    if not path:
        return "the file"
    if isinstance(path[-1], int):
        return f"[[{'.'.join(str(part) for part in path[:-1])}]] {path[-1] + 1}"
    return f"[{'.'.join(str(part) for part in path)}]"
