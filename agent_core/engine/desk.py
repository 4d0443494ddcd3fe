"""Desk: where proposals are read, decided and kept up to date. It records decisions; it executes none of them."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from agent_core.config.operators import check_may_decide
from agent_core.engine import ancestry, drills, verdicts
from agent_core.engine.deadlines import expire
from agent_core.engine.house import House
from agent_core.engine.ledger import Ledger, draft
from agent_core.engine.redacting import redacted
from agent_core.engine.summary import profile_of
from agent_core.engine.together import decide_together
from agent_core.model.action import GateVerdict
from agent_core.model.budget import LimitName
from agent_core.model.errors import DecisionRefused, InputError, RefusedCard, TogetherRefused
from agent_core.model.events import (
    AlertAcknowledged,
    DecisionRegretted,
    DecisionUndone,
    Draft,
    EventData,
    ProposalChanged,
    ProposalPresented,
)
from agent_core.model.ids import IdKind
from agent_core.model.intents import (
    Decide,
    HalfFilled,
    OpenProposal,
    OperatorProfile,
    Receipt,
    TreeBudget,
    Trial,
)
from agent_core.model.proposal import (
    EDITING,
    OPEN_VERDICTS,
    Decision,
    Proposal,
    ProposalStatus,
    Touchpoint,
    Verdict,
    Via,
)
from agent_core.model.state import ProposalState, SessionState
from agent_core.policy import queue
from agent_core.policy.argument_schema import argument_errors
from agent_core.policy.decisions import CheckedDecision, check_decision, is_expired
from agent_core.policy.queue import check_together
from agent_core.store.names import typed_name
from agent_core.store.signatures import OperatorKey

if TYPE_CHECKING:
    from agent_core.engine.second_look import SecondLook
    from agent_core.tools.base import ProbeAnswer

LONGEST_EXTENSION = 7 * 24 * 60
"""Minutes."""
Told = Callable[[SessionState, ProposalState, datetime], Sequence[EventData]]
"""The events that a card comes to now. May raise DecisionRefused: then nothing is recorded."""


class LiveDesk:
    """The desk of one home in this process."""

    def __init__(self, house: House, decided: Callable[[str], None]) -> None:
        self._house = house
        self._decided = decided

    @cached_property
    def _second_look(self) -> "SecondLook":
        """Made, and the tools imported, once somebody looks: a plain decision needs neither."""
        from agent_core.engine import second_look

        return second_look.SecondLook(self._house)

    async def open_proposals(self) -> list[OpenProposal]:
        """Every open card of every session in the order of the queue: unknown first, then deadline, then tier.

        Snoozed ones come last until their time.
        """
        now = self._house.clock.now()
        cards = await self._house.cards.open()
        rows = await self._house.sessions.rows({card.session for _, card in cards})
        found = []
        for place, card in cards:
            row = rows.get(card.session)
            if row is None:  # somebody took it out of the list: `verify` names it, and it hides no other
                continue
            found.append(
                OpenProposal(
                    proposal=card,
                    agent=row.agent,
                    goal=row.goal,
                    demo=row.demo,
                    with_agent=place.with_agent,
                    snoozed_until=place.snoozed_until,
                    expired=is_expired(card, now),
                    version=place.version,
                    group=queue.group_of(card, row.agent),
                )
            )
        return sorted(found, key=lambda entry: queue.place(entry.proposal, entry.snoozed_until, now))

    async def opened_since(self, moment: datetime) -> dict[str, datetime]:
        """When each card was opened, whatever became of it, from a moment on: the load of the people who decide."""
        return await self._house.cards.opened_since(moment)

    async def find(self, said: str) -> str:
        """The proposal that a person means by its id or a short form. Raises DecisionRefused, InputError."""
        return await self._house.cards.named(said)

    async def decide(self, intent: Decide) -> Receipt:
        """Record one decision. Raises DecisionRefused, and then nothing has changed."""
        self._refuse_others(intent.by)
        intent = redacted(self._house.services.redactor(), intent)
        ledger = await self._of(intent.proposal)
        state, now = ledger.state, self._house.clock.now()
        tree = await self._house.shared.tree(state) if intent.verdict == Verdict.EXTEND else None
        checked = self._checked(state, intent, now, tree)
        edited = await self._edited(state, intent.proposal, checked) if checked.verdict in EDITING else None
        again = checked.verdict is Verdict.CHECK_AGAIN
        probe = await self._second_look.asked_for(state, intent.proposal) if again else None
        key = await self._house.keys.of(intent.by)
        made: list[Decision] = []

        def record(newest: SessionState) -> Sequence[Draft]:
            made.clear()
            return self._recorded(newest, intent, key, now, made, probe, edited, tree)

        if LimitName.TREE_COST_USD in checked.details:
            value, why = checked.details[LimitName.TREE_COST_USD], checked.reason or ""
            from agent_core.engine import trees

            others = await trees.change_tree_limit(self._house, ledger, record, value=value, by=intent.by, why=why)
            for session in others:
                self._decided(session)
        else:
            await ledger.decide(record)
        if checked.closes or probe is not None or checked.verdict is Verdict.ASK:
            self._decided(ledger.session)
        return _receipt(ledger.session, made[0])

    async def decide_all(self, intents: Sequence[Decide]) -> list[Receipt]:
        """Say one word to several cards that can simply be undone: all are decided, or none.

        Raises DecisionRefused; TogetherRefused names every card that stood in the way.
        """
        by_session: dict[str, list[Decide]] = {}
        ledgers: dict[str, Ledger] = {}
        cards = []
        for given in intents:
            self._refuse_others(given.by)
            ledger = await self._of(given.proposal)
            ledgers[ledger.session] = ledger
            by_session.setdefault(ledger.session, []).append(redacted(self._house.services.redactor(), given))
            cards.append(ledger.state.proposals[given.proposal].proposal)
        check_together(intents, cards)
        key, now = await self._house.keys.of(intents[0].by), self._house.clock.now()
        made: dict[str, list[Decision]] = {}

        def recorder(session: str) -> Callable[[SessionState], Sequence[Draft]]:
            def record(newest: SessionState) -> Sequence[Draft]:
                made[session] = []
                return self._all_recorded(newest, by_session[session], key, now, made[session])

            return record

        await decide_together(self._house.journal, [(ledgers[name], recorder(name)) for name in by_session])
        for session in by_session:
            self._decided(session)
        receipts = {one.proposal: _receipt(session, one) for session, listed in made.items() for one in listed}
        return [receipts[intent.proposal] for intent in intents]

    def _all_recorded(
        self,
        state: SessionState,
        intents: Sequence[Decide],
        key: OperatorKey,
        now: datetime,
        made: list[Decision],
    ) -> list[Draft]:
        """What is recorded of several cards of one session. Raises TogetherRefused, which names all that cannot be."""
        recorded: list[Draft] = []
        refused: list[RefusedCard] = []
        for intent in intents:
            try:
                recorded += self._recorded(state, intent, key, now, made, None)
            except DecisionRefused as error:
                summary = state.proposals[intent.proposal].proposal.summary
                refused.append(RefusedCard(intent.proposal, summary, str(error), error.code))
        if refused:
            raise TogetherRefused(refused)
        return recorded

    def _recorded(
        self,
        state: SessionState,
        intent: Decide,
        key: OperatorKey,
        now: datetime,
        made: list[Decision],
        probe: "ProbeAnswer | None",
        edited: Proposal | None = None,
        tree: TreeBudget | None = None,
    ) -> list[Draft]:
        """The signed decision, checked against the newest state, and what goes with it."""
        sound = self._checked(state, intent, now, tree)
        card = state.proposals[intent.proposal]
        decision_id = self._house.ids.new(IdKind.DECISION)
        decision = key.sign(verdicts.decision(decision_id, state, card, intent, sound, now, edited))
        made.append(decision)
        return [self._draft(state, card, event, now) for event in verdicts.events(state, card, decision, probe, edited)]

    async def undo(self, proposal: str, by: str) -> None:
        """Take back an approval before its call started. Raises DecisionRefused afterwards."""
        self._refuse_others(by)

        def undone(state: SessionState, card: ProposalState, _now: datetime) -> Sequence[EventData]:
            verdicts.refuse_undo(state, card)
            assert card.closing is not None
            return [DecisionUndone(proposal=proposal, decision=card.closing.decision, by=by)]

        await self._record(await self._of(proposal), proposal, undone)

    async def present(self, proposal: str, by: str) -> None:
        """Record that a person was shown the card at the console; once."""

        def presented(_state: SessionState, card: ProposalState, _now: datetime) -> Sequence[EventData]:
            if card.presented_at is not None or card.status is not ProposalStatus.OPEN:
                return []
            return [ProposalPresented(proposal=proposal, by=by, via=Via.CONSOLE)]

        await self._record(await self._of(proposal), proposal, presented)

    async def open_drill(self, by: str) -> str:
        """Put a known-bad card on the desk to practise on; gives its id. It carries no call and can never run."""
        house, now = self._house, self._house.clock.now()
        session, proposal = house.ids.new(IdKind.SESSION), house.ids.new(IdKind.PROPOSAL)
        trap = drills.trap_of(sum(session.encode()))
        made = drills.drafts(trap, session=session, run=house.ids.new(IdKind.RUN), proposal=proposal, by=by, now=now)
        await house.ledger(session).append(made)
        return proposal

    async def half_filled(self, operator: str) -> dict[str, HalfFilled]:
        """The forms of open cards that an operator has begun to fill in, by card."""
        return await self._house.half_filled.of(operator)

    async def keep_half_filled(self, proposal: str, operator: str, form: HalfFilled | None) -> None:
        """Keep a form over restarts; None forgets it. One that holds a known secret is not kept: it would lie about."""
        if form is not None and redacted(self._house.services.redactor(), form) != form:
            form = None
        await self._house.half_filled.keep(proposal, operator, form)

    async def is_locked(self, operator: str) -> bool:
        """Whether the operator decides with a passphrase that this process was not given yet."""
        return await self._house.keys.is_locked(operator)

    async def unlock(self, operator: str, passphrase: str) -> None:
        """Let the operator decide here, once a session. Raises DecisionRefused (wrong_passphrase)."""
        await self._house.keys.unlock(operator, passphrase)

    async def protect(self, operator: str, passphrase: str | None, old: str | None = None) -> None:
        """Have the operator decide with that passphrase from now on, or with none; `old` is the one that holds now."""
        self._refuse_others(operator)
        await self._house.keys.protect(operator, passphrase, old)

    async def operators(self) -> list[OperatorProfile]:
        """Everybody who has a key in this home or is listed in its settings, by name."""
        listed: list[str] = self._house.settings.usable()["policies.operators"]
        known = {one.name: one for one in await self._house.keys.profiles()}
        found = [known.get(name, OperatorProfile(name=name, may_decide=True)) for name in {*known, *listed}]
        admitted = [msgspec.structs.replace(one, may_decide=not listed or one.name in listed) for one in found]
        return sorted(admitted, key=lambda one: one.name.casefold())

    async def regret(self, proposal: str, by: str, why: str) -> None:
        """Mark a closed card's decision as a mistake, to learn from it; an empty `why` takes the mark back."""
        self._refuse_others(by)

        def regretted(_state: SessionState, card: ProposalState, _now: datetime) -> Sequence[EventData]:
            if card.closing is None:
                raise DecisionRefused("Nobody decided this card, so there is nothing to regret.", "invalid")
            return [DecisionRegretted(proposal=proposal, decision=card.closing.decision, by=by, why=why.strip())]

        await self._record(await self._of(proposal), proposal, regretted)

    async def acknowledge(self, session: str, alert: str, by: str) -> None:
        """Record that somebody looked at an alert; twice is once. Raises InputError for one that was never raised."""
        self._refuse_others(by)
        ledger = await self._house.load(session)

        def record(state: SessionState) -> Sequence[Draft]:
            if alert not in {raised.alert for raised in state.alerts}:
                raise InputError(f"Session {session} has no alert named {typed_name(alert)}")
            if alert in state.acknowledged:
                return []
            return [draft(state, AlertAcknowledged(alert=alert, by=by), self._house.clock.now())]

        await ledger.decide(record)

    async def extend_deadline(self, proposal: str, minutes: int, by: str) -> None:
        """A recorded decision to wait longer. Raises DecisionRefused for a card that has no deadline, or none left."""
        self._refuse_others(by)
        if not 1 <= minutes <= LONGEST_EXTENSION:
            raise DecisionRefused(f"A deadline is extended by 1 to {LONGEST_EXTENSION} minutes", "invalid")

        def extended(_state: SessionState, card: ProposalState, now: datetime) -> Sequence[EventData]:
            verdicts.refuse_closed(card, now)
            if card.proposal.approve_by is None:
                raise DecisionRefused("This card waits without a deadline", "invalid")
            later = card.proposal.approve_by + timedelta(minutes=minutes)
            revised = msgspec.structs.replace(card.proposal, approve_by=later)
            why = f"{by} waits {minutes} min longer."
            return [ProposalChanged(proposal=proposal, revised=revised, why=why, by=by)]

        await self._record(await self._of(proposal), proposal, extended)

    async def recheck(self, proposal: str) -> bool:
        """Read the preconditions again. True when the card changed: the new version comes as an event."""
        ledger = await self._of(proposal)
        if ledger.state.proposals[proposal].proposal.touchpoint is Touchpoint.OUTCOME_UNKNOWN:
            return await self._check_outcome(ledger, proposal)
        finding = await self._second_look.as_shown(ledger.state, proposal)
        if finding is None:
            return False
        changed = self._second_look.revised(ledger.state, proposal, finding)
        if changed is None:
            return False

        def renewed(_state: SessionState, card: ProposalState, _now: datetime) -> Sequence[EventData]:
            return [changed] if card.status is ProposalStatus.OPEN else []

        return await self._record(ledger, proposal, renewed)

    async def _check_outcome(self, ledger: Ledger, proposal: str) -> bool:
        """Look by the tool's own check whether a call of unknown outcome has happened."""
        probe = await self._second_look.probe(ledger.state, proposal)
        if probe is None:
            return False

        def checked(state: SessionState, card: ProposalState, now: datetime) -> Sequence[EventData]:
            is_open = card.status is ProposalStatus.OPEN
            return verdicts.checked_again(state, card.proposal, probe, now) if is_open else []

        recorded = await self._record(ledger, proposal, checked)
        if recorded and probe.happened:
            self._decided(ledger.session)
        return recorded

    async def trial(self, proposal: str, arguments: dict[str, Any]) -> Trial:
        """What edited arguments would mean: schema, checks, gate and preview, without deciding."""
        ledger = await self._of(proposal)
        card = ledger.state.proposals[proposal].proposal
        errors = argument_errors(card.schema, arguments)
        if errors:
            return Trial(errors=errors)
        finding = await self._second_look.with_arguments(ledger.state, proposal, arguments)
        if finding is None:
            return Trial(errors={"": "This card carries no call."})
        if finding.judgement.verdict is GateVerdict.DENY:
            error = finding.judgement.error
            return Trial(errors={"": error.message if error is not None else "The policy denies it."})
        preview = finding.preview
        return Trial(
            what_changes=preview.what_changes if preview is not None else None,
            confidence=finding.confidence,
            summary=preview.summary if preview is not None else "",
            digest=finding.digest,
            key_figure=preview.key_figure if preview is not None else None,
        )

    async def expire(self, session: str) -> None:
        """Journal what silence means for every overdue card of a session."""
        if await expire(await self._house.load(session), self._house.clock):
            self._decided(session)

    async def _of(self, proposal: str) -> Ledger:
        """The ledger of the proposal's session, up to date. Raises DecisionRefused (unknown)."""
        place = await self._house.cards.find(proposal)
        ledger = await self._house.load(place.session)
        if proposal not in ledger.state.proposals:
            raise DecisionRefused(f"There is no proposal {typed_name(proposal)}", "unknown")
        return ledger

    async def _record(self, ledger: Ledger, proposal: str, told: Told) -> bool:
        """Append what is told of a card in its newest state; whether that was anything."""

        def drafts(state: SessionState) -> Sequence[Draft]:
            card, now = state.proposals[proposal], self._house.clock.now()
            return [self._draft(state, card, event, now) for event in told(state, card, now)]

        return bool(await ledger.decide(drafts))

    def _checked(
        self, state: SessionState, intent: Decide, now: datetime, tree: TreeBudget | None = None
    ) -> CheckedDecision:
        card = state.proposals[intent.proposal]
        profile = profile_of(state)
        checked = check_decision(
            intent,
            card,
            now=now,
            spend=state.run.spend,
            tree_usd=tree.at_most_usd if tree is not None else None,
            require_console=profile.gate.require_console,
            deny_rules=[rule for rule in profile.rules if rule.verdict is GateVerdict.DENY],
        )
        if checked.verdict is Verdict.ESCALATE:
            check_may_decide(checked.details["to"], self._house.settings.usable())
        if checked.verdict is Verdict.EXTEND:
            try:
                from agent_core.engine import admission

                admission.refuse_unpriced(self._house, state, map(LimitName, checked.details))
            except InputError as error:
                raise DecisionRefused(str(error), "invalid") from None
        return checked

    async def _edited(self, state: SessionState, proposal: str, checked: CheckedDecision) -> Proposal | None:
        """The card of the call as it is changed, for a second person; None where one is enough. Nothing runs here.

        New arguments must pass the gate as it is now.
        """
        finding = await self._second_look.with_arguments(state, proposal, checked.arguments)
        if finding is None:
            return None
        if finding.judgement.verdict is GateVerdict.DENY:
            error = finding.judgement.error
            said = error.message if error is not None else "the policy denies it"
            raise DecisionRefused(f"The new arguments cannot be approved: {said}", "invalid")
        return self._second_look.edited(state, proposal, finding) if checked.awaits_second else None

    def _draft(self, state: SessionState, card: ProposalState, event: EventData, now: datetime) -> Draft:
        return Draft(data=event, at=now, run=card.proposal.run, step=card.proposal.step)

    def _refuse_others(self, by: str) -> None:
        """A decision comes from an operator whom the settings admit, and never from a process that a tool started."""
        check_may_decide(by, self._house.settings.usable())
        ancestry.refuse_tools(self._house.home)


def _receipt(session: str, decision: Decision) -> Receipt:
    return Receipt(
        proposal=decision.proposal,
        session=session,
        verdict=decision.verdict.value,
        by=decision.by,
        at=decision.at,
        closed=decision.verdict not in OPEN_VERDICTS and not decision.awaits_second,
        decision=decision.decision,
        effective_at=decision.effective_at,
    )
