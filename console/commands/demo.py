"""`pilothouse demo`: the offline demo, in the window or played through in the terminal."""

import sys
from collections.abc import Mapping
from datetime import datetime

from agent_core.config.operators import who_decides
from agent_core.engine.harness import Harness
from agent_core.model.errors import InputError
from agent_core.model.intents import StartRun
from agent_core.model.proposal import Proposal, Via
from console.deciding import Decider, FromFile, Reply, decider_for
from console.demo_clock import DemoClock
from console.demo_room import Story, demo_home, find_story, fresh_workspace
from console.display import why_no_window
from console.engine_room import run
from console.headless import HeadlessSession, Idle
from console.output import Output
from console.paths import make_home

QUIT_AFTER = 1
"""Decisions after which the demo's own operator quits once, with a card open, and comes back."""


def play(environ: Mapping[str, str], output: Output, *, headless: bool, decide: str | None, story: str) -> int:
    """Open the console on the demo, or play it here."""
    told = find_story(story)
    if headless or decide is not None or output.as_json:
        return _play_here(environ, output, told, decide)
    if why_no_window(environ) is not None:
        raise InputError("There is no display here; use demo --headless")
    home = make_home(demo_home(environ))
    from console.app import open_console

    return open_console(home, story=told)


def _play_here(environ: Mapping[str, str], output: Output, story: Story, decide: str | None) -> int:
    home, clock, by = demo_home(environ), DemoClock(), who_decides(environ)
    if decide is not None:
        decider = decider_for(decide, at_terminal=sys.stdin.isatty() and sys.stderr.isatty())
        return run(environ, _Part(story, environ, decider, output, by, clock).play, works=True, home=home, clock=clock)
    operator = FromFile(story.operator())
    first = _Part(story, environ, _LeavesAfter(operator, QUIT_AFTER), output, by, clock, last=False)
    run(environ, first.play, works=True, home=home, clock=clock)
    output.aside("── the operator quits with a card open, and comes back ──")
    second = _Part(story, environ, operator, output, by, clock, session=first.session)
    return run(environ, second.play, works=True, home=home, clock=clock)


class _Part:
    """One stretch of the story in one open home: up to a quit, or to its end."""

    def __init__(
        self,
        story: Story,
        environ: Mapping[str, str],
        decider: Decider,
        output: Output,
        by: str,
        clock: DemoClock,
        *,
        session: str = "",
        last: bool = True,
    ) -> None:
        self._story, self._environ, self._decider, self._output = story, environ, decider, output
        self._by, self._clock, self._last = by, clock, last
        self.session = session

    async def play(self, harness: Harness) -> int:
        """Start or resume the session, and work it."""
        idle = self._time_passes(harness)
        headless = HeadlessSession(harness, self._decider, self._output, self._by, self._environ, idle)
        with headless.attended():
            if self.session:
                await harness.supervisor.resume(self.session, self._by)
            else:
                workspace = fresh_workspace(self._environ)
                start = StartRun(
                    profile=str(self._story.profile), goal=self._story.goal, workspace=str(workspace), by=self._by
                )
                self.session = await harness.supervisor.start(start)
            await headless.work(self.session)
        return await headless.report(self.session) if self._last else 0

    def _time_passes(self, harness: Harness) -> Idle:
        """A file answers no card that is left: the clock jumps to the deadline, and silence has its outcome."""

        async def jump(cards: list[Proposal]) -> bool:
            due: list[datetime] = [card.approve_by for card in cards if card.approve_by is not None]
            if not self._last or not due or self._decider.via is not Via.FILE:
                return False
            self._clock.jump(min(due))
            await harness.desk.expire(self.session)
            return True

        return jump


class _LeavesAfter:
    """An operator who leaves after some decisions."""

    def __init__(self, operator: Decider, decisions: int) -> None:
        self._operator, self._left = operator, decisions
        self.via = operator.via

    async def reply(self, card: Proposal, now: datetime) -> Reply | None:
        """As the operator, as long as they stay."""
        if self._left == 0:
            return None
        self._left -= 1
        return await self._operator.reply(card, now)

    async def refused(self, card: Proposal, sentence: str) -> bool:
        """As the operator."""
        return await self._operator.refused(card, sentence)
