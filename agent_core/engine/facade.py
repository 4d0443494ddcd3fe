"""The facade: all that screens and command lines see of the engine. Frozen values in and out, ids instead of objects.

`Harness` (in `harness.py`) has one of each. A test sends every value through JSON and back, so the engine can move
into a process of its own behind the same face.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from agent_core.model.events import Event
from agent_core.model.intents import SessionSummary
from agent_core.providers.base import Delta

if TYPE_CHECKING:  # the first window needs the messages of the bus, and of the rest only the names
    from pathlib import Path

    from agent_core.config.profile import Rule
    from agent_core.config.rule_trials import LintFinding, NeverNo, RuleDraft, RulesVersion, Simulation
    from agent_core.model.alerts import Alert, AlertQuery
    from agent_core.model.audit import (
        AuditEntry,
        AuditPage,
        AuditQuery,
        CalibrationReport,
        SettingChange,
        SpendFigures,
    )
    from agent_core.model.intents import (
        ChangeLimit,
        DayBudget,
        Decide,
        ForkPlan,
        ForkSession,
        HalfFilled,
        OpenProposal,
        OperatorProfile,
        Preflight,
        Receipt,
        SessionQuery,
        StartRun,
        TreeBudget,
        Trial,
    )
    from agent_core.model.standing import Opening


class StreamDelta(msgspec.Struct, frozen=True, kw_only=True):
    """Text that is streaming into a session's step. Transient."""

    session: str
    run: str
    step: int
    request_id: str
    delta: Delta


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """Something about the whole house that screens show as a banner: kind, level (attn, dang, info) and its sentence.

    An empty text withdraws the notice of that kind.
    """

    kind: str
    level: str
    text: str
    until: datetime | None = None


BusMessage = Event | SessionSummary | StreamDelta | Notice
"""Events once they are durable (ours, and those of other processes); after each append the session's new summary."""


class Bus(Protocol):
    """Live messages to whoever listens. Listeners must be quick and never raise."""

    def subscribe(self, listener: Callable[[BusMessage], None]) -> Callable[[], None]:
        """Listen from now on; call what comes back to stop."""
        ...


class Supervisor(Protocol):
    """Many runs, one task group. All raise PilothouseError with one sentence."""

    async def start(self, intent: StartRun) -> str:
        """Open a session and work it; gives its id as soon as it is journaled."""
        ...

    async def resume(self, session: str, by: str, message: str | None = None) -> None:
        """Go on with a session that rests. An ended one needs a message, which starts a new run."""
        ...

    async def fork(self, intent: ForkSession) -> str:
        """Begin a session with the history of another one up to a step, and work it; gives its id."""
        ...

    async def preflight(self, session: str) -> Preflight:
        """What changed since it stopped."""
        ...

    async def pause(self, session: str, by: str) -> None:
        """After the calls in flight."""
        ...

    async def pause_all(self, by: str) -> None:
        """Every session that this process works."""
        ...

    async def stop(self, session: str, by: str) -> None:
        """At once: streams are cut, a started non-idempotent call becomes outcome unknown; ends `cancelled`."""
        ...

    async def stop_all(self, by: str) -> None:
        """Set the halt flag and stop everything, in every process."""
        ...

    async def release(self, by: str) -> None:
        """Lift the halt flag."""
        ...

    async def message(self, session: str, text: str, by: str) -> None:
        """Tell the agent something; it reads it with its next request."""
        ...

    async def change_limit(self, intent: ChangeLimit) -> None:
        """Edit a limit of the newest run."""
        ...

    async def lift(self, session: str, tool: str, by: str) -> None:
        """Switch a tool on again that its denials had switched off."""
        ...

    async def retry_saving(self, by: str) -> None:
        """Go on with the sessions that rest because nothing could be saved."""
        ...

    async def wait(self, session: str) -> None:
        """Until this process no longer works the session: it ended, rests or waits for a decision."""
        ...

    async def close(self) -> None:
        """No new request or call; streams cut, calls get 3 s; runs are paused with reason `closed`."""
        ...


class Desk(Protocol):
    """Where proposals are read, decided and kept up to date."""

    async def open_proposals(self) -> list[OpenProposal]:
        """Every open card of every session, in the order of the queue: unknown first, then deadline, then tier."""
        ...

    async def opened_since(self, moment: datetime) -> dict[str, datetime]:
        """When each card was opened, whatever became of it, from a moment on: the load of the people who decide."""
        ...

    async def decide(self, intent: Decide) -> Receipt:
        """Record one decision. Raises DecisionRefused, and then nothing has changed."""
        ...

    async def decide_all(self, intents: Sequence[Decide]) -> list[Receipt]:
        """Say one word (approve, reject, postpone) to at most 20 cards that can simply be undone: all or none.

        Raises DecisionRefused; TogetherRefused names every card that stood in the way.
        """
        ...

    async def undo(self, proposal: str, by: str) -> None:
        """Take back an approval before its call started. Raises DecisionRefused afterwards."""
        ...

    async def present(self, proposal: str, by: str) -> None:
        """Record that a person was shown the card at the console."""
        ...

    async def open_drill(self, by: str) -> str:
        """Put a known-bad card on the desk to practise on; gives its id. It carries no call and can never run.

        What a careful person sees in it stands in the card's ``facts["lesson"]``: shown once it was decided.
        """
        ...

    async def half_filled(self, operator: str) -> dict[str, HalfFilled]:
        """The forms of open cards that an operator has begun to fill in, by card."""
        ...

    async def keep_half_filled(self, proposal: str, operator: str, form: HalfFilled | None) -> None:
        """Keep a form over restarts; None forgets it."""
        ...

    async def is_locked(self, operator: str) -> bool:
        """Whether the operator decides with a passphrase that this process was not given yet."""
        ...

    async def unlock(self, operator: str, passphrase: str) -> None:
        """Let the operator decide here, once a session. Raises DecisionRefused (wrong_passphrase)."""
        ...

    async def protect(self, operator: str, passphrase: str | None, old: str | None = None) -> None:
        """Have the operator decide with that passphrase from now on, or with none.

        `old` is the one that holds now, where there is one. Raises DecisionRefused (locked, wrong_passphrase, invalid).
        """
        ...

    async def operators(self) -> list[OperatorProfile]:
        """Everybody who has a key in this home or is listed in its settings, by name."""
        ...

    async def regret(self, proposal: str, by: str, why: str) -> None:
        """Mark a closed card's decision as a mistake, to learn from it; an empty `why` takes the mark back."""
        ...

    async def acknowledge(self, session: str, alert: str, by: str) -> None:
        """Record that somebody looked at an alert; twice is once."""
        ...

    async def extend_deadline(self, proposal: str, minutes: int, by: str) -> None:
        """A recorded decision to wait longer."""
        ...

    async def recheck(self, proposal: str) -> bool:
        """Read the preconditions again. True when the card changed: the new version comes as an event."""
        ...

    async def trial(self, proposal: str, arguments: dict[str, Any]) -> Trial:
        """What edited arguments would mean: schema, checks, gate and preview, without deciding."""
        ...


class Archive(Protocol):
    """Backups of the database."""

    async def backup(self, target: Path | None = None) -> Path:
        """Copy the database as it is now, by default into the home's backups; gives the file."""
        ...

    async def restore(self, source: Path, by: str) -> list[str]:
        """Put a backup back; gives the sessions that it sets back. The home is to be opened anew then."""
        ...


class Reader(Protocol):
    """Queries for screens. Never on the GUI thread."""

    async def sessions(self, query: SessionQuery) -> list[SessionSummary]:
        """A page of sessions, newest first."""
        ...

    async def count_sessions(self, query: SessionQuery) -> int:
        """How many there are in all."""
        ...

    async def summary(self, session: str) -> SessionSummary:
        """One session."""
        ...

    async def events(self, session: str, after: int = 0, limit: int | None = None) -> Sequence[Event]:
        """Events of one session with a higher `seq`, in order."""
        ...

    async def newest(self, session: str, count: int) -> Sequence[Event]:
        """The newest events of a session, in order."""
        ...

    async def first_look(self, session: str) -> Opening:
        """How a session stands, at once: its newest events alone, where the whole would take long."""
        ...

    async def whole(self, session: str) -> Opening:
        """How a session stands, however long that takes."""
        ...

    async def step_of_call(self, session: str, call: str) -> int | None:
        """The step that a call was asked for in; None where the session knows no such call."""
        ...

    async def fault(self, session: str) -> str:
        """Why a session can only be read, because somebody altered its history; "" while all is well."""
        ...

    async def alerts(self, query: AlertQuery) -> list[Alert]:
        """What is out of the ordinary in any session, newest first."""
        ...

    async def open_alerts(self) -> int:
        """How many alerts nobody has acknowledged yet."""
        ...

    async def day_budget(self) -> DayBudget:
        """Spend of today against the day limit."""
        ...

    async def tree_budget(self, session: str) -> TreeBudget:
        """Spend of a session with its runs and forks, against their limit."""
        ...

    async def fork_plan(self, session: str) -> ForkPlan:
        """What a fork of a session can begin with. Raises InputError for one that cannot be forked."""
        ...

    async def export(self, session: str, form: str, out: Path) -> None:
        """Write a session to a file: jsonl, html or otel."""
        ...


class Records(Protocol):
    """The audit over all sessions, how people decide, and the load of the desk. Never on the GUI thread."""

    async def audit(self, query: AuditQuery) -> AuditPage:
        """A page of cards, newest first, each with its decisions, their signatures and what came of it."""
        ...

    async def entry(self, proposal: str) -> AuditEntry:
        """One card. Raises DecisionRefused (unknown)."""
        ...

    async def export_audit(self, query: AuditQuery, form: str, out: Path) -> int:
        """Write every card that the query wants, as csv or jsonl; gives how many."""
        ...

    async def export_record(self, proposal: str, out: Path) -> None:
        """Write one card and its decisions as a self-contained HTML page."""
        ...

    async def calibration(self, days: int = 30) -> CalibrationReport:
        """How operators decided and agents were decided about in the last days."""
        ...

    async def spend_figures(self, agent: str | None) -> SpendFigures:
        """What completed runs took: typical, high, and limits that they suggest; of one agent, or of all."""
        ...

    async def note_setting(self, key: str, old: str, new: str, by: str, why: str) -> None:
        """Record that somebody changed a setting."""
        ...

    async def setting_changes(self, count: int) -> list[SettingChange]:
        """The newest changes of settings, newest first."""
        ...


class Rulebook(Protocol):
    """The standing rules, tried out over history, saved with who and why, and put back. Never on the GUI thread."""

    async def rules(self) -> list[Rule]:
        """The rules that hold now."""
        ...

    async def simulate(self, draft: Sequence[Rule], days: int = 30) -> Simulation:
        """What a draft of the standing rules would have meant in the last days."""
        ...

    async def lint(self, draft: Sequence[Rule]) -> list[LintFinding]:
        """Rules that can never match, that others make void, or that are broader than what was ever approved."""
        ...

    async def from_decision(self, proposal: str, days: int = 30) -> RuleDraft:
        """A rule that a past decision suggests, with its exact words; nothing is saved."""
        ...

    async def never_no(self, days: int = 30) -> list[NeverNo]:
        """Tools whose cards were all approved as they were, 20 at least."""
        ...

    async def save(self, rules: Sequence[Rule], by: str, why: str) -> None:
        """Replace the standing rules, with who and why."""
        ...

    async def versions(self) -> list[RulesVersion]:
        """Every saved set of rules, newest first, each with what it changed."""
        ...

    async def put_back(self, seq: int, by: str) -> None:
        """Save an earlier version again."""
        ...
