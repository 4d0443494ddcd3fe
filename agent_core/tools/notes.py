"""notes_read and notes_write: what the agent keeps in mind over a run. Notes live in the journal only."""

from pydantic import Field

from agent_core.model.action import EffectClass, Reversibility
from agent_core.model.engine_tools import NOTES_READ, NOTES_WRITE
from agent_core.model.proposal import FieldChange, FieldsChange, Sign, WhatChanges
from agent_core.tools.base import Arguments, Outcome, Preview, Privileges, Tool, ToolContext, ToolLimits
from agent_core.tools.shared.reading import reading
from agent_core.tools.shared.words import count, shown

LARGEST_NOTE = 20_000
"""Characters: notes go back to the model with every request."""


class NotesReadArguments(Arguments):
    """A key, or none for all notes."""

    key: str | None = Field(default=None, max_length=200, description="Name of one note; leave it out for all.")


class NotesWriteArguments(Arguments):
    """A note and its name."""

    key: str = Field(min_length=1, max_length=200, description="Name of the note; an existing one is replaced.")
    text: str = Field(max_length=LARGEST_NOTE, description="What to keep in mind; empty to blank the note.")


class NotesRead(Tool[NotesReadArguments]):
    """Read the run's notes."""

    name = NOTES_READ
    description = (
        "Gives the notes of this run: one by its key, or all. `found` is false when there is no note of that key. Not "
        "for files: use files_read."
    )
    arguments = NotesReadArguments
    effect_class = EffectClass.READ_ONLY
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(reads=["journal"])
    real = False
    more = "Ask for one note by its key."

    def preview(self, arguments: NotesReadArguments, context: ToolContext) -> Preview:
        """What would be read."""
        return reading(f'Read the note "{shown(arguments.key)}"' if arguments.key is not None else "Read all notes")

    def run(self, arguments: NotesReadArguments, context: ToolContext) -> Outcome:
        """The notes."""
        notes = context.notes
        if arguments.key is None:
            return Outcome(result={"notes": dict(notes)}, summary=f"Read {count(len(notes), 'note')}")
        name = shown(arguments.key)
        if arguments.key not in notes:
            result = {"key": arguments.key, "found": False, "keys": sorted(notes)}
            return Outcome(result=result, summary=f'There is no note "{name}"')
        result = {"key": arguments.key, "found": True, "text": notes[arguments.key]}
        return Outcome(result=result, summary=f'Read the note "{name}"')


class NotesWrite(Tool[NotesWriteArguments]):
    """Write a note of the run."""

    name = NOTES_WRITE
    description = (
        "Keeps a note under a key for the rest of this run, through every shortening of the conversation. Returns the "
        "key. Not for results that others need: use files_write."
    )
    arguments = NotesWriteArguments
    effect_class = EffectClass.ENGINE
    reversibility = Reversibility.REVERSIBLE
    privileges = Privileges(writes=["journal"])
    limits = ToolLimits(items=LARGEST_NOTE)
    real = False

    def preview(self, arguments: NotesWriteArguments, context: ToolContext) -> Preview:
        """The note before and after."""
        before = context.notes.get(arguments.key)
        sign = Sign.ADDED if before is None else Sign.CHANGED
        row = FieldChange(sign=sign, field=arguments.key, before=before, after=arguments.text)
        return Preview(
            summary=f'Keep the note "{shown(arguments.key)}"',
            what_changes=WhatChanges(headline="1 note", parts=[FieldsChange(title="Notes", rows=[row])]),
            way_back="The note can be written again.",
        )

    def run(self, arguments: NotesWriteArguments, context: ToolContext) -> Outcome:
        """Confirms the note; the engine journals it."""
        return Outcome(result={"key": arguments.key}, summary=f'Kept the note "{shown(arguments.key)}"')
