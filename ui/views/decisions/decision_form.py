"""DecisionForm: what every form between a button and its decision can do, and what it adds to the decision."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QWidget

from agent_core.model.intents import Decide
from agent_core.model.proposal import Proposal, Via
from ui.widgets.field import TextArea

FIELD = "card.form."
"""How the names of fields begin in which something can be filled in."""
KEY_FIGURE = "card.form.figure"
"""The field whose very typing is the trouble to take: it is never filled in for anybody."""
_EDITORS = (QLineEdit, TextArea, QAbstractButton, QComboBox)


@dataclass(slots=True)
class Filled:
    """What a form adds to a decision."""

    reason: str | None = None
    answer: str | None = None
    arguments: dict[str, Any] | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def deciding(self, card: Proposal, verdict: str, by: str, seen: list[str]) -> Decide:
        """The intent that closes the card so, by a person at the console who was shown these parts."""
        return Decide(
            proposal=card.proposal,
            verdict=verdict,
            by=by,
            via=Via.CONSOLE,
            reason=self.reason,
            arguments=self.arguments,
            details=self.details,
            answer=self.answer,
            seen=seen,
            digest=card.digest,
        )


class DecisionForm(QWidget):
    """Base of the forms. `changed` fires when `problem` may have changed; "" means that it is complete."""

    changed = Signal()
    takes_the_body = False
    """It shows everything that the body does, and takes its place while it is open."""
    confirm = ""
    """What its confirming button says, where the verdict alone does not say it."""
    held = False
    """Whether it is confirmed by holding, as what cannot be undone is."""

    def problem(self) -> str:
        """What is missing, in words; "" when nothing is."""
        return ""

    def unseen(self) -> bool:
        """Whether what it would do was not shown to its end, as far as the form itself shows it."""
        return True

    def show_unseen(self) -> bool:
        """Scroll on to what was not shown yet; False when there is nothing."""
        return False

    def renewed(self, card: Proposal) -> bool:
        """Take a new version of the card; False where what was filled in does not hold for it."""
        return True

    def filled(self) -> Filled:
        """What was filled in."""
        return Filled()

    def about(self) -> str:
        """What of the card it is filled in for; half filled, it holds for no other."""
        return ""

    def entries(self) -> dict[str, Any]:
        """What stands in its fields, by their names."""
        return {editor.objectName(): _entry(editor) for editor in self._editors()}

    def enter(self, entries: Mapping[str, Any]) -> None:
        """Put into its fields what stood in them before."""
        for editor in self._editors():
            if editor.objectName() in entries:
                _put(editor, entries[editor.objectName()])

    def _editors(self) -> list[QWidget]:
        named = (one for one in self.findChildren(QWidget) if one.objectName().startswith(FIELD))
        return [one for one in named if _holds_something(one) and one.objectName() != KEY_FIGURE]

    def first_field(self) -> QWidget | None:
        """Where the focus goes."""
        return None


def _holds_something(widget: QWidget) -> bool:
    """Whether something can be filled in: a button that only does something holds nothing."""
    return isinstance(widget, _EDITORS) and not (isinstance(widget, QAbstractButton) and not widget.isCheckable())


def _entry(editor: QWidget) -> str | bool:
    if isinstance(editor, TextArea):
        return editor.exact_text()
    if isinstance(editor, QComboBox):
        return editor.currentText()
    return editor.isChecked() if isinstance(editor, QAbstractButton) else editor.text()  # type: ignore[attr-defined]


def _put(editor: QWidget, entry: object) -> None:
    if isinstance(editor, QAbstractButton):
        editor.setChecked(entry is True)
    elif isinstance(editor, QComboBox):
        if (row := editor.findText(str(entry))) >= 0:
            editor.setCurrentIndex(row)
    elif isinstance(editor, TextArea):
        editor.setPlainText(str(entry))
    elif isinstance(editor, QLineEdit):
        editor.setText(str(entry))
