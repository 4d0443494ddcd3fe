"""`pilothouse shot`: draw a view offscreen."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_core.config.home import Home
from agent_core.config.toml_source import nearest
from agent_core.model.errors import InputError, NotInThisVersion
from agent_core.model.proposal import Touchpoint
from console.output import Output
from console.paths import find_home

VIEWS = (
    "console", "card", "review", "sessions", "settings", "settings-budgets", "settings-policies",
    "settings-operators", "settings-models", "settings-data", "settings-shortcuts", "audit", "alerts", "new-run",
    "fork", "first-run",
)  # fmt: skip
THEMES = ("light", "dark")
KINDS = tuple(item.value for item in Touchpoint)
SMALLEST, LARGEST = (800, 600), (7680, 4320)

_SIZE = re.compile(r"(\d{2,5})x(\d{2,5})", re.ASCII)


@dataclass(frozen=True, slots=True)
class ShotRequest:
    """What to draw. `home` is read, never written; a `story` is drawn in its place where one is named."""

    view: str
    out: Path
    home: Home
    session: str | None
    kind: str | None
    story: str | None
    theme: str
    width: int
    height: int


def draw(
    environ: Mapping[str, str],
    output: Output,
    *,
    view: str,
    out: Path,
    session: str | None,
    kind: str | None,
    story: str | None,
    theme: str,
    size: str,
) -> int:
    """Check what is asked for and draw it."""
    _one_of("view", view, VIEWS)
    _one_of("--theme", theme, THEMES)
    if kind is not None:
        _one_of("--kind", kind, KINDS)
    width, height = _size(size)
    if out.suffix.lower() != ".png":
        raise InputError(f"--out must name a .png file, not {out}")
    if not out.parent.is_dir():
        raise InputError(f"--out: there is no folder {out.parent}")
    request = ShotRequest(view, out, find_home(environ), session, kind, story, theme, width, height)
    try:
        from console.shots import take_shot
    except ModuleNotFoundError as missing:
        raise NotInThisVersion("Drawing views is not in this version") from missing
    take_shot(request)
    if output.as_json:
        output.value({"view": view, "out": str(out), "size": f"{width}x{height}", "theme": theme})
    return 0


def _one_of(what: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        raise InputError(f'{what} cannot be "{word}"{nearest(word, known)}')


def _size(size: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(size)
    width, height = (int(match[1]), int(match[2])) if match else (0, 0)
    if not (SMALLEST[0] <= width <= LARGEST[0] and SMALLEST[1] <= height <= LARGEST[1]):
        raise InputError(f'--size must be from 800x600 to 7680x4320, such as 1440x900, not "{size}"')
    return width, height
