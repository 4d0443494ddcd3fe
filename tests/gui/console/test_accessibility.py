"""Every page of the window for people who use the keyboard, a screen reader, larger letters or less motion."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QWidget

from tests.gui.console.opened import OpenConsole, begin
from ui.actions import ACTIONS
from ui.theme import theme
from ui.views.settings.page import ENTRIES

PAGES = ("console", "sessions", "audit", "alerts", "settings")
Opened = Callable[[], Awaitable[OpenConsole]]


def reachable(root: QWidget) -> Iterator[QWidget]:
    """What the Tab key can come to."""
    for widget in root.findChildren(QWidget):
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            yield widget


def parents(widget: QWidget) -> Iterator[QWidget]:
    while (above := widget.parentWidget()) is not None:
        yield above
        widget = above


def unnamed(root: QWidget) -> list[str]:
    """Reachable widgets that a screen reader has no word or no role for."""
    found = []
    for widget in reachable(root):
        face = QAccessible.queryAccessibleInterface(widget)
        if not face.text(QAccessible.Text.Name).strip() or face.role() is QAccessible.Role.NoRole:
            inside = " in ".join(f"{type(w).__name__} {w.objectName()}".strip() for w in (widget, *parents(widget)))
            found.append(inside)
    return found


async def at_rest(console: OpenConsole) -> None:
    for _ in range(6):
        await console.desk.commands.settle()
        await asyncio.sleep(0)
        QApplication.sendPostedEvents()


async def test_everything_that_tab_reaches_has_a_name_and_a_role(opened: Opened) -> None:
    console = await opened()
    await begin(console)
    await console.card("Edit ledger.csv")
    found: dict[str, list[str]] = {}
    for page in PAGES:
        console.desk.show_page(page)
        await at_rest(console)
        found[page] = unnamed(console.desk.window)
    for part in ("general", "budgets", "policies", "operators", "models", "data", "shortcuts"):
        console.desk.open_settings(part)
        await at_rest(console)
        found[f"settings {part}"] = unnamed(console.desk.window)
    for name, open_dialog in (
        ("new run", console.desk.dialogs.open_new_run),
        ("palette", console.desk.dialogs.open_palette),
    ):
        open_dialog()
        await at_rest(console)
        for dialog in [d for d in console.desk.window.findChildren(QDialog) if d.isVisible()]:
            found[name] = unnamed(dialog)
            dialog.close()
    await console.close()

    nameless = [f"{page}: {widget}" for page, widgets in found.items() for widget in widgets]
    assert not nameless, "\n".join(nameless)


@pytest.mark.parametrize(("scale", "size"), [(90, QSize(1100, 640)), (150, QSize(1280, 720))])
async def test_no_page_needs_more_room_than_a_small_screen_has(opened: Opened, scale: int, size: QSize) -> None:
    console = await opened()
    await begin(console)
    await console.card("Edit ledger.csv")
    theme().set_scale(scale)
    try:
        console.desk.window.resize(size)
        for page in PAGES:
            console.desk.show_page(page)
            await at_rest(console)
            wanted, given = console.desk.window.minimumSizeHint(), console.desk.window.size()
            assert wanted.width() <= given.width(), (page, wanted, given)
            assert wanted.height() <= given.height(), (page, wanted, given)
    finally:
        theme().set_scale(100)
        await console.close()


def focus_name() -> str:
    focus = QApplication.focusWidget()
    return focus.objectName() if focus is not None else "nowhere"


async def test_every_page_begins_with_the_list_that_it_is_opened_for(opened: Opened) -> None:
    console = await opened()
    await begin(console)
    await console.card("Edit ledger.csv")
    console.desk.cards.panel.card.setFocus()
    found: dict[str, str] = {}
    for page in ("audit", "sessions", "alerts", "settings", "shortcuts", "console"):
        console.desk.frame.rail.chosen.emit(page)
        await at_rest(console)
        found[page] = focus_name()
    await console.close()

    assert found == {
        "audit": "audit.table",
        "sessions": "sessions.table",
        "alerts": "alerts.filter.all",  # there are none
        "settings": "settings.nav.general",
        "shortcuts": "settings.shortcuts",
        "console": "card",
    }


async def test_pages_without_rows_begin_with_their_search_and_leave_the_console_as_it_was(opened: Opened) -> None:
    console = await opened()
    await at_rest(console)
    found = []
    for page in ("audit", "console", "sessions", "console"):
        console.desk.show_page(page)
        await at_rest(console)
        found.append(focus_name())
    await console.close()

    assert found == ["audit.search", "root", "sessions.search", "root"]


async def test_f6_goes_through_the_regions_and_tab_leaves_none_of_them_out(opened: Opened) -> None:
    console = await opened()
    await begin(console)
    await console.card("Edit ledger.csv")
    desk, window = console.desk, console.desk.window
    window.activateWindow()
    seen: list[str] = []
    for _ in range(3):
        console.qtbot.keyClick(window, Qt.Key.Key_F6)
        await at_rest(console)
        focus = QApplication.focusWidget()
        assert focus is not None
        names = [part.objectName() for part in (desk.frame.sessions, desk.session.trace, desk.cards.panel)]
        seen += [n for n in names if (found := window.findChild(QWidget, n)) is not None and found.isAncestorOf(focus)]
    await console.close()

    assert len(set(seen)) == 3


@pytest.mark.parametrize("page", ["sessions", "audit"])
async def test_a_slash_goes_to_the_search_of_the_page(opened: Opened, page: str) -> None:
    console = await opened()
    console.desk.window.activateWindow()
    console.desk.show_page(page)
    await at_rest(console)

    console.qtbot.keyClick(console.desk.window, Qt.Key.Key_Slash)

    focus = QApplication.focusWidget()
    assert focus is not None
    assert focus.objectName() == f"{page}.search"
    console.qtbot.keyClicks(focus, "a/b")
    assert isinstance(focus, QLineEdit)
    assert focus.text() == "a/b", "where a slash can be typed it is a slash"
    await console.close()


def test_every_page_of_the_settings_is_in_the_palette() -> None:
    offered = {action.id for action in ACTIONS if action.in_palette}
    assert {f"settings.{entry.part}" for entry in ENTRIES} - {"settings.shortcuts"} <= offered
    assert "shortcuts" in offered
