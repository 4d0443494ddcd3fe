"""Which runs can be taken up again after they stopped."""

from agent_core.policy.limits import STOP_REASONS

LIMIT_STOPS = frozenset(STOP_REASONS.values())
"""Runs that ended so can be opened again through their budget card."""
