"""The banner: the gravest notice that stands, and what a person can do about it."""

from collections.abc import Callable
from typing import Literal

from agent_core.engine.facade import Notice
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.main_window import MainWindow

_ORDER = {"dang": 0, "attn": 1, "info": 2}
_ACTIONS = {"halt": "Release", "storage": "Try again", "provider": "Retry now", "key": "Open keys"}
"""What is offered, by the kind of notice."""


class Notices:
    """Shows one notice at a time; the others wait behind it."""

    def __init__(
        self, window: MainWindow, state: ConsoleState, commands: Commands, open_keys: Callable[[], None]
    ) -> None:
        self._window, self._state, self._commands = window, state, commands
        self._acts: dict[str, Callable[[], None]] = {
            "Release": commands.release,
            "Try again": commands.retry_saving,
            "Retry now": self._retry_overloaded,
            "Open keys": open_keys,
        }
        state.notices_changed.connect(self.show)
        state.current_changed.connect(self.show)
        window.banner.action.connect(self._act)

    def show(self) -> None:
        """Bring the banner in line with what stands."""
        first = self._first()
        if first is None:
            self._window.banner.hide()
            return
        action = _ACTIONS.get(first.kind)
        tone: Literal["dang", "attn"] = "dang" if first.level == "dang" else "attn"
        self._window.banner.show_message(first.text, tone=tone, actions=[action] if action else [])

    def _first(self) -> Notice | None:
        """The gravest; one about a single session stands only while that is shown."""
        shown = [n for n in self._state.notices.values() if n.kind not in _others(self._state)]
        return min(shown, key=lambda notice: _ORDER.get(notice.level, 3), default=None)

    def _act(self, name: str) -> None:
        act = self._acts.get(name)
        if act is not None:
            act()

    def _retry_overloaded(self) -> None:
        for summary in self._state.sessions.values():
            if summary.pause_reason == "provider_overloaded":
                self._commands.resume(summary.session)


def _others(state: ConsoleState) -> set[str]:
    """Kinds of notices about sessions that are not shown now."""
    return {kind for kind in state.notices if kind.startswith("altered:") and kind != f"altered:{state.current}"}
