"""Where the home is: PILOTHOUSE_HOME, else the platform's own folders for data, settings and state."""

from collections.abc import Mapping
from pathlib import Path

from agent_core.config.home import Home
from agent_core.model.errors import InputError, StorageError

APP = "pilothouse"


def find_home(environ: Mapping[str, str]) -> Home:
    """The home that this process uses. Nothing is created."""
    named = environ.get("PILOTHOUSE_HOME")
    if named is not None:
        return Home.at(_named_folder(named))
    import platformdirs

    dirs = platformdirs.PlatformDirs(APP, appauthor=False)
    return Home(dirs.user_data_path, dirs.user_config_path, dirs.user_state_path)


def make_home(home: Home) -> Home:
    """Create the home's folders; raises StorageError that names the folder which cannot be made."""
    try:
        home.create()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StorageError(f"The home folder {error.filename or home.data} cannot be used: {reason}") from error
    return home


def _named_folder(named: str) -> Path:
    if not named.strip():
        raise InputError("PILOTHOUSE_HOME is empty; name a folder or unset it")
    if "\0" in named:
        raise InputError("PILOTHOUSE_HOME holds a NUL character")
    folder = Path(named).expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise InputError(f"PILOTHOUSE_HOME names {folder}, which is not a folder")
    return folder
