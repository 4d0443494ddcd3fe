"""Run: what is known of a session, its runs, requests, calls and cards. `state.fold` builds these from events."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from agent_core.model import events as ev
from agent_core.model.action import ToolError
from agent_core.model.budget import Limits, Spend
from agent_core.model.plan import PlanState
from agent_core.model.proposal import Decision, Proposal, ProposalStatus, Verdict


class SessionStatus(StrEnum):
    """Where a session stands. INTERRUPTED is never written: it is a run without an end whose lease nobody holds."""

    RUNNING = "running"
    AWAITING_DECISION = "awaiting_decision"
    PAUSED = "paused"
    INTERRUPTED = "interrupted"
    ENDED = "ended"


class StopReason(StrEnum):
    """Why a run ended."""

    COMPLETED = "completed"
    STEP_LIMIT = "step_limit"
    TOOL_CALL_LIMIT = "tool_call_limit"
    TOKEN_LIMIT = "token_limit"
    COST_LIMIT = "cost_limit"
    TIME_LIMIT = "time_limit"
    LOOP_DETECTED = "loop_detected"
    POLICY_STOP = "policy_stop"
    REJECTED = "rejected"
    DEADLINE_PASSED = "deadline_passed"
    REFUSED = "refused"
    CONTEXT_FULL = "context_full"
    PROVIDER_FAILED = "provider_failed"
    CANCELLED = "cancelled"
    FAILED = "failed"


class CallStatus(StrEnum):
    """Where a tool call stands."""

    ASKED = "asked"
    JUDGED = "judged"
    WAITING = "waiting"
    """Its proposal is open."""
    APPROVED = "approved"
    STARTED = "started"
    FINISHED = "finished"
    UNKNOWN = "unknown"


@dataclass(slots=True)
class CallState:
    """One tool call: what was asked, what the gate said, what came of it. `asked_input` is the model's own block."""

    call_id: str
    tool_use_id: str
    tool: str
    run: str
    step: int
    asked_input: dict[str, Any]
    asked_at: datetime
    status: CallStatus = CallStatus.ASKED
    judged: ev.CallJudged | None = None
    proposals: list[str] = field(default_factory=list)
    decision: Decision | None = None
    """The closing decision of its newest approval."""
    started: ev.CallStarted | None = None
    started_at: datetime | None = None
    attempts: int = 0
    retry_at: datetime | None = None
    finished: ev.CallFinished | None = None
    finished_at: datetime | None = None
    finished_seq: int = 0
    unknown: ev.CallUnknown | None = None

    @property
    def waits(self) -> bool:
        """For a person: to decide about it, or to say what happened."""
        return self.status in (CallStatus.WAITING, CallStatus.UNKNOWN)

    @property
    def answer(self) -> bool | None:
        """Whether it came back well; None while it has not come back."""
        return self.finished.ok if self.finished is not None else None

    @property
    def error(self) -> ToolError | None:
        """The error that it was answered with."""
        return self.finished.error if self.finished is not None else None

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that would run, or ran: modified, else as judged, else as asked."""
        if self.started is not None:
            return self.started.arguments
        if self.decision is not None and self.decision.arguments is not None:
            return self.decision.arguments
        return self.judged.arguments if self.judged is not None else self.asked_input


@dataclass(slots=True)
class RequestState:
    """One model request with all its attempts."""

    request_id: str
    run: str
    step: int
    requested: ev.ModelRequested
    requested_at: datetime
    requested_seq: int
    """Of its newest attempt: what was known then is what the model was told."""
    failures: list[ev.ModelFailed] = field(default_factory=list)
    responded: ev.ModelResponded | None = None
    responded_at: datetime | None = None
    calls: list[str] = field(default_factory=list)
    """Ids of the calls of its response, in order."""

    @property
    def open(self) -> bool:
        """No response and no final failure yet."""
        return self.responded is None


@dataclass(slots=True)
class ProposalState:
    """One card through its life. `proposal` is its newest version."""

    proposal: Proposal
    status: ProposalStatus = ProposalStatus.OPEN
    versions: list[Proposal] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    """Every decision, those that leave it open too."""
    closing: Decision | None = None
    undone: list[str] = field(default_factory=list)
    presented_at: datetime | None = None
    presented_by: str | None = None
    closed_at: datetime | None = None
    snoozed_until: datetime | None = None
    withdrawn_because: str | None = None
    asked: Decision | None = None
    """The question that is with the agent: its answer has not come yet."""
    regret: ev.DecisionRegretted | None = None

    @property
    def with_agent(self) -> bool:
        """Somebody asked the agent about the card, and it has not answered yet."""
        return self.status is ProposalStatus.OPEN and self.asked is not None


SideEvent = ev.SideAsked | ev.SideAnswered | ev.SideRead


@dataclass(slots=True)
class RunState:
    """One run to its stop reason."""

    run: str
    started_at: datetime
    limits: Limits
    agent_version: str
    by: str
    spend: Spend = field(default_factory=Spend)
    step: int = 0
    requests: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    paused: ev.RunPaused | None = None
    stopped: ev.RunStopped | None = None
    stopped_at: datetime | None = None
    limit_reached: ev.LimitReached | None = None
    """The limit that waits for a budget decision, or that the closing request sums up for."""
    closing_because: str | None = None
    """Set once a person, or the deadline of a budget card, said to finish: the next request is the closing one."""
    card: str | None = None
    """The newest card that the run as a whole waits for (budget, exception, plan); None once its cause is gone."""
    loop: ev.LoopDetected | None = None
    contained: dict[str, str] = field(default_factory=dict)
    denials: dict[str, int] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    plans: list[PlanState] = field(default_factory=list)
    """Every plan that was adopted; the last is in force."""
    active_since: datetime | None = None
    in_flight: set[str] = field(default_factory=set)
    """Requests and calls that started and have not ended; active time runs while there is one."""
    inherited: bool = False
    """The part of the history that a fork began with: it happened elsewhere, and its spend counts there."""


class HistoryKind(StrEnum):
    """What one entry of the model's history holds."""

    OPERATOR = "operator"
    NOTE = "note"
    RESPONSE = "response"
    RESULTS = "results"


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One entry of the append-only history: text for OPERATOR and NOTE, a request id for RESPONSE and RESULTS."""

    kind: HistoryKind
    text: str = ""
    request_id: str = ""


@dataclass(slots=True)
class SessionState:
    """Everything that is known of one session."""

    session: str
    seq: int = 0
    head: str = ""
    """Digest of the newest event."""
    opened: ev.SessionOpened | None = None
    opened_at: datetime | None = None
    forked: ev.SessionForked | None = None
    updated_at: datetime | None = None
    runs: list[RunState] = field(default_factory=list)
    requests: dict[str, RequestState] = field(default_factory=dict)
    calls: dict[str, CallState] = field(default_factory=dict)
    proposals: dict[str, ProposalState] = field(default_factory=dict)
    history: list[HistoryEntry] = field(default_factory=list)
    alerts: list[ev.AlertRaised] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)
    """Names of the alerts that somebody looked at."""
    pending_messages: list[str] = field(default_factory=list)
    """Operator messages that no request has carried yet."""
    edits: list[ev.ContextEdited] = field(default_factory=list)
    open_cards: dict[str, None] = field(default_factory=dict)
    """Ids of open cards, oldest first (an ordered set)."""
    refused_calls: list[str] = field(default_factory=list)
    """Ids of calls that a person refused at some time; a refusal that was taken back is here, too."""
    unknown_calls: list[str] = field(default_factory=list)
    """Ids of calls whose outcome was unknown at some time."""
    sides: dict[str, list[SideEvent]] = field(default_factory=dict)
    """By `ask` decision: what was asked, answered and read beside the history, in order."""
    closed_by: dict[Verdict, int] = field(default_factory=dict)
    """How many cards each verdict closed."""

    @property
    def run(self) -> RunState:
        """The newest run; raises IndexError before the first."""
        return self.runs[-1]

    @property
    def open_proposals(self) -> list[str]:
        """Ids of open cards, oldest first."""
        return list(self.open_cards)

    @property
    def last_request(self) -> RequestState | None:
        """The newest request of the newest run."""
        ids = self.runs[-1].requests if self.runs else []
        return self.requests[ids[-1]] if ids else None

    @property
    def status(self) -> SessionStatus:
        """As the journal alone tells it; a run without an end may be INTERRUPTED, which only its lease can tell."""
        if not self.runs or self.run.stopped is not None:
            return SessionStatus.ENDED
        if self.run.paused is not None:
            return SessionStatus.PAUSED
        if self.run.in_flight or not self.open_cards:
            return SessionStatus.RUNNING
        return SessionStatus.AWAITING_DECISION
