"""Commands: what a pattern wants done next. Frozen values; the runner is the only one who performs them."""

from dataclasses import dataclass
from datetime import datetime

from agent_core.model.proposal import Touchpoint
from agent_core.model.state import StopReason


@dataclass(frozen=True, slots=True)
class RequestModel:
    """Ask the model; `closing` asks it to sum up, without tool calls, on the reserve."""

    closing: bool = False
    executing: bool = False
    """The executor's turn, where the profile names one: steps of a plan are carried out."""


@dataclass(frozen=True, slots=True)
class JudgeCalls:
    """Put these calls before the gate, in the order given, before any of them runs."""

    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunCalls:
    """Run these calls: several only where they may run side by side."""

    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerCalls:
    """Answer these calls without running them: refused, expired, taken over, answered by a person."""

    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerQuestion:
    """Somebody asked the agent about this open card: put the question to it, beside the history."""

    proposal: str


@dataclass(frozen=True, slots=True)
class ResolveUnknown:
    """These calls started and nobody recorded how they ended: find out, run again where that is safe, or ask."""

    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenProposal:
    """The run as a whole needs a person: a limit was reached, a loop was stopped, an answer is not understood."""

    touchpoint: Touchpoint
    because: str


@dataclass(frozen=True, slots=True)
class AwaitDecisions:
    """Nothing can go on before one of these proposals is decided. The run suspends; no task needs to live."""

    proposals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WaitUntil:
    """Nothing can go on before that instant: an approval that may still be undone."""

    instant: datetime


@dataclass(frozen=True, slots=True)
class Stop:
    """End the run for that reason. `finish` names the finish call that ends it, where one does."""

    reason: StopReason
    finish: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Idle:
    """The run rests: ended or paused."""


Command = (
    RequestModel
    | JudgeCalls
    | RunCalls
    | AnswerCalls
    | AnswerQuestion
    | ResolveUnknown
    | OpenProposal
    | AwaitDecisions
    | WaitUntil
    | Stop
    | Idle
)
