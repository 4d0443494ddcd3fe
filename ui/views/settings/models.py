"""Models & keys: the key of the model's service with its address, and what models cost."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QWidget

from agent_core.config.home import Home
from agent_core.config.profile_file import list_profiles
from agent_core.config.secrets import DEFAULT_ADDRESS, ModelKeys
from agent_core.engine.price_list import PriceRow
from ui import formatting
from ui.commands import Commands
from ui.dialogs.ask import Confirm
from ui.key_keeper import KeyKeeper
from ui.models.model_key import address_problem, key_problem, key_status
from ui.models.settings.price_table import price_cells, read_prices
from ui.views.settings.frame import Card, Part
from ui.widgets.button import Button
from ui.widgets.field import Field, FormField
from ui.widgets.label import Label
from ui.widgets.marks import Chip
from ui.widgets.surface import column, row
from ui.widgets.table import CellTableModel, Column, Table

PRICE_COLUMNS = (
    Column("Model", 150, stretch=2, role="mono", color="text"),
    Column("Input", 84, right=True),
    Column("Output", 84, right=True),
    Column("Cache read", 96, right=True),
    Column("Cache write", 96, right=True),
    Column("From", 150, stretch=3),
)
CHECKED_MS = 4_000


class KeyCard(Card):
    """One key, one address: they are kept, shown and removed together."""

    def __init__(self, keeper: KeyKeeper) -> None:
        super().__init__("Anthropic, or a server that speaks its API")
        self._keeper = keeper
        self._checking = False
        self._chip = Chip("", "plain")
        self._sentence = Label("", "secondary", "text2", wrap=True)
        self._sentence.setObjectName("settings.models.status")
        self.key = Field(placeholder="sk-ant-…", name="API key", mono=True)
        self.key.set_secret()
        self.address = Field(placeholder=DEFAULT_ADDRESS, name="Address", mono=True)
        self.save = Button("Save key", "primary", icon="lock")
        self.check = Button("Check", icon="plug")
        self.remove = Button("Remove…", "danger", icon="trash-2")
        self._outcome = Label("", "secondary", "text2", wrap=True)
        for name in ("key", "address", "save", "check", "remove"):
            getattr(self, name).setObjectName(f"settings.models.{name}")
        self._outcome.setObjectName("settings.models.outcome")
        self._build()
        self._connect()
        self.refresh()

    def _build(self) -> None:
        inner = QWidget()
        body = column(inner, 12, (16, 0, 16, 15))
        status = row(None, 10)
        status.addWidget(self._chip)
        status.addWidget(self._sentence, 1)
        body.addLayout(status)
        self._fields = QWidget()
        pair = row(self._fields, 12)
        pair.addWidget(FormField("API key", self.key, hint="shown nowhere again but for its last four characters"), 3)
        pair.addWidget(FormField("Address", self.address, hint="the only one that this key is sent to"), 2)
        body.addWidget(self._fields)
        body.addLayout(self._buttons())
        self.rows.addWidget(inner)

    def _buttons(self) -> QHBoxLayout:
        line = row(None, 8)
        for button in (self.save, self.check, self.remove):
            line.addWidget(button)
        line.addWidget(self._outcome, 1)
        return line

    def _connect(self) -> None:
        self._timer = QTimer(self, interval=CHECKED_MS, singleShot=True)
        self._timer.timeout.connect(lambda: self._outcome.setText(""))
        self.key.textEdited.connect(self._edited)
        self.address.textEdited.connect(self._edited)
        for field in (self.key, self.address):
            field.returnPressed.connect(self.give)
        self.save.clicked.connect(self.give)
        self.check.clicked.connect(self._check)
        self.remove.clicked.connect(self._ask_remove)
        self._keeper.changed.connect(self.refresh)
        self._keeper.refused.connect(self._refused)

    def _edited(self, _text: str) -> None:
        self.key.set_problem("")
        self.address.set_problem(address_problem(self.address.text()))

    def give(self) -> None:
        """Keep the pair, or say why not."""
        self.key.set_problem(key_problem(self.key.text()))
        self.address.set_problem(address_problem(self.address.text()))
        if self.key.problem or self.address.problem or self._keeper.busy:
            return
        self._say("Saving…")
        self._keeper.keep(self.key.text(), self.address.text().strip() or DEFAULT_ADDRESS)
        self._enable()

    def _check(self) -> None:
        """Read it once more from where it is kept."""
        self._checking = True
        self._say("Asking…")
        self._keeper.read()
        self._enable()

    def _ask_remove(self) -> None:
        words = "It is removed from the keyring and from this session. Runs that need it pause until there is another."
        dialog = Confirm("Remove the key?", words, "Remove key", self)
        dialog.confirmed.connect(self._keeper.forget)
        dialog.open()

    def _refused(self, error: str) -> None:
        self._checking = False
        self._say(formatting.sentence(error), lasting=True)

    def _say(self, words: str, *, lasting: bool = False) -> None:
        self._outcome.setText(words)
        self._timer.stop()
        if words and not lasting:
            self._timer.start()

    def refresh(self) -> None:
        """Show how the key stands."""
        key, status = self._keeper.current, key_status(self._keeper.current)
        self._chip.setText(status.chip)
        self._chip.set_tone(status.tone, status.icon)
        self._sentence.setText(status.sentence)
        if key is not None and key.key is not None:
            self._key_found(key.address)
        elif self._checking:
            self._say("There is no key to read.")
        self._checking = False
        self._enable()

    def _key_found(self, address: str) -> None:
        if self._checking:
            self._say("It is there and can be read. The service itself is asked with the first run.")
        elif self.key.text():
            self._say("Saved and read back.")
            self.key.clear()
        if not self.address.isModified():
            self.address.setText("" if address == DEFAULT_ADDRESS else address)

    def _enable(self) -> None:
        status, busy = key_status(self._keeper.current), self._keeper.busy
        self._fields.setVisible(status.editable or self._keeper.current is None)
        self.save.setVisible(status.editable or self._keeper.current is None)
        self.save.setEnabled(status.editable and not busy)
        self.check.setEnabled(not busy)
        self.remove.setVisible(status.removable)
        self.remove.setEnabled(not busy)


class ModelsPart(Part):
    """Key and prices."""

    def __init__(self, keys: ModelKeys, home: Home, commands: Commands) -> None:
        super().__init__("Models & keys")
        self._home, self._commands = home, commands
        self._keeper = KeyKeeper(keys, self)
        self.key = KeyCard(self._keeper)
        self.body.addWidget(self.key)
        self._model = CellTableModel(PRICE_COLUMNS, self)
        self.prices = Table(self._model, row_height=34, name="Prices in US dollars per million tokens", in_card=True)
        self.prices.setObjectName("settings.models.prices")
        self._prices = Card("Prices", hint="US dollars per million tokens, for the models of this home")
        self._prices.rows.addWidget(self.prices)
        self._prices.add_foot("Each response is charged at the price of its day. A profile’s own [price] wins.")
        self._prices.hide()
        self.body.addWidget(self._prices)
        self.body.addStretch(1)

    def opened(self) -> None:
        """Look for the key and read the prices."""
        self._keeper.read()
        self._commands.spawn(asyncio.to_thread(self._read), then=self._show)

    def _read(self) -> list[PriceRow]:
        return read_prices(list_profiles(self._home), datetime.now(UTC))

    def _show(self, rows: Sequence[PriceRow]) -> None:
        self._model.set_rows([price_cells(found) for found in rows])
        self.prices.fit_rows()
        self._prices.show()
