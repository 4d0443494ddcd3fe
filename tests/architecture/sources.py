"""The project's own modules, parsed once for all architecture tests."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "resources" / "demo"  # not our code: what the demo's agent works on
PACKAGES = ("agent_core", "console", "resources", "ui")


@dataclass(frozen=True)
class Source:
    """One module's path, relative to the project, and its text."""

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.name)

    def calls(self) -> Iterator[tuple[str, ast.Call]]:
        """Every call with its dotted callee as written: `self.menu.exec`, `datetime.now`, `open`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield ast.unparse(node.func), node

    def imports(self) -> Iterator[tuple[str, int]]:
        """The top-level name of every imported module, with its line."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield alias.name.partition(".")[0], node.lineno
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.partition(".")[0], node.lineno


@cache
def sources(*folders: str) -> tuple[Source, ...]:
    """The modules under these folders, or of all packages when none is named."""
    paths = [path for folder in folders or PACKAGES for path in sorted((ROOT / folder).rglob("*.py"))]
    paths = [path for path in paths if not path.is_relative_to(SAMPLE)]
    return tuple(Source(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")) for path in paths)
