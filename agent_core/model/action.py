"""Actions of an agent: how grave a tool call is, and what it comes back with."""

from enum import StrEnum

import msgspec


class EffectClass(StrEnum):
    """What running a call twice would mean. ENGINE calls have no effect outside the journal."""

    READ_ONLY = "read_only"
    IDEMPOTENT_BY_KEY = "idempotent_by_key"
    NON_IDEMPOTENT = "non_idempotent"
    ENGINE = "engine"

    @property
    def changes(self) -> bool:
        """Whether a call may leave something outside the journal other than it was."""
        return self in (EffectClass.IDEMPOTENT_BY_KEY, EffectClass.NON_IDEMPOTENT)


class Reversibility(StrEnum):
    """Whether there is a way back, in the order of gravity."""

    REVERSIBLE = "reversible"
    PARTLY_REVERSIBLE = "partly_reversible"
    IRREVERSIBLE = "irreversible"


class Tier(StrEnum):
    """How much work an approval asks of a person, set by code from reversibility and policy."""

    R0 = "R0"
    R1 = "R1"
    R2 = "R2"
    R3 = "R3"


TIER_OF = {
    Reversibility.REVERSIBLE: Tier.R1,
    Reversibility.PARTLY_REVERSIBLE: Tier.R2,
    Reversibility.IRREVERSIBLE: Tier.R3,
}


class GateVerdict(StrEnum):
    """What the gate says of a call. The most restrictive of several wins."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


class Rationale(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The model's own words about a gated call. Shown as such, never acted on."""

    why: str = ""
    risks: str = ""
    evidence: list[str] = []


class ToolError(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An error as a value: what went wrong, whether trying again can help (after how many seconds), the way out."""

    code: str
    message: str
    retryable: bool = False
    retry_after: float | None = None
    suggestion: str | None = None
    detail: str | None = None
    """For the trace only (a traceback, raw output); never sent to the model."""


class Source(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a fact came from and how old it is: a name, its age and the age it may have, in seconds."""

    name: str
    age_seconds: float | None = None
    limit_seconds: float | None = None
    call_id: str | None = None
    untrusted: bool = False

    @property
    def stale(self) -> bool:
        """Older than its limit; False when either is unknown."""
        return self.age_seconds is not None and self.limit_seconds is not None and self.age_seconds > self.limit_seconds
