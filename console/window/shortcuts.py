"""What each action of the command table does. Menus, keys and the palette all come through here."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ui.theme import ThemeMode

if TYPE_CHECKING:
    from console.desk_window import DeskWindow

_PAGES = ("console", "sessions", "audit", "alerts", "settings")
_SETTINGS = ("general", "budgets", "policies", "operators", "models", "data")


def connect_actions(desk: DeskWindow) -> None:
    """Nothing is made for an action before somebody asks for it."""
    _connect_pages(desk)
    _connect_agents(desk)
    _connect_session(desk)
    on = desk.window.on
    on("palette", desk.dialogs.open_palette)
    on("new_run", desk.dialogs.open_new_run)
    on("demo", desk.demo_wanted.emit)
    on("drill", lambda: desk.commands.spawn(desk.engine.desk.open_drill(desk.engine.operator), then=desk.cards.show))
    for mode in ThemeMode:
        on(f"theme.{mode.value}", partial(_set_theme, desk, mode))
    on("back", desk.back)
    on("quit", desk.quit_wanted.emit)


def _connect_pages(desk: DeskWindow) -> None:
    on = desk.window.on
    for page in _PAGES:
        on(f"page.{page}", partial(desk.show_page, page))
    for part in _SETTINGS:
        on(f"settings.{part}", partial(desk.open_settings, part))
    on("page.search", lambda: desk.pages.search())
    on("shortcuts", desk.show_shortcuts)
    on("toggle.sessions", lambda: desk.frame.sessions.setVisible(not desk.frame.sessions.isVisible()))
    on("toggle.decisions", lambda: desk.cards.panel.setVisible(not desk.cards.panel.isVisible()))
    on("region.next", lambda: desk.window.go_to_region(1))
    on("region.previous", lambda: desk.window.go_to_region(-1))


def _connect_agents(desk: DeskWindow) -> None:
    on = desk.window.on
    on("urgent", lambda: desk.cards.go_to_urgent())
    on("pause_all", desk.commands.pause_all)
    on("stop_all", lambda: desk.dialogs.home.ask_stop_all())
    on("release", desk.commands.release)


def _connect_session(desk: DeskWindow) -> None:
    on = desk.window.on
    on("session.message", lambda: desk.dialogs.session.ask_message())
    on("session.pause", lambda: desk.session.header.pause.click())
    on("session.stop", lambda: desk.dialogs.session.ask_stop())
    on("session.limits", lambda: desk.dialogs.session.open_limits())
    on("session.fork", lambda: desk.dialogs.session.ask_fork())
    on("session.export", lambda: desk.dialogs.session.ask_export())


def _set_theme(desk: DeskWindow, mode: ThemeMode) -> None:
    desk.engine.settings.change("general.theme", mode.value)
