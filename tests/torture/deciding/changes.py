"""Changes between a decision and its call: those after which it may not run, and those that change no meaning."""

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from agent_core.model.proposal import Decision
from agent_core.model.state import CallState, SessionState
from tests.support.engine_lab import call

OLD = "start\nmiddle\nend\n"


@dataclass(slots=True)
class Subject:
    """One approved call: what it was approved to do, and the file that it concerns."""

    number: int
    tool: str
    given: dict[str, Any]
    file: Path
    other: Decision | None = None
    """The approval of another call, which could be passed off as this one's."""
    foreign: Decision | None = None
    """An approval from another session."""

    def done(self, workspace: Path) -> bool:
        """Whether exactly what the card showed has happened to the files."""
        match self.tool:
            case "files_edit":
                return self._text() == OLD.replace(self.given["old"], self.given["new"])
            case "files_write":
                return self._text() == self.given["content"]
            case "files_move":
                target = workspace / self.given["target"]
                return not self.file.exists() and target.is_file() and target.read_text() == OLD
            case "files_delete":
                return not self.file.exists()
            case _:
                return True

    def _text(self) -> str | None:
        return self.file.read_text() if self.file.is_file() and not self.file.is_symlink() else None


def subject(chance: random.Random, number: int, workspace: Path) -> Subject:
    """A call of a random kind, with its file."""
    tool = chance.choice(("files_edit", "files_edit", "files_write", "files_move", "files_delete", "pay"))
    file = workspace / f"d{number}" / "file.txt"
    path = f"d{number}/file.txt"
    file.parent.mkdir()
    file.write_text(OLD)
    match tool:
        case "files_edit":
            given = {"path": path, "old": "middle", "new": f"changed {chance.random()}"}
        case "files_write":
            given = {"path": path, "content": f"new {chance.random()}\n"}
        case "files_move":
            given = {"source": path, "target": f"d{number}/moved.txt"}
        case "files_delete":
            given = {"path": path}
        case _:
            given = {"ref": f"ref-{number}-{chance.randrange(10**9)}"}
    return Subject(number, tool, given, file)


def as_call(one: Subject) -> dict[str, Any]:
    """The call as the model asks for it."""
    return call(one.tool, **one.given)


Change = Callable[[Subject, SessionState, CallState, random.Random], None]


def key_order(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """The same arguments, in another order."""
    items = list(asked.asked_input.items())
    chance.shuffle(items)
    asked.asked_input = dict(items)


def touched(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """The same bytes, with another time."""
    os.utime(one.file, (chance.randrange(10**9), chance.randrange(10**9)))


def rewritten(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """The same bytes, in another file of the same name."""
    fresh = one.file.with_name("fresh")
    fresh.write_bytes(one.file.read_bytes())
    fresh.replace(one.file)


def beside(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """Another file came."""
    (one.file.parent / f"other{chance.randrange(99)}.txt").write_text("x")


def nothing(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """Nothing at all."""


def argument(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """One argument has another value: one character more, one less, another case, another letter that looks alike."""
    name = chance.choice([name for name in asked.asked_input if name != "rationale"])
    value = str(asked.asked_input[name])
    spoilt = chance.choice(
        (value + " ", value[:-1], value.swapcase(), value.replace("e", "е", 1), f"./{value}", value * 2)
    )
    asked.asked_input = {**asked.asked_input, name: spoilt if spoilt != value else f"{value}!"}


def argument_type(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """One argument has another type."""
    name = chance.choice([name for name in asked.asked_input if name != "rationale"])
    asked.asked_input = {**asked.asked_input, name: chance.choice((5, True, None, [asked.asked_input[name]], {"x": 1}))}


def argument_more(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """An argument too many, or one too few."""
    if chance.random() < 0.5:
        asked.asked_input = {**asked.asked_input, "force": True}
    else:
        asked.asked_input = dict(list(asked.asked_input.items())[1:])


def bytes_of_the_file(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """The file under the preview has other bytes, or is gone."""
    spoil = chance.randrange(4)
    if spoil == 0:
        one.file.write_text(OLD + "more\n")
    elif spoil == 1:
        one.file.write_text(OLD.replace("start", "Start"))
    elif spoil == 2:
        one.file.write_bytes(b"")
    else:
        one.file.unlink()


def link_instead(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """The file, or its folder, has become a link to somewhere else with the same bytes."""
    victim = one.file.parent.parent.parent / "victims" / one.file.parent.name
    victim.mkdir(parents=True, exist_ok=True)
    (victim / "file.txt").write_text(OLD)
    one.file.unlink()
    if chance.random() < 0.5:
        one.file.symlink_to(victim / "file.txt")
    else:
        for left in one.file.parent.iterdir():
            left.unlink()
        one.file.parent.rmdir()
        one.file.parent.symlink_to(victim)


def decision_of_another_call(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """Another call's approval is presented for this one."""
    assert one.other is not None
    asked.decision = one.other


def decision_of_another_session(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """Another session's approval is presented, in the place of this one's."""
    assert one.foreign is not None
    _replace(state, asked, one.foreign)


def decision_altered(one: Subject, state: SessionState, asked: CallState, chance: random.Random) -> None:
    """Some part of the signed decision is another one."""
    decision = asked.decision
    assert decision is not None
    changed = chance.choice(
        [
            {"by": "somebody"},
            {"digest": "0" * 64},
            {"at": decision.at.replace(year=decision.at.year - 1)},
            {"arguments": {**asked.arguments, "path": "elsewhere.txt"}},
            {"agent_version": "another"},
            {"signature": decision.signature[:-4] + "0000"},
            {"signature": ""},
            {"proposal": "p-0000000000-000000"},
            {"expires_at": decision.at.replace(year=decision.at.year + 1)},
        ]
    )
    _replace(state, asked, msgspec.structs.replace(decision, **changed))


def _replace(state: SessionState, asked: CallState, decision: Decision) -> None:
    card = state.proposals[asked.proposals[-1]]
    asked.decision = card.closing = decision
    if decision.proposal not in state.proposals:
        state.proposals[decision.proposal] = card


HARMLESS: tuple[Change, ...] = (nothing, key_order, touched, rewritten, beside)
"""After these the call must run, exactly as its card showed it."""

HARMFUL: tuple[Change, ...] = (
    argument,
    argument_type,
    argument_more,
    bytes_of_the_file,
    link_instead,
    decision_of_another_call,
    decision_of_another_session,
    decision_altered,
)
"""After these the call must not run on that approval."""

ABOUT_FILES = frozenset({touched, rewritten, beside, bytes_of_the_file, link_instead})
"""Changes that mean something only to calls with a file."""
