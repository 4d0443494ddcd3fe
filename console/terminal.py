"""The headless operator view: cards as plain text, and questions with the friction that their gravity asks for."""

import asyncio
import json
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any

from agent_core.model.action import Tier
from agent_core.model.proposal import APPROVING, Proposal, Verdict, Via
from console.card_text import card_lines, verdict_words
from console.daemon import in_daemon
from console.deciding import Reply
from ui.hostile import visible_line

LATER = "later"
_REASONED = (
    Verdict.REJECT,
    Verdict.SEND_BACK,
    Verdict.ABANDON,
    Verdict.STOP,
    Verdict.BEST_EFFORT,
    Verdict.DECLINE,
    Verdict.FIXED,
)
_ANSWERED = (Verdict.ANSWER, Verdict.ASK, Verdict.OTHER_WAY)
_DETAILS = {
    Verdict.ESCALATE: ("to", "Who should decide"),
    Verdict.POSTPONE: ("until", "Until when (an instant such as 2026-12-31T18:00:00Z)"),
    Verdict.TAKE_OVER: ("reference", "Where it can be looked up"),
    Verdict.HAPPENED: ("reference", "How you know"),
    Verdict.NOT_HAPPENED: ("reference", "How you know"),
}


class EndOfInput(Exception):
    """The person left: the card stays open."""


class AtTerminal:
    """Asks the person at the terminal. Enter alone, a single letter and the end of input decide nothing."""

    via = Via.TERMINAL

    def __init__(self, read: Callable[[], str] | None = None) -> None:
        self._read = read or sys.stdin.readline
        self._shown: Proposal | None = None

    async def reply(self, card: Proposal, now: datetime) -> Reply | None:
        """Show the card, unless it was the last one shown, and ask for a whole decision; None leaves it for later."""
        if card != self._shown:
            for line in card_lines(card, now):
                self._say(line)
        self._shown = card
        try:
            return await self._ask(card)
        except EndOfInput:
            return None

    async def refused(self, card: Proposal, sentence: str) -> bool:
        """Say why, and ask again."""
        self._say(f"Not taken: {visible_line(sentence)}")
        return True

    async def _ask(self, card: Proposal) -> Reply | None:
        words = [*verdict_words(card), LATER]
        while True:
            said = (await self._question(f"Decide ({', '.join(words)})")).lower()
            if said == LATER:
                return None
            if said not in words:
                self._say(f"Type one of: {', '.join(words)}. Nothing was decided.")
                continue
            reply = await self._complete(card, Verdict(said))
            if reply is not None:
                return reply
            self._say("Nothing was decided.")

    async def _complete(self, card: Proposal, verdict: Verdict) -> Reply | None:
        """Whatever the verdict takes besides, and its friction; None when the person turned back."""
        args: dict[str, Any] | None = None
        if verdict in (Verdict.MODIFY, Verdict.EDIT, Verdict.EXTEND):
            args = await self._object(card, verdict)
            if args is None:
                return None
        elif verdict in _DETAILS:
            name, question = _DETAILS[verdict]
            args = {name: await self._question(question)}
        explains = verdict in _REASONED or (verdict in APPROVING and card.doubtful)
        reason = await self._question("Reason") if explains else None
        answer = await self._question("Your answer") if verdict in _ANSWERED else None
        if verdict in APPROVING and not await self._friction(card):
            return None
        return Reply(verdict=verdict, args=args, reason=reason, answer=answer, seen=[*card.evidence_parts])

    async def _friction(self, card: Proposal) -> bool:
        if card.tier is Tier.R3:
            label, figure = _key_figure(card)
            return await self._question(f"This cannot be undone. To go on, type the {label}") == figure
        if card.tier is Tier.R2:
            self._say(f"{visible_line(card.summary)} It can be undone only in part.")
            return await self._question("To go on, type yes") == "yes"
        return True

    async def _object(self, card: Proposal, verdict: Verdict) -> dict[str, Any] | None:
        asked = "The new limits, such as" if verdict is Verdict.EXTEND else "The complete new arguments, now"
        shown = {"cost_usd": "3.00"} if verdict is Verdict.EXTEND else card.arguments
        said = await self._question(f"{asked} {json.dumps(shown, ensure_ascii=False)}")
        try:
            value = json.loads(said)
        except ValueError as error:
            self._say(f"That is not JSON: {error}.")
            return None
        return value if isinstance(value, dict) else None

    async def _question(self, text: str) -> str:
        sys.stderr.write(f"{visible_line(text)}: ")
        sys.stderr.flush()
        try:
            line = await in_daemon(self._read)
        except asyncio.CancelledError:
            self._say("")
            raise
        if not line:
            raise EndOfInput
        return line.strip()

    @staticmethod
    def _say(text: str) -> None:
        sys.stderr.write(text + "\n")


def _key_figure(card: Proposal) -> tuple[str, str]:
    """What an irreversible approval must type: the figure of the preview, else the name of the tool."""
    if card.key_figure is not None:
        return card.key_figure.label, card.key_figure.value
    return "name of the tool", card.tool or card.touchpoint.value
