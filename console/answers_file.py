"""Decision files: a JSON list of answers, tried top to bottom, each used a stated number of times."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_core.config.toml_source import nearest
from agent_core.config.tool_names import DEMO_TOOL_NAMES, TOOL_NAMES
from agent_core.config.values import shown
from agent_core.model.engine_tools import PLAN_TOOLS
from agent_core.model.errors import InputError
from agent_core.model.proposal import VERDICTS, Proposal, Touchpoint, Verdict
from agent_core.model.strict_json import read_json

ALWAYS = "always"
KEYS = ("tool", "touchpoint", "arguments", "arguments_include", "verdict", "args", "reason", "answer", "times")
_OBJECTS = ("arguments", "arguments_include", "args")
_TEXTS = ("reason", "answer")


@dataclass(slots=True)
class FileAnswer:
    """One entry: what it matches, what it says, and how often it may still be used (None: for ever)."""

    verdict: str
    tool: str | None = None
    touchpoint: str | None = None
    arguments: dict[str, Any] | None = None
    arguments_include: dict[str, Any] | None = None
    args: dict[str, Any] | None = None
    reason: str | None = None
    answer: str | None = None
    times: int | None = 1

    def matches(self, card: Proposal) -> bool:
        """Whether this entry answers that card."""
        if self.times == 0 or self.verdict not in (*card.verdicts, Verdict.POSTPONE):
            return False
        if self.tool is not None and self.tool != card.tool:
            return False
        if self.touchpoint is not None and self.touchpoint != card.touchpoint:
            return False
        if self.arguments is not None and not equal(self.arguments, card.arguments):
            return False
        wanted = (self.arguments_include or {}).items()
        return all(key in card.arguments and equal(value, card.arguments[key]) for key, value in wanted)


@dataclass(slots=True)
class AnswersFile:
    """The answers of one file, used up as they match."""

    answers: list[FileAnswer]

    @classmethod
    def read(cls, path: Path) -> "AnswersFile":
        """Read and check a decision file; raises InputError that names the entry and what is wrong with it."""
        try:
            text = path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise InputError(f"The decision file {path} cannot be read: {(error.strerror or '').lower()}") from error
        except ValueError as error:
            raise InputError(f"The decision file {path} is not UTF-8 text") from error
        try:
            entries = read_json(text)
        except ValueError as error:
            raise InputError(f"The decision file {path} is not JSON: {error}") from error
        if not isinstance(entries, list):
            raise InputError(f"The decision file {path} must hold a list of answers, not {shown(entries)}")
        return cls([_entry(entry, f"{path.name} answer {number}") for number, entry in enumerate(entries, start=1)])

    def take(self, card: Proposal) -> FileAnswer | None:
        """The first answer that matches, used once; None leaves the card open."""
        for answer in self.answers:
            if answer.matches(card):
                answer.times = None if answer.times is None else answer.times - 1
                return answer
        return None


def equal(left: Any, right: Any) -> bool:
    """Equality as JSON has it: a boolean is no number, and objects compare whatever the order of their members."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return (type(left) in (int, float) and type(right) in (int, float) and left == right) or (
        type(left) is type(right) and left == right
    )  # fmt: skip


def _entry(entry: object, place: str) -> FileAnswer:
    if not isinstance(entry, dict):
        raise InputError(f"{place} must be an object, not {shown(entry)}")
    for key in entry:
        if key not in KEYS:
            raise InputError(f'{place}: unknown key "{key}"{nearest(key, KEYS)}')
    touchpoint = _word(entry, "touchpoint", [item.value for item in Touchpoint], place)
    allowed = [*VERDICTS[Touchpoint(touchpoint)], Verdict.POSTPONE] if touchpoint is not None else list(Verdict)
    verdict = _word(entry, "verdict", [item.value for item in allowed], place)
    if verdict is None:
        raise InputError(f'{place} needs a "verdict"')
    for key in _OBJECTS:
        if not isinstance(entry.get(key, {}), dict):
            raise InputError(f"{place}: {key} must be an object, not {shown(entry[key])}")
    for key in _TEXTS:
        if not isinstance(entry.get(key, ""), str):
            raise InputError(f"{place}: {key} must be text, not {shown(entry[key])}")
    return FileAnswer(
        verdict=verdict,
        tool=_word(entry, "tool", [*TOOL_NAMES, *DEMO_TOOL_NAMES, *PLAN_TOOLS], place),
        touchpoint=touchpoint,
        arguments=entry.get("arguments"),
        arguments_include=entry.get("arguments_include"),
        args=entry.get("args"),
        reason=entry.get("reason"),
        answer=entry.get("answer"),
        times=_times(entry.get("times", 1), place, verdict),
    )


def _word(entry: dict[str, Any], key: str, known: list[str], place: str) -> str | None:
    if key not in entry:
        return None
    word = entry[key]
    if not isinstance(word, str) or word not in known:
        raise InputError(f"{place}: {key} cannot be {shown(word)}{nearest(str(word), known)}")
    return word


def _times(value: object, place: str, verdict: str) -> int | None:
    if value == ALWAYS and verdict == Verdict.CHECK_AGAIN:
        raise InputError(f"{place}: {verdict} brings the card back, so times must be a whole number")
    if value == ALWAYS:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f'{place}: times must be a whole number from 1, or "always", not {shown(value)}')
    return value
