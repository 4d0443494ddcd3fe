"""The demo's story in the window: begun on a fresh workspace, or gone on with where it was left."""

import asyncio
from collections.abc import Mapping

from agent_core.engine.facade import Reader, Supervisor
from agent_core.model.intents import SessionQuery, StartRun
from agent_core.model.run import SessionStatus
from console.demo_room import Story, fresh_workspace

_NOT_ENDED: list[SessionStatus] = [status for status in SessionStatus if status is not SessionStatus.ENDED]


async def left_open(reader: Reader, story: Story) -> str | None:
    """The newest session of the story that has not ended; None where there is none."""
    sessions = await reader.sessions(SessionQuery(statuses=_NOT_ENDED))
    return next((one.session for one in sessions if one.demo and one.goal == story.goal), None)


async def begin(supervisor: Supervisor, story: Story, environ: Mapping[str, str], by: str) -> str:
    """A new session of the story."""
    workspace = await asyncio.to_thread(fresh_workspace, environ)
    return await supervisor.start(
        StartRun(profile=str(story.profile), goal=story.goal, workspace=str(workspace), by=by)
    )
