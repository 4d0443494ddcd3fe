"""Origins: for every sensitive argument of a call, where its value came from, as its card says it. Pure."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agent_core.model.proposal import ArgumentOrigin
from agent_core.policy.provenance import OriginKind, Provenance, trace_value, traceable_parts
from agent_core.policy.rules import PATH_ARGUMENTS

RULE, NOWHERE = "rule", "nowhere"
_FIRST_EVENT = 1
"""The goal stands in the first event of every session."""


def argument_origins(
    arguments: Mapping[str, Any],
    sensitive: Sequence[str],
    provenance: Provenance,
    granted: Mapping[str, str],
    seq_of: Mapping[str, int],
) -> list[ArgumentOrigin]:
    """One origin for each sensitive argument that has a value to trace.

    `granted` names the arguments that a matching allow rule narrows, with its text. `seq_of` gives the event that holds
    a call's result.
    """
    found = []
    for name in sensitive:
        value = arguments.get(name)
        if any(True for _ in traceable_parts(value)):
            found.append(_origin(name, value, provenance, granted.get(name), seq_of))
    return found


def _origin(
    name: str, value: Any, provenance: Provenance, rule: str | None, seq_of: Mapping[str, int]
) -> ArgumentOrigin:
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    traced = trace_value(value, provenance.texts, path=name in PATH_ARGUMENTS)
    if traced is None and rule is not None:
        return ArgumentOrigin(argument=name, value=written, kind=RULE, name=rule)
    if traced is None:
        return ArgumentOrigin(argument=name, value=written, kind=NOWHERE)
    goal = traced.kind is OriginKind.GOAL
    return ArgumentOrigin(
        argument=name,
        value=written,
        kind=traced.kind.value,
        name=traced.name or traced.kind.value,
        call_id=traced.call_id,
        seq=_FIRST_EVENT if goal else seq_of.get(traced.call_id or "") or None,
        untrusted=traced.untrusted,
        stale=traced.stale,
    )
