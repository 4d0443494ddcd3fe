"""Edit the limits of a run while it goes on: who, why, old and new are recorded; in force at the next check."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from agent_core.model.budget import MONEY_LIMITS, LimitName, Limits
from agent_core.model.intents import ChangeLimit
from agent_core.model.state import RunState
from ui.models.gauges import GAUGE_WORDS, LIMIT_ORDER, no_limit_words
from ui.theme import px
from ui.widgets.button import Button
from ui.widgets.field import Field, FormField
from ui.widgets.label import Label
from ui.widgets.surface import Surface, column, row


def limit_text(limits: Limits, name: LimitName) -> str:
    """A limit as it is edited."""
    value = limits.get(name)
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


class LimitsDialog(QDialog):
    """`change_wanted` carries one ChangeLimit for every limit that differs."""

    change_wanted = Signal(object)

    def __init__(self, session: str, run: RunState, by: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("limits")
        self.setWindowTitle("Limits of this run")
        self._session, self._by = session, by
        self._before = {name: limit_text(run.limits, name) for name in LIMIT_ORDER}
        self._fields = {
            name: Field(text, name=GAUGE_WORDS[name], placeholder=no_limit_words(name))
            for name, text in self._before.items()
        }
        self._why = Field(placeholder="Why", name="Why")
        self._save = Button("Save limits", "primary")
        self._build()

    def _build(self) -> None:
        column(self, 0).addWidget(card := Surface("raised"))
        layout = column(card, 12, (20, 18, 20, 16))
        layout.addWidget(Label("Limits of this run", "card_title"))
        layout.addWidget(Label("In force at the next check. 0 allows nothing.", "secondary", "text3", wrap=True))
        for name, field in self._fields.items():
            field.setObjectName(f"limits.{name.value}")
            field.textChanged.connect(lambda _text: self._refresh())
            unit = " (USD)" if name in MONEY_LIMITS else " (active seconds)" if name is LimitName.SECONDS else ""
            layout.addWidget(FormField(GAUGE_WORDS[name] + unit, field))
        self._why.setObjectName("limits.why")
        layout.addWidget(FormField("Why", self._why))
        self._save.setObjectName("limits.save")
        self._save.clicked.connect(self._give)
        cancel = Button("Cancel", key="Esc")
        cancel.clicked.connect(self.reject)
        line = row(None, 8)
        line.addStretch(1)
        line.addWidget(cancel)
        line.addWidget(self._save)
        layout.addLayout(line)
        self.setMinimumWidth(px(420))
        self._refresh()

    def _changed(self) -> dict[LimitName, str]:
        typed = {name: field.text().strip() for name, field in self._fields.items()}
        return {name: text for name, text in typed.items() if text and text != self._before[name]}

    def _refresh(self) -> None:
        self._save.setEnabled(bool(self._changed()))

    def _give(self) -> None:
        why = self._why.text().strip()
        for name, value in self._changed().items():
            self.change_wanted.emit(ChangeLimit(session=self._session, limit=name, value=value, by=self._by, why=why))
        self.accept()
