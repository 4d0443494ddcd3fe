"""Alerts as a table, in words and cells. Pure."""

from collections.abc import Mapping
from datetime import datetime

from agent_core.model.alerts import Alert
from ui import formatting
from ui.tokens import ColorName
from ui.widgets.table import Cell, Column

COLUMNS = (
    Column("Alert", 190),
    Column("What was seen", 260, stretch=3.0),
    Column("Session", 160, stretch=1.4),
    Column("Agent", 120, stretch=0.6),
    Column("Step", 56, right=True),
    Column("When", 116),
    Column("Acknowledged", 150),
)
_NAMES: Mapping[str, str] = {
    "cost_5x": "Cost over 5 times usual",
    "cost_2x": "Cost over twice usual",
    "step_limit": "Step limit reached",
    "tool_failures": "Tools fail often",
    "full_context": "Context nearly full",
    "few_cache_hits": "Few cache hits",
    "identical_calls": "Identical calls",
    "many_escalations": "Many escalations",
    "always_yes": "Approvals always yes",
}
_MARKS: Mapping[str, tuple[ColorName, str]] = {
    "dang": ("dang", "octagon-alert"),
    "warn": ("attn", "triangle-alert"),
    "info": ("text2", "info"),
}


def alert_name(alert: str) -> str:
    """What an alert is called."""
    return _NAMES.get(alert, alert.replace("_", " ").capitalize())


def alert_cells(alert: Alert, now: datetime) -> list[Cell | str]:
    """One row; what somebody has acknowledged is grey."""
    color, icon = _MARKS.get(alert.level, _MARKS["warn"])
    looked = alert.acknowledged_at
    demo = " · demo" if alert.demo else ""
    return [
        Cell(alert_name(alert.alert), "text3" if looked else color, "secondary_medium", "check" if looked else icon),
        Cell(alert.message, "text3" if looked else "text"),
        alert.goal,
        f"{alert.agent}{demo}",
        str(alert.step),
        formatting.day_and_time(alert.at.astimezone(), now.astimezone()),
        "" if looked is None else f"{alert.acknowledged_by}, {formatting.ago(looked, now)}",
    ]
