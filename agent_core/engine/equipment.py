"""Equipment: everything that working one session takes, put together once by the harness."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent_core.config.home import Home
from agent_core.config.profile import GateSettings, Profile, Rule
from agent_core.config.watched_file import WatchedFile
from agent_core.engine.openings import Frame
from agent_core.model.budget import AtLimit, LimitName, Scope
from agent_core.model.clock import Clock, Ids
from agent_core.model.errors import InputError
from agent_core.model.ids import IdKind
from agent_core.model.state import SessionState
from agent_core.policy.redaction import Redactor
from agent_core.store.processes import Processes
from agent_core.tools.authorised import Stamp
from agent_core.tools.base import ToolContext
from agent_core.tools.executor import Executor
from agent_core.tools.registry import Registry

Overlay = dict[Path, bytes | None]
"""What earlier calls of a response would leave: path to bytes, None for deleted."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The policy as it is now. `problem` says why it cannot be read: then nothing runs that changes anything."""

    profile: Profile
    standing: Sequence[Rule] = ()
    """Rules of the home's settings, for all agents."""
    problem: str | None = None

    @property
    def rules(self) -> list[Rule]:
        """The rules in force."""
        return [*self.standing, *self.profile.rules]


class LivePolicy:
    """The profile's file and the standing rules, read again whenever they changed.

    Without its file the profile stands as the session has it.
    """

    def __init__(
        self,
        stored: Profile,
        load: Callable[[Path], Profile] | None = None,
        standing: Callable[[], tuple[Sequence[Rule], str | None]] = lambda: ((), None),
    ) -> None:
        self._load = load
        self._standing = standing
        self._path = Path(stored.path)
        self._file = WatchedFile(self._path) if stored.path else None
        self._profile = stored
        self._problem: str | None = None

    def read(self) -> Policy:
        """The policy at this moment. Never raises."""
        self._read_profile()
        rules, problem = self._standing()
        return Policy(self._profile, rules, self._problem or problem)

    def _read_profile(self) -> None:
        if self._file is None or self._load is None or not self._file.changed() or not self._file.there:
            return
        try:
            self._profile, self._problem = self._load(self._path), None
        except InputError as error:
            self._problem = str(error)


@dataclass(slots=True)
class Equipment:
    """What a runner works a session with."""

    home: Home
    clock: Clock
    ids: Ids
    profile: Profile
    policy: LivePolicy
    registry: Registry
    executor: Executor
    stamp: Stamp
    workspace: Path
    at_limit: Callable[[LimitName, Scope], AtLimit]
    """What the settings have follow when a limit is reached, at that moment."""
    trash: Path
    outbox: Path
    staging: Path
    demo: bool = False
    jitter: Callable[[], float] = random.random
    denied: tuple[Path, ...] = field(default=())
    redactor: Redactor = field(default_factory=lambda: Redactor({}))

    def frame(self, state: SessionState, step: int, gate: GateSettings) -> Frame:
        """Where a card that is opened now stands."""
        return Frame(
            proposal=self.ids.new(IdKind.PROPOSAL),
            session=state.session,
            run=state.run.run,
            step=step,
            now=self.clock.now(),
            gate=gate,
        )

    def context(self, state: SessionState, call_id: str, overlay: Overlay | None = None) -> ToolContext:
        """What a tool may use for one call."""
        return ToolContext(
            session=state.session,
            workspace=self.workspace,
            trash=self.trash,
            outbox=self.outbox,
            denied=self.denied,
            call_id=call_id,
            idempotency_key=idempotency_key(state.session, call_id),
            overlay=overlay or {},
            notes=dict(state.run.notes),
            processes=Processes(self.home),
        )


def idempotency_key(session: str, call_id: str) -> str:
    """The key that makes a repeated attempt the same act: from the journal, never from the model."""
    return f"{session}/{call_id}"


def denied_paths(home: Home, profile: Profile) -> tuple[Path, ...]:
    """Folders and files that no tool may touch, wherever the workspace lies."""
    return (*home.roots, Path(profile.path)) if profile.path else home.roots
