"""What an agent may do, in words: "list, read and search files; write files where path matches …". Pure."""

from collections.abc import Iterable, Sequence

from agent_core.config.profile import Profile
from agent_core.config.tool_names import TOOL_NAMES
from agent_core.engine.outlook import Outlook, Prospect
from agent_core.model.engine_tools import ASK_OPERATOR, EVERYDAY, FINISH, NOTES_READ, NOTES_WRITE

_WORDS = {
    "files_list": ("list", "files"),
    "files_read": ("read", "files"),
    "files_search": ("search", "files"),
    "files_write": ("write", "files"),
    "files_edit": ("edit", "files"),
    "files_move": ("move", "files"),
    "files_delete": ("delete", "files"),
    NOTES_READ: ("read", "its notes"),
    NOTES_WRITE: ("keep", "its notes"),
    ASK_OPERATOR: ("ask", "you"),
    FINISH: ("finish", ""),
    "email_send": ("send", "e-mail"),
    "bank_pay": ("pay", "bills"),
}
NOTHING = "nothing"
OUTSIDE = "anything else, and anything outside the workspace"


def tool_words(tool: str) -> str:
    """A tool as a verb with its object: "write files"; an unknown one by its name."""
    verb, noun = _WORDS.get(tool, (tool, ""))
    return f"{verb} {noun}".strip()


def prospect_words(prospects: Sequence[Prospect]) -> str:
    """Everything of one column as one text; whole tools first, grouped by what they work on."""
    whole = [prospect.tool for prospect in prospects if not prospect.when and not prospect.rest]
    parts = [*_grouped(whole), *(_one(prospect) for prospect in prospects if prospect.when or prospect.rest)]
    return "; ".join(parts) or NOTHING


def never_words(found: Outlook, profile: Profile) -> str:
    """What the agent may never do: what rules deny, the tools that it was not given, and the rest of the world."""
    given = {entry.name for entry in profile.tools}
    missing = [Prospect(tool=tool) for tool in TOOL_NAMES if tool not in given and tool not in EVERYDAY]
    denied = [*found.never, *missing]
    return f"{prospect_words(denied)}; {OUTSIDE}" if denied else OUTSIDE


def _one(prospect: Prospect) -> str:
    words = tool_words(prospect.tool)
    return f"{words} otherwise" if prospect.rest else f"{words} where {prospect.when}"


def _grouped(tools: Iterable[str]) -> list[str]:
    by_noun: dict[str, list[str]] = {}
    for tool in tools:
        verb, noun = _WORDS.get(tool, (tool, ""))
        by_noun.setdefault(noun, []).append(verb)
    return [f"{_listed(verbs)} {noun}".strip() for noun, verbs in by_noun.items()]


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
