"""Children of tools: kept, recorded, with nothing of ours in their environment, and gone with their call."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_core.config.home import Home
from agent_core.store.processes import Processes
from agent_core.tools.base import CutOff, ToolContext
from agent_core.tools.shared.children import Caps, child_environment, run_child

pytestmark = pytest.mark.skipif(os.name == "nt", reason="programs are started on POSIX only")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells who descends from whom")

ESCAPES = "trap '' TERM HUP; (setsid sh -c 'trap \"\" TERM; sleep {n} & sleep {n}' &) ; setsid sleep {n} & {end}"


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(session="s-1", workspace=tmp_path, trash=tmp_path, outbox=tmp_path)


def alive(marker: str) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            if marker in (entry / "cmdline").read_text().split("\0") and state != "Z":
                found.append(entry.name)
        except OSError:
            continue
    return found


def test_a_child_gives_its_output_and_its_code(context: ToolContext) -> None:
    end = run_child(["sh", "-c", "echo out; echo err >&2; pwd; exit 3"], context)

    assert end.code == 3
    assert end.output.decode().split() == ["out", "err", str(context.workspace)]
    assert run_child(["sh", "-c", "kill -9 $$"], context).code == 128 + 9
    assert run_child(["no-such-program"], context).code == 127


def test_a_child_gets_nothing_of_ours(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "PILOTHOUSE_HOME",
        "ANTHROPIC_API_KEY",
        "DBUS_SESSION_BUS_ADDRESS",
        "AWS_SECRET_ACCESS_KEY",
        "LD_PRELOAD_X",
    ):
        monkeypatch.setenv(name, "canary-of-the-environment")

    end = run_child([sys.executable, "-c", "import os; print(dict(os.environ), open(0).read())"], context)

    assert "canary" not in end.output.decode()
    assert "PATH" in end.output.decode()
    assert child_environment({"LC_ALL": "C", "GITHUB_TOKEN": "x", "path": "y"}) == {"LC_ALL": "C"}


@linux
@pytest.mark.parametrize("end", ["exit 0", "wait"])
def test_whatever_it_started_goes_with_it(context: ToolContext, end: str) -> None:
    marker = f"{7000 + os.getpid() % 1000}.{len(end)}"
    if end == "wait":
        threading.Timer(0.4, context.cancelled.set).start()
        with pytest.raises(CutOff):
            run_child(["sh", "-c", ESCAPES.format(n=marker, end=end)], context)
    else:
        run_child(["sh", "-c", ESCAPES.format(n=marker, end=end)], context)

    assert alive(marker) == []


def test_a_child_that_takes_too_long_is_ended(context: ToolContext) -> None:
    with pytest.raises(CutOff, match="did not end within"):
        run_child(["sleep", "600"], context, seconds=0.2)


@linux
@pytest.mark.parametrize(
    ("caps", "script", "said"),
    [
        (Caps(cpu_seconds=1), "while True: pass", f"{128 + 9}"),
        (Caps(data_bytes=200_000_000), "bytearray(300_000_000)", "MemoryError"),
        (Caps(file_bytes=100_000), "open('big', 'wb').write(bytes(200_000))", "File too large"),
        (Caps(file_bytes=100_000), "print('x' * 200_000)", "120"),
        (
            Caps(cpu_seconds=1),
            "import os; os.fork() or [0 for _ in iter(int, 1)]; print('ended by', os.wait()[1])",
            "ended by 9",
        ),
        (Caps(), "import resource as r; r.setrlimit(r.RLIMIT_CPU, (9999, 9999))", "not allowed to raise maximum limit"),
        (Caps(), "bytearray(300_000_000); print('fine')", "fine"),
    ],
    ids=["processor", "memory", "file", "output", "children", "raising", "within"],
)
def test_a_child_takes_no_more_than_its_caps(context: ToolContext, caps: Caps, script: str, said: str) -> None:
    end = run_child([sys.executable, "-c", script], context, seconds=20, caps=caps)

    assert said in f"{end.output.decode()[-2_000:]} {end.code}"
    assert end.output_bytes <= caps.file_bytes
    assert all(path.stat().st_size <= caps.file_bytes for path in context.workspace.iterdir())


def test_a_child_is_recorded_before_it_begins_and_forgotten_afterwards(context: ToolContext, tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    home.create()
    seen: list[list[Any]] = []

    class Watched(Processes):
        def record(self, pid: int, session: str, command: str = "") -> Any:
            group = super().record(pid, session, command)
            seen.append(self.groups())
            assert not (tmp_path / "began").exists()
            return group

    run_child(["touch", "began"], replace(context, processes=Watched(home)))

    assert [group.session for group in seen[0]] == ["s-1"]
    assert (tmp_path / "began").exists()
    assert Processes(home).groups() == []


@linux
def test_ending_a_recorded_group_ends_what_left_it(context: ToolContext, tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    home.create()
    marker = f"{8000 + os.getpid() % 1000}.5"
    own = replace(context, processes=Processes(home))
    code: list[int] = []
    script = ESCAPES.format(n=marker, end="echo > began; wait")
    work = threading.Thread(target=lambda: code.append(run_child(["sh", "-c", script], own).code))
    work.start()
    while not (tmp_path / "began").exists() or len(alive(marker)) < 3:
        work.join(0.01)
    (group,) = Processes(home).groups("s-1")

    assert Processes(home).end(group)
    work.join(5)

    assert alive(marker) == []
    assert Processes(home).groups() == []
    assert code == [-9]


@linux
def test_when_we_are_killed_the_child_goes_too(tmp_path: Path) -> None:
    marker = f"{9000 + os.getpid() % 1000}.5"
    script = (
        "import sys; from pathlib import Path; from agent_core.tools.base import ToolContext;"
        "from agent_core.tools.shared.children import run_child; w = Path(sys.argv[1]);"
        f"run_child(['sh', '-c', 'setsid sleep {marker} & echo > began; wait'],"
        "ToolContext(session='s', workspace=w, trash=w, outbox=w))"
    )
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], cwd=root) as process:
        while not (tmp_path / "began").exists() or not alive(marker):
            process.poll()
        process.kill()

    patience = threading.Event()
    for _ in range(500):
        if not alive(marker):
            break
        patience.wait(0.01)
    assert alive(marker) == []
