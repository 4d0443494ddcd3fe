"""What the settings pages are made of: the page with its title, cards with rows, and the line between rows."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ui.theme import px
from ui.widgets.containers import HfwScrollArea
from ui.widgets.label import Label
from ui.widgets.marks import Icon, Line
from ui.widgets.messages import SectionHead
from ui.widgets.surface import HEAD_HEIGHT, Surface, column, row


class Row(Protocol):
    """Something that shows the value of one setting."""

    def refresh(self) -> None:
        """Show the value as it is now."""
        ...


class Part(QWidget):
    """One page: title, a sentence below it, and cards that scroll. `rows` are those of its settings, by key."""

    rows: Mapping[str, Row] = MappingProxyType({})

    def __init__(self, title: str, words: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(title)
        content = Surface("app")
        self.body: QVBoxLayout = column(content, 14, (28, 20, 28, 24))
        self.head = row(None, 10)
        """The line of the title: what the whole page depends on stands at its end."""
        self.head.addWidget(Label(title, "page_title"), 1)
        self.head.addStrut(px(HEAD_HEIGHT))
        self.body.addLayout(self.head)
        self._words = Label(words, "body", "text2", wrap=True)
        self.body.addWidget(self._words)
        self._words.setVisible(bool(words))
        column(self, 0).addWidget(HfwScrollArea(title, content))

    def set_words(self, words: str) -> None:
        """Change the sentence below the title."""
        self._words.setText(words)
        self._words.setVisible(bool(words))

    def opened(self) -> None:
        """The page is shown: read what may have changed."""

    def changed(self, key: str) -> None:
        """A setting was changed, here or elsewhere; ``"rules"`` for the standing rules."""
        if key in self.rows:
            self.rows[key].refresh()


class Card(Surface):
    """A white card. `rows` take widgets with a line between them; a title stands above."""

    def __init__(self, title: str = "", hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__("card_flat", parent)
        self._count = 0
        self.rows = column(self, 0, (1, 1, 1, 1))
        if title:
            holder = row(None, 0, (16, 13, 16, 9))
            holder.addWidget(SectionHead(title, hint=hint), 1)
            self.rows.addLayout(holder)

    def add_row(self, widget: QWidget) -> None:
        """Add a row; the line above it is drawn here."""
        if self._count:
            self.rows.addWidget(Line())
        self._count += 1
        self.rows.addWidget(widget)

    def add_foot(self, words: str) -> None:
        """A remark under the last row."""
        label = Label(words, "meta", "text3", wrap=True)
        holder = row(None, 0, (16, 8, 16, 9))
        holder.addWidget(label, 1)
        self.rows.addLayout(holder)


class Said(QWidget):
    """One sentence with a mark beside a field: why it cannot be saved, or that it has been."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = Icon("circle-alert", "dang", 12, beside="meta")
        self._text = Label("", "meta", "dang", wrap=True)
        line = row(self, 5)
        line.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self._text, 1)
        self.hide()

    def show_problem(self, problem: str) -> None:
        """Show what is wrong; "" hides it."""
        self._icon.set_icon("circle-alert", "dang")
        self._text.set_color("dang")
        self._text.setText(problem)
        self.setVisible(bool(problem))

    def text(self) -> str:
        """The sentence."""
        return self._text.text()
