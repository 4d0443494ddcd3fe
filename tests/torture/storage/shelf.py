"""A small file system of a home's own, which can be full or read-only. Only root can make one."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def shelf(folder: Path, size: str = "3m") -> Iterator[bool]:
    """A tmpfs at that folder; False where none can be made."""
    folder.mkdir(parents=True, exist_ok=True)
    made = (
        os.name == "posix"
        and os.geteuid() == 0
        and _call("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder)
    )
    try:
        yield made
    finally:
        if made:
            _call("umount", "-l", folder)


def remount(folder: Path, options: str) -> None:
    """Change how it is mounted, such as `ro` or `rw`."""
    if not _call("mount", "-o", f"remount,{options}", folder):
        raise OSError(f"{folder} cannot be mounted {options}")


def fill(folder: Path) -> Path:
    """Take all the room that is left; gives the file that does."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass
    return filler


def _call(*command: str | Path) -> bool:
    return subprocess.run(list(map(str, command)), capture_output=True, check=False).returncode == 0
