"""Data: where everything lies, how large it is, and what leaves this computer."""

import asyncio
from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from agent_core.config.home import Home
from ui.commands import Commands
from ui.models.settings.data_rows import DataRow, data_rows
from ui.views.settings.frame import Card, Part
from ui.widgets.button import Button
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.messages import Note
from ui.widgets.surface import column, row


class PlaceRow(QWidget):
    """One place, with its size and a button that opens its folder."""

    def __init__(self, place: DataRow) -> None:
        super().__init__()
        self._path = place.path
        words = column(None, 2)
        words.addWidget(Label(place.title, "body_medium"))
        words.addWidget(Label(place.help, "secondary", "text3", wrap=True))
        where = ElidedLabel(place.place, "mono", "text2")
        where.setToolTip(str(place.path))
        self.amount = Label(place.size, "secondary", "text3")
        self.amount.setObjectName(f"settings.data.{place.key}.amount")
        show = Button("Open folder", icon="folder-open", height=28)
        show.setObjectName(f"settings.data.{place.key}")
        show.setAccessibleName(f"Open the folder of: {place.title}")
        show.clicked.connect(self._open)
        side = column(None, 2)
        side.addWidget(where)
        side.addWidget(self.amount)
        whole = row(self, 16, (16, 9, 16, 9))
        whole.addLayout(words, 5)
        whole.addLayout(side, 5)
        whole.addWidget(show)

    def _open(self) -> None:
        folder = self._path if self._path.is_dir() else self._path.parent
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


class BackupRow(QWidget):
    """Back up now, and put a backup back."""

    backup_wanted = Signal()
    restore_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        words = column(None, 2)
        words.addWidget(Label("Back up", "body_medium"))
        help_ = (
            "One file with every session and decision; agents may go on meanwhile. Putting one back first backs up "
            "what is there, and is itself recorded."
        )
        words.addWidget(Label(help_, "secondary", "text3", wrap=True))
        restore = Button("Restore…", icon="history", height=28)
        restore.setObjectName("settings.data.restore")
        restore.clicked.connect(self.restore_wanted)
        backup = Button("Back up now", icon="save", height=28)
        backup.setObjectName("settings.data.backup")
        backup.clicked.connect(self.backup_wanted)
        whole = row(self, 8, (16, 9, 16, 9))
        whole.addLayout(words, 1)
        whole.addSpacing(16)
        whole.addWidget(restore)
        whole.addWidget(backup)


class DataPart(Part):
    """Sizes are read when the page is opened."""

    backup_wanted = Signal()
    restore_wanted = Signal()

    def __init__(self, home: Home, commands: Commands) -> None:
        super().__init__("Data", "Everything stays on this computer; only requests to the model leave it.")
        self._home, self._commands = home, commands
        self._rows: dict[str, PlaceRow] = {}
        self._card = Card()
        self.body.addWidget(self._card)
        backups, offer = Card(), BackupRow()
        backups.add_row(offer)
        offer.backup_wanted.connect(self.backup_wanted)
        offer.restore_wanted.connect(self.restore_wanted)
        self.body.addWidget(backups)
        words = (
            "Keys of models are kept apart in the system’s keyring and never written to these files. "
            "Close Pilothouse before you copy or move them."
        )
        self.body.addWidget(Note(words, icon="lock"))
        self.body.addStretch(1)

    def opened(self) -> None:
        """Look again."""
        self._commands.spawn(asyncio.to_thread(data_rows, self._home, Path.home()), then=self._show)

    def _show(self, rows: list[DataRow]) -> None:
        for place in rows:
            if place.key in self._rows:
                self._rows[place.key].amount.setText(place.size)
            else:
                self._rows[place.key] = PlaceRow(place)
                self._card.add_row(self._rows[place.key])
