"""Every page, card and dialog of the console with one text in every place, and all that a person sees of them."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractListModel
from PySide6.QtGui import QAction, QPainter, Qt, QTextLayout
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from agent_core.config.home import Home
from agent_core.config.secrets import ModelKeys
from agent_core.config.settings import Settings
from agent_core.engine.facade import Notice
from console.desk_window import DeskWindow
from console.engine import OpenEngine
from tests.support import sample_cards, sample_session, sample_summaries
from tests.support.facade import StandInBus, StandInDesk, StandInReader, StandInSupervisor
from tests.support.memory_keyring import MemoryKeyring
from tests.torture.text.strings import poisoned
from ui.dialogs.ask import AskText, Confirm, ShowText
from ui.hostile import has_hidden, visible_line
from ui.widgets.tooltip import plain_tooltip

_EDITABLE = (QLineEdit, QPlainTextEdit, QTextEdit)
LONGEST_LABEL = 20_000
"""Characters of a very long text that are looked at in one widget."""


class Screens:
    """One window over stand-ins, shown with one text after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.faults: list[str] = []
        self.looked = 0
        """Texts that were looked at."""
        self.met: set[int] = set()
        """Numbers of the hostile texts that were seen, as they are to be shown."""
        self._beginning = ""
        self._number = 0

    async def show(self, number: int, text: str) -> None:
        """Everything with that text; what is not as it should be is noted."""
        self._number, self._beginning = number, visible_line(text.strip()[:12]).replace("&", "&&")[:12]
        home = Home.at(self.folder / str(number))
        home.create()
        bus = StandInBus()
        desk = self._desk(home, bus, text)
        with self._painted(text):
            desk.window.resize(1440, 900)
            desk.window.show()
            desk.load()
            await _settled()
            bus.publish(Notice(kind="storage", level="dang", text=text))
            desk.window.say(text, "info")
            await self._visit(desk, text)
            await desk.close()
            desk.window.finish_closing()
            desk.window.deleteLater()
            await _settled()

    def catches(self) -> bool:
        """Whether an ordinary label and its tooltip, which guess, are found."""
        label = QLabel("<b>x</b> \u202e")
        label.setToolTip("<b>y</b>")
        self._look(label, "", "ordinary")
        return len(self.faults) == 3

    def _desk(self, home: Home, bus: StandInBus, text: str) -> DeskWindow:
        cards = [poisoned(card, text) for card in sample_cards.every_kind()]
        events = [_event(event, text) for event in sample_session.every_kind()]
        self.cards = [card.proposal for card in cards]
        row = sample_summaries.summary(1, session=events[0].session, workspace="/work")
        reader = StandInReader([poisoned(row, text)], events)
        return DeskWindow(
            OpenEngine(
                supervisor=StandInSupervisor(),
                desk=StandInDesk([sample_cards.entry(card, agent=text, goal=text) for card in cards]),
                reader=reader,
                bus=bus,
                home=home,
                settings=Settings.open(home),
                keys=ModelKeys({}, MemoryKeyring()),
                operator=text.strip()[:200] or "operator",
                now=lambda: sample_cards.NOW,
            )
        )

    async def _visit(self, desk: DeskWindow, text: str) -> None:
        self._look(desk.window, text, "console")
        for proposal in self.cards:
            desk.cards.show(proposal)
            await _settled()
            self._look(desk.cards.panel, text, f"card {proposal}")
        desk.cards.open_review(self.cards[0])
        await _settled()
        self._look(desk.cards.review, text, "review")
        desk.cards.close_review()
        for _ in range(30):
            QTest.keyClick(desk.session.trace.list, Qt.Key.Key_Up)
            QTest.keyClick(desk.session.trace.list, Qt.Key.Key_Right)
        self._look(desk.session.trace, text, "trace")
        for name in ("sessions", "settings"):
            desk.show_page(name)
            await _settled()
            self._look(desk.window.pages.currentWidget(), text, name)
        desk.show_page("console")
        for open_dialog in self._dialogs(desk, text):
            open_dialog()
            await _settled()
            self._look_at_the_rest(desk, text)

    def _dialogs(self, desk: DeskWindow, text: str) -> Iterator[Callable[[], Any]]:
        yield desk.dialogs.open_palette
        yield desk.dialogs.open_new_run
        yield desk.dialogs.session.open_limits
        yield desk.dialogs.session.ask_message
        yield desk.dialogs.session.ask_stop
        yield lambda: desk.dialogs.session.menu(desk.session.header)
        yield lambda: ShowText(text[:300], text, desk.window).open()
        yield lambda: Confirm(text[:300], text[:5_000], text[:60], desk.window).open()
        yield lambda: AskText(text[:300], text[:5_000], text[:60], desk.window, text=text[:5_000]).open()

    def _look_at_the_rest(self, desk: DeskWindow, text: str) -> None:
        """Dialogs and menus; closed again afterwards."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        for top in app.topLevelWidgets():
            if top.isVisible() and top is not desk.window:
                self._look(top, text, type(top).__name__)
                top.close()

    # ---------------------------------------------------------------- what is shown

    def _look(self, top: QWidget, text: str, where: str) -> None:
        top.grab()
        self._shown(top.windowTitle(), text, f"{where}: window title")
        for widget in [top, *top.findChildren(QWidget)]:
            name = f"{where}: {type(widget).__name__} {widget.objectName()}"
            self._tooltip(widget.toolTip(), text, name)
            self._widget(widget, text, name)

    def _widget(self, widget: QWidget, text: str, name: str) -> None:
        if isinstance(widget, QLabel):
            if widget.textFormat() is not Qt.TextFormat.PlainText and Qt.mightBeRichText(widget.text()):
                self.faults.append(f"{name} guesses rich text: {widget.text()[:80]!r}")
            self._shown(widget.text(), text, name)
        elif isinstance(widget, QAbstractButton):
            self._shown(widget.text(), text, name)
        elif isinstance(widget, QMenu):
            for action in widget.findChildren(QAction):
                self._shown(action.text(), text, name)
        elif isinstance(widget, QTextEdit):
            self.faults.append(f"{name} takes rich text")
        elif isinstance(widget, QComboBox):
            for index in range(min(widget.count(), 50)):
                self._shown(widget.itemText(index), text, name)
        elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
            self._items(widget, text, name)
        elif isinstance(widget, QLineEdit | QPlainTextEdit) and widget.isReadOnly():
            self._shown(_content(widget), text, name)

    def _items(self, view: QAbstractItemView, text: str, name: str) -> None:
        model = view.model()
        columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()
        for line in range(min(model.rowCount(), 60)):
            for column in range(columns):
                index = model.index(line, column)
                tip = model.data(index, Qt.ItemDataRole.ToolTipRole)
                if isinstance(tip, str):
                    self._tooltip(tip, text, f"{name} row {line}")

    def _tooltip(self, tip: str, text: str, name: str) -> None:
        """Rich only where the kit made it so from plain text."""
        self.looked += 1
        if Qt.mightBeRichText(tip) and not tip.startswith(_TIP):
            self.faults.append(f"{name}: tooltip guesses rich text: {tip[:80]!r}")
        inside = tip[len(_TIP) :].removesuffix("</p>") if tip.startswith(_TIP) else ""
        if "<" in inside or has_hidden(tip):
            self.faults.append(f"{name}: tooltip shows {tip[:80]!r}")

    def _shown(self, shown: str, text: str, name: str) -> None:
        self.looked += 1
        if self._beginning in shown or self._beginning.replace("&&", "&") in shown:
            self.met.add(self._number)
        if has_hidden(shown[:LONGEST_LABEL]):
            self.faults.append(f"{name} hides characters: {shown[:80]!r}")

    @contextmanager
    def _painted(self, text: str) -> Iterator[None]:
        """Whatever is painted by itself, letter by letter as it goes to the painter."""
        draw_text, draw_layout = QPainter.drawText, QTextLayout.draw

        def painted(painter: QPainter, *arguments: Any) -> Any:
            for one in arguments:
                if isinstance(one, str):
                    self._shown(one, text, "painted")
            return draw_text(painter, *arguments)

        def laid_out(layout: QTextLayout, *arguments: Any) -> Any:
            self._shown(layout.text().replace("\u2028", "\n"), text, "painted in a layout")
            return draw_layout(layout, *arguments)

        QPainter.drawText, QTextLayout.draw = painted, laid_out  # type: ignore[method-assign]
        try:
            yield
        finally:
            QPainter.drawText, QTextLayout.draw = draw_text, draw_layout  # type: ignore[method-assign]


_TIP = plain_tooltip("x").partition("x")[0]


def _content(widget: QLineEdit | QPlainTextEdit) -> str:
    return widget.text() if isinstance(widget, QLineEdit) else widget.toPlainText()


def _event(event: Any, text: str) -> Any:
    from msgspec.structs import replace

    data = event.data
    try:
        return replace(event, data=poisoned(data, text))
    except (TypeError, ValueError):
        return event


async def _settled() -> None:
    for _ in range(6):
        await asyncio.sleep(0.01)
        QApplication.sendPostedEvents()
