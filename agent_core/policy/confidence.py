"""Confidence: a score that code computes from checks. The model's own number is never used."""

import math
from collections.abc import Sequence

from agent_core.model.proposal import Check, CheckResult, Confidence

_POINTS = {CheckResult.PASS: 1.0, CheckResult.WARN: 0.5, CheckResult.FAIL: 0.0}


def score(checks: Sequence[Check], threshold: float) -> Confidence:
    """The weighted mean of the checks that apply: pass 1, warn 0.5, fail 0. None when no check applies.

    A weight that is negative or not finite is a fault of the check: it counts as a failed one of weight 1.
    """
    sound = [_sound(check) for check in checks]
    applying = [check for check in sound if check.result is not CheckResult.NOT_APPLICABLE and check.weight > 0]
    total = math.fsum(check.weight for check in applying)
    if not applying:
        return Confidence(score=None, threshold=threshold, below_threshold=False, checks=sound)
    earned = math.fsum(check.weight * _POINTS[check.result] for check in applying)
    value = round(earned / total, 4)
    return Confidence(score=value, threshold=threshold, below_threshold=not value >= threshold, checks=sound)


def _sound(check: Check) -> Check:
    if math.isfinite(check.weight) and check.weight >= 0:
        return check
    return Check(name=check.name, result=CheckResult.FAIL, weight=1.0, detail="Its weight is not a usable number.")
