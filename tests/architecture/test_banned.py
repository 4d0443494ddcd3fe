"""Calls that are known to hurt, each with the reason why."""

import ast
import re

import pytest

from tests.architecture.sources import ROOT, Source, sources

# A nested event loop inside a task leaves the other tasks of the Qt loop stuck for good (docs/decisions/0006).
NESTED_LOOPS = re.compile(
    r"""(^|\.)(
        exec | exec_ | processEvents
      | QMessageBox\.(about|aboutQt|critical|information|question|warning)
      | QFileDialog\.get\w+ | QInputDialog\.get\w+ | QColorDialog\.getColor | QFontDialog\.getFont
    )$""",
    re.VERBOSE,
)
# A time without a zone means something else on each machine.
NAIVE_TIMES = re.compile(r"(^|\.)(datetime|date)\.(utcnow|utcfromtimestamp|today)$")
LEFTOVERS = re.compile(r"#\s*(TODO|FIXME|XXX|HACK)\b")

# What a pure module has no business with: clocks, chance, processes and the outside world.
PURE = ("agent_core/model", "agent_core/policy", "agent_core/engine/patterns")
IMPURE_MODULES = {
    "asyncio", "httpx2", "os", "random", "secrets", "shutil", "socket", "sqlite3", "subprocess", "tempfile",
    "threading", "time", "uuid",
}  # fmt: skip


def test_no_dialog_runs_a_nested_event_loop() -> None:
    found = [
        f"{source.name}:{call.lineno} {name}"
        for source in sources("ui", "console")
        for name, call in source.calls()
        if NESTED_LOOPS.search(name)
    ]

    assert not found, "use open() or show() and react to finished"


def test_no_time_without_a_zone() -> None:
    found = [
        f"{source.name}:{call.lineno} {name}"
        for source in sources()
        for name, call in source.calls()
        if NAIVE_TIMES.search(name) or (re.search(r"(^|\.)datetime\.now$", name) and not (call.args or call.keywords))
    ]

    assert not found, "use datetime.now(UTC), or the clock that is passed in"


def test_no_leftover_notes() -> None:
    found = [
        f"{source.name}:{number}"
        for source in sources()
        for number, line in enumerate(source.text.splitlines(), start=1)
        if LEFTOVERS.search(line)
    ]

    assert not found, "do it, or file it"


@pytest.mark.parametrize("folder", PURE)
def test_pure_modules_import_nothing_impure(folder: str) -> None:
    found = [
        f"{source.name}:{line} {name}"
        for source in sources(folder)
        for name, line in source.imports()
        if name in IMPURE_MODULES
    ]

    assert not found, "times, ids and outcomes come in as values"


@pytest.mark.parametrize("folder", PURE)
def test_pure_modules_read_no_clock_and_open_no_file(folder: str) -> None:
    impure = re.compile(r"^(open|input|print)$|(^|\.)datetime\.(now|today)$|\.(read|write)_(text|bytes)$")
    found = [
        f"{source.name}:{call.lineno} {name}"
        for source in sources(folder)
        for name, call in source.calls()
        if impure.search(name)
    ]

    assert not found, "times, ids and outcomes come in as values"


def test_every_module_says_what_it_is() -> None:
    found = [source.name for source in sources() if source.text.strip() and not ast.get_docstring(source.tree)]

    assert not found, "no docstring"


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {(ROOT / source.name).parent for source in sources()}
    found = [str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").exists()]

    assert not found, "no __init__.py: the folder would be missing from some builds"


def test_rules_see_what_they_ban() -> None:
    bad = Source(
        "bad.py", "dialog.exec()\nQMessageBox.question(None, '', '')\nQtWidgets.QFileDialog.getOpenFileName()\n"
    )

    assert all(NESTED_LOOPS.search(name) for name, _ in bad.calls())
    assert NAIVE_TIMES.search("datetime.datetime.utcnow")
    assert not NESTED_LOOPS.search("session.execute")
