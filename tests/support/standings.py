"""Standings made of many events at once."""

from collections.abc import Iterable

from agent_core.model.events import Event
from agent_core.model.standing import Standing


def taken(standing: Standing, events: Iterable[Event]) -> Standing:
    """The standing after these events too; itself."""
    for event in events:
        standing.take(event)
    return standing
