"""A file that is read again whenever it changed, and only then: it is asked about several times a step."""

import os
from pathlib import Path


class WatchedFile:
    """Knows a file by its time, size and number, or that it is not there."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._mark: tuple[int, int, int] | None = (-1, -1, -1)

    def changed(self) -> bool:
        """Whether it changed, came or went since this was asked last. The first time: yes."""
        try:
            status = os.stat(self._path)  # noqa: PTH116 - half the time of Path.stat
            mark: tuple[int, int, int] | None = (status.st_mtime_ns, status.st_size, status.st_ino)
        except OSError:
            mark = None
        before, self._mark = self._mark, mark
        return mark != before

    @property
    def there(self) -> bool:
        """Whether it was there when it was last asked about."""
        return self._mark is not None
