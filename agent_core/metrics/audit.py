"""Audit: the cards of a session as entries, and which of them a query wants. Folds of events only."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from agent_core.model.action import EffectClass
from agent_core.model.audit import AuditDecision, AuditEntry, AuditQuery
from agent_core.model.events import DecisionMade, Event, ProposalOpened
from agent_core.model.proposal import APPROVING, Decision, ProposalStatus, Touchpoint
from agent_core.model.run import CallState, CallStatus, ProposalState
from agent_core.model.state import SessionState, fold

FaultOf = Callable[[Decision], str | None]


def entries_of(events: Sequence[Event], session: str, fault_of: FaultOf, chain_fault: str | None) -> list[AuditEntry]:
    """Every card of a session, oldest first. `fault_of` holds signatures against the operators' keys."""
    state = fold(events, session)
    opened = {e.data.proposal.proposal: e.seq for e in events if isinstance(e.data, ProposalOpened)}
    decided = {e.data.decision.decision: e.seq for e in events if isinstance(e.data, DecisionMade)}
    return [
        _entry(state, card, opened.get(name, 0), decided, fault_of, chain_fault)
        for name, card in state.proposals.items()
    ]


def wanted(query: AuditQuery) -> Callable[[AuditEntry], bool]:
    """Whether an entry is one that the query asks for."""
    words = query.text.casefold().split()

    def is_wanted(entry: AuditEntry) -> bool:
        people = {one.by for one in entry.decisions}
        verdicts = {one.verdict for one in entry.decisions}
        return (
            _among(entry.session, query.sessions)
            and _among(entry.agent, query.agents)
            and _among(entry.tool, query.tools)
            and _among(entry.touchpoint, query.touchpoints)
            and _among(entry.tier, query.tiers)
            and (not query.operators or bool(people & set(query.operators)))
            and (not query.verdicts or bool(verdicts & set(query.verdicts)))
            and (query.since is None or entry.opened_at >= query.since)
            and (query.until is None or entry.opened_at < query.until)
            and (not query.regretted or entry.regret is not None)
            and (query.drills or not entry.drill)
            and (not words or _says(entry, words))
        )

    return is_wanted


def _among(value: Any, listed: Sequence[Any]) -> bool:
    return not listed or value in listed


def _says(entry: AuditEntry, words: Sequence[str]) -> bool:
    text = "\n".join(_texts(entry)).casefold()
    return all(word in text for word in words)


def _texts(entry: AuditEntry) -> Iterator[str]:
    yield from (entry.proposal, entry.session, entry.agent, entry.tool or "", entry.title, entry.result)
    yield json.dumps([entry.proposed, entry.executed], ensure_ascii=False, default=str)
    for one in entry.decisions:
        yield from (one.by, one.verdict.value, one.reason or "", one.answer or "")
    yield from (entry.regret or "", entry.regret_by or "")


def _entry(
    state: SessionState,
    card: ProposalState,
    seq: int,
    decided: dict[str, int],
    fault_of: FaultOf,
    chain_fault: str | None,
) -> AuditEntry:
    first, newest = card.versions[0], card.proposal
    opened = state.opened
    confidence = newest.confidence
    entry = AuditEntry(
        proposal=newest.proposal,
        session=state.session,
        run=newest.run,
        step=newest.step,
        seq=seq,
        agent=opened.agent if opened is not None else "",
        agent_version=opened.agent_version if opened is not None else "",
        touchpoint=newest.touchpoint,
        tool=newest.tool,
        tier=newest.tier,
        title=newest.summary,
        status=card.status,
        opened_at=first.opened_at,
        proposed=first.arguments,
        evidence_parts=newest.evidence_parts,
        confidence=confidence.score if confidence is not None else None,
        below_threshold=confidence is not None and confidence.below_threshold,
        presented_at=card.presented_at,
        presented_by=card.presented_by,
        decisions=[_decision(one, decided, fault_of, one.decision in card.undone) for one in card.decisions],
        closed_at=card.closed_at,
        verdict=card.closing.verdict if card.closing is not None else None,
        by=card.closing.by if card.closing is not None else None,
        digest=newest.digest,
        versions=len(card.versions),
        answers=newest.answers,
        escalation=newest.escalation,
        regret=card.regret.why if card.regret is not None else None,
        regret_by=card.regret.by if card.regret is not None else None,
        drill=newest.drill,
        lesson="" if card.status is ProposalStatus.OPEN else str(newest.facts.get("lesson", "")),
        demo=opened.demo if opened is not None else False,
        chain_fault=chain_fault,
    )
    return _with_outcome(entry, card, state)


def _decision(one: Decision, decided: dict[str, int], fault_of: FaultOf, undone: bool) -> AuditDecision:
    return AuditDecision(
        decision=one.decision,
        seq=decided.get(one.decision, 0),
        verdict=one.verdict,
        by=one.by,
        via=one.via,
        at=one.at,
        open_seconds=one.open_seconds,
        reason=one.reason,
        answer=one.answer,
        details=one.details,
        seen=one.seen,
        fault=fault_of(one),
        awaits_second=one.awaits_second,
        undone=undone,
    )


def _stays_here(call: CallState) -> bool:
    """Whether it has no effect outside the journal: of a plan or a question comes nothing but the decision."""
    return call.judged is not None and call.judged.effect_class is EffectClass.ENGINE


def _with_outcome(entry: AuditEntry, card: ProposalState, state: SessionState) -> AuditEntry:
    """What came of the call that this card was for. It stays empty while that is not known, and on a card that lets
    nothing run."""
    call = state.calls.get(card.proposal.call_id or "")
    if call is None or card.status is ProposalStatus.OPEN or _stays_here(call) or _asks_what_happened(card):
        return entry
    approved = card.closing is not None and card.closing.verdict in APPROVING
    if not approved or _newest_gate(call, state) is not card:
        return msgspec.structs.replace(entry, outcome="not_run")
    if call.started is None:
        return msgspec.structs.replace(entry, outcome="not_run") if call.finished is not None else entry
    ran = msgspec.structs.replace(entry, executed=call.started.arguments, executed_at=call.started_at)
    if call.status is CallStatus.UNKNOWN:
        return msgspec.structs.replace(ran, outcome="unknown")
    if call.finished is None:
        return ran
    said = call.finished.summary or (call.finished.error.message if call.finished.error is not None else "")
    return msgspec.structs.replace(ran, outcome="ran" if call.finished.ok else "failed", result=said)


def _newest_gate(call: CallState, state: SessionState) -> ProposalState | None:
    """The newest card that the call was held at: an earlier one approved nothing."""
    cards = (state.proposals[name] for name in reversed(call.proposals))
    return next((card for card in cards if not _asks_what_happened(card)), None)


def _asks_what_happened(card: ProposalState) -> bool:
    """Whether it came after the call: the approval before it says what ran, so that nothing is counted twice."""
    return card.proposal.touchpoint is Touchpoint.OUTCOME_UNKNOWN
