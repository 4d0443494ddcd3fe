"""Which session `pilothouse demo` shows."""

import pytest

from agent_core.model.intents import SessionSummary
from agent_core.model.run import SessionStatus
from console.demo_room import find_story
from console.story import begin, left_open
from tests.support.facade import StandInReader, StandInSupervisor
from tests.support.sample_summaries import summary

STORY = find_story("office")


def told(number: int, status: SessionStatus, *, goal: str = STORY.goal, demo: bool = True) -> SessionSummary:
    return summary(number, goal=goal, status=status, demo=demo, stop_reason=None)


@pytest.mark.parametrize("status", [status for status in SessionStatus if status is not SessionStatus.ENDED])
async def test_the_newest_session_of_the_story_that_has_not_ended_is_gone_on_with(status: SessionStatus) -> None:
    reader = StandInReader([told(3, status, goal="Another story"), told(2, status), told(1, status)])
    assert await left_open(reader, STORY) == "s-2"


async def test_a_session_of_the_operators_own_is_no_demo() -> None:
    reader = StandInReader([told(1, SessionStatus.PAUSED, demo=False), told(2, SessionStatus.PAUSED, goal="Other")])
    assert await left_open(reader, STORY) is None


async def test_only_sessions_that_have_not_ended_are_asked_for() -> None:
    reader = StandInReader()
    assert await left_open(reader, STORY) is None
    assert SessionStatus.ENDED not in reader.queries[-1].statuses
    assert len(reader.queries[-1].statuses) == len(SessionStatus) - 1


async def test_a_new_session_gets_a_workspace_of_its_own() -> None:
    supervisor = StandInSupervisor()
    for _ in range(2):
        await begin(supervisor, STORY, {"PILOTHOUSE_HOME": "/nowhere"}, "ana")
    first, second = (arguments[0] for _, arguments in supervisor.asked)
    assert (first.goal, first.by) == (STORY.goal, "ana")
    assert first.workspace != second.workspace
