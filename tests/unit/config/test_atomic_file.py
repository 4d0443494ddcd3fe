"""Files are written whole or not at all, whatever happens to the process meanwhile."""

import subprocess
import sys
from pathlib import Path

from agent_core.config.atomic_file import write_atomically

SIZE = 300_000
WRITING = f"""
import sys
from pathlib import Path
from agent_core.config.atomic_file import write_atomically
print("begun", flush=True)
while True:
    for letter in (b"a", b"b"):
        write_atomically(Path(sys.argv[1]), letter * {SIZE})
"""


def is_whole(path: Path) -> bool:
    content = path.read_bytes()
    return content in (b"a" * SIZE, b"b" * SIZE)


def test_at_any_moment_and_after_a_kill_a_file_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    write_atomically(path, b"a" * SIZE)
    with subprocess.Popen([sys.executable, "-c", WRITING, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        whole = all(is_whole(path) for _ in range(400))
        process.kill()

    assert whole
    assert is_whole(path)
