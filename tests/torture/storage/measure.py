"""Point 9, measured."""

import asyncio
import hashlib
import sqlite3
from contextlib import closing, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path

from agent_core.config.home import Home
from agent_core.config.settings import Settings
from agent_core.engine.facade import BusMessage, Notice
from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.errors import NewerDatabase, PilothouseError
from agent_core.model.intents import SessionQuery, StartRun
from agent_core.store.backup import Backups
from agent_core.store.migrate import SCHEMA
from tests.migrations.make_fixture import FIXTURES, SESSIONS
from tests.support.engine_lab import Lab, call, eventually, turn
from tests.torture.report import Options, Point
from tests.torture.storage.shelf import remount, shelf
from tests.torture.storage.troubles import TROUBLES, Trouble

_AGENTS = 3
_SLOW = ("locked",)
"""Troubles that take the real seconds of a lock's patience."""


def measure(options: Options) -> Point:
    """Make trouble under working agents, mend it, and look for what was lost."""
    point = Point()
    chosen = [t for t in TROUBLES if not (options.quick and t.name.startswith(_SLOW))]
    asyncio.run(_troubles(point, chosen, options))
    asyncio.run(_read_only(point, options.scratch / "readonly"))
    _torn_settings(point, options.scratch / "torn")
    _newer(point, options.scratch / "newer")
    _older(point, options.scratch / "older")
    asyncio.run(_backups(point, options.scratch / "backups"))
    return point


async def _troubles(point: Point, chosen: list[Trouble], options: Options) -> None:
    made = lost = paused = told = resumed = 0
    for number, trouble in enumerate(chosen):
        place = options.scratch / f"trouble{number}"
        with shelf(place) if trouble.needs_shelf else nullcontext(True) as possible:
            if not possible:
                point.shown(f"{trouble.name}: not measured, only root can mount", "-")
                continue
            bench = _Bench(place, trouble)
            try:
                async with asyncio.timeout(120):
                    await bench.run()
            except Exception as error:  # noqa: BLE001 - one trouble's failure must not hide the others
                point.problem(f"{trouble.name}: {type(error).__name__}: {error}")
            finally:
                await bench.close()
            made += 1
            lost += bench.lost
            paused += bench.all_rest
            told += bench.told
            resumed += bench.resumed
            if bench.lost or not (bench.all_rest and bench.told and bench.resumed):
                rest = f"all rest {bench.all_rest}, gone on {bench.resumed}"
                point.problem(f"{trouble.name}: lost {bench.lost}, {rest}: {bench.notices}")
    point.none("events lost that were reported saved", lost)
    point.all(f"troubles under which all {_AGENTS} agents came to rest", paused, made)
    point.all("troubles whose notice says what is wrong, and where", told, made)
    point.all("troubles after whose end every session goes on and ends", resumed, made)


class _Bench:
    """Agents at work in a home, trouble in the middle of it, and the time after."""

    def __init__(self, place: Path, trouble: Trouble) -> None:
        reads = [turn(call("files_search", pattern=f"p{n}"), delay_s=400) for n in range(3)]
        self.lab = Lab(place, *reads, turn(text="done"))
        self.lab.write_profile(limits="seconds = 1000000")
        self.trouble = trouble
        self.saved: set[str] = set()
        self.notices: list[str] = []
        self.lost = 0
        self.all_rest = self.told = self.resumed = False

    async def run(self) -> None:
        """Work, trouble, rest, mending, and on to the end."""
        harness = await self.lab.open()
        harness.bus.subscribe(self._hear)
        start = StartRun(profile=str(self.lab.profile), goal="x", workspace=str(self.lab.workspace), by="bar")
        sessions = [await harness.supervisor.start(start) for _ in range(_AGENTS)]
        await self._asked(_AGENTS)
        self.lab.clock.advance(500)
        await self._asked(2 * _AGENTS)
        mend = await asyncio.to_thread(self.trouble.make, self.lab.home)
        try:
            self.lab.clock.advance(500)
            for session in sessions:
                await harness.supervisor.wait(session)
            self.all_rest = not harness.supervisor._works
        finally:
            await asyncio.to_thread(mend)
        self.told = any(
            self.trouble.words in text and str(self.lab.home.data) in text and "paused" in text for text in self.notices
        )
        await self.lab.close()
        await self._after(sessions)

    async def _asked(self, times: int) -> None:
        await eventually(lambda: len(self.lab.model.requests) >= times, seconds=30)

    async def _after(self, sessions: list[str]) -> None:
        self.lab.clock._passes = 1000.0
        harness = await self.lab.open()
        ended = 0
        for session in sessions:
            await self.lab.resume(harness, session)
            ended += (await self.lab.result(harness, session))["stop_reason"] == "completed"
        self.resumed = ended == len(sessions) and all(found.ok for found in await harness.reader.verify())
        there = {event.digest for session in sessions for event in await harness.reader.events(session)}
        self.lost = len(self.saved - there)

    async def close(self) -> None:
        """Close what is open, however the run ended."""
        await self.lab.close()

    def _hear(self, message: BusMessage) -> None:
        if isinstance(message, ev.Event):
            self.saved.add(message.digest)
        elif isinstance(message, Notice):
            self.notices.append(message.text)


async def _read_only(point: Point, root: Path) -> None:
    """A home on a medium that cannot be written: what is there can be read, and a start is refused by name."""
    with shelf(root) as possible:
        if not possible:
            point.shown("read-only: not measured, only root can mount", "-")
            return
        lab = Lab(root, turn(text="done"))
        session = await lab.start(await lab.open())
        await lab.close()
        remount(root, "ro")
        told = read = ""
        try:
            harness = await lab.open(works=False)
            read = (await lab.result(harness, session))["output"]
            await lab.start(harness)
        except PilothouseError as error:
            told = str(error)
        with suppress(PilothouseError):
            await lab.close()
        remount(root, "rw")
        point.sure("on a read-only disk sessions can be read", read == "done")
        point.sure("and a start is refused, naming the place", "read-only" in told and str(root) in told)
        if not told or not read:
            point.problem(f"read-only: read {read!r}, told {told!r}")


def _torn_settings(point: Point, root: Path) -> None:
    """A settings file cut off at every byte never stops a start silently, nor is it taken for something else."""
    home = Home.at(root)
    home.create()
    rule = b'[[rules]]\ntool = "files_write"\nwhen = { path = "a/**" }\nverdict = "deny"\n'
    whole = b'[budgets]\nday_limit_usd = "5.00"\n' + rule
    wrong = 0
    for length in range(len(whole) + 1):
        home.settings.write_bytes(whole[:length])
        try:
            settings = Settings.open(home)
        except Exception as error:  # noqa: BLE001 - whatever it raises is wrong here
            wrong += 1
            point.problem(f"settings cut at byte {length}: {type(error).__name__}: {error}")
            continue
        if settings.problem is not None and home.settings.name not in settings.problem:
            wrong += 1
            point.problem(f"settings cut at byte {length}: {settings.problem}")
    point.none("torn settings files that are not read, or refused by name", wrong, len(whole) + 1)


def _newer(point: Point, root: Path) -> None:
    home = Home.at(root)
    _made(home)
    with closing(sqlite3.connect(home.database)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    before = hashlib.sha256(home.database.read_bytes()).hexdigest()
    refused = False
    try:
        _made(home)
    except NewerDatabase:
        refused = True
    same = hashlib.sha256(home.database.read_bytes()).hexdigest() == before
    point.sure("a database of a newer version is refused, its bytes unchanged", refused and same)


def _made(home: Home) -> None:
    async def make() -> None:
        lab = Lab(home.data)
        lab.home = home
        await lab.open()
        await lab.close()

    asyncio.run(make())


def _older(point: Point, root: Path) -> None:
    fixtures = sorted(FIXTURES.glob("*.sql"))
    opened = works = 0
    for fixture in fixtures:
        lab = Lab(root / fixture.stem, turn(call("files_write", path="new.txt", content="x")), turn(text="done"))
        lab.home.create()
        with closing(sqlite3.connect(lab.home.database)) as connection:
            connection.executescript(fixture.read_text(encoding="utf-8"))
        opened += asyncio.run(_listed(lab)) == SESSIONS
        works += asyncio.run(_works(lab))
    point.all("older schemas that open with all their sessions", opened, len(fixtures))
    point.all("older schemas in which a session starts, and goes on after a restart", works, len(fixtures))


async def _listed(lab: Lab) -> int:
    harness = await lab.open()
    rows = await harness.reader.sessions(SessionQuery(limit=SESSIONS + 1))
    for row in rows:
        assert await harness.reader.events(row.session)
    await lab.close()
    return len(rows)


async def _works(lab: Lab) -> bool:
    session = await lab.start(await lab.open())
    await lab.close()
    harness = await lab.open()
    (card,) = [card for card in await lab.cards(harness) if card.session == session]
    await lab.decide(harness, card.proposal, "approve")
    await lab.resume(harness, session)
    ended = (await lab.result(harness, session))["stop_reason"] == "completed"
    await lab.close()
    return ended and (lab.workspace / "new.txt").exists()


async def _backups(point: Point, root: Path) -> None:
    lab = Lab(root, *(turn(call("files_search", pattern=f"p{n}")) for n in range(4)), turn(text="done"))
    harness = await lab.open()
    kept = await lab.start(harness, "before the backup")
    backups = Backups(harness.house.journal, harness.house.leases, harness.house.keys)
    working = asyncio.ensure_future(lab.start(harness, "while it is made"))
    file = await backups.backup(datetime.now(UTC))
    await working
    later = await lab.start(harness, "after the backup")
    sound = _integrity(file)
    before = [event.digest for event in await harness.reader.events(kept)]
    await backups.restore(file, "bar", datetime.now(UTC))
    await lab.close()
    harness = await lab.open()
    same = [event.digest for event in await harness.reader.events(kept)] == before
    gone = not await _known(harness, later)
    verified = all(found.ok for found in await harness.reader.verify())
    fresh = await lab.start(harness, "after the restore")
    worked = (await lab.result(harness, fresh))["stop_reason"] == "completed"
    await lab.close()
    point.sure("a backup made while agents write is sound", sound)
    point.sure("a restored backup verifies, holds what it held, and works", same and gone and verified and worked)


def _integrity(file: Path) -> bool:
    with closing(sqlite3.connect(file)) as database:
        return bool(database.execute("PRAGMA integrity_check").fetchall() == [("ok",)])


async def _known(harness: Harness, session: str) -> bool:
    try:
        await harness.reader.summary(session)
    except PilothouseError:
        return False
    return True
