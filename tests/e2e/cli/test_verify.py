"""`verify` from outside: which session, which event, and what was done to it; an altered session is not worked."""

import sqlite3
from contextlib import closing
from pathlib import Path

from agent_core.config.home import Home
from agent_core.store.journal import Journal
from tests.support.command_line import CommandLine
from tests.unit.store.samples import opened, said, summary

DONE = {
    "s-altered": "UPDATE events SET step = 7 WHERE seq = 4",
    "s-removed": "DELETE FROM events WHERE seq IN (2, 5)",
    "s-reordered": "UPDATE events SET seq = 99 WHERE seq = 3",
}
SAID = [
    "s-altered  ALTERED at event 4: event 4 was altered",
    "s-removed  ALTERED at event 2: event 2 was removed",
    "s-reordered  ALTERED at event 3: event 3 was reordered: the one that belongs there stands at 99 now",
    "s-sound  ok",
]


def test_the_first_altered_removed_or_reordered_event_is_named(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    home = Home.at(cli.home)
    home.create()
    journal = Journal.open(home)
    for session in (*DONE, "s-sound"):
        journal.append_now(session, [opened(), *(said(str(number)) for number in range(5))], summary=summary(session))
    journal.close()
    with closing(sqlite3.connect(home.database)) as shell:
        for kind in ("updated", "deleted"):
            shell.execute(f"DROP TRIGGER events_are_not_{kind}")
        for session, done in DONE.items():
            shell.execute(f"{done} AND chain = (SELECT id FROM chains WHERE session = ?)", [session])
        shell.commit()

    checked = cli.call("verify")
    resumed = cli.call("resume", "s-altered", "--decide", "none")

    assert checked.code == 5
    assert checked.out.splitlines() == SAID
    assert resumed.code == 5
    assert "(event 4 was altered); it can only be read" in resumed.err


def test_a_list_without_a_session_that_was_recorded_says_so(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    home = Home.at(cli.home)
    home.create()
    journal = Journal.open(home)
    journal.append_now("s-lost", [opened(), said("before")], summary=summary("s-lost"))
    journal.close()
    assert cli.call("sessions").err == ""
    for file in home.database.parent.glob(f"{home.database.name}*"):
        file.unlink()

    plain, listed = cli.call("sessions"), cli.call("sessions", "--json")

    assert (plain.code, plain.out, listed.value) == (0, "", {"sessions": []})
    for done in (plain, listed):
        (line,) = done.err.splitlines()
        assert "1 session recorded in this home cannot be found in its database: s-lost" in line
