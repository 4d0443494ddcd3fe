"""A process that works a session and kills itself, without a word to anybody, right after its Nth event is durable.

    python -m tests.support.killed ROOT AFTER STORY    start a session, decide every card, die after AFTER events
    python -m tests.support.killed ROOT resume STORY   go on with the newest session until it rests, decide every card

Prints the number of events at its end, when it comes to one.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from agent_core.engine.facade import BusMessage
from agent_core.engine.harness import Harness
from agent_core.model.events import Event
from agent_core.model.ids import HOME_SESSION
from agent_core.model.intents import SessionQuery
from agent_core.model.proposal import Touchpoint
from tests.support.engine_lab import Lab, call, turn
from tests.support.virtual_clock import VirtualClock

RULES = (
    '[[rules]]\ntool = "files_write"\nwhen = { path = "*.txt" }\nverdict = "allow"\n'
    '[[rules]]\ntool = "files_move"\nwhen = { source = "*.txt" }\nverdict = "allow"\n'
)
TURNS = (
    turn(call("files_list", path="."), call("files_read", path="a.txt")),
    turn(call("files_write", path="out.txt", content="one\n"), call("files_move", source="a.txt", target="b.txt")),
    turn(call("email_send", to="ann@example.com", subject="Report", body="It is done."), call("files_list", path=".")),
    turn(text="All done."),
)
NOT_TOLD = call("plan_report", step="tell", done=False, result="The mail did not leave.")
PLANNED = (
    turn(
        call(
            "plan_submit",
            steps=[
                {"id": "look", "goal": "Read a.txt", "tool": "files_read"},
                {"id": "list", "goal": "See what there is", "tool": "files_list"},
                {"id": "write", "goal": "Write out.txt", "tool": "files_write", "after": ["look", "list"]},
                {"id": "move", "goal": "Move a.txt", "tool": "files_move", "after": ["write"]},
                {"id": "tell", "goal": "Write to ann", "tools": ["email_send"], "after": ["move"]},
            ],
        )
    ),
    turn(call("files_list", path=".", plan_step="list"), call("files_read", path="a.txt", plan_step="look")),
    turn(call("files_write", path="out.txt", content="one\n", plan_step="write")),
    turn(call("files_move", source="a.txt", target="b.txt", plan_step="move")),
    turn(call("email_send", to="ann@example.com", subject="Report", body="It is done.", plan_step="tell")),
    turn(
        call("plan_report", step="tell", done=True, result="Ann knows."),
        branches=[{"if_contains": "did_not_happen", "tools": [NOT_TOLD]}],
    ),
    turn(text="All done."),
)
STORIES = {"react": TURNS, "plan_execute": PLANNED}
GOAL = "Read a.txt, write out.txt, move a.txt to b.txt and write to ann@example.com."


def lab(root: Path, story: str = "react") -> Lab:
    """The lab that parent and child share: all effect classes, a rule for what is reversible, a mail that asks."""
    made = Lab(root, *STORIES[story], clock=VirtualClock())
    made.write_profile(RULES, pattern=story)
    if not (root / "begun").exists():
        (made.workspace / "a.txt").write_text("1\n2\n")
        (root / "begun").touch()
    return made


def mails(root: Path) -> int:
    """How many messages really left."""
    return len(list(lab(root).home.outbox.rglob("*.eml")))


async def settle(made: Lab, harness: Harness, session: str) -> None:
    """Decide every card until the session ends: approve, and say of an unknown mail whether it is in the outbox."""
    await harness.supervisor.wait(session)
    while cards := await made.cards(harness):
        for card in cards:
            if card.touchpoint is Touchpoint.OUTCOME_UNKNOWN:
                sent = mails(made.root) > 0
                await made.decide(harness, card.proposal, "happened" if sent else "not_happened")
            else:
                await made.decide(harness, card.proposal, "approve")


async def work(root: Path, after: int | None, story: str = "react") -> int:
    """Start or resume; gives the number of the session's events."""
    made = lab(root, story)
    harness = await made.open()
    seen = 0

    def hear(message: BusMessage) -> None:
        nonlocal seen
        if isinstance(message, Event) and message.session != HOME_SESSION:
            seen += 1
            if seen == after:
                os.kill(os.getpid(), signal.SIGKILL)

    harness.bus.subscribe(hear)
    if after is not None:
        session = await made.start(harness, GOAL)
    else:
        session = (await harness.reader.sessions(SessionQuery()))[0].session
        if (await made.result(harness, session))["status"] != "ended":
            await made.resume(harness, session)
    await settle(made, harness, session)
    count = len(await harness.reader.events(session))
    await made.close()
    return count


if __name__ == "__main__":
    folder, when, told = sys.argv[1:]
    print(asyncio.run(work(Path(folder), None if when == "resume" else int(when), told)))
