"""Intents: what a person, a script or a window asks of the engine. Frozen values that survive JSON, without objects."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from agent_core.model.budget import LimitName, Limits, Spend
from agent_core.model.proposal import Confidence, KeyFigure, Proposal, Touchpoint, Via, WhatChanges
from agent_core.model.run import SessionStatus

LONGEST_GOAL = 100_000
"""Characters."""


class StartRun(msgspec.Struct, frozen=True, kw_only=True):
    """Open a session and start its first run. `profile` is a name in the home's agents folder or a path."""

    profile: str
    goal: str
    workspace: str
    by: str
    limits: Limits | None = None
    model: str | None = None
    pattern: str | None = None
    """Another loop pattern than the profile's, for this session."""
    done_when: str = ""


class ForkSession(msgspec.Struct, frozen=True, kw_only=True):
    """Begin a session with the history of another one up to a step, and work it. Its limits count from nought.

    `step` is the last one that is taken over, by default the newest whole one; 0 takes the goal only. The limit on the
    cost with forks is that of the tree, whatever `limits` say of it.
    """

    session: str
    by: str
    step: int | None = None
    goal: str | None = None
    limits: Limits | None = None


class ForkPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A step that a fork can begin after, in a few words. Step 0 is the goal."""

    step: int
    words: str


class ForkPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a fork of a session can begin with: its goal, its limits and its whole steps, oldest first."""

    session: str
    goal: str
    limits: Limits
    points: list[ForkPoint]
    why_not_later: str = ""
    """Why no later step is on offer; empty where there is none."""


class OperatorProfile(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who has decided in this home, may decide, or uses it now."""

    name: str
    may_decide: bool
    """Whether the settings admit them; an empty list there admits everybody."""
    key_id: str = ""
    """Of their newest key; empty until their first decision."""
    place: str = ""
    """Where its private half lies: "the keyring (…)" or a path."""
    reachable: bool = True
    """Whether it can be read from here."""
    protected: bool = False
    """Whether it lies under a passphrase."""
    unlocked: bool = False
    """Whether this process can sign with it without asking."""


class Decide(msgspec.Struct, frozen=True, kw_only=True):
    """Record one decision. It is executed by whoever holds the session's lease."""

    proposal: str
    verdict: str
    by: str
    via: Via
    reason: str | None = None
    arguments: dict[str, Any] | None = None
    details: dict[str, Any] = {}
    answer: str | None = None
    seen: list[str] = []
    digest: str | None = None
    """The digest that the person saw; refused when the card has changed since."""


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """A decision as it was recorded."""

    proposal: str
    session: str
    verdict: str
    by: str
    at: datetime
    closed: bool
    decision: str
    effective_at: datetime | None = None


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What edited arguments would mean, before anyone decides: errors by field ("" for the whole), or a preview."""

    errors: dict[str, str] = {}
    what_changes: WhatChanges | None = None
    confidence: Confidence | None = None
    summary: str = ""
    digest: str | None = None
    key_figure: KeyFigure | None = None
    """The figure that an irreversible approval of them must type."""

    def problem_of(self, field: str) -> str:
        """What is wrong with a field, or first in it; "" when nothing is."""
        return next((words for name, words in self.errors.items() if f"{name}.".startswith(f"{field}.")), "")


class SessionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a list of sessions."""

    session: str
    goal: str
    agent: str
    agent_version: str
    model: str
    pattern: str
    workspace: str
    status: SessionStatus
    stop_reason: str | None
    pause_reason: str | None
    step: int
    started_at: datetime
    updated_at: datetime
    open_proposals: list[str]
    spend: Spend
    limits: Limits
    demo: bool
    nearest_deadline: datetime | None = None
    urgent_touchpoint: Touchpoint | None = None
    decided_yes: int = 0
    decided_no: int = 0
    decided_edited: int = 0
    lease_pid: int | None = None
    """The live process that works it, when there is one."""
    message: str = ""


class SessionQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A page of sessions, newest first. `text` is looked for in goal, agent, tool, file and reason."""

    text: str = ""
    statuses: list[SessionStatus] = []
    agent: str | None = None
    since: datetime | None = None
    has_decisions: bool = False
    offset: int = 0
    limit: int = 200


class Preflight(msgspec.Struct, frozen=True, kw_only=True):
    """What changed since a session stopped, before it goes on: lines with whether each is fine."""

    lines: list[tuple[bool, str]]
    next_step: int
    can_resume: bool


class OpenProposal(msgspec.Struct, frozen=True, kw_only=True):
    """One open card in the queue over all sessions, with what the list needs of its session."""

    proposal: Proposal
    agent: str
    goal: str
    demo: bool
    with_agent: bool = False
    snoozed_until: datetime | None = None
    expired: bool = False
    version: int = 1
    """Counts the versions of the card; a higher one was changed since."""
    group: str = ""
    """The same for cards that are alike; a list shows them as one row. See `Desk.decide_all`."""


class HalfFilled(msgspec.Struct, frozen=True, kw_only=True):
    """A form of a card that a person has begun to fill in. It decides nothing and lasts as long as the card is open."""

    verdict: str
    """What the form is for."""
    about: str = ""
    """What of the card it was filled in for, in the form's own words: it does not hold for another."""
    entries: dict[str, Any] = {}
    """What stands in its fields, by their names."""
    open: bool = True
    """Whether it was left open; else it was closed, and comes back filled in when it is opened again."""


class DayBudget(msgspec.Struct, frozen=True, kw_only=True):
    """What all sessions spent today (local day of the operator), and the limit; None where unknown or not set."""

    spent_usd: Decimal | None
    unknown_runs: int
    """Runs of today whose cost is not known."""
    limit_usd: Decimal | None


class TreeBudget(msgspec.Struct, frozen=True, kw_only=True):
    """What a session cost with all its runs and forks, and the limit on that; None where no limit is set."""

    spent_usd: Decimal
    at_most_usd: Decimal
    """With what lost requests and answers of unknown cost may have cost: what the limit is held against."""
    unknown_runs: int
    limit_usd: Decimal | None
    sessions: int


class ChangeLimit(msgspec.Struct, frozen=True, kw_only=True):
    """Edit one limit of the newest run; in force at the next check."""

    session: str
    limit: LimitName
    value: str
    by: str
    why: str
