"""The filter button of the trace with its menu of kinds."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ui.models.trace.filters import ALL_GROUPS, Group
from ui.widgets.button import Button


class FilterButton(Button):
    """Opens a menu of the groups. `chosen` carries the set of groups to show."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "ghost", icon="list-filter", height=26, tip="Filter trace", parent=parent)
        self.setObjectName("trace.filter")
        self.menu_of_groups = QMenu(self)
        self.actions_by_group = {group: self._add(group) for group in Group}
        self.menu_of_groups.addSeparator()
        every = self.menu_of_groups.addAction("Show everything")
        every.triggered.connect(lambda _checked=False: self.choose(ALL_GROUPS))
        self.clicked.connect(self._open)

    def _add(self, group: Group) -> QAction:
        action = self.menu_of_groups.addAction(group.value)
        action.setCheckable(True)
        action.setChecked(True)
        action.triggered.connect(self._changed)
        return action

    def _open(self) -> None:
        self.menu_of_groups.popup(self.mapToGlobal(self.rect().bottomLeft()))

    def choose(self, groups: frozenset[Group]) -> None:
        """Tick these groups."""
        for group, action in self.actions_by_group.items():
            action.setChecked(group in groups)
        self._changed()

    @property
    def groups(self) -> frozenset[Group]:
        """The ticked groups; none ticked means all, so that the trace is never empty by accident."""
        ticked = frozenset(group for group, action in self.actions_by_group.items() if action.isChecked())
        return ticked or ALL_GROUPS

    def _changed(self) -> None:
        everything = self.groups == ALL_GROUPS
        self.set_kind("ghost" if everything else "outline")
        hidden = "" if everything else f", showing {', '.join(sorted(group.value for group in self.groups))}"
        self.setAccessibleName(f"Filter trace{hidden}")
        self.chosen.emit(self.groups)
