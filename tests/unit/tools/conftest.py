"""Fixtures of the tools' tests."""

from pathlib import Path

import pytest

from tests.unit.tools.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """An empty workspace, with the home of Pilothouse beside it and denied."""
    return Workbench(tmp_path, denied=[tmp_path / "home"])
