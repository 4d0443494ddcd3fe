"""What a session changed in its workspace, read from its events: each file with its content before and after.

Only what the journal holds is shown. A call that a rule let through has no preview: its old content is then known only
when the session read or wrote the file before. Pure.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from agent_core.model import events as ev
from agent_core.model.proposal import FileChange, ImageChange, TextChange, WhatChanges

UNKNOWN_BEFORE = "The content before is not in the journal."
HELD_AN_IMAGE = "It held an image before, not text."


@dataclass(frozen=True, slots=True)
class Changed:
    """One change of one file. `before` None means that it was not there, unless `note` says that it is not known."""

    action: str
    path: str
    step: int
    tool: str
    before: str | None = None
    after: str | None = None
    target: str = ""
    note: str = ""
    by: str = ""
    """Who modified the call, when somebody did."""


@dataclass(slots=True)
class WorkspaceChanges:
    """Collects changes event by event; `changes` in the order in which they happened."""

    changes: list[Changed] = field(default_factory=list)
    _arguments: dict[str, dict[str, Any]] = field(default_factory=dict)
    _previews: dict[str, WhatChanges] = field(default_factory=dict)
    _contents: dict[str, str | None] = field(default_factory=dict)
    """The newest content that is known of each path; None where it was deleted."""

    def apply(self, events: Iterable[ev.Event]) -> int:
        """Take in more events; how many changes they brought."""
        before = len(self.changes)
        for event in events:
            data = event.data
            if isinstance(data, ev.ProposalOpened | ev.ProposalChanged):
                card = data.proposal if isinstance(data, ev.ProposalOpened) else data.revised
                if card.call_id is not None and card.what_changes is not None:
                    self._previews[card.call_id] = card.what_changes
            elif isinstance(data, ev.CallStarted):
                self._arguments[data.call_id] = data.arguments
            elif isinstance(data, ev.CallFinished):
                self._finished(event, data)
        return len(self.changes) - before

    def _finished(self, event: ev.Event, data: ev.CallFinished) -> None:
        arguments = self._arguments.pop(data.call_id, {})
        preview = self._previews.pop(data.call_id, None)
        if not data.ok or not data.ran:
            return
        if data.tool == "files_read":
            self._learn(data.result)
            return
        make = _BY_TOOL.get(data.tool)
        if make is not None:
            self.changes += make(self, event.step, data, arguments, preview)
        elif preview is not None:
            self.changes += _from_preview(event.step, data, preview)

    def _learn(self, result: Any) -> None:
        """A file that was read whole."""
        if not isinstance(result, dict) or result.get("offset") or result.get("next_offset") is not None:
            return
        path, text = result.get("path"), result.get("text")
        if isinstance(path, str) and isinstance(text, str):
            self._contents[path] = text

    def _before(self, path: str, preview: WhatChanges | None) -> tuple[str | None, str]:
        """The content before a change, and a note where it is not known."""
        for part in preview.parts if preview is not None else []:
            if isinstance(part, ImageChange) and part.path == path and part.before is not None:
                return None, HELD_AN_IMAGE
            if isinstance(part, TextChange) and part.path == path:
                return part.before, ""
        if path in self._contents:
            return self._contents[path], ""
        return None, UNKNOWN_BEFORE

    # ---------------------------------------------------------------- tools

    def _write(
        self, step: int, data: ev.CallFinished, arguments: dict[str, Any], preview: WhatChanges | None
    ) -> list[Changed]:  # fmt: skip
        result = data.result if isinstance(data.result, dict) else {}
        path, after = str(result.get("path") or arguments.get("path", "")), arguments.get("content")
        if result.get("changed") is False:
            return []
        before, note = (None, "") if result.get("created") else self._before(path, preview)
        self._contents[path] = str(after)
        action = "created" if result.get("created") else "changed"
        return [Changed(action, path, step, data.tool, before, str(after), note=note, by=data.changed_by or "")]

    def _edit(
        self, step: int, data: ev.CallFinished, arguments: dict[str, Any], preview: WhatChanges | None
    ) -> list[Changed]:  # fmt: skip
        path, old, new = str(arguments.get("path", "")), str(arguments.get("old", "")), str(arguments.get("new", ""))
        before, note = self._before(path, preview)
        if note or before is None:
            part_only = "Only the part that was replaced is in the journal."
            return [Changed("changed", path, step, data.tool, old, new, note=part_only, by=data.changed_by or "")]
        after = before.replace(old, new, 1)
        self._contents[path] = after
        return [Changed("changed", path, step, data.tool, before, after, by=data.changed_by or "")]

    def _move(
        self, step: int, data: ev.CallFinished, arguments: dict[str, Any], preview: WhatChanges | None
    ) -> list[Changed]:  # fmt: skip
        source, target = str(arguments.get("source", "")), str(arguments.get("target", ""))
        if source in self._contents:
            self._contents[target] = self._contents[source]
            self._contents[source] = None
        return [Changed("moved", source, step, data.tool, target=target, by=data.changed_by or "")]

    def _delete(
        self, step: int, data: ev.CallFinished, arguments: dict[str, Any], preview: WhatChanges | None
    ) -> list[Changed]:  # fmt: skip
        path = str(arguments.get("path", ""))
        before, note = self._before(path, preview)
        self._contents[path] = None
        return [Changed("deleted", path, step, data.tool, before, None, note=note, by=data.changed_by or "")]


def _from_preview(step: int, data: ev.CallFinished, preview: WhatChanges) -> list[Changed]:
    """The changes of a tool that is not known here, as its card foretold them."""
    found = []
    for part in preview.parts:
        if isinstance(part, TextChange):
            action = "created" if part.before is None else "deleted" if part.after is None else "changed"
            found.append(Changed(action, part.path, step, data.tool, part.before, part.after))
        elif isinstance(part, FileChange):
            action = _DONE.get(part.action, part.action)
            found.append(Changed(action, part.path, step, data.tool, target=part.target or ""))
    return found


_DONE = {"create": "created", "write": "changed", "edit": "changed", "move": "moved", "delete": "deleted"}
"""What a preview says will be done, once it is."""

_Make = Callable[
    [WorkspaceChanges, int, ev.CallFinished, dict[str, Any], WhatChanges | None], list[Changed]
]  # fmt: skip
_BY_TOOL: dict[str, _Make] = {
    "files_write": WorkspaceChanges._write,
    "files_edit": WorkspaceChanges._edit,
    "files_move": WorkspaceChanges._move,
    "files_delete": WorkspaceChanges._delete,
}
