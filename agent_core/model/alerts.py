"""Alerts as lists show them. Frozen values that survive JSON."""

from datetime import datetime

import msgspec


class AlertQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which alerts: those that nobody has acknowledged, or all; newest first."""

    acknowledged: bool = False
    since: datetime | None = None
    limit: int = 500


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """Something out of the ordinary in one session, and who looked at it."""

    session: str
    alert: str
    at: datetime
    step: int
    level: str
    message: str
    acknowledged_by: str | None
    acknowledged_at: datetime | None
    goal: str
    agent: str
    demo: bool
