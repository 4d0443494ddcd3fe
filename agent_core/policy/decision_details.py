"""What a verdict takes beside its reason, read strictly: unknown names, wrong types and empty texts are refused."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from agent_core.config.values import BadValue, as_instant, shown
from agent_core.model.budget import LimitName, Spend
from agent_core.model.errors import DecisionRefused, InputError
from agent_core.model.intents import Decide
from agent_core.model.proposal import Proposal, Verdict
from agent_core.model.text import clean
from agent_core.policy.limits import limit_text, parse_limit, spent_of

LONGEST_TEXT = 20_000
"""Characters of a reason, answer or reference."""


def when(instant: datetime | None) -> str:
    """An instant as sentences name it."""
    return "an unknown time" if instant is None else instant.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def read_details(
    intent: Decide,
    verdict: Verdict,
    proposal: Proposal,
    now: datetime,
    spend: Spend | None,
    tree_usd: Decimal | None = None,
) -> dict[str, Any]:
    """The details in normal form. `spend` is the run's and `tree_usd` that of its whole tree, for `extend`."""
    given = intent.details
    if not isinstance(given, dict):
        raise DecisionRefused(f"The details of a decision are one JSON object, not {quoted(given)}", "invalid")
    if verdict is Verdict.EXTEND:
        return _limits(given, proposal, spend, tree_usd)
    known = _DETAILS.get(verdict, {})
    for name in given:
        if name not in known:
            takes = ", ".join(known) or "nothing"
            raise DecisionRefused(f'"{verdict.value}" knows no "{name}"; it takes {takes}', "invalid")
    details = {name: read(name, given[name]) for name, read in known.items() if name in given}
    if verdict is Verdict.POSTPONE:
        return {"until": _until(details, proposal, now)}
    if verdict is Verdict.ESCALATE:
        return {"to": _other_person(details, intent, proposal)}
    if verdict is Verdict.REJECT:
        return {"then": "continue"} | details
    return details


def _limits(given: dict[str, Any], proposal: Proposal, spend: Spend | None, tree_usd: Decimal | None) -> dict[str, Any]:
    names = [name.value for name in LimitName]
    if not given:
        raise DecisionRefused('"extend" needs at least one limit with its new value', "invalid")
    new: dict[str, Any] = {}
    for name, written in given.items():
        if name not in names:
            raise DecisionRefused(f'"{name}" is no limit; the limits are {", ".join(names)}', "invalid")
        if proposal.options and name not in proposal.options:
            raise DecisionRefused(f'This card does not extend "{name}", only {", ".join(proposal.options)}', "invalid")
        try:
            value = parse_limit(LimitName(name), written)
        except InputError as error:
            raise DecisionRefused(str(error), "invalid") from None
        spent = spent_of(LimitName(name), spend) if spend is not None else None
        spent = tree_usd if name == LimitName.TREE_COST_USD else spent
        if spent is not None and value <= spent:
            told = f"{limit_text(value)} is not above what is already spent, {limit_text(spent)}"
            raise DecisionRefused(f"The limit {name} stays: {told}", "invalid")
        new[name] = limit_text(value)
    return new


def _until(details: dict[str, Any], proposal: Proposal, now: datetime) -> str:
    if "until" not in details:
        raise DecisionRefused('"postpone" needs "until", an instant such as 2026-12-31T18:00:00Z', "invalid")
    until: datetime = details["until"]
    if until <= now:
        raise DecisionRefused(f'"until" is {when(until)}, which has passed; name a later time', "invalid")
    if proposal.approve_by is not None and until >= proposal.approve_by:
        raise DecisionRefused(
            f'"until" must lie before the deadline of the card, {when(proposal.approve_by)}', "invalid"
        )
    return until.isoformat()


def _other_person(details: dict[str, Any], intent: Decide, proposal: Proposal) -> str:
    to = details.get("to") or proposal.escalate_to
    if not to:
        raise DecisionRefused('"escalate" needs "to", the name of the person who decides instead', "invalid")
    if to == intent.by.strip():
        raise DecisionRefused(f'"to" must name somebody else than {to}', "invalid")
    return str(to)


def _one_of(*options: str) -> Callable[[str, object], str]:
    def read(name: str, value: object) -> str:
        if value not in options or not isinstance(value, str):
            raise DecisionRefused(f'"{name}" is one of {", ".join(options)}, not {quoted(value)}', "invalid")
        return value

    return read


def _words(name: str, value: object) -> str:
    text = read_text(value, f'"{name}"')
    if text is None:
        raise DecisionRefused(f'"{name}" must not be empty', "invalid")
    return text


def _yes_or_no(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise DecisionRefused(f'"{name}" is true or false, not {quoted(value)}', "invalid")
    return value


def _instant(name: str, value: object) -> datetime:
    try:
        return as_instant(value)
    except BadValue as error:
        raise DecisionRefused(f'"{name}" {error}', "invalid") from None
    except OverflowError:
        raise DecisionRefused(f'"{name}" lies outside every calendar: {quoted(value)}', "invalid") from None


_DETAILS: dict[Verdict, dict[str, Callable[[str, object], Any]]] = {
    Verdict.REJECT: {"then": _one_of("continue", "stop")},
    Verdict.TAKE_OVER: {"reference": _words, "done": _yes_or_no},
    Verdict.HAPPENED: {"reference": _words},
    Verdict.NOT_HAPPENED: {"reference": _words},
    Verdict.ESCALATE: {"to": _words},
    Verdict.POSTPONE: {"until": _instant},
}
"""What each verdict takes beside its reason; `extend` takes the names of limits."""


def read_text(value: object, name: str) -> str | None:
    """Text without blanks around it; None for none or nothing but blanks."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise DecisionRefused(f"The {name} must be text, not {quoted(value)}", "invalid")
    if len(value) > LONGEST_TEXT:
        raise DecisionRefused(f"The {name} is longer than {LONGEST_TEXT:,} characters", "invalid")
    return clean(value).strip() or None


def quoted(value: object) -> str:
    """A refused value as the sentence quotes it."""
    return "nothing" if value is None or value == "" else shown(value)
