"""Events: everything that an agent ever did, as one closed, append-only union.

An event's envelope says where it stands in its session's chain; its `data` is one of the classes of this package, and
the class is the kind. State, trace, gauges, graphs, audit and exports are folds of these events. A change of any class
changes the schema summary, which a test holds against `event_schema.json`: raise `SCHEMA_VERSION` and say what old rows
mean.
"""

from datetime import datetime
from typing import Any

import msgspec

from agent_core.model.events.base import AskedCall, EventData
from agent_core.model.events.calls import (
    CallFinished,
    CallJudged,
    CallRetried,
    CallStarted,
    CallUnknown,
    LoopDetected,
    ToolContained,
    ToolReleased,
)
from agent_core.model.events.cards import (
    DecisionMade,
    DecisionUndone,
    ProposalChanged,
    ProposalExpired,
    ProposalOpened,
    ProposalPresented,
    ProposalWithdrawn,
)
from agent_core.model.events.desk import DecisionRegretted, SideAnswered, SideAsked, SideRead
from agent_core.model.events.forks import CarriedCall, CarriedTurn, Said, SessionForked
from agent_core.model.events.home import HaltReleased, HaltSet, OperatorKeyAdded, Restored, RulesChanged, SettingChanged
from agent_core.model.events.plans import PlanAdopted, StepReported
from agent_core.model.events.requests import ContextEdited, ModelFailed, ModelRequested, ModelResponded
from agent_core.model.events.session import (
    AlertAcknowledged,
    AlertRaised,
    ClockJumped,
    LimitChanged,
    LimitReached,
    MessageAdded,
    NoteWritten,
    RunPaused,
    RunResumed,
    RunStarted,
    RunStopped,
    SessionOpened,
)

__all__ = [
    "EVENT_TYPES",
    "SCHEMA_VERSION",
    "AlertAcknowledged",
    "AlertRaised",
    "AskedCall",
    "CallFinished",
    "CallJudged",
    "CallRetried",
    "CallStarted",
    "CallUnknown",
    "CarriedCall",
    "CarriedTurn",
    "ClockJumped",
    "ContextEdited",
    "DecisionMade",
    "DecisionRegretted",
    "DecisionUndone",
    "Draft",
    "Event",
    "EventData",
    "HaltReleased",
    "HaltSet",
    "LimitChanged",
    "LimitReached",
    "LoopDetected",
    "MessageAdded",
    "ModelFailed",
    "ModelRequested",
    "ModelResponded",
    "NoteWritten",
    "OperatorKeyAdded",
    "PlanAdopted",
    "ProposalChanged",
    "ProposalExpired",
    "ProposalOpened",
    "ProposalPresented",
    "ProposalWithdrawn",
    "Restored",
    "RulesChanged",
    "RunPaused",
    "RunResumed",
    "RunStarted",
    "RunStopped",
    "Said",
    "SessionForked",
    "SessionOpened",
    "SettingChanged",
    "SideAnswered",
    "SideAsked",
    "SideRead",
    "StepReported",
    "ToolContained",
    "ToolReleased",
    "decode_data",
    "encode_data",
]

SCHEMA_VERSION = 1

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
    AlertAcknowledged,
    MessageAdded,
    NoteWritten,
    PlanAdopted,
    StepReported,
    HaltSet,
    HaltReleased,
    ToolContained,
    ToolReleased,
    ClockJumped,
    RunPaused,
    RunResumed,
    RunStopped,
    SessionForked,
    Restored,
    OperatorKeyAdded,
    RulesChanged,
    SettingChanged,
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


_TYPES: dict[str, type[EventData]] = {t.kind: t for t in EVENT_TYPES}
_DECODERS: dict[str, msgspec.json.Decoder[EventData]] = {kind: msgspec.json.Decoder(t) for kind, t in _TYPES.items()}
_ENCODER = msgspec.json.Encoder(decimal_format="string")


def encode_data(data: EventData) -> bytes:
    """The data as JSON, defaults left out, the provider's blocks in their own order: what the journal hashes."""
    return _ENCODER.encode(data)


def decode_data(kind: str, raw: bytes | str) -> EventData:
    """The data of a journaled event; raises `msgspec.ValidationError` for what does not fit, KeyError for no kind."""
    return _DECODERS[kind].decode(raw)


def data_of(kind: str, value: Any) -> EventData:
    """The same from a JSON value instead of its bytes."""
    return msgspec.convert(value, _TYPES[kind], str_keys=True)
