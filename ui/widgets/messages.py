"""What the program says: SectionHead, Note, Banner, EmptyState and Toast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from ui.theme import px, theme
from ui.tokens import HEIGHT_BANNER, ColorName
from ui.widgets.button import Button, ButtonKind
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Icon
from ui.widgets.surface import Surface, SurfaceName, clear, column, row

TOAST_SECONDS: Final = 6.0
_TOP: Final = Qt.AlignmentFlag.AlignTop
_RIGHT: Final = Qt.AlignmentFlag.AlignRight


class SectionHead(QWidget):
    """A section's title (12/600) with a hint beside it and, at the right, a summary or a widget."""

    def __init__(self, title: str, *, hint: str = "", right: str | QWidget = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = row(self, spacing=6)
        self._layout.addWidget(Label(title, "section_head", "text2"))
        self._hint = Label(hint, "meta", "text3")
        self._layout.addWidget(self._hint)
        self._hint.setVisible(bool(hint))
        self.right = right if isinstance(right, QWidget) else ElidedLabel(right, "meta", "text3", align=_RIGHT)
        if isinstance(right, QWidget):
            self._layout.addStretch(1)
        self._layout.addWidget(self.right, 0 if isinstance(right, QWidget) else 1)

    def set_hint(self, hint: str) -> None:
        """Change the hint beside the title."""
        self._hint.setText(hint)
        self._hint.setVisible(bool(hint))


NoteTone = Literal["quiet", "attn", "dang", "unk", "ok", "inset"]
_NOTE_COLORS: Final[dict[NoteTone, tuple[ColorName, SurfaceName]]] = {
    "quiet": ("text3", "quiet"), "inset": ("text2", "inset"), "attn": ("attn", "attn"),
    "dang": ("dang", "dang"), "unk": ("unk", "unk"), "ok": ("ok", "ok"),
}  # fmt: skip


class Note(Surface):
    """A boxed remark inside a card: icon, optional title in the tone's colour, wrapped text."""

    def __init__(
        self, text: str, tone: NoteTone = "quiet", *, title: str = "", icon: str = "info", parent: QWidget | None = None
    ) -> None:
        color, surface = _NOTE_COLORS[tone]
        super().__init__(surface, parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        body = column(self, spacing=3, margins=(11, 8, 11, 9))
        self._text = Label(text, "secondary", "text2", wrap=True)
        if title:
            head = row(spacing=7)
            head.addWidget(Icon(icon, color, 14))
            head.addWidget(Label(title, "key_value", color, wrap=True), 1)
            body.addLayout(head)
            body.addWidget(self._text)
        else:
            line = row(spacing=8)
            line.addWidget(Icon(icon, color, 14, beside="secondary"), 0, _TOP)
            line.addWidget(self._text, 1)
            body.addLayout(line)

    def set_text(self, text: str) -> None:
        """Change the text."""
        self._text.setText(text)


class Banner(Surface):
    """The one line under the top bar. Show it with `show_message`; `action` carries the name of the button pressed."""

    action = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("banner_attn", parent)
        self._icon = Icon("triangle-alert", "attn", 16, stroke=2.0)
        self._title = Label("", "key_value", "attn")
        self._text = ElidedLabel("", "body", "text2")
        self._buttons = row(spacing=4)
        line = row(self, spacing=9, margins=(18, 0, 12, 0))
        for widget, stretch in ((self._icon, 0), (self._title, 0), (self._text, 1)):
            line.addWidget(widget, stretch)
        line.addLayout(self._buttons)
        theme().follow(self.restyle)
        self.hide()

    def restyle(self) -> None:
        """Height again after a scale change."""
        self.setFixedHeight(px(HEIGHT_BANNER))

    def show_message(
        self, title: str, text: str = "", *, tone: Literal["attn", "dang"] = "attn", actions: Sequence[str] = ()
    ) -> None:
        """Show a message with up to two buttons."""
        self.set_surface("banner_attn" if tone == "attn" else "banner_dang")
        self._icon.set_icon("triangle-alert" if tone == "attn" else "octagon-alert", tone)
        self._title.setText(title)
        self._title.set_color(tone)
        self._text.setText(text)
        self.setAccessibleName(f"{title} {text}".strip())
        clear(self._buttons)
        for index, name in enumerate(actions[:2]):
            button = Button(name, "default" if index == 0 else "ghost", height=28)
            button.clicked.connect(lambda _checked=False, name=name: self.action.emit(name))
            self._buttons.addWidget(button)
        self.show()


@dataclass(frozen=True, slots=True)
class EmptyAction:
    """A button of an empty state."""

    name: str
    kind: ButtonKind = "default"
    icon: str | None = None
    key: str = ""


class EmptyState(QWidget):
    """What a view shows when it has nothing: icon, title, text, buttons. `action` carries the button's name."""

    action = Signal(str)

    def __init__(
        self,
        title: str,
        text: str = "",
        *,
        icon: str = "check",
        actions: Sequence[EmptyAction] = (),
        centered: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        body = column(self, spacing=8, margins=(16, 44, 16, 16))
        side = Qt.AlignmentFlag.AlignHCenter if centered else Qt.AlignmentFlag.AlignLeft
        self._text = Label(text, "body", "text2", wrap=True, align=side)
        self._buttons: list[Button] = []
        body.addWidget(Icon(icon, "text3", 24), 0, side)
        body.addSpacing(px(4))
        body.addWidget(Label(title, "panel_head", wrap=True, align=side))
        body.addWidget(self._text)
        self._text.setVisible(bool(text))
        if actions:
            body.addSpacing(px(6))
            body.addLayout(self._button_row(actions, centered))
        body.addStretch(1)

    def _button_row(self, actions: Sequence[EmptyAction], centered: bool) -> QHBoxLayout:
        line = row(spacing=8)
        if centered:
            line.addStretch(1)
        for action in actions:
            button = Button(action.name, action.kind, icon=action.icon, key=action.key)
            button.clicked.connect(lambda _checked=False, name=action.name: self.action.emit(name))
            line.addWidget(button)
            self._buttons.append(button)
        line.addStretch(1)
        return line

    def offer(self, offered: bool) -> None:
        """Show the buttons, or leave them out where they would change nothing."""
        for button in self._buttons:
            button.setVisible(offered)

    def set_text(self, text: str) -> None:
        """Change the text."""
        self._text.setText(text)
        self._text.setVisible(bool(text))


class Toast(Surface):
    """A short result at the bottom left of its parent, for 6 s; it looks nothing like a card and asks nothing."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("card_flat", parent)
        self._icon = Icon("check", "text3", 14)
        self._text = Label("", "body")
        line = row(self, spacing=9, margins=(12, 9, 14, 9))
        line.addWidget(self._icon)
        line.addWidget(self._text)
        self._timer = QTimer(self, interval=round(TOAST_SECONDS * 1_000), singleShot=True)
        self._timer.timeout.connect(self.hide)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        parent.installEventFilter(self)
        self.hide()

    def show_text(self, text: str, icon: str = "check") -> None:
        """Show `text`; a toast that is up is replaced."""
        self._icon.set_icon(icon)
        self._text.setText(text)
        self.setAccessibleName(self._text.text())
        self._place()
        self.show()
        self.raise_()
        self._timer.start()

    def _place(self) -> None:
        self.adjustSize()
        margin = px(14)
        parent = self.parentWidget()
        if parent is None:
            return
        self.move(margin, parent.height() - self.height() - px(26) - margin)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay in the corner when the window changes its size."""
        if watched is self.parent() and event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False
