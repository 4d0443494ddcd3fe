"""Operators: who I am here, everybody else who decides, and my passphrase."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from agent_core.model.intents import OperatorProfile
from ui import formatting
from ui.commands import Commands
from ui.dialogs.passphrase import ChangePassphrase, Passphrases
from ui.models.settings.operator_rows import COLUMNS, cells, standing
from ui.views.settings.frame import Card, Part
from ui.widgets.button import Button
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Chip
from ui.widgets.surface import column, row
from ui.widgets.table import CellTableModel, Table

_FOOT = (
    "Pilothouse asks the system who you are; PILOTHOUSE_OPERATOR says it is somebody else. Who may decide at all is a "
    "list under Policies & allowlists."
)


class MyCard(Card):
    """The operator of this window."""

    changed = Signal()
    """The passphrase is another one now."""

    def __init__(self, commands: Commands) -> None:
        super().__init__("You decide as")
        self._commands = commands
        self._profile: OperatorProfile | None = None
        self._chip = Chip("", "plain")
        self._sentence = Label("", "secondary", "text2", wrap=True)
        self._sentence.setObjectName("settings.operators.standing")
        self._place = ElidedLabel("", "mono", "text3")
        self._place.setObjectName("settings.operators.place")
        self.set = Button("Set passphrase…", "primary", icon="lock")
        self.set.setObjectName("settings.operators.set")
        self.remove = Button("Remove passphrase…", "danger", icon="lock-open")
        self.remove.setObjectName("settings.operators.remove")
        self._outcome = Label("", "secondary", "text2", wrap=True)
        self._outcome.setObjectName("settings.operators.outcome")
        self._build()

    def _build(self) -> None:
        inner = QWidget()
        body = column(inner, 10, (16, 0, 16, 15))
        head = row(None, 10)
        name = Label(self._commands.operator, "card_title")
        name.setObjectName("settings.operators.me")
        head.addWidget(name)
        head.addWidget(self._chip)
        head.addStretch(1)
        body.addLayout(head)
        body.addWidget(self._sentence)
        body.addWidget(self._place)
        line = row(None, 8)
        line.addWidget(self.set)
        line.addWidget(self.remove)
        line.addWidget(self._outcome, 1)
        body.addLayout(line)
        self.rows.addWidget(inner)
        self.set.clicked.connect(lambda: self._ask(remove=False))
        self.remove.clicked.connect(lambda: self._ask(remove=True))
        for button in (self.set, self.remove):
            button.hide()

    def show_profile(self, profile: OperatorProfile) -> None:
        """How the operator stands now."""
        self._profile = profile
        how = standing(profile)
        self._chip.setText(how.chip)
        self._chip.set_tone(how.tone, how.icon)
        self._sentence.setText(how.sentence)
        self._place.setText(f"{profile.key_id} in {profile.place}" if profile.key_id else "")
        self._place.setVisible(bool(profile.key_id))
        self.set.setText("Change passphrase…" if profile.protected else "Set passphrase…")
        self.set.set_kind("default" if profile.protected else "primary")
        self.set.setVisible(profile.reachable)
        self.remove.setVisible(profile.reachable and profile.protected)

    def _ask(self, *, remove: bool) -> None:
        if self._profile is None:
            return
        dialog = ChangePassphrase(
            self._commands.operator, protected=self._profile.protected, remove=remove, parent=self.window()
        )
        dialog.given.connect(lambda typed: self._protect(dialog, typed))
        dialog.open()

    def _protect(self, dialog: ChangePassphrase, typed: Passphrases) -> None:
        def done(_none: object) -> None:
            dialog.accept()
            removed = "You decide without a passphrase from now on."
            self._outcome.setText(removed if typed.new is None else "You decide with this passphrase from now on.")
            self.changed.emit()

        work = self._commands.desk.protect(self._commands.operator, typed.new, typed.old)
        self._commands.spawn(
            work, then=done, otherwise=lambda error: dialog.refuse(formatting.sentence(str(error)) + ".")
        )


class OperatorsPart(Part):
    """Read whenever the page is opened."""

    def __init__(self, commands: Commands) -> None:
        super().__init__("Operators", "Every decision is signed with the key of the person who made it.")
        self._commands = commands
        self.me = MyCard(commands)
        self.me.changed.connect(self.opened)
        self.body.addWidget(self.me)
        self._model = CellTableModel(COLUMNS, self)
        self.table = Table(self._model, row_height=34, name="Everybody who decides in this home", in_card=True)
        self.table.setObjectName("settings.operators.table")
        everybody = Card("Everybody", hint="who has a key in this home, or is listed in its settings")
        everybody.rows.addWidget(self.table)
        everybody.add_foot(_FOOT)
        self.body.addWidget(everybody)
        self.body.addStretch(1)

    def opened(self) -> None:
        """Look at the keys again."""
        self._commands.spawn(self._commands.desk.operators(), then=self._show)

    def _show(self, profiles: Sequence[OperatorProfile]) -> None:
        name = self._commands.operator
        me = next((one for one in profiles if one.name == name), OperatorProfile(name=name, may_decide=True))
        shown = [me, *(one for one in profiles if one.name != name)]
        self._model.set_rows([cells(profile, name) for profile in shown])
        self.table.fit_rows()
        self.me.show_profile(me)
