"""What is built is what was meant: declared dependencies, one version, all data files, no tests."""

import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import agent_core
from tests.architecture.sources import PACKAGES, ROOT, sources

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _declared() -> set[str]:
    extras = PROJECT["optional-dependencies"]
    shipped = [*PROJECT["dependencies"], *(line for name in extras if name != "dev" for line in extras[name])]
    return {_normal(re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in shipped}


def test_every_import_is_declared() -> None:
    owners = packages_distributions()
    declared = _declared()
    found = {
        f"{source.name}:{line} {name}"
        for source in sources()
        for name, line in source.imports()
        if name not in sys.stdlib_module_names
        and name not in PACKAGES
        and declared.isdisjoint({_normal(owner) for owner in owners.get(name, [name])})
        and name != "shiboken6"  # part of PySide6
    }

    assert not found, "add it to the dependencies in pyproject.toml"


def test_python_floor_caps_the_bad_binding() -> None:
    lines = [line for line in PROJECT["dependencies"] if line.startswith("PySide6")]

    assert PROJECT["requires-python"] == ">=3.11"
    assert any("<6.12" in line and "python_version < '3.12'" in line for line in lines)


def test_version_has_one_home() -> None:
    assert PROJECT["dynamic"] == ["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", agent_core.__version__)
    assert f"[{agent_core.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.timeout(120)
def test_wheel_holds_every_file_of_the_packages_and_no_test(tmp_path: Path) -> None:
    meant = _files()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=100)
    (wheel,) = tmp_path.glob("pilothouse-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        shipped = {name for name in archive.namelist() if ".dist-info/" not in name}
        entries = next(archive.read(name).decode() for name in archive.namelist() if name.endswith("entry_points.txt"))

    assert {name.partition("/")[0] for name in shipped} <= set(PACKAGES)
    assert not meant - shipped
    assert "pilothouse = console.__main__:main" in entries


def _files() -> set[str]:
    paths = (path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in paths if path.suffix != ".pyc" and path.name != ".DS_Store"}
