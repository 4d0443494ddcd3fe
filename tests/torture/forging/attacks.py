"""What somebody with the database file can try: plain edits, and a chain made anew from the altered events."""

import random
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import msgspec

from agent_core.config.home import Home
from agent_core.model import events as ev
from agent_core.model.proposal import Verdict
from agent_core.store.journal import Journal
from agent_core.store.packing import shelve, unshelve


@dataclass(frozen=True, slots=True)
class Target:
    """A home to attack, with a session whose card was rejected, and another one."""

    home: Home
    session: str
    other: str
    events: Sequence[ev.Event]
    """Of the session, as they were."""


Attack = Callable[[Target, random.Random], None]


def edited(target: Target, chance: random.Random) -> None:
    """One event says something else."""
    victim = chance.choice(target.events)
    _execute(target.home, "UPDATE events SET data = ?, packed = ? WHERE id = ?", _spoilt(target, victim, chance))


def flipped(target: Target, chance: random.Random) -> None:
    """The rejection became an approval."""
    script = (
        "UPDATE events SET data = replace(replace(data, '\"reject\"', '\"approve\"'), '\"then\":\"continue\"', '')"
        " WHERE kind = 'decision_made'"
    )
    _execute(target.home, script, ())


def removed(target: Target, chance: random.Random) -> None:
    """One event in the middle is gone."""
    _execute(target.home, "DELETE FROM events WHERE id = ?", (_row(target, chance.choice(target.events[:-1])),))


def tail_cut(target: Target, chance: random.Random) -> None:
    """The last events are gone, the decision among them."""
    decided = next(e.seq for e in target.events if isinstance(e.data, ev.DecisionMade))
    first = chance.randint(max(2, decided - 3), decided)
    query = "DELETE FROM events WHERE seq >= ? AND chain = (SELECT id FROM chains WHERE session = ?)"
    _execute(target.home, query, (first, target.session))


def swapped(target: Target, chance: random.Random) -> None:
    """Two events changed places."""
    one, other = chance.sample(range(len(target.events)), 2)
    rows = [_row(target, target.events[place]) for place in (one, other)]
    with _writing(target.home) as database:
        columns = "kind, data, packed"
        first, second = (database.execute(f"SELECT {columns} FROM events WHERE id = ?", (r,)).fetchone() for r in rows)
        for row, values in ((rows[0], second), (rows[1], first)):
            database.execute("UPDATE events SET kind = ?, data = ?, packed = ? WHERE id = ?", (*values, row))
        database.commit()


def sessions_swapped(target: Target, chance: random.Random) -> None:
    """Two sessions changed names."""
    with _writing(target.home) as database:
        for before, after in ((target.session, "tmp"), (target.other, target.session), ("tmp", target.other)):
            database.execute("UPDATE chains SET session = ? WHERE session = ?", (after, before))
        database.commit()


def chained_anew(target: Target, chance: random.Random) -> None:
    """The rejection became an approval, and the whole chain was made anew to fit; the recorded heads stay."""
    kept = target.home.heads.with_name("heads-kept")
    shutil.copytree(target.home.heads, kept)
    _rebuild(target, _approving(target))
    shutil.rmtree(target.home.heads)
    kept.rename(target.home.heads)


def heads_forged_too(target: Target, chance: random.Random) -> None:
    """The same, and the recorded heads were made anew as well: only the signature is left to tell."""
    shutil.rmtree(target.home.heads)
    _rebuild(target, _approving(target))


def approval_added(target: Target, chance: random.Random) -> None:
    """An approval without a signature was added in the place of the rejection, chain and heads made to fit."""
    shutil.rmtree(target.home.heads)
    _rebuild(target, [_unsigned(data) for data in _approving(target)])


FOUND: tuple[Attack, ...] = (edited, flipped, removed, tail_cut, swapped, sessions_swapped, chained_anew)
"""Found by `verify`, and such a session cannot be gone on with."""
PROVE_NOTHING: tuple[Attack, ...] = (heads_forged_too, approval_added)
"""Whatever else was made to fit, the approval is not signed by its operator, and nothing runs on it."""


def _approving(target: Target) -> list[ev.EventData]:
    card = next(e.data.proposal for e in target.events if isinstance(e.data, ev.ProposalOpened))
    altered: list[ev.EventData] = []
    for event in target.events:
        data = event.data
        if isinstance(data, ev.DecisionMade):
            approval = msgspec.structs.replace(data.decision, verdict=Verdict.APPROVE, digest=card.digest, details={})
            data = msgspec.structs.replace(data, verdict="approve", decision=approval)
        altered.append(data)
    return altered


def _unsigned(data: ev.EventData) -> ev.EventData:
    if not isinstance(data, ev.DecisionMade):
        return data
    return msgspec.structs.replace(data, decision=msgspec.structs.replace(data.decision, signature="", key_id=""))


def _rebuild(target: Target, altered: Sequence[ev.EventData]) -> None:
    """Append everything again, as the program itself would have."""
    query = "DELETE FROM events WHERE chain = (SELECT id FROM chains WHERE session = ?)"
    _execute(target.home, query, (target.session,))
    target.home.create()
    journal = Journal.open(target.home)
    drafts = [
        ev.Draft(data=data, at=event.at, run=event.run, step=event.step)
        for data, event in zip(altered, target.events, strict=True)
    ]
    journal.append_now(target.session, drafts)
    journal.close()


def _spoilt(target: Target, victim: ev.Event, chance: random.Random) -> tuple[str, bytes | None, int]:
    row = _row(target, victim)
    with _writing(target.home) as database:
        text = unshelve(*database.execute("SELECT data, packed FROM events WHERE id = ?", (row,)).fetchone())
    letter = chance.choice(sorted({c for c in text if c.isalnum()}) or ["{"])
    spoilt = text.replace(letter, "0" if letter != "0" else "1")
    return *shelve(victim.kind, spoilt.encode(), spoilt), row


def _row(target: Target, event: ev.Event) -> int:
    query = "SELECT e.id FROM events e JOIN chains c ON c.id = e.chain WHERE c.session = ? AND e.seq = ?"
    with _writing(target.home) as database:
        return int(database.execute(query, (target.session, event.seq)).fetchone()[0])


def _execute(home: Home, query: str, values: Sequence[Any]) -> None:
    with _writing(home) as database:
        database.execute(query, values)
        database.commit()


def _writing(home: Home) -> "closing[sqlite3.Connection]":
    """The database without the triggers that keep honest programs from changing events."""
    database = sqlite3.connect(home.database)
    for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        database.execute(f'DROP TRIGGER "{name}"')
    database.commit()
    return closing(database)
