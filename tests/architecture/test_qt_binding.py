"""The installed PySide6 keeps its references right, and async tests run on the loop that they ask for."""

import asyncio
import sys

import pytest
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject


class _Empty(QAbstractTableModel):
    def rowCount(self, parent: object = None) -> int:
        return 1

    def columnCount(self, parent: object = None) -> int:
        return 1

    def data(self, index: object, role: int = 0) -> None:
        return None


def test_void_calls_keep_the_references_of_none(qapp: object) -> None:
    """A bad wheel takes a reference of None with each call and ends the process after some thousand of them."""
    target = QObject()
    before = sys.getrefcount(None)

    for number in range(1000):
        target.setObjectName(str(number))

    assert abs(sys.getrefcount(None) - before) < 100


def test_overrides_that_return_none_keep_its_references(qapp: object) -> None:
    model = _Empty()
    before = sys.getrefcount(None)

    for _ in range(1000):
        model.itemData(QModelIndex(model.index(0, 0)))

    assert abs(sys.getrefcount(None) - before) < 100


async def test_async_tests_run_on_a_plain_loop() -> None:
    await asyncio.sleep(0)

    assert "qasync" not in type(asyncio.get_running_loop()).__module__


@pytest.mark.qt
async def test_marked_async_tests_run_on_the_qt_loop() -> None:
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(0))
        await asyncio.to_thread(int, 1)

    assert "qasync" in type(asyncio.get_running_loop()).__module__
