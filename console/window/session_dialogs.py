"""The dialogs of the selected session: message, stop, limits, export. Each hands its answer to the commands."""

from functools import partial

from PySide6.QtWidgets import QMenu, QWidget

from agent_core.model.intents import ForkPlan
from console.window.exports import Exports
from ui.commands import Commands
from ui.console_state import ConsoleState
from ui.dialogs.ask import AskText, Confirm
from ui.dialogs.fork import ForkDialog
from ui.dialogs.limits import LimitsDialog
from ui.hostile import visible_line
from ui.main_window import MainWindow


class SessionDialogs:
    """Opens them over the window. Nothing is done before the person confirms."""

    def __init__(self, window: MainWindow, state: ConsoleState, commands: Commands) -> None:
        self._window, self._state, self._commands = window, state, commands
        self._exports = Exports(window, commands)

    def open_limits(self) -> None:
        """Edit the limits of the newest run of the selected session."""
        state = self._state.state
        if state is not None and state.runs and self._state.current is not None:
            dialog = LimitsDialog(self._state.current, state.run, self._commands.operator, self._window)
            dialog.change_wanted.connect(self._commands.change_limit)
            dialog.open()

    def ask_fork(self) -> None:
        """Fork the selected session."""
        if self._state.current is not None:
            self.ask_fork_of(self._state.current)

    def ask_fork_of(self, session: str) -> None:
        """Ask after which step, with which goal and limits; what is on offer is read first."""
        self._commands.spawn(self._commands.reader.fork_plan(session), then=self._open_fork)

    def _open_fork(self, plan: ForkPlan) -> None:
        dialog = ForkDialog(plan, self._commands.operator, self._window)
        dialog.fork_wanted.connect(self._commands.fork)
        dialog.open()

    def ask_message(self) -> None:
        """Tell the agent something."""
        session = self._state.current
        if session is None:
            return
        ended = self._state.sessions[session].status.value == "ended" if session in self._state.sessions else False
        hint = "This session has ended: your message starts a new run with fresh limits." if ended else ""
        dialog = AskText("Message to the agent", hint, "Send", self._window)
        act = self._commands.resume if ended else self._commands.message
        dialog.given.connect(lambda text: act(session, text))
        dialog.open()

    def ask_stop(self) -> None:
        """Stop asks once and says what is in flight."""
        session, state = self._state.current, self._state.state
        if session is None or state is None or not state.runs or state.run.stopped is not None:
            return
        flight = len(state.run.in_flight)
        words = f"Calls in flight: {flight}. A started call that cannot be repeated becomes “outcome unknown”."
        dialog = Confirm(
            "Stop this session?", words if flight else "Nothing is in flight.", "Stop session", self._window
        )
        dialog.confirmed.connect(lambda: self._commands.stop(session))
        dialog.open()

    def menu(self, anchor: QWidget) -> None:
        """What else can be done with the selected session."""
        menu = QMenu(anchor)
        menu.setObjectName("session.menu")
        menu.addAction("Edit limits…", self.open_limits)
        menu.addAction("Fork…", self.ask_fork)
        menu.addAction("Export as JSONL…", self.ask_export)
        session, state = self._state.current, self._state.state
        if session is not None and state is not None and state.runs and state.run.stopped is None:
            for tool in state.run.contained:
                words = visible_line(f"Switch {tool} on again").replace("&", "&&")
                menu.addAction(words, partial(self._commands.lift, session, tool))
        menu.popup(anchor.mapToGlobal(anchor.rect().bottomLeft()))

    def ask_export(self) -> None:
        """Where to write the selected session."""
        session, reader = self._state.current, self._commands.reader
        if session is not None:
            self._exports.ask(
                "this session as JSONL", f"{session}.jsonl", lambda out: reader.export(session, "jsonl", out)
            )
