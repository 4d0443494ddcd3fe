"""The contract of a tool: one narrow thing that an agent may do, and everything that the gate and the card need of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

import msgspec
from pydantic import BaseModel, ConfigDict

from agent_core.model.action import EffectClass, Reversibility, Source, ToolError
from agent_core.model.proposal import Check, KeyFigure, WhatChanges


class Arguments(BaseModel):
    """Base of every tool's argument model: unknown members are refused, types are kept exactly."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ToolFailure(Exception):
    """Raised inside `run` and `preview` for an error that is a value: it reaches the model as it is."""

    def __init__(self, error: ToolError) -> None:
        super().__init__(error.message)
        self.error = error


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a run came back with. `result` is JSON; `summary` one line by code; `undo` what taking it back needs."""

    result: Any
    summary: str
    sources: list[Source] = []
    undo: dict[str, Any] | None = None
    untrusted: bool = False
    """The result holds text from outside the workspace or from outside authors."""


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    """Arguments held against the world as it is: what rules are matched on, and what a digest binds.

    `facts` gives each argument its canonical form (a path: relative to the workspace after links are followed).
    `seen` names what was looked at (a file, its SHA-256). `denied` is set when the call may not be, whatever the rules say.
    """

    arguments: dict[str, Any]
    """Normalised: exactly what would run and what the card shows."""
    facts: dict[str, Any] = {}
    seen: dict[str, str] = {}
    denied: ToolError | None = None


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What would change, and what the tool itself has to say about it."""

    summary: str
    """The card's title: verb, object, amount, target."""
    what_changes: WhatChanges
    checks: list[Check] = []
    """The tool's own checks: they count in the confidence."""
    could_go_wrong: list[str] = []
    way_back: str | None = None
    key_figure: KeyFigure | None = None
    sources: list[Source] = []
    system: str = "workspace"
    reversibility: Reversibility | None = None
    """Graver than the tool's own where these arguments make it so (a folder, a granted program)."""


class ProbeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a call of unknown outcome happened: True, False, or None where the probe cannot tell. Read-only."""

    happened: bool | None
    detail: str


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may use: the workspace, the folders that are denied to it, a place for old bytes, its own call.

    `overlay` holds what earlier calls of the same response would leave: path to bytes, None for deleted. Previews read it.
    """

    session: str
    workspace: Path
    trash: Path
    outbox: Path
    denied: Sequence[Path] = ()
    call_id: str = ""
    idempotency_key: str = ""
    overlay: dict[Path, bytes | None] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    undo_of: dict[str, Any] | None = None
    expected: dict[str, str] = field(default_factory=dict)
    """What the approval saw (`Resolved.seen`): `run` refuses when the bytes that it opens differ."""


class Tool(Protocol):
    """One tool. Class attributes are its manifest; methods that touch the world run in worker threads."""

    name: ClassVar[str]
    version: ClassVar[str]
    description: ClassVar[str]
    """What it does, what it returns, and when NOT to use it."""
    arguments: ClassVar[type[Arguments]]
    effect_class: ClassVar[EffectClass]
    reversibility: ClassVar[Reversibility]
    open_world: ClassVar[bool]
    leaves_company: ClassVar[bool]
    timeout: ClassVar[float]
    """Seconds."""
    sensitive: ClassVar[tuple[str, ...]]
    """Arguments whose origin is checked: recipient, amount, path, host, id."""
    real: ClassVar[bool]
    """False where demo sessions may use it: scripted or sample-workspace tools."""

    def resolve(self, arguments: Arguments, context: ToolContext) -> Resolved:
        """Hold the arguments against the world. Reads only."""
        ...

    def preview(self, arguments: Arguments, context: ToolContext) -> Preview:
        """What would change, without changing it. Reads only; raises ToolFailure when it cannot work at all."""
        ...

    def run(self, arguments: Arguments, context: ToolContext) -> Outcome:
        """Do it. Raises ToolFailure for errors that are values; anything else is a bug of the tool and reported as one."""
        ...

    def probe(self, arguments: Arguments, context: ToolContext) -> ProbeAnswer | None:
        """Did it happen? None where the tool has no probe. Reads only."""
        ...

    def effect_on(self, arguments: Arguments, context: ToolContext) -> dict[Path, bytes | None]:
        """What the call would leave behind, for previews of later calls of the same response. Empty where unknown."""
        ...
