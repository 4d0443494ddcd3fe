"""Appends of 2 kB: by our journal, whole, and as bare inserts with a commit each. The same disk, the same settings."""

import asyncio
import sqlite3
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agent_core.config.home import Home
from agent_core.model.events import Draft, MessageAdded
from agent_core.store.journal import Journal
from tests.bench.worker import serve

SIZE = 2000
_TEXT = ("The quick brown fox jumps over the lazy dog. " * 50)[:SIZE]


async def _append(journal: Journal, session: str, count: int) -> None:
    for _ in range(count):
        await journal.append(session, [Draft(data=MessageAdded(text=_TEXT, by="bench"), at=datetime.now(UTC))])


async def _together(journal: Journal, writers: int, each: int) -> float:
    await asyncio.gather(*(_append(journal, f"warm-{writer}", 2) for writer in range(writers)))
    began = time.perf_counter()
    await asyncio.gather(*(_append(journal, f"session-{writer}", each) for writer in range(writers)))
    return writers * each / (time.perf_counter() - began)


def journal(writers: int, each: int) -> dict[str, Any]:
    """Events a second of writers that each wait for their own events to be durable."""
    with tempfile.TemporaryDirectory(prefix="pilothouse-bench-") as folder:
        home = Home.at(Path(folder) / "home")
        home.create()
        opened = Journal.open(home)
        try:
            return {"rate": asyncio.run(_together(opened, writers, each))}
        finally:
            opened.close()


def raw(rows: int) -> dict[str, Any]:
    """Rows a second of bare inserts, each with its own commit."""
    with tempfile.TemporaryDirectory(prefix="pilothouse-bench-") as folder:
        connection = sqlite3.connect(Path(folder) / "raw.db", isolation_level=None)
        connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;")
        connection.execute("CREATE TABLE events (id INTEGER PRIMARY KEY, session TEXT, seq INTEGER, data TEXT)")
        began = time.perf_counter()
        for seq in range(rows):
            connection.execute("INSERT INTO events (session, seq, data) VALUES ('session', ?, ?)", (seq, _TEXT))
        rate = rows / (time.perf_counter() - began)
        connection.close()
    return {"rate": rate}


if __name__ == "__main__":
    serve({"journal": journal, "raw": raw})
