"""The contract of a tool: one narrow thing that an agent may do, and all that the gate and the card need of it."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NoReturn, Protocol

import msgspec
from pydantic import BaseModel, ConfigDict
from typing_extensions import TypeVar

from agent_core.model.action import EffectClass, Reversibility, Source, ToolError
from agent_core.model.proposal import Check, KeyFigure, Touchpoint, WhatChanges


class Arguments(BaseModel):
    """Base of every tool's argument model: unknown members are refused, types are kept exactly."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


A_contra = TypeVar("A_contra", bound=Arguments, contravariant=True, default=Any)
"""A tool's own arguments; where any tool is meant, plain `Tool` will do."""


class ToolFailure(Exception):
    """Raised inside `run` and `preview` for an error that is a value: it reaches the model as it is."""

    def __init__(self, error: ToolError) -> None:
        super().__init__(error.message)
        self.error = error


def fail(code: str, message: str, suggestion: str | None = None, *, retryable: bool = False) -> NoReturn:
    """Raise a ToolFailure: what went wrong in one sentence, and the way out."""
    raise ToolFailure(ToolError(code=code, message=message, suggestion=suggestion, retryable=retryable))


class Cancelled(ToolFailure):
    """Raised by a tool that saw `ToolContext.cancelled` in time: nothing was changed."""

    def __init__(self) -> None:
        super().__init__(ToolError(code="cancelled", message="The call was stopped before it changed anything."))


class CutOff(Exception):
    """Raised by a tool that was ended in the middle of its work: what it says, and it may have changed something."""


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
    `seen` names what was looked at (a file, its SHA-256). `denied` is set when the call may not be, whatever rules say.
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
    looked: dict[str, str] = {}
    """Each place that was looked at, and what was found there; empty where `detail` says it all."""


class ProcessRecords(Protocol):
    """Where child processes are recorded, so that they can be ended from outside."""

    def record(self, pid: int, session: str, command: str = "") -> Any:
        """Record a process that leads a group of its own; gives what `forget` takes."""
        ...

    def forget(self, group: Any) -> None:
        """It has ended."""
        ...


class NoRecords:
    """For tools that are tried without a home."""

    def record(self, pid: int, session: str, command: str = "") -> Any:
        """Nothing is kept."""

    def forget(self, group: Any) -> None:
        """Nothing was kept."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may use: the workspace, the folders that are denied to it, a place for old bytes, its own call.

    `overlay` holds what earlier calls of the same response would leave: real absolute path to bytes, None for deleted
    (a folder's None hides all below it that has no bytes of its own). `resolve` and `preview` read it, `run` does not.
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
    expected: dict[str, str] = field(default_factory=dict)
    """What the approval saw (`Resolved.seen`): `run` refuses when the bytes that it opens differ."""
    processes: ProcessRecords = field(default_factory=NoRecords)
    cancelled: threading.Event = field(default_factory=threading.Event)
    """Set by the executor when the call is to end; long work looks at it through `check_cancelled`."""

    def check_cancelled(self) -> None:
        """Raise Cancelled when the call is to end. Call it before an effect, never in the middle of one."""
        if self.cancelled.is_set():
            raise Cancelled


class Privileges(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a tool can reach, as its manifest states it: "workspace", "outbox", "session trash", "journal"."""

    reads: list[str] = []
    writes: list[str] = []
    hosts: list[str] = []
    programs: list[str] = []


class ToolLimits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Bounds of one call besides its timeout: sizes in bytes, counts in items. None: no bound of its own."""

    input_bytes: int | None = None
    items: int | None = None
    seconds: float | None = None


class Tool(Protocol[A_contra]):
    """One tool. Class attributes are its manifest; methods that touch the world run in worker threads.

    Tools derive from this class, so what they leave out has the careful default.
    """

    name: ClassVar[str]
    """1 to 128 letters, digits, ``_`` and ``-``."""
    version: ClassVar[str] = "1"
    """Raise it when the meaning of a call changes: approvals are bound to it."""
    description: ClassVar[str]
    """What it does, what it returns, and when NOT to use it."""
    arguments: ClassVar[type[Arguments]]
    effect_class: ClassVar[EffectClass] = EffectClass.NON_IDEMPOTENT
    reversibility: ClassVar[Reversibility] = Reversibility.IRREVERSIBLE
    privileges: ClassVar[Privileges]
    limits: ClassVar[ToolLimits] = ToolLimits()
    open_world: ClassVar[bool] = False
    leaves_company: ClassVar[bool] = False
    timeout: ClassVar[float] = 30.0
    """Seconds."""
    sensitive: ClassVar[tuple[str, ...]] = ()
    """Arguments whose origin is checked: recipient, amount, path, host, id."""
    real: ClassVar[bool] = True
    """False where demo sessions may use it: scripted or sample-workspace tools."""
    opens: ClassVar[Touchpoint | None] = None
    """The card that every call of it opens by itself: its answer comes from a person, not from the gate."""
    draft_ending: ClassVar[str] = ""
    """How the file name of its drafts ends; empty for a tool whose calls cannot wait in the staging area."""
    more: ClassVar[str] = "Ask for less at a time."
    """How the model gets the rest of a result that was cut for it."""

    def resolve(self, arguments: A_contra, context: ToolContext) -> Resolved:
        """Hold the arguments against the world. Reads only; never raises ToolFailure (a refusal is `denied`)."""
        return Resolved(arguments=given(arguments))

    def preview(self, arguments: A_contra, context: ToolContext) -> Preview:
        """What would change, without changing it. Reads only; raises ToolFailure when it cannot work at all."""
        ...

    def run(self, arguments: A_contra, context: ToolContext) -> Outcome:
        """Do it. Raises ToolFailure for errors that are values; anything else is reported as a bug of the tool."""
        ...

    def probe(self, arguments: A_contra, context: ToolContext) -> ProbeAnswer | None:
        """Did it happen? None where the tool has no probe. Reads only."""
        return None

    def draft(self, arguments: A_contra, context: ToolContext) -> bytes:
        """What the call would send, as a file for the staging area. Reads only. Only where `draft_ending` is set."""
        fail("no_draft", f"{self.name} makes no drafts.")

    def effect_on(self, arguments: A_contra, context: ToolContext) -> dict[Path, bytes | None]:
        """What the call would leave behind, for previews of later calls of the same response. Never raises ToolFailure:
        empty where it is not known."""
        return {}


def given(arguments: Arguments) -> dict[str, Any]:
    """The arguments as they were given, without defaults: what the card shows and the digest binds."""
    return arguments.model_dump(mode="json", exclude_unset=True)
