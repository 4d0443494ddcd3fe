"""Events of a session and its runs: opened, begun, told, held, ended."""

from datetime import datetime
from typing import Any

from agent_core.model.budget import AtLimit, LimitName, Limits
from agent_core.model.events.base import EventData


class SessionOpened(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A session began: its goal, its agent as it stood (the whole profile), its workspace."""

    kind = "session_opened"
    goal: str
    agent: str
    agent_version: str
    profile: dict[str, Any]
    workspace: str
    by: str
    demo: bool = False
    app_version: str = ""


class RunStarted(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A run began, with its own limits; `message` is what the operator added when the session had ended before."""

    kind = "run_started"
    limits: Limits
    agent_version: str
    by: str
    message: str | None = None


class RunPaused(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The run holds still and can go on: reason `operator`, `closed`, `limit`, `provider_overloaded`, `cannot_save`."""

    kind = "run_paused"
    reason: str
    by: str = "system"
    detail: str = ""


class RunResumed(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The same run goes on; `preflight` says what changed meanwhile."""

    kind = "run_resumed"
    by: str
    preflight: list[str] = []
    agent_version: str = ""


class RunStopped(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The run ended, for a named reason, with what it has."""

    kind = "run_stopped"
    stop_reason: str
    completed: bool
    output: str | None
    gaps: list[str]
    confidence: str
    by: str = "system"
    detail: str = ""


class MessageAdded(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The operator told the agent something."""

    kind = "message_added"
    text: str
    by: str


class NoteWritten(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A structured note of the run."""

    kind = "note_written"
    key: str
    text: str


class LimitChanged(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A limit was edited; in force from the next check."""

    kind = "limit_changed"
    limit: LimitName
    old: str
    new: str
    by: str
    why: str = ""


class LimitReached(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A limit stops the next request or call; `scope` is run, day or tree, `then` what the settings have follow."""

    kind = "limit_reached"
    limit: LimitName
    value: str
    spent: str
    scope: str = "run"
    then: AtLimit = AtLimit.ASK


class ClockJumped(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The wall clock went on while nothing could: the machine slept, or the clock was set. That is no active time."""

    kind = "clock_jumped"
    since: datetime
    """When it was last seen before; the event says when it was seen again."""


class AlertRaised(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Something is out of the ordinary; an analyst should look. Never needs a decision."""

    kind = "alert_raised"
    alert: str
    message: str
    level: str = "warn"


class AlertAcknowledged(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Somebody looked at an alert of this session; it no longer asks for a look."""

    kind = "alert_acknowledged"
    alert: str
    by: str
