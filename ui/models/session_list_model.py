"""The item model behind the sessions list: headings and rows in one flat list, changed with precise signals."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ui.models.session_rows import SessionGroup, SessionRow

Index = QModelIndex | QPersistentModelIndex
ItemRole = int(Qt.ItemDataRole.UserRole)
"""The SessionRow, or the heading's (title, count)."""
_ROOT = QModelIndex()


class SessionListModel(QAbstractListModel):
    """Rows keep their place where nothing moved, so that selection and scroll stay put."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items: list[SessionRow | tuple[str, int]] = []

    def set_groups(self, groups: Sequence[SessionGroup]) -> None:
        """Show these groups."""
        items: list[SessionRow | tuple[str, int]] = []
        for group in groups:
            items.append((group.title, len(group.rows)))
            items.extend(group.rows)
        if [_key(item) for item in items] == [_key(item) for item in self._items]:
            self._update_in_place(items)
            return
        self.beginResetModel()
        self._items = items
        self.endResetModel()

    def _update_in_place(self, items: list[SessionRow | tuple[str, int]]) -> None:
        changed = [row for row, item in enumerate(items) if item != self._items[row]]
        self._items = items
        for row in changed:
            self.dataChanged.emit(self.index(row), self.index(row))

    def row_of(self, session: str) -> int:
        """The row of a session, -1 when it is not listed."""
        for row, item in enumerate(self._items):
            if isinstance(item, SessionRow) and item.session == session:
                return row
        return -1

    def first_session(self) -> str | None:
        """The session that is listed first."""
        return next((item.session for item in self._items if isinstance(item, SessionRow)), None)

    def item(self, row: int) -> SessionRow | tuple[str, int]:
        """What stands in a row."""
        return self._items[row]

    def rowCount(self, parent: Index = _ROOT) -> int:
        """Headings and rows."""
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The row itself for the delegate; its words for everyone else."""
        item = self._items[index.row()]
        if role == ItemRole:
            return item
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return item.spoken if isinstance(item, SessionRow) else f"{item[0]}, {item[1]}"
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings cannot be selected."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if isinstance(self._items[index.row()], SessionRow):
            return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return Qt.ItemFlag.ItemNeverHasChildren


def _key(item: SessionRow | tuple[str, int]) -> str:
    return item.session if isinstance(item, SessionRow) else item[0]
