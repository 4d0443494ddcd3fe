"""Events of forks: a session that begins with what another one had come to."""

from datetime import datetime

import msgspec

from agent_core.model.events.base import EventData
from agent_core.model.events.calls import CallFinished, CallJudged
from agent_core.model.events.requests import ModelRequested, ModelResponded


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What stood before a response: the operator's words, or a note of ours."""

    text: str
    note: bool = False


class CarriedCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A call as it came to its end in the source. It is never run, asked about or counted again."""

    asked_at: datetime
    judged: CallJudged | None = None
    finished: CallFinished
    finished_at: datetime
    finished_seq: int


class CarriedTurn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One turn of the source's history, word for word: what was said, the response, what came of its calls."""

    step: int
    said: list[Said] = []
    requested: ModelRequested
    requested_at: datetime
    requested_seq: int
    responded: ModelResponded
    responded_at: datetime
    calls: list[CarriedCall] = []


class SessionForked(EventData, frozen=True, kw_only=True, omit_defaults=True):
    """This session begins with the history of another one up to the end of a step; `seq` is that one's newest event.

    `note` tells the model, and whoever reads along, what became of the workspace since. Cards, spend and approvals stay
    where they are.
    """

    kind = "session_forked"
    source: str
    seq: int
    by: str
    step: int = 0
    turns: list[CarriedTurn] = []
    notes: dict[str, str] = {}
    note: str = ""
