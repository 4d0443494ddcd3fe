"""Fixtures of the widget tests: the real theme, and a clock that only tests move."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from ui.theme import Theme, ThemeMode, theme


class VirtualClock:
    """Monotonic seconds that stand still until `advance`."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture(autouse=True)
def kit_theme(qapp: QApplication) -> Iterator[Theme]:
    service = theme()
    service.install(qapp)
    service.set_mode(ThemeMode.LIGHT)
    service.set_scale(100)
    service.set_reduced_motion(False)
    yield service
    service.set_high_contrast(None)
    service.set_reduced_motion(False)
    service.set_scale(100)
