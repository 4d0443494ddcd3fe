"""What changes when a file gets other bytes: its text, its rows or its keys, and the checks that follow from them."""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from agent_core.model.proposal import Change, Check, CheckResult, FieldChange, FileChange, Sign, TableChange
from agent_core.tools.shared.previews.images import image_changes
from agent_core.tools.shared.previews.key_diff import ENDINGS, NotReadable, key_change, parse_keys
from agent_core.tools.shared.previews.table_diff import DELIMITERS, parse_table, table_change
from agent_core.tools.shared.previews.text_diff import added_and_removed, hunks, lines, text_changes
from agent_core.tools.shared.textfile import decoded
from agent_core.tools.shared.words import count, size

_PLACEHOLDER = re.compile(
    r"^\W*(\.\.\.|…)?\W*(the )?(rest|remainder|remaining|other|existing)\b.{0,40}"
    r"\b(unchanged|same|as before|here|omitted)\W*$"
    r"|\[\W*(truncated|omitted|continues?|snip)\W*\]",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A file before and after: a headline, the parts to show, the checks, and how many lines differ."""

    headline: str
    parts: list[Change]
    checks: list[Check] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    lines: int = 0
    """Lines of the new text."""

    @property
    def changed(self) -> int:
        """Lines that are touched, where a replaced one counts once."""
        return max(self.added, self.removed)


def file_diff(path: str, before: bytes | None, after: bytes) -> FileDiff:
    """The change of one file from old bytes (None: it is new) to new ones."""
    old, new = decoded(before), decoded(after)
    if new is None or (before is not None and old is None):
        return _opaque(path, before, after)
    ending = PurePosixPath(path).suffix.lower()
    added, removed = added_and_removed(hunks(lines(old), lines(new)))
    parts: list[Change] = []
    checks = [_not_cut(old, new)]
    if ending in DELIMITERS:
        parts += _table_parts(path, old, new, ending, checks)
    elif ending in ENDINGS:
        parts += _key_parts(path, old, new, ending, checks)
    parts += text_changes(path, old, new)
    headline = _headline(old, added, removed, parts)
    return FileDiff(headline, parts, checks, added, removed, len(lines(new)))


def _opaque(path: str, before: bytes | None, after: bytes) -> FileDiff:
    old = "no file" if before is None else size(len(before))
    action = "create" if before is None else "replace"
    opaque: list[Change] = [FileChange(action=action, path=path, size=len(after))]
    parts = image_changes(path, before, after) or opaque
    if (text := decoded(after)) is not None:
        parts += text_changes(path, "", text)
    return FileDiff(
        f"{old} become{'s' if before is None else ''} {size(len(after))}; {_not_text(before, after)}", parts
    )


def _not_text(before: bytes | None, after: bytes) -> str:
    forms = ["text" if decoded(data) is not None else "not text" for data in (before, after) if data is not None]
    return "the content is not text" if len(set(forms)) == 1 else f"what is {forms[0]} becomes {forms[1]}"


def _headline(old: str | None, added: int, removed: int, parts: list[Change]) -> str:
    if old is None:
        return f"New file with {count(added, 'line')}"
    table = next((part for part in parts if isinstance(part, TableChange)), None)
    if not added and not removed:
        return "Nothing changes"
    if table is not None and not table.rows:
        return "Every row stays as it is; only their order or their form changes"
    if table is not None:
        verb = "differs" if len(table.rows) == 1 else "differ"
        moved = [f"; {total.field.lower()} {total.before} → {total.after}" for total in table.totals if _moves(total)]
        return f"{len(table.rows):,} of {count(len(table.rows) + table.unchanged, 'row')} {verb}{''.join(moved[:2])}"
    return f"{count(added, 'line')} added, {count(removed, 'line')} removed"


def _moves(total: FieldChange) -> bool:
    return total.sign is Sign.CHANGED


def _table_parts(path: str, old: str | None, new: str, ending: str, checks: list[Check]) -> list[Change]:
    before = parse_table(old, ending) if old is not None else None
    after = parse_table(new, ending)
    if after is None:
        worse = before is not None
        detail = "The new content is no regular table: rows differ in length, or quotes are left open."
        checks.append(_check("table is regular", CheckResult.FAIL if worse else CheckResult.WARN, 2.0, detail))
        return []
    checks.append(_check("table is regular", CheckResult.PASS, 1.0, f"{count(len(after.rows), 'row')}"))
    if before is None:
        return []
    if before.columns != after.columns:
        names = ", ".join(name for name in before.columns if name not in after.columns) or "none"
        checks.append(_check("columns are kept", CheckResult.WARN, 1.0, f"Columns change; gone: {names}."))
    return [table_change(path, before, after)]


def _key_parts(path: str, old: str | None, new: str, ending: str, checks: list[Check]) -> list[Change]:
    kind = ending[1:].upper()
    try:
        after = parse_keys(new, ending)
    except NotReadable as error:
        checks.append(_check(f"{kind} can be read", CheckResult.FAIL, 2.0, f"The new content is no {kind}: {error}"))
        return []
    checks.append(_check(f"{kind} can be read", CheckResult.PASS, 1.0))
    try:
        return [key_change(path, parse_keys(old, ending), after)] if old is not None else []
    except NotReadable:
        return []


def _not_cut(old: str | None, new: str) -> Check:
    """Models leave things out when they write a file anew; that is caught before it costs anyone a page."""
    name = "content is whole"
    found = _PLACEHOLDER.search(new)
    if found is not None and (old is None or found.group() not in old):
        words = found.group().strip()[:80]
        return _check(name, CheckResult.FAIL, 2.0, f'It stands for something left out: "{words}".')
    if old is not None and len(old) > 1000 and len(new) * 2 < len(old):
        detail = f"The new text has {count(len(new), 'character')} where the old one had {len(old):,}."
        return _check(name, CheckResult.WARN, 1.0, detail)
    return _check(name, CheckResult.PASS, 1.0)


def _check(name: str, result: CheckResult, weight: float, detail: str = "") -> Check:
    return Check(name=name, result=result, weight=weight, detail=detail)
