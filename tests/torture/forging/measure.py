"""Point 14, measured."""

import asyncio
import contextlib
import random
import shutil
import sys
import unicodedata
from collections import Counter
from pathlib import Path

from agent_core.config.home import Home
from agent_core.model import events as ev
from agent_core.model.errors import PilothouseError
from agent_core.model.intents import Decide
from agent_core.model.proposal import Via
from tests.support.engine_lab import Lab, call, turn
from tests.torture.deciding.cards import CardLab, payments
from tests.torture.forging.attacks import FOUND, PROVE_NOTHING, Attack, Target
from tests.torture.forging.callers import children_decide
from tests.torture.ledger_tools import entries, ledger_of
from tests.torture.report import Options, Point


def measure(options: Options) -> Point:
    """Forge, call from tools, and reach for the home by every spelling."""
    point, chance = Point(), random.Random(options.seed)
    asyncio.run(_forgeries(point, options.scratch / "forged", chance, options.size(12, 1)))
    if sys.platform.startswith("linux"):
        asyncio.run(children_decide(point, options.scratch / "callers", quick=options.quick))
    asyncio.run(_spellings(point, options.scratch / "spellings"))
    return point


async def _forgeries(point: Point, root: Path, chance: random.Random, times: int) -> None:
    lab = CardLab(root / "base", payments(1))
    session, other = await _rejected(lab), await _rejected(lab)
    harness = await lab.open(works=False)
    events = list(await harness.reader.events(session))
    await lab.close()
    tally: Counter[str] = Counter()
    attacks = [(attack, True) for attack in FOUND] + [(attack, False) for attack in PROVE_NOTHING]
    for attack, is_found in attacks:
        for number in range(times):
            place = root / f"{attack.__name__}{number}"
            shutil.copytree(lab.root, place)
            target = Target(Home.at(place / "pilothouse-home"), session, other, events)
            attack(target, chance)
            await _after(point, tally, place, target, attack, is_found=is_found)
            shutil.rmtree(place)
    point.sure("a genuine approval has its effect (so that the count can fail)", await _genuine(root / "genuine"))
    point.all("forged databases that verify finds", tally["found"], tally["to find"])
    point.none("effects that a forged approval had", tally["effects"], times * len(attacks))


async def _rejected(lab: CardLab) -> str:
    """A session whose only call was rejected; nobody has gone on with it yet."""
    harness = await lab.open(works=False)
    session = await lab.start(harness, "pay")
    card = next(card for card in await lab.cards(harness) if card.session == session)
    await harness.desk.decide(Decide(proposal=card.proposal, verdict="reject", reason="no", by="bar", via=Via.CLI))
    await lab.close()
    return session


async def _genuine(place: Path) -> bool:
    lab = CardLab(place, payments(1))
    harness = await lab.open()
    await lab.start(harness, "pay")
    await lab.decide(harness, (await lab.card(harness)).proposal, "approve")
    await lab.close()
    return len(entries(ledger_of(lab.workspace))) == 1


async def _after(
    point: Point, tally: Counter[str], place: Path, target: Target, attack: Attack, *, is_found: bool
) -> None:
    lab = CardLab(place, payments(1))
    harness = await lab.open()
    findings = [finding for finding in await harness.reader.verify() if not finding.ok]
    tally["to find"] += is_found
    tally["found"] += is_found and bool(findings)
    if is_found and not findings:
        point.problem(f"{attack.__name__}: verify finds nothing")
    with contextlib.suppress(PilothouseError):
        await lab.resume(harness, target.session)
    await lab.close()
    ran = len(entries(ledger_of(lab.workspace)))
    tally["effects"] += ran
    if ran:
        point.problem(f"{attack.__name__}: the call ran")


async def _spellings(point: Point, root: Path) -> None:
    """The home lies in the workspace; no tool gets at it, however the path is written."""
    lab = Lab(root)
    lab.home = Home.at(lab.workspace / "Größe" / "home")
    lab.home.create()
    (lab.workspace / "link").symlink_to(lab.home.data)
    (lab.workspace / "up").symlink_to(lab.workspace)
    paths = [
        spelt
        for name in ("pilothouse.db", "settings.toml", "keys/x.key", "agents/a.toml")
        for spelt in _spelt(lab, name)
    ]
    calls = [one for path in paths for one in _reaches(path)]
    lab.model._scripted._script.turns[:] = [*(turn(one) for one in calls), turn(text="done")]
    lab.profile = lab.workspace / "agent.toml"
    lab.write_profile(limits=f"tool_calls = {2 * len(calls)}\ntokens = 900000000", steps=len(calls) + 5)
    lab.home.settings.write_text("")
    harness = await lab.open()
    before = {path: path.read_bytes() for path in (lab.home.settings, lab.profile)}
    refused = 0
    for start in range(0, len(calls), 2):  # a third denial would switch the tool off, and hide the others
        lab.model._scripted._script.turns[:] = [turn(*calls[start : start + 2]), turn(text="done")]
        session = await lab.start(harness)
        judged = [e.data for e in await lab.events(harness, session, ev.CallJudged)]
        started = await lab.events(harness, session, ev.CallStarted)
        refused += sum(isinstance(one, ev.CallJudged) and one.verdict.value == "deny" for one in judged) - len(started)
        for one in judged:
            if isinstance(one, ev.CallJudged) and one.verdict.value != "deny":
                point.problem(f"not denied: {one.tool} {one.arguments}")
    unchanged = all(path.read_bytes() == content for path, content in before.items())
    await lab.close()
    point.all("calls to the home and the profile, by every spelling, denied", refused, len(calls))
    point.sure("and nothing in them was changed", unchanged)


def _spelt(lab: Lab, name: str) -> list[str]:
    """The ways in which a path into the home can be written."""
    inside = f"Größe/home/{name}"
    return [
        inside,
        f"./{inside}",
        f"a/../{inside}" if (lab.workspace / "a").is_dir() else f"Größe/../{inside}",
        inside.replace("/", "//"),
        unicodedata.normalize("NFD", inside),
        str(lab.home.data / name),
        f"link/{name}",
        f"up/{inside}",
        f"up/up/link/{name}",
        f"../workspace/{inside}",
    ]


def _reaches(path: str) -> list[dict[str, object]]:
    """Calls that would read, write, move or delete what lies there."""
    return [
        call("files_read", path=path),
        call("files_write", path=path, content="x"),
        call("files_delete", path=path),
        call("files_move", source=path, target="mine"),
    ]
