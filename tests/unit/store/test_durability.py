"""What was reported saved is there after kill -9, and nothing half done is."""

import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from agent_core.config.home import Home
from agent_core.store.journal import Journal
from tests.unit.store.samples import said

APPENDING = """
import sys
from pathlib import Path
from agent_core.config.home import Home
from agent_core.store.journal import Journal
from tests.unit.store.samples import said
journal = Journal.open(Home.at(Path(sys.argv[1])))
while True:
    events = journal.append_now("s-1", [said("x" * 3000), said("long " * 5000)])
    print(events[-1].seq, events[-1].digest, flush=True)
"""


@pytest.mark.parametrize("seed", range(3))
def test_what_was_reported_saved_survives_kill_9(home: Path, seed: int) -> None:
    chance = random.Random(seed)
    saved: list[str] = []
    for _ in range(2):  # the second round goes on where the first was killed
        with subprocess.Popen(
            [sys.executable, "-c", APPENDING, str(home)], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
        ) as process:
            assert process.stdout is not None
            saved.extend(process.stdout.readline() for _ in range(chance.randint(1, 25)))
            process.send_signal(signal.SIGKILL)
            saved.extend(process.stdout)  # reported between our last look and the kill

    journal = Journal.open(Home.at(home))
    digests = {event.seq: event.digest for event in journal.read_now("s-1")}
    for line in saved:
        if line.endswith("\n"):
            seq, digest = line.split()
            assert digests[int(seq)] == digest
    assert list(digests) == list(range(1, len(digests) + 1))
    assert len(digests) % 2 == 0  # both events of an append, or none
    assert len(journal.append_now("s-1", [said()])) == 1
    journal.close()
    with sqlite3.connect(home / "pilothouse.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
