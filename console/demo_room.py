"""The demo's own rooms: a home beside the operator's, and a fresh copy of the sample workspace for each session."""

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

from agent_core.config.home import Home
from agent_core.config.toml_source import nearest
from agent_core.model.errors import InputError, StorageError
from console.answers_file import AnswersFile
from console.paths import APP, find_home

WORKSPACE = "workspace"
USUAL_STORY, ANY_DEMO = "office", "demo"
"""The story that is played where none is named, and the word for whichever that is."""


@dataclass(frozen=True, slots=True)
class Story:
    """A bundled story: the profile that a script plays, what is asked of it, and an operator's answers for it."""

    name: str
    goal: str
    profile: Path
    answers: Path

    def operator(self) -> AnswersFile:
        """The answers, unused."""
        return AnswersFile.read(self.answers)


def find_story(name: str) -> Story:
    """The story of that name, or the usual one for "demo"; raises InputError that names the nearest."""
    folder = _folder()
    name = USUAL_STORY if name == ANY_DEMO else name
    names = sorted(path.stem for path in folder.glob("*.toml"))
    if name not in names:
        raise InputError(f'There is no story "{name[:80]}"{nearest(name, names)}')
    goal = (folder / f"{name}.goal.txt").read_text(encoding="utf-8").strip()
    return Story(name, goal, folder / f"{name}.toml", folder / "answers" / f"{name}.json")


def demo_home(environ: Mapping[str, str]) -> Home:
    """The home that PILOTHOUSE_HOME names, else one of the demo's own: it never mixes with real sessions."""
    if "PILOTHOUSE_HOME" in environ:
        return find_home(environ)
    import platformdirs

    dirs = platformdirs.PlatformDirs(f"{APP}-demo", appauthor=False)
    return Home(dirs.user_data_path, dirs.user_config_path, dirs.user_state_path)


def fresh_workspace(environ: Mapping[str, str]) -> Path:
    """A new copy of the sample workspace, outside every home: tools may not look into those. The sample stays."""
    try:
        place = Path(tempfile.mkdtemp(prefix="office-", dir=_workspaces(environ)))
        shutil.copytree(_folder() / WORKSPACE, place, dirs_exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StorageError(f"The sample workspace cannot be copied: {reason}") from error
    return place


def _workspaces(environ: Mapping[str, str]) -> Path | None:
    """Where the copies lie: in the user's cache, which outlives a restart; for a home of the caller's, in temporary."""
    if "PILOTHOUSE_HOME" in environ:
        return None
    import platformdirs

    folder = platformdirs.user_cache_path(f"{APP}-demo", appauthor=False)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _folder() -> Path:
    with as_file(files("resources") / "demo") as folder:
        return folder
