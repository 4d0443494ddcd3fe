"""What is remembered stays in the test's own folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QSettings


@pytest.fixture(autouse=True)
def remembered(tmp_path: Path, qapp: QCoreApplication) -> Iterator[None]:
    qapp.setOrganizationName("pilothouse-tests")
    qapp.setApplicationName("new-run")
    QSettings.setPath(QSettings.Format.NativeFormat, QSettings.Scope.UserScope, str(tmp_path / "remembered"))
    yield
    QSettings().clear()
