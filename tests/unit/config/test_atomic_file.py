"""Files are written whole or not at all, whatever happens to the process meanwhile."""

import random
import subprocess
import sys
from pathlib import Path

from agent_core.config.atomic_file import write_atomically

WRITING = """
import sys
from pathlib import Path
from agent_core.config.atomic_file import write_atomically
print("begun", flush=True)
while True:
    for letter in (b"a", b"b"):
        write_atomically(Path(sys.argv[1]), letter * 300_000)
"""


def test_a_file_whose_writer_is_killed_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    path, chance = tmp_path / "settings.toml", random.Random(7)
    write_atomically(path, b"a" * 300_000)
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", WRITING, str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            for _ in range(chance.randint(1, 400)):
                path.stat()
            process.kill()

        content = path.read_bytes()
        assert len(content) == 300_000
        assert len(set(content)) == 1
