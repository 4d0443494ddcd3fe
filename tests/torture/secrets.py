"""Point 11: canaries that leak by every way there is, and are found nowhere; what only looks like a secret stays."""

import asyncio
import base64
import json
import logging
import random
import string
import uuid
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from agent_core.config.secrets import MODEL_KEY
from agent_core.engine.facade import BusMessage
from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.errors import ProviderError, ProviderFault
from agent_core.model.events import Event
from agent_core.model.intents import StartRun
from agent_core.model.proposal import WhatChanges
from agent_core.policy.redaction import Redactor
from agent_core.providers.base import Delta, ModelRequest, ModelResponse
from agent_core.tools.base import Arguments, Outcome, Preview, Privileges, Tool, ToolContext
from agent_core.tools.registry import TOOLS
from console.faults import install, redact_for
from tests.support.engine_lab import Lab, RecordingProvider, call, turn
from tests.support.memory_keyring import MemoryKeyring
from tests.torture.report import Options, Point
from tests.torture.sleeper import ALLOWED, Sleeper

WAYS = (
    "keyring", "environment", "goal", "argument", "output", "url", "traceback", "chunks", "header", "profile",
    "message", "reason",
)  # fmt: skip


class Leak(Arguments):
    """By which way."""

    way: str


class Leaky(Tool[Leak]):
    """Gives secrets away: in its output, in an address, in a traceback."""

    name = "leaky"
    description = "Gives secrets away."
    arguments = Leak
    privileges = Privileges()
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE
    canaries: ClassVar[dict[str, str]] = {}

    def preview(self, arguments: Leak, context: ToolContext) -> Preview:
        """Nothing changes."""
        return Preview(summary="leak", what_changes=WhatChanges(headline="nothing"))

    def run(self, arguments: Leak, context: ToolContext) -> Outcome:
        """Out it goes, in many spellings."""
        secret = self.canaries[arguments.way]
        logging.getLogger("pilothouse").error("the tool says %s", secret)
        if arguments.way == "traceback":
            raise RuntimeError(f"cannot reach the service with {secret}")
        if arguments.way == "url":
            basic = base64.b64encode(b"u:" + secret.encode()).decode()
            address = f"https://example.test/?q={quote(secret, safe='')}&b={basic}"
            return Outcome(result={"url": address}, summary=address)
        return Outcome(result={"text": secret, secret: [secret]}, summary=f"found {secret}")


class Chatty(RecordingProvider):
    """Streams letter by letter, and fails once with a header in its error."""

    refused = False

    async def stream(self, request: ModelRequest, on_delta: Any) -> ModelResponse:
        """Play the turn that is due."""
        if not self.refused:
            self.refused = True
            said = f"401 for x-api-key: {Leaky.canaries['header']}"
            raise ProviderError(ProviderFault.SERVER, said)

        def by_letter(delta: Delta) -> None:
            for letter in delta.text:
                on_delta(Delta(kind=delta.kind, block=delta.block, text=letter, tool=delta.tool))

        return await super().stream(request, by_letter)


def measure(options: Options) -> Point:
    """Leak them all in one session, then look for them everywhere."""
    point, chance = Point(), random.Random(options.seed)
    canaries = {way: _canary(chance) for way in WAYS}
    Leaky.canaries = canaries
    asyncio.run(_leak(point, options.scratch / "leak", canaries))
    _benign(point, canaries, chance)
    return point


def _canary(chance: random.Random) -> str:
    """Letters of both cases, digits, and what addresses and JSON spell otherwise."""
    body = "".join(chance.choices(string.ascii_letters + string.digits, k=24))
    return f'cnry-{body[:12]}+/"&\u00e9{body[12:]}'


async def _leak(point: Point, root: Path, canaries: dict[str, str]) -> None:
    environ = {f"{way.upper()}_TOKEN": secret for way, secret in canaries.items() if way != "keyring"}
    keyring = MemoryKeyring()
    keyring.kept[MODEL_KEY] = json.dumps({"key": canaries["keyring"], "address": "http://127.0.0.1:9"})
    lab = _lab(root, canaries)
    lab.home.create()
    heard: list[BusMessage] = []
    faults = install(lab.home, redact_for(environ))
    harness = await lab.open(tools=(*TOOLS, Sleeper(), Leaky()), secrets=keyring, environ=environ)
    faults.redact_with(lambda line: harness.house.services.redactor().redact(line))
    harness.bus.subscribe(heard.append)
    session = await _session(lab, harness, canaries)
    logging.getLogger("pilothouse").error("keyring said %s", canaries["keyring"])
    exported = root / "export.jsonl"
    await harness.reader.export(session, "jsonl", exported)
    calls = [e.data for e in await lab.events(harness, session, ev.CallFinished)]
    names = {path.name for path in lab.home.data.iterdir()}
    found = _search(canaries, [*lab.home.data.rglob("*"), exported])
    await lab.close()
    faults.remove()
    found |= _search(canaries, [*lab.home.data.rglob("*")])
    shown = [secret for secret in canaries.values() for message in heard if secret in _text(message)]
    asked = [secret for secret in canaries.values() for request in lab.model.requests if _told(request, secret)]
    outputs = [data.result for data in calls if isinstance(data, ev.CallFinished) and data.tool == "sleeper"]
    point.shown("ways by which a canary leaks", len(WAYS))
    point.none("canaries in database, WAL, logs, heads, crash file and export", len(found), len(canaries))
    for name in sorted(found):
        point.problem(f"found {name}")
    point.sure("the WAL was among what was searched", "pilothouse.db-wal" in names)
    point.none("canaries on screens (events, streamed pieces, notices)", len(shown))
    point.none("canaries in requests to the model", len(asked))
    point.sure("children say their environment, and no canary", "PATH" in str(outputs) and not _any(outputs, canaries))
    point.all("tools that leaked ran to their end", len(calls), len(CALLS) + 2)
    streamed = "".join(m.delta.text for m in heard if hasattr(m, "delta"))
    point.sure("markers stand in their place", "{{secret:CHUNKS_TOKEN}}" in streamed and _marked(exported))


CALLS = ("output", "url", "traceback")


def _lab(root: Path, canaries: dict[str, str]) -> Lab:
    turns = [
        turn(*[call("leaky", way=way) for way in CALLS], text=f"I say {canaries['chunks']} aloud."),
        turn(call("sleeper", script="env; tr '\\0' '\\n' < /proc/self/environ")),
        turn(call("files_write", path="out.txt", content=f"key={canaries['argument']} and {canaries['keyring']}")),
        turn(text=f"done with {canaries['argument']}"),
    ]
    lab = Lab(root, *turns)
    lab.model = Chatty(turns, lab.clock)
    lab.write_profile(ALLOWED, tools=("leaky", "sleeper", "files_write"))
    profile = lab.profile.read_text()
    secret = json.dumps(canaries["profile"])[1:-1]
    lab.profile.write_text(profile.replace("You are careful.", f"You are careful with {secret}."))
    (lab.workspace / "out.txt").write_text(f"before: {canaries['environment']}\n")
    return lab


async def _session(lab: Lab, harness: Harness, canaries: dict[str, str]) -> str:
    goal = f"use {canaries['goal']} and {canaries['keyring']}"
    start = StartRun(profile=str(lab.profile), goal=goal, workspace=str(lab.workspace), by="bar")
    session = await harness.supervisor.start(start)
    await harness.supervisor.wait(session)
    await harness.supervisor.message(session, f"remember {canaries['message']}", "bar")
    card = await lab.card(harness)
    await lab.decide(harness, card.proposal, "approve", reason=f"because {canaries['reason']}")
    return session


def _search(canaries: dict[str, str], paths: list[Path]) -> set[str]:
    """Which canaries stand in which files: as they are, escaped, encoded, and in halves that nobody else has.

    The trash holds the bytes of the workspace's own files as they were: it is the way back, and not looked at.
    """
    found = set()
    for path in paths:
        if not path.is_file() or "trash" in path.parts:
            continue
        content = path.read_bytes()
        for way, secret in canaries.items():
            if any(form in content for form in _forms(secret)):
                found.add(f"{way} in {path.name}")
    return found


def _forms(secret: str) -> list[bytes]:
    whole = secret.encode()
    inner = base64.b64encode(whole)[4:-8]
    return [whole, secret[5:17].encode(), secret[-12:].encode(), json.dumps(secret)[1:-1].encode(), inner]


def _text(message: BusMessage) -> str:
    return f"{message.seq} {message.data!r}" if isinstance(message, Event) else repr(message)


def _told(request: ModelRequest, secret: str) -> bool:
    raw = b"".join([bytes(request.system), bytes(request.tools), *map(bytes, request.messages)])
    return any(form in raw for form in _forms(secret))


def _any(value: object, canaries: dict[str, str]) -> bool:
    return any(secret in str(value) for secret in canaries.values())


def _marked(exported: Path) -> bool:
    text = exported.read_text()
    return all(
        f"{{{{secret:{name}}}}}" in text for name in ("GOAL_TOKEN", "OUTPUT_TOKEN", "TRACEBACK_TOKEN", "model_key")
    )


def _benign(point: Point, canaries: dict[str, str], chance: random.Random) -> None:
    redactor = Redactor(canaries)
    hashes = [f"{chance.getrandbits(160):040x}" for _ in range(400)] + [
        f"{chance.getrandbits(256):064x}" for _ in range(300)
    ]
    hashes += [str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(200)]
    hashes += [base64.b64encode(chance.randbytes(24)).decode() for _ in range(100)]
    changed = sum(redactor.redact({"hash": one}) != {"hash": one} for one in hashes)
    point.none("benign hashes, ids and base64 texts changed", changed, len(hashes))
