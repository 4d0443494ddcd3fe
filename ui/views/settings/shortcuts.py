"""Shortcuts: every action that has keys, and where they work."""

from ui.actions import ACTIONS, Action, Scope, key_words
from ui.views.settings.frame import Card, Part
from ui.widgets.table import CellTableModel, Column, Table

_WHERE = {
    Scope.WINDOW: "everywhere",
    Scope.CARD: "in the card and the queue",
    Scope.TRACE: "in the trace",
    Scope.LEFT_OVER: "where nothing else takes it",
}


class ShortcutsPart(Part):
    """A table that follows from the command table."""

    def __init__(self) -> None:
        super().__init__(
            "Shortcuts", "Bare letters work only where nothing can be typed, and none of them ever decides."
        )
        model = CellTableModel(
            (
                Column("Action", stretch=2, role="body_medium", color="text"),
                Column("Keys", 220, role="mono", color="text2"),
                Column("Works", stretch=1),
            ),
            self,
        )
        self.table = Table(model, row_height=32, name="Shortcuts", in_card=True)
        self.table.setObjectName("settings.shortcuts")
        self.setFocusProxy(self.table)
        with_keys = [action for action in ACTIONS if action.keys]
        model.set_rows([(action.words, _keys(action), _WHERE[action.scope]) for action in with_keys])
        self.table.fit_rows(most=len(with_keys))
        card = Card()
        card.add_row(self.table)
        card.add_foot("On macOS, Ctrl is the Command key.")
        self.body.addWidget(card)
        self.body.addStretch(1)


def _keys(action: Action) -> str:
    return " or ".join(key_words(keys) for keys in action.keys)
