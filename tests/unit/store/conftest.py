"""A journal in the test's own home."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_core.config.home import Home
from agent_core.store.journal import Journal
from agent_core.store.keys import OperatorKeys
from tests.unit.store.samples import FixedClock, MemorySecrets


@pytest.fixture
def place(home: Path) -> Home:
    """The test's home, not made yet."""
    return Home.at(home)


@pytest.fixture
def journal(place: Home) -> Iterator[Journal]:
    """An open journal; it waits a moment only for the write lock."""
    opened = Journal.open(place, patience=0.5)
    yield opened
    opened.close()


@pytest.fixture
def secrets() -> MemorySecrets:
    """A keyring that works."""
    return MemorySecrets()


@pytest.fixture
def clock() -> FixedClock:
    """A clock that a test moves."""
    return FixedClock()


@pytest.fixture
def keys(journal: Journal, secrets: MemorySecrets, clock: FixedClock) -> OperatorKeys:
    """Operators' keys of the test's home."""
    return OperatorKeys(journal, secrets, clock)
