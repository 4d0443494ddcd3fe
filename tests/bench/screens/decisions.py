"""The queue of decisions: how long a new card takes to the screen, and how long the next one after a key."""

from datetime import timedelta
from typing import Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from agent_core.model import events as ev
from agent_core.model.intents import OpenProposal
from tests.bench.screens.stage import play, seconds, show, stage, until
from tests.bench.worker import serve
from tests.support import sample_cards as sample
from tests.support.facade import StandInBus, StandInDesk, StandInReader, StandInSupervisor
from tests.support.sample_session import Story
from ui.bridge import Bridge
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.views.decisions.panel import DecisionsPanel

WIDTH, HEIGHT = 440, 840


class Scene:
    """A panel in front of a stand-in desk with so many open cards."""

    def __init__(self, cards: int) -> None:
        self.number = cards
        self.desk = StandInDesk([_entry(number) for number in range(cards)])
        self.bus = StandInBus()
        self.commands = Commands(StandInSupervisor(), self.desk, StandInReader(), "bench")
        self.state = ConsoleState(self.commands)
        self.bridge = Bridge(self.bus)
        self.bridge.flushed.connect(self.state.apply)
        self.panel = DecisionsPanel(self.state, self.commands, lambda: sample.NOW)
        self.state.refresh_queue()
        show(self.panel, WIDTH, HEIGHT)
        play(self._rest(cards))

    async def _rest(self, cards: int) -> None:
        await until(lambda: len(self.state.queue) == cards)
        await self.commands.settle()

    async def come(self) -> None:
        """One more card, the most urgent one: told by the bus, read from the desk, painted."""
        self.number += 1
        entry = _entry(self.number, minutes=5)
        self.desk.cards.insert(0, entry)
        self.bus.publish(_opened(entry))
        self.bridge.flush()
        await until(lambda: len(self.state.queue) == len(self.desk.cards))
        self.panel.repaint()

    async def go(self) -> None:
        """Take the newest card away again."""
        self.desk.cards.pop(0)
        self.state.refresh_queue()
        await self._rest(len(self.desk.cards))

    def step(self) -> None:
        """The key to the next card, painted."""
        before = self.panel.chosen
        QTest.keyClick(self.panel, Qt.Key.Key_J)
        if self.panel.chosen == before:
            raise RuntimeError("the key led to no other card")
        self.panel.repaint()


def _entry(number: int, minutes: int = 10) -> OpenProposal:
    due = sample.NOW + timedelta(minutes=minutes, seconds=number)
    return sample.entry(sample.card(number, approve_by=due))


def _opened(entry: OpenProposal) -> ev.Event:
    story = Story(entry.proposal.session)
    return story.add(ev.ProposalOpened(proposal=msgspec.structs.replace(entry.proposal)))


_SCENES: dict[int, Scene] = {}


def _scene(cards: int) -> Scene:
    if cards not in _SCENES:
        _SCENES[cards] = Scene(cards)
    return _SCENES[cards]


def come(cards: int) -> dict[str, Any]:
    """Seconds from the event of a card to the card on the screen."""
    scene = _scene(cards)
    took = seconds(lambda: play(scene.come()))
    play(scene.go())
    return {"seconds": took}


def step(cards: int) -> dict[str, Any]:
    """Seconds from the key to the next card."""
    scene = _scene(cards)
    took = seconds(scene.step)
    QTest.keyClick(scene.panel, Qt.Key.Key_K)
    play(scene.commands.settle())
    return {"seconds": took}


if __name__ == "__main__":
    stage()
    serve({"come": come, "step": step})
