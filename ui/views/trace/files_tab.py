"""The Files tab: what this session changed in its workspace, each change with its content before and after."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from agent_core.model import events as ev
from agent_core.model.standing import Opening
from ui.hostile import visible_line
from ui.models.workspace_diff import Changed, WorkspaceChanges
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.containers import Splitter
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.messages import EmptyState
from ui.widgets.surface import column, row
from ui.widgets.table import Cell, CellTableModel, Column, Table
from ui.widgets.text_diff import TextDiff

_ICONS = {"created": "file-plus", "changed": "file-pen", "deleted": "file-minus", "moved": "arrow-right"}
_COLUMNS = (
    Column("File", 160, stretch=1.0, role="mono", color="text"),
    Column("Change", 90),
    Column("By", 170),
    Column("Step", 64, right=True),
)


class FilesTab(QWidget):
    """A list of changes above, the chosen one below. `step_wanted` asks for the step of a change."""

    step_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trace.files")
        self._collected = WorkspaceChanges()
        self._opening: Opening | None = None
        self._read: Callable[[int], None] = lambda _after: None
        self._seq, self._begun, self._whole = 0, False, False
        self._model = CellTableModel(_COLUMNS, self)
        self.table = Table(self._model, row_height=30, name="Files that this session changed")
        self.table.setObjectName("trace.files.list")
        self._path = ElidedLabel("", "section_head", mode=Qt.TextElideMode.ElideMiddle)
        self._note = Label("", "meta", "text3")
        self._step = Button("", "link", height=24)
        self._diff = TextDiff()
        self._diff.setObjectName("trace.files.diff")
        self._diff.setAccessibleName("Before and after")
        self._empty = EmptyState("No file was changed", "Changes appear here with what was there before.", icon="file")
        self._below = QWidget()
        self._splitter = Splitter(Qt.Orientation.Vertical)
        self._build()

    def _build(self) -> None:
        inside = column(self._below, 4, (18, 8, 14, 8))
        head = row(None, 8)
        head.addWidget(self._path, 1)
        head.addWidget(self._note)
        head.addWidget(self._step)
        inside.addLayout(head)
        inside.addWidget(self._diff, 1)
        above = QWidget()
        column(above, 0, (6, 0, 6, 0)).addWidget(self.table)
        self._splitter.addWidget(above)
        self._splitter.addWidget(self._below)
        self._splitter.setSizes([px(160), px(320)])
        self._splitter.setStretchFactor(1, 1)
        layout = column(self, 0)
        layout.addWidget(self._empty)
        layout.addWidget(self._splitter, 1)
        self.table.selectionModel().currentRowChanged.connect(lambda current, _before: self._show(current.row()))
        self.table.row_opened.connect(lambda index: self.step_wanted.emit(self._collected.changes[index].step))
        self._step.clicked.connect(self._go)
        self._arrange()

    # ---------------------------------------------------------------- content

    def restart(self, opening: Opening | None, read: Callable[[int], None]) -> None:
        """Another session. `read` is told after which event to read on, once somebody looks; `take_stored` follows."""
        self._collected, self._opening, self._read = WorkspaceChanges(), opening, read
        self._seq, self._begun, self._whole = 0, False, False
        self.show_changes()
        if self.isVisible():
            self.begin()

    def begin(self) -> None:
        """Somebody looks: find out what changed, from the first event on."""
        if self._begun or self._opening is None:
            return
        self._begun = True
        if self._opening.events and self._opening.events[0].seq == 1:
            self._whole = True
            self._take(self._opening.events)
            self.show_changes()
        else:
            self._read(self._seq)

    def take_stored(self, events: Sequence[ev.Event]) -> None:
        """Some of the events that were there already; none after the last."""
        assert self._opening is not None
        changed = self._take(events)
        self._whole = self._seq >= self._opening.newest
        if changed or self._whole:
            self.show_changes()
        if not self._whole:
            self._read(self._seq)

    def take_live(self, events: Sequence[ev.Event]) -> None:
        """What happens now."""
        if self._whole and self._take(events):
            self.show_changes()

    def _take(self, events: Sequence[ev.Event]) -> bool:
        fresh = [event for event in events if event.seq > self._seq]
        self._seq = fresh[-1].seq if fresh else self._seq
        return self._collected.apply(fresh) > 0

    def show_changes(self) -> None:
        """Show the changes so far, with the same one chosen."""
        chosen = max(0, self.table.currentIndex().row())
        self._model.set_rows([_cells(change) for change in self._collected.changes])
        self._arrange()
        if self.count:
            self.table.selectRow(min(chosen, self.count - 1))

    @property
    def count(self) -> int:
        """How many changes there are."""
        return len(self._collected.changes)

    def _arrange(self) -> None:
        self._empty.setVisible(not self.count)
        self._splitter.setVisible(bool(self.count))

    def _show(self, index: int) -> None:
        if not 0 <= index < self.count:
            return
        change = self._collected.changes[index]
        moved = f" → {change.target}" if change.target else ""
        self._path.setText(change.path + moved)
        self._note.setText(change.note)
        self._step.set_label(f"Step {change.step}")
        self._diff.set_texts(change.before or "", change.after or "")

    def _go(self) -> None:
        index = self.table.currentIndex().row()
        if 0 <= index < self.count:
            self.step_wanted.emit(self._collected.changes[index].step)


def _cells(change: Changed) -> list[Cell | str]:
    moved = f" → {change.target}" if change.target else ""
    by = f"modified by {change.by}" if change.by else change.tool
    icon = _ICONS.get(change.action, "file")
    return [
        Cell(change.path + moved, "text", "mono", icon=icon),
        visible_line(change.action),
        visible_line(by),
        f"{change.step:,}",
    ]
