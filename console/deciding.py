"""Who answers the cards of a headless run: nobody, a decision file, or the person at the terminal."""

import sys
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from agent_core.model.errors import InputError
from agent_core.model.intents import Decide
from agent_core.model.proposal import EDITING, Proposal, Via
from console.answers_file import AnswersFile

ASK, NONE = "ask", "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What somebody said to a card, before it is recorded."""

    verdict: str
    args: dict[str, Any] | None = None
    reason: str | None = None
    answer: str | None = None
    seen: list[str] = field(default_factory=list)


class Decider(Protocol):
    """Whoever answers cards."""

    via: Via

    async def reply(self, card: Proposal, now: datetime) -> Reply | None:
        """What they say to it at that instant; None leaves it open."""
        ...

    async def refused(self, card: Proposal, sentence: str) -> bool:
        """Their decision was not taken, and why. True asks them again."""
        ...


class Nobody:
    """Suspends at the first card."""

    via = Via.CLI

    async def reply(self, card: Proposal, now: datetime) -> Reply | None:
        """Leaves every card open."""
        return None

    async def refused(self, card: Proposal, sentence: str) -> bool:
        """Never asked again."""
        return False


@dataclass(slots=True)
class FromFile:
    """Answers by a decision file: an operator's deliberate act, without friction."""

    answers: AnswersFile
    via: Via = Via.FILE

    async def reply(self, card: Proposal, now: datetime) -> Reply | None:
        """The first answer that matches."""
        found = self.answers.take(card)
        if found is None:
            return None
        return Reply(verdict=found.verdict, args=found.args, reason=found.reason, answer=found.answer)

    async def refused(self, card: Proposal, sentence: str) -> bool:
        """Says so and leaves the card open."""
        sys.stderr.write(f"pilothouse: {' '.join(sentence.split())}\n")
        return False


def intent(card: str, reply: Reply, *, by: str, via: Via, digest: str | None = None) -> Decide:
    """The decision as the desk takes it: `args` are the new arguments of a modify or edit, else the details."""
    new_arguments = reply.verdict in EDITING
    return Decide(
        proposal=card,
        verdict=reply.verdict,
        by=by,
        via=via,
        reason=reply.reason,
        arguments=reply.args if new_arguments else None,
        details={} if new_arguments else reply.args or {},
        answer=reply.answer,
        seen=reply.seen,
        digest=digest,
    )


def decider_for(mode: str | None, *, at_terminal: bool) -> Decider:
    """The decider that --decide names: ask, none, or a decision file. Without one: ask on a terminal, else none."""
    if mode is None:
        mode = ASK if at_terminal else NONE
    if mode == NONE:
        return Nobody()
    if mode == ASK:
        if not at_terminal:
            raise InputError("--decide ask needs a terminal; use none or a decision file")
        from console.terminal import AtTerminal

        return AtTerminal()
    if not mode.strip() or "\0" in mode:
        raise InputError("--decide must be ask, none or the path of a decision file")
    return FromFile(AnswersFile.read(Path(mode).expanduser()))
