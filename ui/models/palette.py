"""What the command palette finds: actions, sessions and settings whose words hold what is typed, best first. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent_core.config.settings_list import SETTINGS
from agent_core.model.intents import SessionSummary
from ui.actions import Action, key_words


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One hit: what it is, its words, what stands at the right, and the id that `chosen` carries."""

    kind: str
    id: str
    words: str
    right: str
    icon: str


def palette_entries(actions: Iterable[Action], sessions: Iterable[SessionSummary]) -> list[PaletteEntry]:
    """Everything that can be found."""
    entries = [
        PaletteEntry("action", action.id, action.words, key_words(action.keys[0]) if action.keys else "", "arrow-right")
        for action in actions
        if action.in_palette
    ]
    entries += [
        PaletteEntry("session", found.session, found.goal, f"{found.agent} · step {found.step}", "history")
        for found in sessions
    ]
    entries += [
        PaletteEntry("action", f"settings.{found.page.value}", found.title, f"settings, {found.page.value}", "settings")
        for found in SETTINGS
    ]
    return entries


def matching(entries: Sequence[PaletteEntry], typed: str) -> list[PaletteEntry]:
    """Entries that hold every word typed; those that begin with the first word come first."""
    words = typed.casefold().split()
    if not words:
        return list(entries)
    hits = [e for e in entries if all(word in f"{e.words} {e.right}".casefold() for word in words)]
    return sorted(hits, key=lambda e: not any(part.startswith(words[0]) for part in e.words.casefold().split()))
