"""A lab for each test, closed at its end."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.engine_lab import Lab

MakeLab = Callable[..., Lab]


@pytest.fixture
async def make_lab(tmp_path: Path) -> AsyncIterator[MakeLab]:
    """Makes a lab whose model plays these turns."""
    labs: list[Lab] = []

    def make(*turns: dict[str, Any], **more: Any) -> Lab:
        root = tmp_path / f"lab{len(labs)}"
        root.mkdir()
        labs.append(Lab(root, *turns, **more))
        return labs[-1]

    yield make
    for lab in labs:
        await lab.close()
