"""Staging: the drafts that wait for a person's release, as files. The folder mirrors the open cards of its session.

Nothing ever leaves from here. A release is a signed decision over the arguments of the card, and it is these that the
executor sends: a file that somebody changes in the staging area changes nothing.
"""

import asyncio
import contextlib
import os
from pathlib import Path

from agent_core.config.atomic_file import write_atomically
from agent_core.engine.equipment import Equipment
from agent_core.model.state import SessionState


async def mirror(equipment: Equipment, state: SessionState) -> None:
    """Write the draft of every open card that has one, and take the others away. A full disk is no reason to stop."""
    wanted = {
        card.staged: card
        for card in (state.proposals[name].proposal for name in state.open_cards)
        if card.staged is not None and card.tool is not None and card.call_id is not None
    }
    folder = equipment.staging / state.session
    present = await asyncio.to_thread(_names, folder)
    for name in present - wanted.keys():
        with contextlib.suppress(OSError):
            await asyncio.to_thread(os.unlink, folder / name)
    for name in wanted.keys() - present:
        card = wanted[name]
        if card.tool in equipment.registry:
            context = equipment.context(state, card.call_id or "")
            tool = equipment.registry.find(card.tool or "")
            content = await equipment.executor.draft(tool, card.arguments, context)
            if content is not None:
                with contextlib.suppress(OSError):
                    await asyncio.to_thread(_write, folder / name, content)


def _names(folder: Path) -> set[str]:
    try:
        return {entry.name for entry in folder.iterdir()}
    except OSError:
        return set()


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(path, content)
