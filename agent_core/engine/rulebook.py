"""Rulebook: the standing rules of a home, tried out over history, saved with who and why, and put back."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec

from agent_core.config.operators import check_may_decide
from agent_core.config.profile import Rule
from agent_core.config.rule_trials import LintFinding, NeverNo, PastCall, RuleDraft, RulesVersion, Simulation
from agent_core.config.settings import Settings
from agent_core.engine import ancestry
from agent_core.engine.house import House
from agent_core.metrics.history import past_calls
from agent_core.model.errors import InputError
from agent_core.model.events import Draft, Event, RulesChanged
from agent_core.model.ids import HOME_SESSION
from agent_core.model.intents import SessionQuery
from agent_core.model.proposal import suggests_rule
from agent_core.policy import rules as rule_book
from agent_core.policy import workbench

DAYS = 30
_PAGE = 500


class LiveRulebook:
    """The standing rules of one home."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def rules(self) -> list[Rule]:
        """The rules that hold now."""
        return list((await self._settings()).rules)

    async def history(self, days: int = DAYS) -> list[PastCall]:
        """Every call that the gate judged in the last days, newest session first."""
        since = self._house.clock.now() - timedelta(days=days)
        open_world = frozenset(tool.name for tool in self._house.tools if tool.open_world)
        found: list[PastCall] = []
        offset = 0
        while page := await self._house.sessions.page(SessionQuery(offset=offset, limit=_PAGE)):
            offset += len(page)
            for row in page:
                if row.updated_at >= since:
                    state = await self._house.state(row.session)
                    found += [call for call in past_calls(state, open_world) if call.at >= since]
        return found

    async def simulate(self, draft: Sequence[Rule], days: int = DAYS) -> Simulation:
        """What a draft of the standing rules would have meant in the last days."""
        history, now = await self.history(days), self._house.clock.now()
        current = await self.rules()
        return await asyncio.to_thread(workbench.simulate, draft, current, history, now)

    async def lint(self, draft: Sequence[Rule]) -> list[LintFinding]:
        """Rules that can never match, that others make void, or that are broader than what was decided."""
        history = await self.history()
        return await asyncio.to_thread(self._lint, draft, {}, history)

    async def from_decision(self, proposal: str, days: int = DAYS) -> RuleDraft:
        """A rule that a past decision suggests: nothing is saved. Raises InputError for a card that suggests none."""
        call = await self._decided_call(proposal)
        rule = workbench.rule_from(call, self._sensitive().get(call.tool, ()))
        history, standing, now = await self.history(days), await self.rules(), self._house.clock.now()
        return RuleDraft(
            rule=rule,
            text=rule_book.text(rule),
            effect=await asyncio.to_thread(workbench.effect_of, rule, standing, history, now),
            findings=self._lint([rule], {rule_book.key(rule): call}),
        )

    async def _decided_call(self, proposal: str) -> PastCall:
        place = await self._house.cards.find(proposal)
        state = await self._house.state(place.session)
        card, closing = state.proposals[proposal].proposal, state.proposals[proposal].closing
        calls = {call.call_id: call for call in past_calls(state, frozenset())}
        call = calls.get(card.call_id or "")
        verdict = closing.verdict if closing is not None else None
        if call is None or not suggests_rule(card.touchpoint, verdict, drill=card.drill):
            raise InputError("No rule can be made from this card: it is open, or carries no call that changes anything")
        return call

    async def never_no(self, days: int = DAYS) -> list[NeverNo]:
        """Tools whose cards were all approved as they were, 20 at least."""
        return await asyncio.to_thread(workbench.never_no, await self.history(days))

    async def save(self, rules: Sequence[Rule], by: str, why: str) -> None:
        """Replace the standing rules, with who and why. Raises InputError, DecisionRefused: then nothing changed."""
        check_may_decide(by, self._house.settings.usable())
        ancestry.refuse_tools(self._house.home, "Changing rules")
        if not why.strip():
            raise InputError("Say why the rules are changed")
        settings = await self._settings()
        first = [] if await self._saved() else [self._draft(settings.rules, "system", "As it was before.")]
        await asyncio.to_thread(settings.change_rules, rules)
        await self._house.journal.append(HOME_SESSION, [*first, self._draft(settings.rules, by, why.strip())])

    async def versions(self) -> list[RulesVersion]:
        """Every saved set of rules, newest first, each with what it changed."""
        found: list[RulesVersion] = []
        before: list[Rule] = []
        for event in await self._saved():
            assert isinstance(event.data, RulesChanged)
            rules = msgspec.convert(event.data.rules, list[Rule])
            added, removed = difference(before, rules)
            found.append(
                RulesVersion(
                    seq=event.seq, at=event.at, by=event.data.by, why=event.data.why, rules=rules, added=added,
                    removed=removed,
                )
            )  # fmt: skip
            before = rules
        return found[::-1]

    async def put_back(self, seq: int, by: str) -> None:
        """Save an earlier version again. Raises InputError for one that is not there."""
        version = next((one for one in await self.versions() if one.seq == seq), None)
        if version is None:
            raise InputError(f"There is no version {seq} of the rules")
        await self.save(version.rules, by, f"Put back as saved by {version.by} on {version.at:%Y-%m-%d %H:%M} UTC")

    async def _settings(self) -> Settings:
        return await asyncio.to_thread(Settings.read, self._house.home)

    async def _saved(self) -> list[Event]:
        events = await self._house.journal.read(HOME_SESSION)
        return [event for event in events if isinstance(event.data, RulesChanged)]

    def _draft(self, rules: Sequence[Rule], by: str, why: str) -> Draft:
        plain: list[dict[str, Any]] = msgspec.to_builtins(list(rules))
        return Draft(data=RulesChanged(by=by, why=why, rules=plain), at=self._house.clock.now())

    def _lint(
        self, draft: Sequence[Rule], examples: dict[str, PastCall], history: Sequence[PastCall] = ()
    ) -> list[LintFinding]:
        return workbench.lint(
            draft,
            now=self._house.clock.now(),
            reversibility={tool.name: tool.reversibility for tool in self._house.tools},
            sensitive=self._sensitive(),
            examples=examples,
            history=history,
        )

    def _sensitive(self) -> dict[str, Sequence[str]]:
        return {tool.name: tool.sensitive for tool in self._house.tools}


def difference(before: Sequence[Rule], after: Sequence[Rule]) -> tuple[list[str], list[str]]:
    """The texts of the rules that came and went between two versions."""
    old, new = [rule_book.text(rule) for rule in before], [rule_book.text(rule) for rule in after]
    return [text for text in new if text not in old], [text for text in old if text not in new]
