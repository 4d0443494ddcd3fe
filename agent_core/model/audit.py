"""Audit: what can be asked about cards and decisions, and what comes back. Frozen values that survive JSON."""

from datetime import datetime
from typing import Any

import msgspec

from agent_core.model.action import Tier
from agent_core.model.budget import Limits, Spend
from agent_core.model.proposal import AgentAnswer, Escalation, ProposalStatus, Touchpoint, Verdict, Via, suggests_rule


class AuditQuery(msgspec.Struct, frozen=True, kw_only=True):
    """A page of cards, what happened last first: free text over title, tool, arguments, people, reasons; filters.

    Empty filters admit everything. Operators are those who decided. `drills` adds the cards of drills.
    """

    text: str = ""
    sessions: list[str] = []
    agents: list[str] = []
    tools: list[str] = []
    operators: list[str] = []
    touchpoints: list[Touchpoint] = []
    verdicts: list[Verdict] = []
    tiers: list[Tier] = []
    since: datetime | None = None
    until: datetime | None = None
    regretted: bool = False
    drills: bool = True
    offset: int = 0
    limit: int = 100


class AuditDecision(msgspec.Struct, frozen=True, kw_only=True):
    """One decision on a card. `fault` says why its signature proves nothing; None when it holds."""

    decision: str
    seq: int
    verdict: Verdict
    by: str
    via: Via
    at: datetime
    open_seconds: float
    reason: str | None = None
    answer: str | None = None
    details: dict[str, Any] = {}
    seen: list[str] = []
    fault: str | None = None
    awaits_second: bool = False
    undone: bool = False


class AuditEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One card through its life: proposed, presented, decided, executed, and what came of it."""

    proposal: str
    session: str
    run: str
    step: int
    seq: int
    """Of the event that opened it."""
    agent: str
    agent_version: str
    touchpoint: Touchpoint
    tool: str | None
    tier: Tier
    title: str
    status: ProposalStatus
    opened_at: datetime
    proposed: dict[str, Any]
    evidence_parts: list[str] = []
    confidence: float | None = None
    below_threshold: bool = False
    presented_at: datetime | None = None
    presented_by: str | None = None
    decisions: list[AuditDecision] = []
    closed_at: datetime | None = None
    verdict: Verdict | None = None
    """Of the closing decision."""
    by: str | None = None
    executed: dict[str, Any] | None = None
    """The arguments that ran; None when nothing did."""
    executed_at: datetime | None = None
    outcome: str = ""
    """ran, failed, unknown, not_run, or empty while that is not known and where nothing can run."""
    result: str = ""
    digest: str | None = None
    versions: int = 1
    answers: list[AgentAnswer] = []
    escalation: Escalation | None = None
    regret: str | None = None
    """Why somebody regrets the decision."""
    regret_by: str | None = None
    drill: bool = False
    lesson: str = ""
    """What a careful person sees in the card of a drill; empty while it is open."""
    demo: bool = False
    chain_fault: str | None = None
    """What is wrong with the session's chain; None when it holds."""

    @property
    def at(self) -> datetime:
        """When it became what it is: closed, or opened while it waits."""
        return self.closed_at or self.opened_at

    @property
    def suggests_rule(self) -> bool:
        """Whether a standing rule can be made of it."""
        return suggests_rule(self.touchpoint, self.verdict, drill=self.drill)


class AuditPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the audit, how many there are in all, and which sessions' chains do not hold."""

    entries: list[AuditEntry]
    total: int
    broken: list[str] = []


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """How one operator, or all on an agent's cards, decided. Shares are of the closed cards; None without any."""

    who: str
    cards: int
    median_seconds: float | None
    approved: float | None
    edited: float | None
    refused: float | None
    expired: float | None
    hasty: int
    """Approvals in under 3 s."""
    regrets: int
    drills: int = 0
    caught: int = 0
    """Drills that were refused."""


class CalibrationReport(msgspec.Struct, frozen=True, kw_only=True):
    """By operator and by agent, each by name."""

    operators: list[Calibration]
    agents: list[Calibration]


class SettingChange(msgspec.Struct, frozen=True, kw_only=True):
    """A setting as somebody changed it."""

    at: datetime
    key: str
    old: str
    new: str
    by: str
    why: str


class SpendFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent's completed runs took, and limits that they suggest. None where there are too few runs."""

    runs: int
    typical: Spend | None
    """The median of each figure."""
    high: Spend | None
    """What 95 % of the runs stayed within, figure by figure; a cost that is not always known is None."""
    suggestion: Limits | None
