"""A real workspace on a real disk with an executor in front of it, for the tests of tools."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agent_core.model.action import GateVerdict, ToolError
from agent_core.model.proposal import CheckResult, FileChange, TextChange
from agent_core.tools.authorised import Authorised, Stamp
from agent_core.tools.base import Outcome, Preview, ProbeAnswer, Tool, ToolContext
from agent_core.tools.executor import Answer, Examined, Executor
from agent_core.tools.registry import TOOLS, Registry


def digest(**call: Any) -> str:
    """Stands in for the policy's digest: the same for the same call."""
    return hashlib.sha256(json.dumps(call, sort_keys=True).encode()).hexdigest()


@dataclass
class Workbench:
    """Calls tools the way the engine does: examine, authorise, execute."""

    folder: Path
    tools: Sequence[Tool] = TOOLS
    denied: list[Path] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    grace: float = 2.0

    def __post_init__(self) -> None:
        self.root = self.folder / "workspace"
        self.root.mkdir(exist_ok=True)
        self.registry = Registry(self.tools)
        self.executor = Executor(self.registry, digest, self.grace)
        self.stamp: Stamp = self.executor.stamp()
        self.calls = 0

    def context(self, **changes: Any) -> ToolContext:
        own = ToolContext(
            session="s-1",
            workspace=self.root,
            trash=self.folder / "trash",
            outbox=self.folder / "outbox",
            denied=self.denied,
            call_id=f"c-{self.calls}",
            notes=self.notes,
        )
        return replace(own, **changes)

    def write(self, path: str, content: str | bytes) -> Path:
        """Put a file into the workspace."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    async def examine(self, name: str, overlay: dict[Path, bytes | None] | None = None, **arguments: Any) -> Examined:
        return await self.executor.examine(self.registry.find(name), arguments, self.context(overlay=overlay or {}))

    async def preview(self, name: str, overlay: dict[Path, bytes | None] | None = None, **arguments: Any) -> Preview:
        examined = await self.examine(name, overlay, **arguments)
        assert examined.preview is not None, examined.error
        return examined.preview

    def leaves(
        self, name: str, overlay: dict[Path, bytes | None] | None = None, **arguments: Any
    ) -> dict[Path, bytes | None]:
        tool = self.registry.find(name)
        return tool.effect_on(self.registry.validate(tool, arguments), self.context(overlay=overlay or {}))

    def probe(self, name: str, seen: dict[str, str], **arguments: Any) -> ProbeAnswer | None:
        tool = self.registry.find(name)
        return tool.probe(self.registry.validate(tool, arguments), self.context(expected=seen))

    def authorise(self, name: str, seen: dict[str, str], attempt: int = 1, **arguments: Any) -> Authorised:
        """What the gate step does for a call that it lets run."""
        tool = self.registry.find(name)
        call: dict[str, Any] = {
            "tool": name,
            "tool_version": tool.version,
            "arguments": arguments,
            "session": "s-1",
            "call_id": f"c-{self.calls}",
            "verdict": GateVerdict.ALLOW,
            "rules": [],
            "seen": seen,
        }
        key = f"s-1/c-{self.calls}"
        return self.stamp.authorise(**call, digest=digest(**call), idempotency_key=key, attempt=attempt)

    async def answer(self, name: str, **arguments: Any) -> Answer:
        """Examine, authorise and execute one call."""
        self.calls += 1
        examined = await self.examine(name, **arguments)
        if examined.resolved is None or examined.resolved.denied is not None:
            assert examined.error is not None
            return examined.error
        return await self.executor.execute(self.authorise(name, examined.resolved.seen, **arguments), self.context())

    async def run(self, name: str, **arguments: Any) -> Outcome:
        answer = await self.answer(name, **arguments)
        assert isinstance(answer, Outcome), answer
        return answer

    async def error(self, name: str, **arguments: Any) -> ToolError:
        answer = await self.answer(name, **arguments)
        assert isinstance(answer, ToolError), answer
        return answer

    async def undo(self, outcome: Outcome) -> Answer:
        assert outcome.undo is not None
        self.calls += 1
        return await self.executor.take_back(outcome.undo, self.context())


def results(preview: Preview) -> dict[str, CheckResult]:
    return {check.name: check.result for check in preview.checks}


def text_part(preview: Preview) -> TextChange:
    return next(part for part in preview.what_changes.parts if isinstance(part, TextChange))


def file_part(preview: Preview) -> FileChange:
    return next(part for part in preview.what_changes.parts if isinstance(part, FileChange))


def snapshot(root: Path) -> dict[str, bytes | str | None]:
    """Everything below a folder: bytes of files, targets of links, None for folders. Ours is left out."""
    found: dict[str, bytes | str | None] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith(".pilothouse"):
            continue
        found[name] = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else None
    return found
