"""One drawn part of what changes: its widget, and whether it was seen to its end."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QAbstractScrollArea, QScrollArea, QWidget

from ui.formatting import plural
from ui.tokens import Role
from ui.widgets.label import ElidedLabel, Label
from ui.widgets.marks import Line
from ui.widgets.surface import Surface, column, row


class ReadableToEnd(Protocol):
    """A widget that knows whether it was shown to its end, and says when it was."""

    @property
    def is_seen_to_end(self) -> bool:
        """Whether its end was on screen."""
        ...

    @property
    def seen_to_end(self) -> SignalInstance:
        """Fires when its end is on screen."""
        ...


@dataclass(frozen=True, slots=True)
class ChangePart:
    """One drawn change: its name for "Looked at", the widget, and whether it has been seen to its end.

    `watch` calls back whenever that may have changed; `flags_left` counts flagged rows that nobody opened.
    """

    name: str
    widget: QWidget
    seen: Callable[[], bool]
    watch: Callable[[Callable[[], None]], None]
    flags_left: Callable[[], int] = lambda: 0
    open_flag: Callable[[], bool] = lambda: False
    """Opens the next flagged row that nobody opened; False when there is none."""

    def scroll_on(self, around: QScrollArea) -> None:
        """Bring the next unseen of it into view: the part, its flagged rows one by one, on inside it, then its end."""
        area = self.widget.findChild(QAbstractScrollArea)
        around.ensureWidgetVisible(self.widget, 0, 0)
        if self.open_flag() or area is None:
            return
        bar = area.verticalScrollBar()
        if bar.value() < bar.maximum():
            bar.setValue(bar.value() + max(1, bar.pageStep()))
            return
        content = around.widget()
        if content is not None:
            bottom = area.mapTo(content, area.rect().bottomLeft())
            around.ensureVisible(bottom.x(), bottom.y(), 0, 8)


def scroll_to_unseen(parts: Iterable[ChangePart], around: QScrollArea) -> bool:
    """Scroll on to the first part that was not seen to its end, a screen at a time; False when there is none."""
    unseen = next((part for part in parts if not part.seen()), None)
    if unseen is None:
        return False
    unseen.scroll_on(around)
    return True


def unseen_words(parts: Iterable[ChangePart]) -> str:
    """Why not everything was shown to its end yet, short enough for the foot; "" when everything was."""
    unseen = [part for part in parts if not part.seen()]
    flags = sum(part.flags_left() for part in unseen)
    if flags:
        return f"{plural(flags, 'flagged row')} (V)"
    return "see all of it first (V)" if unseen else ""


def boxed(title: str, right: str, body: QWidget, role: Role = "mono") -> Surface:
    """A change in its frame: what it is, how much of it, then the change itself."""
    box = Surface("inset")
    layout = column(box, 0, (1, 1, 1, 1))
    if title or right:
        head = row(None, 8, (11, 7, 11, 6))
        head.addWidget(ElidedLabel(title, role), 1)
        if right:
            head.addWidget(Label(right, "meta", "text3"))
        layout.addLayout(head)
        layout.addWidget(Line())
    layout.addWidget(body)
    return box


def plain_part(name: str, box: QWidget, body: ReadableToEnd) -> ChangePart:
    """A part that was seen when its body was scrolled to the end."""
    return ChangePart(name, box, lambda: body.is_seen_to_end, on(body.seen_to_end))


def on(*signals: SignalInstance) -> Callable[[Callable[[], None]], None]:
    """What `ChangePart.watch` is made of: call back whenever one of the signals fires, whatever it carries."""

    def watch(call: Callable[[], None]) -> None:
        for signal in signals:
            signal.connect(lambda *_: call())

    return watch
