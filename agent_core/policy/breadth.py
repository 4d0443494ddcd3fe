"""Breadth: whether an allow rule covers far more than what people ever said yes to. Pure."""

import json
import posixpath
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from agent_core.config.profile import Rule
from agent_core.config.rule_trials import PastCall
from agent_core.model.proposal import APPROVING, REFUSING
from agent_core.policy import rules as rule_book
from agent_core.policy.predicates import amount_of

Matches = Callable[[Rule, PastCall], bool]
ENOUGH = 3
"""Approved calls from which on their values tell what is usual."""
FEW = 3
"""Values up to which they are a list of their own."""
LEAP = 5
"""How many times above the highest approved amount a limit is far."""
_ELSEWHERE = "elsewhere-entirely"


def beyond(rule: Rule, history: Sequence[PastCall], sensitive: Sequence[str], matches: Matches) -> str | None:
    """What the rule would let through beside what was approved, in one sentence; None where that is not far."""
    decided = [call for call in history if call.tool == rule.tool and call.given is not None]
    covered = [call for call in decided if matches(rule, call)]
    approved = [call for call in covered if call.given in APPROVING]
    refused = sum(call.given in REFUSING for call in covered)
    if refused:
        return f"People refused {refused} of the {len(covered)} calls that it covers."
    if decided and not approved:
        return f"Of the {len(decided)} calls of {rule.tool} that people decided, they approved none that it covers."
    if len(approved) < ENOUGH:
        return None
    told = [words for name in sensitive if (words := _wider(rule, name, approved, matches)) is not None]
    return f"All {len(approved)} approved calls had {' and '.join(told)}; it allows more." if told else None


def narrows(rule: Rule, argument: str) -> bool:
    """Whether the rule says anything of an argument, by its name or by what is read from it."""
    derived = [name for name, sources in rule_book.DERIVED.items() if argument in sources]
    return argument in rule.when or any(name in rule.when for name in derived)


def _wider(rule: Rule, name: str, approved: Sequence[PastCall], matches: Matches) -> str | None:
    """What all approved calls had in common in an argument, where the rule does not hold to it."""
    values = [call.arguments[name] for call in approved if name in call.arguments]
    if not values:
        return None
    if name in rule_book.PATH_ARGUMENTS:
        return _wider_folder(rule, name, values, approved[0], matches)
    limit = rule.when.get(name)
    if isinstance(limit, Mapping):
        return _wider_amount(name, limit, values)
    distinct = sorted({json.dumps(value, ensure_ascii=False, sort_keys=True) for value in values})
    return None if narrows(rule, name) or len(distinct) > FEW else f"{name} {' or '.join(distinct)}"


def _wider_folder(rule: Rule, name: str, values: Sequence[Any], like: PastCall, matches: Matches) -> str | None:
    paths = [posixpath.normpath(value) for value in values if isinstance(value, str)]
    relative = [path for path in paths if not path.startswith(("/", ".."))]
    if len(relative) < len(values):
        return None
    folder = posixpath.commonpath([posixpath.dirname(path) for path in relative])
    ending = posixpath.splitext(relative[0])[1]
    other = {**like.arguments, name: f"{_ELSEWHERE}/file{ending}"}
    if not folder or not matches(rule, msgspec.structs.replace(like, arguments=other)):
        return None
    return f"a {name} in {folder}/"


def _wider_amount(name: str, limit: Mapping[str, Any], values: Sequence[Any]) -> str | None:
    most = amount_of(limit["max"]) if "max" in limit else None
    amounts = [amount for value in values if (amount := amount_of(value)) is not None]
    highest = max(amounts, default=Decimal(0))
    far = highest > 0 and (most is None or most >= highest * LEAP)
    return f"{name} up to {highest}" if far else None
