"""Events: everything that an agent ever did, as one closed, append-only union.

An event's envelope says where it stands in its session's chain; its `data` is one of the classes below, and the class
is the kind. State, trace, gauges, graphs, audit and exports are folds of these events. A change of any class here
changes the schema summary, which a test holds against `event_schema.json`: raise `SCHEMA_VERSION` and say what old rows
mean.
"""

from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec

from agent_core.model.action import (
    EffectClass,
    GateVerdict,
    Rationale,
    Reversibility,
    Source,
    Tier,
    ToolError,
)
from agent_core.model.budget import CostParts, LimitName, Limits, Usage
from agent_core.model.desk_events import DecisionRegretted as DecisionRegretted
from agent_core.model.desk_events import SideAnswered as SideAnswered
from agent_core.model.desk_events import SideAsked as SideAsked
from agent_core.model.desk_events import SideRead as SideRead
from agent_core.model.event_base import AskedCall as AskedCall
from agent_core.model.event_base import EventData as EventData
from agent_core.model.home_events import HaltReleased as HaltReleased
from agent_core.model.home_events import HaltSet as HaltSet
from agent_core.model.home_events import OperatorKeyAdded as OperatorKeyAdded
from agent_core.model.home_events import Restored as Restored
from agent_core.model.home_events import RulesChanged as RulesChanged
from agent_core.model.proposal import Confidence, DeadlineOutcome, Decision, Proposal, Via

SCHEMA_VERSION = 1


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


class ModelRequested(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Intent of one request. Retries are further events with the same `request_id` and a higher `attempt`.

    `note` is the volatile tail (budget, notes) that was sent with it: part of the history from then on, word for word.
    `closing` marks the last request that sums up, without tool calls, on the reserve.
    """

    kind = "model_requested"
    request_id: str
    attempt: int
    model: str
    max_tokens: int
    input_estimate: int
    reserved_tokens: int
    reserved_cost_usd: Decimal | None
    note: str = ""
    closing: bool = False
    slots: dict[str, int] = {}
    """Estimated tokens by context slot."""
    prefix_digest: str = ""
    """SHA-256 over tools and system prompt: a change explains a cache miss."""


class ModelFailed(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """An attempt failed; `retry_at` is set when another follows. `usage` bounds from below, `cost_bound_usd` above."""

    kind = "model_failed"
    request_id: str
    attempt: int
    fault: str
    message: str
    retry_at: datetime | None = None
    usage: Usage | None = None
    lost_tokens: int = 0
    cost_bound_usd: Decimal | None = None


class ModelResponded(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A whole response. `content` holds the provider's blocks as they came, unknown fields too."""

    kind = "model_responded"
    request_id: str
    attempt: int
    model: str
    content: list[dict[str, Any]]
    finish_reason: str
    usage: Usage
    calls: list[AskedCall] = []
    cost_usd: Decimal | None = None
    cost_parts: CostParts | None = None
    price_source: str = ""
    duration_ms: int = 0
    first_token_ms: int | None = None
    provider_request_id: str | None = None
    finish_detail: dict[str, Any] = {}


class CallJudged(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """What the gate said of one call, with everything it looked at."""

    kind = "call_judged"
    call_id: str
    tool_use_id: str
    tool: str
    arguments: dict[str, Any]
    """As they would run: without rationale, normalised by the tool."""
    verdict: GateVerdict
    reasons: list[str]
    rules: list[str] = []
    """The exact text of each rule that matched."""
    effect_class: EffectClass = EffectClass.NON_IDEMPOTENT
    reversibility: Reversibility = Reversibility.IRREVERSIBLE
    tier: Tier = Tier.R3
    tool_version: str = ""
    digest: str | None = None
    seen: dict[str, str] = {}
    """What the preview saw: a name and a SHA-256 each. Part of the digest."""
    rationale: Rationale | None = None
    confidence: Confidence | None = None
    error: ToolError | None = None
    """Set when the call is answered at once: invalid, unknown tool, denied."""
    policy_digest: str = ""


class ProposalOpened(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A card is open and the call, or the run, waits."""

    kind = "proposal_opened"
    proposal: Proposal


class ProposalPresented(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A person was shown the card for the first time through that door."""

    kind = "proposal_presented"
    proposal: str
    by: str
    via: Via


class ProposalChanged(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The card came back different: re-checked, answered by the agent, escalated, extended. Same id."""

    kind = "proposal_changed"
    proposal: str
    revised: Proposal
    why: str
    by: str = "system"
    answers: str | None = None
    """The `ask` decision that the agent has answered with this version."""


class ProposalWithdrawn(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The card is closed because what it asked for no longer stands."""

    kind = "proposal_withdrawn"
    proposal: str
    why: str


class ProposalExpired(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Nobody answered in time: the system's act, never a person's, and never an approval."""

    kind = "proposal_expired"
    proposal: str
    outcome: DeadlineOutcome
    by: str = "system"


class DecisionMade(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A person decided. What readers look for first stands beside the decision: who, how, why, after how long."""

    kind = "decision_made"
    proposal: str
    verdict: str
    by: str
    via: Via
    reason: str | None
    open_seconds: float
    decision: Decision


class DecisionUndone(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """An approval was taken back before its call started; the same card is open again."""

    kind = "decision_undone"
    proposal: str
    decision: str
    by: str


class CallStarted(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Intent of one effect. Committed before the effect begins."""

    kind = "call_started"
    call_id: str
    tool_use_id: str
    tool: str
    arguments: dict[str, Any]
    idempotency_key: str
    digest: str
    attempt: int = 1
    decision: str | None = None


class CallRetried(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A transient error of a call that may safely run again; the next attempt starts at `retry_at`."""

    kind = "call_retried"
    call_id: str
    tool: str
    attempt: int
    error: ToolError
    retry_at: datetime


class CallFinished(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A call is answered: by its result, by an error, or without having run (denied, rejected, expired, limit)."""

    kind = "call_finished"
    call_id: str
    tool_use_id: str
    tool: str
    ok: bool
    result: Any = None
    error: ToolError | None = None
    duration_ms: int = 0
    ran: bool = True
    """False when nothing was executed."""
    summary: str = ""
    """One line for the trace, by code."""
    undo: dict[str, Any] | None = None
    """What the tool needs to take it back."""
    sources: list[Source] = []
    changed_by: str | None = None
    """Who modified the arguments, when somebody did."""


class CallUnknown(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A started call whose outcome nobody recorded. A person says what happened; it is never run again on its own."""

    kind = "call_unknown"
    call_id: str
    tool_use_id: str
    tool: str
    why: str


class ContextEdited(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Parts of the context went (clearing, compaction, hand-over); names what, and what it cost."""

    kind = "context_edited"
    technique: str
    removed: list[str]
    tokens_before: int
    tokens_after: int
    cost_usd: Decimal | None = None
    summary: str = ""


class LimitChanged(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A limit was edited; in force from the next check."""

    kind = "limit_changed"
    limit: LimitName
    old: str
    new: str
    by: str
    why: str = ""


class LimitReached(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A limit stops the next request or call; `scope` is run, day or tree."""

    kind = "limit_reached"
    limit: LimitName
    value: str
    spent: str
    scope: str = "run"


class LoopDetected(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A call would have completed the third repeat of a cycle and was not run."""

    kind = "loop_detected"
    call_id: str
    tool: str
    period: int
    stops: bool
    """True the second time: the run stops through an exception card."""


class AlertRaised(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Something is out of the ordinary; an analyst should look. Never needs a decision."""

    kind = "alert_raised"
    alert: str
    message: str
    level: str = "warn"


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


class ToolContained(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """Three denials switched a tool off for the run."""

    kind = "tool_contained"
    tool: str
    why: str


class ToolReleased(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """An operator lifted a containment."""

    kind = "tool_released"
    tool: str
    by: str


class RunPaused(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """The run holds still and can go on: reason `operator`, `closed`, `provider_overloaded`, `cannot_save`."""

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


class SessionForked(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """A new session began from an earlier point of this one."""

    kind = "session_forked"
    source: str
    seq: int
    by: str


EVENT_TYPES: tuple[type[EventData], ...] = (
    SessionOpened,
    RunStarted,
    ModelRequested,
    ModelFailed,
    ModelResponded,
    CallJudged,
    ProposalOpened,
    ProposalPresented,
    ProposalChanged,
    ProposalWithdrawn,
    ProposalExpired,
    DecisionMade,
    DecisionUndone,
    DecisionRegretted,
    CallStarted,
    CallRetried,
    CallFinished,
    CallUnknown,
    SideAsked,
    SideAnswered,
    SideRead,
    ContextEdited,
    LimitChanged,
    LimitReached,
    LoopDetected,
    AlertRaised,
    MessageAdded,
    NoteWritten,
    HaltSet,
    HaltReleased,
    ToolContained,
    ToolReleased,
    RunPaused,
    RunResumed,
    RunStopped,
    SessionForked,
    Restored,
    OperatorKeyAdded,
    RulesChanged,
)


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """An event before the journal gives it a place: which run and step it belongs to, and when it happened."""

    data: EventData
    at: datetime
    run: str | None = None
    step: int = 0


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """A journaled event. `prev` and `digest` are hex SHA-256; `prev` is empty for the first of a session."""

    seq: int
    at: datetime
    session: str
    run: str | None
    step: int
    data: EventData
    prev: str
    digest: str

    @property
    def kind(self) -> str:
        """The name of the event in the journal."""
        return self.data.kind


_DECODERS: dict[str, msgspec.json.Decoder[EventData]] = {t.kind: msgspec.json.Decoder(t) for t in EVENT_TYPES}
_ENCODER = msgspec.json.Encoder(decimal_format="string")


def encode_data(data: EventData) -> bytes:
    """The data as JSON, defaults left out, the provider's blocks in their own order: what the journal hashes."""
    return _ENCODER.encode(data)


def decode_data(kind: str, raw: bytes | str) -> EventData:
    """The data of a journaled event; raises `msgspec.ValidationError` for what does not fit, KeyError for no kind."""
    return _DECODERS[kind].decode(raw)
