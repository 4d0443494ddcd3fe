"""Where the data lies, in words. Looks at the disk: not on the GUI thread."""

from dataclasses import dataclass
from pathlib import Path

from agent_core.config.home import Home
from ui import formatting
from ui.models.model_key import place_words


@dataclass(frozen=True, slots=True)
class DataRow:
    """One place: what it holds, its path, how it reads, and how large it is ("" where there is nothing yet)."""

    key: str
    title: str
    help: str
    path: Path
    place: str
    size: str


_PLACES = (
    ("database", "Sessions and decisions", "The journal of every step, chained and signed."),
    ("settings", "Settings", "TOML; what is changed there by hand is read here."),
    ("agents", "Agent profiles", "One TOML file each."),
    ("trash", "Old bytes", "What agents overwrote or deleted, for the way back."),
    ("outbox", "Outbox", "E-mail that was approved, one .eml file each."),
    ("backups", "Backups", "Copies of the database."),
    ("logs", "Logs", "Errors of the program, without secrets."),
)


def data_rows(home: Home, user: Path) -> list[DataRow]:
    """Every place of a home, with its size."""
    rows = []
    for key, title, words in _PLACES:
        path: Path = getattr(home, key)
        rows.append(DataRow(key, title, words, path, place_words(path, user), _size(path)))
    return rows


def _size(path: Path) -> str:
    try:
        if path.is_dir():
            files = [found.stat().st_size for found in path.rglob("*") if found.is_file()]
            return f"{formatting.plural(len(files), 'file')}, {formatting.byte_size(sum(files))}" if files else "empty"
        return formatting.byte_size(path.stat().st_size)
    except OSError:
        return "not there yet"
