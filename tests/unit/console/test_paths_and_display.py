"""Where the home is, and whether a window can be shown, is told in one sentence."""

from pathlib import Path

import pytest

from agent_core.config.home import Home
from agent_core.model.errors import InputError, StorageError
from console.display import why_no_window
from console.paths import find_home, make_home


def test_the_home_is_where_the_environment_says(tmp_path: Path) -> None:
    home = find_home({"PILOTHOUSE_HOME": str(tmp_path / "mine")})

    assert home == Home.at(tmp_path / "mine")
    assert not (tmp_path / "mine").exists()
    assert make_home(home).agents.is_dir()


def test_without_it_the_platforms_folders_are_used() -> None:
    home = find_home({})

    assert home.data.name == home.config.name == home.state.name == "pilothouse"
    assert home.data != home.config


@pytest.mark.parametrize("named", ["", " ", "a\0b"])
def test_a_home_that_cannot_be_meant_is_refused(named: str) -> None:
    with pytest.raises(InputError):
        find_home({"PILOTHOUSE_HOME": named})


def test_a_file_is_no_home_and_neither_is_a_folder_below_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(InputError, match="is not a folder"):
        find_home({"PILOTHOUSE_HOME": str(tmp_path / "file")})
    with pytest.raises(StorageError, match="cannot be used"):
        make_home(find_home({"PILOTHOUSE_HOME": str(tmp_path / "file" / "below")}))


@pytest.mark.parametrize(
    ("environ", "platform", "possible"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, "linux", False),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "minimal:x"}, "linux", False),
        ({}, "darwin", True),
        ({}, "win32", True),
        ({"QT_QPA_PLATFORM": "offscreen"}, "win32", False),
    ],
)
def test_a_missing_display_is_known_before_qt(environ: dict[str, str], platform: str, possible: bool) -> None:
    assert (why_no_window(environ, platform) is None) is possible
