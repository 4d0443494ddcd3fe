"""Decisions: whether one may be recorded on a card. Pure; the store decides who was first.

What is absent, empty or malformed is refused, and the card stays open. Nothing here ever turns into an approval.
"""

import json
import posixpath
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from agent_core.config.profile import Rule
from agent_core.model.action import GateVerdict, Tier
from agent_core.model.budget import Spend
from agent_core.model.errors import DecisionRefused
from agent_core.model.intents import Decide
from agent_core.model.people import same_person
from agent_core.model.proposal import (
    APPROVING,
    EDITING,
    OPEN_VERDICTS,
    REFUSING,
    VERDICTS,
    DeadlineOutcome,
    Decision,
    FirstApproval,
    Proposal,
    ProposalStatus,
    Verdict,
    Via,
)
from agent_core.model.state import ProposalState
from agent_core.policy import rules as rule_book
from agent_core.policy.argument_schema import argument_errors
from agent_core.policy.decision_details import quoted, read_details, read_text, when
from agent_core.policy.digest import NotCanonical, canonical

NO_REASON = "none given"
"""Recorded where a reason belongs and the door asks for none (the command line, a decision file)."""

_WITH_FRICTION = frozenset({Via.CONSOLE, Via.TERMINAL})
_WITH_ANSWER = {
    Verdict.ANSWER: "an answer",
    Verdict.ASK: "a question",
    Verdict.OTHER_WAY: "what to do instead",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedDecision:
    """A decision that may be recorded, with its parts in normal form."""

    verdict: Verdict
    closes: bool
    reason: str | None
    answer: str | None
    arguments: dict[str, Any] | None
    """Complete and checked against the card's schema: of a modify or edit, and of the approval that seconds one."""
    details: dict[str, Any]
    """``until`` as a UTC instant, ``then``, limits as text, ``reference``, ``done``, ``to``."""
    awaits_second: bool = False
    """The first of two approvals: recorded, and the card stays open for another person."""
    second_of: str | None = None
    """The first approval that this one seconds."""


def check_decision(
    intent: Decide,
    card: ProposalState,
    *,
    now: datetime,
    spend: Spend | None = None,
    tree_usd: Decimal | None = None,
    require_console: Collection[str] = (),
    deny_rules: Sequence[Rule] = (),
) -> CheckedDecision:
    """The decision in normal form. Raises DecisionRefused with one sentence; its code says why.

    `spend` is the run's and `tree_usd` that of its whole tree, for `extend`. `require_console` are the profile's
    entries: a reversibility or a tool.
    """
    proposal = card.proposal
    _refuse_closed(card)
    _refuse_expired(proposal, now)
    verdict = _verdict(intent.verdict, proposal)
    if not isinstance(intent.by, str) or not intent.by.strip() or intent.via is Via.SYSTEM:
        raise DecisionRefused("A decision needs the name of the person who makes it", "not_a_person")
    _refuse_unseen(intent, proposal)
    _refuse_elsewhere(intent, verdict, proposal, require_console)
    _refuse_not_the_decider(intent.by, verdict, proposal)
    _refuse_second_question(card, verdict)
    first = _first_approval(intent.by, verdict, proposal)
    awaits_second = first is None and proposal.people > 1 and verdict in APPROVING
    arguments = _arguments(intent, verdict, proposal, now, deny_rules)
    return CheckedDecision(
        verdict=verdict,
        closes=verdict not in OPEN_VERDICTS and not awaits_second,
        awaits_second=awaits_second,
        second_of=first.decision if first is not None else None,
        arguments=first.arguments if first is not None else arguments,
        details=read_details(intent, verdict, proposal, now, spend, tree_usd),
        answer=_answer(intent, verdict),
        reason=_reason(intent, verdict, proposal),
    )


def offered_verdicts(proposal: Proposal) -> list[Verdict]:
    """What may be said to a card: its own verdicts, and `postpone`."""
    known = VERDICTS[proposal.touchpoint]
    return [*(verdict for verdict in proposal.verdicts if verdict in known), Verdict.POSTPONE]


def is_expired(proposal: Proposal, now: datetime) -> bool:
    """Whether the card's time has passed by the wall clock, journaled or not. Cards that stay open never expire."""
    stays = proposal.deadline_outcome is DeadlineOutcome.STAY
    return proposal.approve_by is not None and not stays and now >= proposal.approve_by


def _refuse_closed(card: ProposalState) -> None:
    if card.status is ProposalStatus.OPEN:
        return
    at = when(card.closed_at)
    if card.status is ProposalStatus.DECIDED and card.closing is not None:
        by, verdict = card.closing.by, card.closing.verdict.value
        raise DecisionRefused(f'{by} already decided "{verdict}" at {at}; nothing was changed', "closed")
    if card.status is ProposalStatus.EXPIRED:
        raise DecisionRefused(f"This card expired at {at} without a decision; nothing was approved", "expired")
    why = card.withdrawn_because or "what it asked for no longer stands"
    raise DecisionRefused(f"This card was withdrawn at {at}: {why.rstrip('.')}", "closed")


def _refuse_expired(proposal: Proposal, now: datetime) -> None:
    if is_expired(proposal, now):
        at = when(proposal.approve_by)
        raise DecisionRefused(f"This card expired at {at}; a decision after that is not taken", "expired")


def _verdict(given: object, proposal: Proposal) -> Verdict:
    offered = offered_verdicts(proposal)
    names = ", ".join(verdict.value for verdict in offered)
    if not isinstance(given, str) or given not in list(Verdict):
        raise DecisionRefused(f"The verdict must be one of {names}, not {quoted(given)}", "invalid")
    verdict = Verdict(given)
    if verdict in offered:
        return verdict
    kind = proposal.touchpoint.value.replace("_", " ")
    if verdict in VERDICTS[proposal.touchpoint]:
        raise DecisionRefused(f'"{given}" is not on offer for this card; it takes {names}', "not_in_this_version")
    raise DecisionRefused(f'"{given}" does not answer a card of kind {kind}; it takes {names}', "invalid")


def _refuse_unseen(intent: Decide, proposal: Proposal) -> None:
    if intent.digest is not None and intent.digest != proposal.digest:
        raise DecisionRefused("The card has changed since it was read; look at it again before deciding", "changed")


def _refuse_elsewhere(intent: Decide, verdict: Verdict, proposal: Proposal, require_console: Collection[str]) -> None:
    kinds = {proposal.reversibility.value if proposal.reversibility else "", proposal.tool or ""} - {""}
    if verdict in APPROVING and intent.via not in _WITH_FRICTION and kinds & set(require_console):
        named = " and ".join(sorted(kinds & set(require_console)))
        raise DecisionRefused(f"The profile lets only the console or terminal approve this ({named})", "invalid")


def _refuse_not_the_decider(by: str, verdict: Verdict, proposal: Proposal) -> None:
    """A card that was passed on takes a yes from that person only; a no, a question or a pause from everybody."""
    decider = proposal.decider
    if decider is None or same_person(by, decider) or verdict in OPEN_VERDICTS | REFUSING:
        return
    raise DecisionRefused(
        f'This card is with {decider}, who alone can say "{verdict.value}"; you can still refuse it', "not_the_decider"
    )


def _refuse_second_question(card: ProposalState, verdict: Verdict) -> None:
    if verdict is Verdict.ASK and card.asked is not None:
        raise DecisionRefused(f"The agent is still answering a question of {card.asked.by}", "invalid")


def _first_approval(by: str, verdict: Verdict, proposal: Proposal) -> FirstApproval | None:
    """The approval that this one would second; None when it is the first, or no approval. A change is always first."""
    first = proposal.first_approval
    if first is None or verdict not in APPROVING - EDITING or proposal.people < 2:
        return None
    if same_person(by, first.by):
        raise DecisionRefused(
            f"{first.by} approved this first; a second, other person has to approve it too", "needs_second_person"
        )
    return first


def _arguments(
    intent: Decide, verdict: Verdict, proposal: Proposal, now: datetime, deny_rules: Sequence[Rule]
) -> dict[str, Any] | None:
    given = intent.arguments
    if verdict not in EDITING:
        if given is not None:
            raise DecisionRefused(f'"{verdict.value}" takes no arguments; to change them, modify', "invalid")
        return None
    if given is None:
        raise DecisionRefused(f'"{verdict.value}" needs the complete new arguments, given as args', "invalid")
    for field, message in argument_errors(proposal.schema, given).items():
        place = f"{field}: " if field else ""
        raise DecisionRefused(f"The new arguments do not fit: {place}{message.removesuffix('.')}", "invalid")
    try:
        canonical(given)
    except NotCanonical as error:
        raise DecisionRefused(f"The new arguments cannot be used: {error}", "invalid") from None
    facts = {name: posixpath.normpath(path) for name, path in given.items() if _is_path(name, path)}
    for rule in deny_rules:
        if rule.verdict is GateVerdict.DENY and rule_book.matches(
            rule, tool=proposal.tool or "", arguments=given, facts=facts, now=now, tree=True
        ):
            raise DecisionRefused(f"A rule denies the new arguments: {rule_book.text(rule)}", "invalid")
    return given


def _is_path(name: str, value: object) -> bool:
    return name in rule_book.PATH_ARGUMENTS and isinstance(value, str)


def _reason(intent: Decide, verdict: Verdict, proposal: Proposal) -> str | None:
    reason = read_text(intent.reason, "reason")
    if reason is None and (why := _why_reason(verdict, proposal)) is not None:
        if intent.via in _WITH_FRICTION:
            raise DecisionRefused(f"A reason is needed: {why}", "invalid")
        return NO_REASON
    return reason


def _why_reason(verdict: Verdict, proposal: Proposal) -> str | None:
    if verdict is Verdict.REJECT and proposal.tier >= Tier.R2:
        return "the agent learns from it why the action was refused"
    if verdict is Verdict.BEST_EFFORT:
        return "the agent goes on without the certainty that the profile wants"
    if verdict in APPROVING and proposal.doubtful:
        return "the confidence is below its threshold and the action cannot simply be undone"
    return None


def _answer(intent: Decide, verdict: Verdict) -> str | None:
    answer = read_text(intent.answer, "answer")
    if verdict not in _WITH_ANSWER:
        if answer is not None:
            raise DecisionRefused(f'"{verdict.value}" takes no answer; say it as the reason', "invalid")
        return None
    if answer is None and verdict is not Verdict.ANSWER:
        answer = read_text(intent.reason, "reason")
    if answer is None:
        raise DecisionRefused(f'"{verdict.value}" needs {_WITH_ANSWER[verdict]}', "invalid")
    return answer


def describe_decision(decision: Decision, proposal: Proposal) -> str:
    """What the model is told of a closing decision on one of its calls or questions: who decided what, and why."""
    said = _SAID[decision.verdict].format(by=decision.by)
    parts = [said]
    if decision.arguments is not None:
        changed = "; ".join(changes(proposal.arguments, decision.arguments)) or "nothing"
        parts.append(f"Changed: {changed}.")
    if decision.answer:
        parts.append(decision.answer)
    if decision.verdict is Verdict.TAKE_OVER:
        parts.append(_TAKEN_OVER[decision.details.get("done")])
    if reference := decision.details.get("reference"):
        parts.append(f"Reference: {reference}.")
    if decision.reason and decision.reason != NO_REASON and decision.reason != decision.answer:
        parts.append(f"Reason: {decision.reason}")
    return " ".join(parts)


def describe_expiry(proposal: Proposal) -> str:
    """What the model is told of a card that nobody answered. It was nobody's refusal."""
    return f"Nobody decided before {when(proposal.approve_by)}, so the call was not run. No person refused it."


def changes(before: Any, after: Any, place: str = "") -> list[str]:
    """Every difference between two JSON values, in words: ``amount: 500 → 250``. Types show: "250" is not 250."""
    if isinstance(before, dict) and isinstance(after, dict):
        names = [*before, *(name for name in after if name not in before)]
        inner = ((name, f"{place}.{name}" if place else name) for name in names)
        return [line for name, path in inner for line in _member_changes(before, after, name, path)]
    if canonical(before) == canonical(after):
        return []
    if (old := _named(before)) is not None and (new := _named(after)) is not None:
        kept = [name for name in new if name in old]
        moved = [f"{place} in another order: {', '.join(kept)}"] if kept != [n for n in old if n in new] else []
        return [*changes(old, new, place), *moved]
    return [f"{place or 'the whole'}: {_written(before)} → {_written(after)}"]


def _member_changes(before: dict[str, Any], after: dict[str, Any], name: str, place: str) -> list[str]:
    if name not in before:
        return [f"{place} added: {_written(after[name])}"]
    if name not in after:
        return [f"{place} removed (was {_written(before[name])})"]
    return changes(before[name], after[name], place)


def _named(value: Any) -> dict[str, Any] | None:
    """A list of objects that carry an "id", by it: such as the steps of a plan. None for anything else."""
    members = value if isinstance(value, list) and all(isinstance(one, dict) for one in value) else [{}]
    ids = [one.get("id") for one in members]
    if not all(isinstance(name, str) for name in ids) or len(set(ids)) < len(ids):
        return None
    return {one["id"]: {key: part for key, part in one.items() if key != "id"} for one in members}


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


_TAKEN_OVER: dict[bool | None, str] = {
    True: "It is done outside; do not do it again.",
    False: "It is not done; do not do it yourself.",
    None: "It is being done outside; do not do it again.",
}
_SAID: dict[Verdict, str] = {
    Verdict.APPROVE: "{by} approved this call.",
    Verdict.MODIFY: "{by} changed the arguments and approved the changed call.",
    Verdict.REJECT: "{by} refused this call; it was not run.",
    Verdict.TAKE_OVER: "{by} took this over; the call was not run.",
    Verdict.RELEASE: "{by} released the draft.",
    Verdict.EDIT: "{by} edited this and approved the edited version.",
    Verdict.SEND_BACK: "{by} sent the draft back; it did not leave.",
    Verdict.ANSWER: "{by} answered:",
    Verdict.BEST_EFFORT: "{by} let the call run although its confidence was below the threshold.",
    Verdict.ABANDON: "{by} abandoned this; it was not run.",
    Verdict.USE_SUGGESTION: "{by} chose the suggested way.",
    Verdict.FIXED: "{by} removed the cause of the error; try again.",
    Verdict.OTHER_WAY: "{by} wants another way:",
    Verdict.SKIP: "{by} skipped this; go on without it.",
    Verdict.HAPPENED: "{by} found that the call did happen; do not make it again.",
    Verdict.NOT_HAPPENED: "{by} found that the call did not happen.",
    Verdict.EXTEND: "{by} extended the limit.",
    Verdict.FINISH: "{by} wants to finish with what there is.",
    Verdict.STOP: "{by} stopped the run.",
    Verdict.DECLINE: "{by} declined to answer.",
    Verdict.ASK: "{by} asks before deciding:",
    Verdict.ESCALATE: "{by} passed the decision on.",
    Verdict.CHECK_AGAIN: "{by} asked to check again.",
    Verdict.POSTPONE: "{by} postponed the decision.",
}
