"""The command table: every action of the window, its words and keys. Menus, palette and shortcuts follow from it."""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """Where a key works. Bare letters work only where nothing can be typed: in the card, the queue and the trace."""

    WINDOW = "window"
    CARD = "card"
    TRACE = "trace"
    LEFT_OVER = "left_over"
    """In the whole window, once what has the focus has left the key alone: Escape closes a form before it goes back."""


@dataclass(frozen=True, slots=True)
class Action:
    """One action: its id in code, its words (verb and object) and its keys in Qt's portable form."""

    id: str
    words: str
    keys: tuple[str, ...] = ()
    scope: Scope = Scope.WINDOW
    in_palette: bool = True


ACTIONS: tuple[Action, ...] = (
    Action("palette", "Search sessions, actions and settings", ("Ctrl+K",), in_palette=False),
    Action("new_run", "Start a new run", ("Ctrl+N",)),
    Action("demo", "Start the demo"),
    Action("drill", "Drill: practise on a known-bad card"),
    Action("page.console", "Show the console", ("Ctrl+1",)),
    Action("page.sessions", "Show all sessions", ("Ctrl+2",)),
    Action("page.audit", "Show the audit log", ("Ctrl+3",)),
    Action("page.alerts", "Show the alerts", ("Ctrl+4",)),
    Action("page.settings", "Show settings", ("Ctrl+,",)),
    Action("settings.general", "Settings: general"),
    Action("settings.budgets", "Settings: budgets"),
    Action("settings.policies", "Settings: policies and allowlists"),
    Action("settings.operators", "Settings: operators"),
    Action("settings.models", "Settings: models and keys"),
    Action("settings.data", "Settings: data, back up and restore"),
    Action("page.search", "Search the sessions, or the audit, on their page", ("/",), in_palette=False),
    Action("toggle.sessions", "Show or hide the sessions list", ("Ctrl+B",)),
    Action("toggle.decisions", "Show or hide the decisions", ("Ctrl+J",)),
    Action("region.next", "Go to the next region", ("F6",), in_palette=False),
    Action("region.previous", "Go to the previous region", ("Shift+F6",), in_palette=False),
    Action("urgent", "Go to the most urgent decision", ("Ctrl+D",)),
    Action("pause_all", "Pause all agents", ("Ctrl+Shift+P",)),
    Action("stop_all", "Stop all agents at once"),
    Action("release", "Release the halt"),
    Action("session.message", "Tell this agent something", ("Ctrl+M",)),
    Action("session.pause", "Pause or resume this session"),
    Action("session.stop", "Stop this session"),
    Action("session.limits", "Edit this session's limits"),
    Action("session.fork", "Fork this session"),
    Action("session.export", "Export this session"),
    Action("theme.light", "Theme: light"),
    Action("theme.dark", "Theme: dark"),
    Action("theme.system", "Theme: as the desktop"),
    Action("shortcuts", "Show all shortcuts", ("?",)),
    Action("back", "Go back", ("Esc",), Scope.LEFT_OVER, in_palette=False),
    Action("quit", "Quit", ("Ctrl+Q",)),
    Action("card.next", "Next card", ("J", "Down"), Scope.CARD, in_palette=False),
    Action("card.previous", "Previous card", ("K", "Up"), Scope.CARD, in_palette=False),
    Action("card.review", "Open the full review", ("Return",), Scope.CARD, in_palette=False),
    Action("card.main", "Press the main button", ("Ctrl+Return",), Scope.CARD, in_palette=False),
    Action("card.modify", "Modify", ("M",), Scope.CARD, in_palette=False),
    Action("card.reject", "Reject", ("R",), Scope.CARD, in_palette=False),
    Action("card.ask", "Ask the agent", ("Q",), Scope.CARD, in_palette=False),
    Action("card.escalate", "Escalate", ("E",), Scope.CARD, in_palette=False),
    Action("card.take_over", "Take over", ("T",), Scope.CARD, in_palette=False),
    Action("card.undo", "Undo an approval", ("Ctrl+Z",), Scope.CARD, in_palette=False),
    Action("card.seen", "Mark the part as looked at", ("V",), Scope.CARD, in_palette=False),
    Action("trace.end", "Follow the newest step", ("End",), Scope.TRACE, in_palette=False),
    Action("trace.pause", "Stop or go on following", ("P",), Scope.TRACE, in_palette=False),
    Action("trace.expand", "Expand or collapse an event", ("Right", "Left"), Scope.TRACE, in_palette=False),
    Action("trace.find", "Find in the trace", ("Ctrl+F",), Scope.TRACE, in_palette=False),
)


def key_words(keys: str) -> str:
    """Keys as they are shown: "Ctrl ↵" for Ctrl+Return."""
    return keys.replace("Return", "↵").replace("+", " ")
