"""`pilothouse decide` as a tool's child would call it: with every disguise that needs no more rights than it has."""

import shlex
import sys
from pathlib import Path
from typing import Any

from agent_core.engine.harness import Harness
from agent_core.model import events as ev
from agent_core.tools.registry import TOOLS
from tests.support.command_line import PROJECT
from tests.support.engine_lab import Lab, call, eventually, turn
from tests.torture.report import Point
from tests.torture.sleeper import ALLOWED, Sleeper

DISGUISES = {
    "as it is": "{decide}",
    "with an empty environment": "env -i {home} {decide_bare}",
    "in a session of its own": "setsid -w {decide}",
    "with no hangup": "nohup {decide}",
    "as an orphan": "(setsid sh -c '{decide_quoted} > orphan.out 2>&1; touch orphan.done' &); "
    "while [ ! -e orphan.done ]; do sleep 0.05; done; cat orphan.out",
    "with another name": "PILOTHOUSE_OPERATOR=bar {decide} --by bar",
    "on a copied home": "cp -r {folder} copy; PILOTHOUSE_HOME=$PWD/copy {decide_bare}",
    "on a copied database": "mkdir only; cp {folder}/pilothouse.db* only; cp -r {folder}/keys only; "
    "PILOTHOUSE_HOME=$PWD/only {decide_bare}",
    "from another interpreter": "{python} -c 'import subprocess, sys; "
    'sys.exit(subprocess.run(["sh", "-c", sys.argv[1]], start_new_session=True).returncode)\' "{decide}"',
}
_QUICK = ("in a session of its own", "as an orphan", "on a copied database")
ESCAPE = "(setsid sh -c 'kill -9 '$PPID'; sleep 0.3; {decide_quoted} > escaped 2>&1; touch escaped.done' &) ; sleep 30"
"""Kills its keeper first. Not promised without a sandbox: nothing tells then where it came from."""


async def children_decide(point: Point, root: Path, *, quick: bool) -> None:
    """An open card, and a second session whose tool tries to approve it."""
    lab = Lab(root, turn(call("files_write", path="out.txt", content="x")), turn(text="done"))
    lab.write_profile(ALLOWED, tools=("files_write", "sleeper"))
    harness = await lab.open(tools=(*TOOLS, Sleeper()))
    waiting = await lab.start(harness)
    card = await lab.card(harness)
    refused, tried = 0, {name: way for name, way in DISGUISES.items() if not quick or name in _QUICK}
    for name, disguise in tried.items():
        script = disguise.format(**_words(lab, card.proposal))
        code, said = await _tried(lab, script)
        right = code in (2, 0 if "orphan" in name else 2) and '"not_a_person"' in said
        refused += right
        if not right:
            point.problem(f"decide {name}: code {code}, said {said[-300:]}")
    state = await lab.state(harness, waiting)
    still_open = state.proposals[card.proposal].decisions == []
    ran = (lab.workspace / "out.txt").exists()
    if not quick:
        await _escape(point, lab, card.proposal)
    point.all("decisions from a tool's children refused", refused, len(tried))
    point.sure("the card stays open, and the call did not run", still_open and not ran)
    await lab.close()


async def _escape(point: Point, lab: Lab, proposal: str) -> None:
    """What is written down as not promised: said here as it is, neither wished nor hidden."""
    harness = lab.open_harnesses[-1]
    session = await _started(lab, harness, ESCAPE.format(**_words(lab, proposal)))
    await eventually((lab.workspace / "escaped.done").exists, seconds=30)
    await harness.supervisor.wait(session)
    refused = '"not_a_person"' in (lab.workspace / "escaped").read_text()
    point.shown(
        "a child that kills its keeper first (not promised without a sandbox)", "refused" if refused else "decides"
    )


async def _tried(lab: Lab, script: str) -> tuple[int, str]:
    """A session of its own whose tool runs that script; gives its exit code and words."""
    harness = lab.open_harnesses[-1]
    session = await _started(lab, harness, script)
    (finished,) = await lab.events(harness, session, ev.CallFinished)
    assert isinstance(finished.data, ev.CallFinished)
    result: Any = finished.data.result
    return (result["code"], result["output"]) if finished.data.ok else (-1, str(finished.data.error))


async def _started(lab: Lab, harness: Harness, script: str) -> str:
    lab.model = Lab(lab.root, turn(call("sleeper", script=script)), turn(text="done")).model
    lab.write_profile(ALLOWED, tools=("files_write", "sleeper"))
    return await lab.start(harness)


def _words(lab: Lab, proposal: str) -> dict[str, str]:
    """The pieces of the scripts."""
    python, folder = shlex.quote(sys.executable), shlex.quote(str(lab.home.data))
    code = f"PYTHONPATH={shlex.quote(str(PROJECT))}"
    bare = f"env {code} {python} -m console decide {proposal} approve --json"
    whole = f"env PILOTHOUSE_HOME={folder} {code} {python} -m console decide {proposal} approve --json"
    return {
        "decide": whole,
        "decide_bare": bare,
        "decide_quoted": whole.replace("'", "'\\''"),
        "home": f"PATH=$PATH PILOTHOUSE_HOME={folder}",
        "folder": folder,
        "python": python,
    }
