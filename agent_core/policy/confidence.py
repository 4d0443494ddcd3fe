"""Confidence: a score that code computes from checks. The model's own number is never used."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent_core.model.proposal import Check, CheckResult, Confidence
from agent_core.policy.provenance import Origin, Provenance, SourceText, trace_value, traceable_parts
from agent_core.policy.rules import PATH_ARGUMENTS

_POINTS = {CheckResult.PASS: 1.0, CheckResult.WARN: 0.5, CheckResult.FAIL: 0.0}
_HEAVIEST = 1e6

_ORIGIN_WEIGHT = 2.0
_FEWEST_DECISIONS = 3
_REFERENCE = re.compile(
    r"c-[0-9a-z]{10}-[0-9a-z]{6}"  # a call
    r"|step \d+"
    r"|[^\s,;()\"']*[/@][^\s,;()\"']*"  # a path with folders, an address
    r"|[\w-]+\.[A-Za-z]\w{0,7}"  # a file
    r"|\b(?=[\w-]*[a-z])(?=[\w-]*\d)[\w-]{3,}",  # an identifier
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PastDecisions:
    """How people decided on this agent's calls of the same tool before."""

    approved: int = 0
    edited: int = 0
    refused: int = 0


def score(checks: Sequence[Check], threshold: float) -> Confidence:
    """The weighted mean of the checks that apply: pass 1, warn 0.5, fail 0. None when no check applies.

    A weight that is negative, huge or no number is a fault of the check: it counts as a failed one of weight 1.
    """
    sound = [_sound(check) for check in checks]
    applying = [check for check in sound if check.result is not CheckResult.NOT_APPLICABLE and check.weight > 0]
    if not applying:
        return Confidence(score=None, threshold=threshold, below_threshold=False, checks=sound)
    total = math.fsum(check.weight for check in applying)
    earned = math.fsum(check.weight * _POINTS[check.result] for check in applying)
    value = round(earned / total, 4)
    return Confidence(score=value, threshold=threshold, below_threshold=not value >= threshold, checks=sound)


def generic_checks(
    *,
    arguments: Mapping[str, Any],
    sensitive: Sequence[str],
    provenance: Provenance,
    paths: Collection[str] = PATH_ARGUMENTS,
    valid: bool = True,
    previewed: bool | None = None,
    evidence: Sequence[str] = (),
    past: PastDecisions | None = None,
    granted: Mapping[str, str] | None = None,
) -> list[Check]:
    """The checks that every tool gets: arguments, the origin of each sensitive one, evidence, preview, past decisions.

    `paths` names the arguments that are paths of the workspace. `previewed` is None for a tool without a preview.
    `evidence` is what the model cites. `granted` names the arguments that a matching allow rule narrows, with its text
    (`rules.granted_arguments`): a new value within it has an origin. A value that is nowhere, or only in untrusted
    text, weighs as much as all origins together, so that one bad recipient cannot hide among good ones.
    """
    checks = [_check("arguments valid", CheckResult.PASS if valid else CheckResult.FAIL, 1.0, _VALID[valid])]
    checks += _origin_checks(arguments, sensitive, provenance, paths, granted or {})
    checks.append(_evidence_check(evidence, provenance.texts))
    checks.append(_preview_check(previewed))
    checks.append(_past_check(past or PastDecisions()))
    return checks


_ORIGIN_OF = "origin of "
_NOWHERE = "Found nowhere: not in the goal, a message of the operator or a result."
_VALID = {True: "They fit the tool's schema.", False: "They do not fit the tool's schema."}


def with_granted(confidence: Confidence, granted: Mapping[str, str]) -> Confidence:
    """The score as it would be beside a rule that narrows these arguments: a value found nowhere has an origin then."""
    checks = []
    for check in confidence.checks:
        rule = granted.get(check.name.removeprefix(_ORIGIN_OF)) if check.name.startswith(_ORIGIN_OF) else None
        if rule is not None and check.detail == _NOWHERE:
            result, detail = _judge_origin(None, rule)
            check = _check(check.name, result, _ORIGIN_WEIGHT, detail)
        checks.append(check)
    return score(checks, confidence.threshold)


def _origin_checks(
    arguments: Mapping[str, Any],
    sensitive: Sequence[str],
    provenance: Provenance,
    paths: Collection[str],
    granted: Mapping[str, str],
) -> list[Check]:
    checks: list[Check] = []
    traced = [name for name in sensitive if any(True for _ in traceable_parts(arguments.get(name)))]
    for name in sensitive:
        title = f"{_ORIGIN_OF}{name}"
        if name not in traced:
            checks.append(_not_applicable(title, "There is no value to trace."))
            continue
        origin = trace_value(arguments[name], provenance.texts, path=name in paths)
        result, detail = _judge_origin(origin, granted.get(name))
        weight = _ORIGIN_WEIGHT * (len(traced) if result is CheckResult.FAIL else 1)
        checks.append(_check(title, result, weight, detail))
    return checks


def _judge_origin(origin: Origin | None, rule: str | None) -> tuple[CheckResult, str]:
    if origin is None and rule is not None:
        return CheckResult.PASS, f"Within what a rule grants: {rule}."
    if origin is None:
        return CheckResult.FAIL, _NOWHERE
    where = origin.name or origin.kind.value
    if origin.untrusted:
        return CheckResult.FAIL, f"Only in untrusted text: {where}."
    if origin.stale:
        return CheckResult.WARN, f"Found in {where}, which is older than its limit."
    return CheckResult.PASS, f"Found in {where}."


def _evidence_check(evidence: Sequence[str], texts: Sequence[SourceText]) -> Check:
    """Whether what the model cites exists among what was read, and is fresh."""
    cited = [item for item in evidence if item.strip()]
    if not cited:
        return _not_applicable("evidence", "The model cites none.")
    vague = 0
    stale: list[str] = []
    for item in cited:
        references = _REFERENCE.findall(item)
        vague += not references
        for reference in references:
            found = [text for text in texts if _is_cited(reference, text)]
            if not found:
                return _check(
                    "evidence", CheckResult.FAIL, 1.0, f'"{reference}" was not found in anything that was read.'
                )
            if all(text.stale for text in found):
                stale.append(reference)
    if stale:
        return _check("evidence", CheckResult.WARN, 1.0, f"Older than its limit: {', '.join(stale)}.")
    if vague:
        return _check("evidence", CheckResult.WARN, 1.0, "Some of it names nothing that can be looked up.")
    return _check("evidence", CheckResult.PASS, 1.0, "Everything cited was read and is fresh.")


def _is_cited(reference: str, text: SourceText) -> bool:
    if text.call_id == reference or re.search(rf"(?<!\w){re.escape(reference)}(?!\w)", text.name, re.IGNORECASE):
        return True
    bare = SourceText(kind=text.kind, content=[text.content, text.asked])
    return trace_value(reference, [bare]) is not None


def _preview_check(previewed: bool | None) -> Check:
    if previewed is None:
        return _not_applicable("preview", "This tool has no preview.")
    if previewed:
        return _check("preview", CheckResult.PASS, 1.0, "What would change was computed.")
    return _check("preview", CheckResult.FAIL, 1.0, "What would change could not be computed.")


def _past_check(past: PastDecisions) -> Check:
    total = past.approved + past.edited + past.refused
    if total < _FEWEST_DECISIONS:
        return _not_applicable("past decisions", "Too few to say anything.")
    unchanged = past.approved / total
    result = CheckResult.PASS if unchanged >= 0.9 else CheckResult.WARN if unchanged >= 0.6 else CheckResult.FAIL
    return _check("past decisions", result, 1.0, f"{past.approved} of {total} were approved as they were.")


def _check(name: str, result: CheckResult, weight: float, detail: str) -> Check:
    return Check(name=name, result=result, weight=weight, detail=detail)


def _not_applicable(name: str, detail: str) -> Check:
    return Check(name=name, result=CheckResult.NOT_APPLICABLE, weight=0.0, detail=detail)


def _sound(check: Check) -> Check:
    if 0 <= check.weight <= _HEAVIEST:
        return check
    return Check(name=check.name, result=CheckResult.FAIL, weight=1.0, detail="Its weight is not a usable number.")
