import os
from pathlib import Path

from agent_core.config.watched_file import WatchedFile


def test_a_file_is_read_the_first_time_and_then_only_when_it_changed(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("a = 1")
    file = WatchedFile(path)

    asked = [file.changed(), file.changed()]
    path.write_text("a = 1234")

    assert (asked, file.changed(), file.there) == ([True, False], True, True)


def test_the_same_size_at_another_time_is_a_change(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("a = 1")
    file = WatchedFile(path)
    file.changed()

    os.utime(path, ns=(1, 1))

    assert file.changed()


def test_a_file_that_goes_and_comes_changes_twice(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    file = WatchedFile(path)

    missing = (file.changed(), file.there, file.changed())
    path.write_text("a = 1")

    assert missing == (True, False, False)
    assert file.changed()
    assert file.there
