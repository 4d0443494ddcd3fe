"""Agent profiles: what an agent is, what it may use, and under which rules. Read from TOML by `profile_file`."""

import hashlib
from decimal import Decimal
from enum import StrEnum
from typing import Any

import msgspec

from agent_core.model.action import GateVerdict
from agent_core.model.budget import Limits
from agent_core.model.context import Worksheet
from agent_core.model.proposal import DeadlineOutcome


class PatternName(StrEnum):
    """The loop patterns that profiles may name. `AVAILABLE_PATTERNS` says which this version has."""

    REACT = "react"
    PLAN_EXECUTE = "plan_execute"
    STATE_MACHINE = "state_machine"
    REFLECTION = "reflection"


SCRIPTED = "scripted:"
"""How the name of a model begins that a script plays."""

AVAILABLE_PATTERNS = frozenset({PatternName.REACT, PatternName.PLAN_EXECUTE})


class Match(StrEnum):
    """How a rule's text is held against an argument: always against the whole value."""

    EXACT = "exact"
    GLOB = "glob"
    REGEX = "regex"


class RuleScope(StrEnum):
    """Where a rule holds."""

    AGENT = "agent"
    SESSION = "session"
    ALWAYS = "always"


class Rule(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A rule on one tool and typed predicates over its arguments. `expires` is an instant (ISO, UTC) once loaded."""

    tool: str
    verdict: GateVerdict
    when: dict[str, Any] = {}
    match: Match = Match.GLOB
    scope: RuleScope = RuleScope.AGENT
    expires: str | None = None
    uses: int | None = None
    rule_id: str = ""
    because: str = ""


class ToolEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One tool of the manifest, with its reason, the age its results may have (seconds) and its own threshold."""

    name: str
    because: str
    ttl: float | None = None
    confidence: float | None = None
    staging: bool = False
    """Drafts of this tool wait in the staging area: only a person's release lets one out."""


class McpServer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A server that brings tools. Refused where this version has no MCP."""

    name: str
    because: str
    command: list[str] = []
    url: str | None = None
    env: dict[str, str] = {}
    trust: str = "low"
    tools: list[str] = msgspec.field(default_factory=lambda: ["*"])


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """US dollars per million tokens."""

    input: Decimal
    output: Decimal
    cache_read: Decimal = Decimal(0)
    cache_write: Decimal = Decimal(0)


class ExecutorModel(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The model that carries out the steps of a plan: often a cheaper one. The profile's own plans."""

    model: str
    thinking: dict[str, Any] | None = None
    effort: str | None = None
    price: Price | None = None


class GateSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the gate asks: the confidence it wants, how long it waits (seconds), and what silence means."""

    confidence: float = 0.85
    approve_within: float = 4 * 3600.0
    on_deadline: DeadlineOutcome = DeadlineOutcome.CANCEL
    escalate_to: str | None = None
    two_person: list[str] = []
    require_console: list[str] = []


class Profile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A whole agent profile. `cost_limit_by_hand` tells a written limit in money from the defaults."""

    name: str
    model: str
    pattern: PatternName = PatternName.REACT
    system_prompt: str = ""
    max_tokens: int = 8192
    thinking: dict[str, Any] | None = None
    effort: str | None = None
    limits: Limits = Limits()
    cost_limit_by_hand: bool = False
    price: Price | None = None
    context: Worksheet = Worksheet()
    gate: GateSettings = GateSettings()
    tools: list[ToolEntry] = []
    rules: list[Rule] = []
    mcp_servers: list[McpServer] = []
    executor: ExecutorModel | None = None
    """Who carries out the steps of a plan; None: the profile's own model."""
    path: str = ""
    """The file it came from; not part of the version."""

    @property
    def version(self) -> str:
        """The agent version: SHA-256 (12 hex digits) over model, prompt, tools, rules and limits."""
        bare = msgspec.structs.replace(self, path="")
        return hashlib.sha256(msgspec.json.encode(bare, order="deterministic")).hexdigest()[:12]

    @property
    def executing(self) -> "Profile":
        """The profile as it speaks while steps of a plan are carried out."""
        own = self.executor
        if own is None:
            return self
        return msgspec.structs.replace(self, model=own.model, thinking=own.thinking, effort=own.effort, price=own.price)

    @property
    def scripted(self) -> bool:
        """Whether a script plays the model: the session is a demo and reaches no real tool."""
        return self.model.startswith(SCRIPTED)
