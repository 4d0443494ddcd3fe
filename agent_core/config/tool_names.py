"""The names of the built-in tools, and what rules may say of them.

Profiles are checked against them before any tool is loaded; a test holds them equal to the registry and the rule book.
"""

from agent_core.model.engine_tools import ASK_OPERATOR, FINISH, NOTES_READ, NOTES_WRITE

RULE_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "files_list": ("path",),
    "files_read": ("path", "offset", "limit"),
    "files_search": ("pattern", "path", "glob"),
    "files_write": ("path", "content"),
    "files_edit": ("path", "old", "new"),
    "files_move": ("source", "target"),
    "files_delete": ("path",),
    NOTES_READ: ("key",),
    NOTES_WRITE: ("key", "text"),
    ASK_OPERATOR: ("question", "options"),
    FINISH: ("output", "completed", "gaps"),
    "email_send": ("to", "subject", "body", "domain"),
}
"""What a rule's ``when`` may name: a tool's arguments, and what is read off them."""

TOOL_NAMES: tuple[str, ...] = tuple(RULE_ARGUMENTS)
"""What this version has."""

DEMO_TOOL_NAMES: tuple[str, ...] = ("bank_pay",)
"""Stand-ins for services; only profiles that a script plays may name them, and only demo sessions have them."""

LATER_TOOLS = frozenset({"sql_query", "sql_execute", "http_get", "http_send", "shell_run"})
"""Designed, but not in this version: refused by that name rather than as unknown."""

RULE_CONDITIONS = ("min", "max", "inside", "domain", "exact", "glob", "regex")
"""The conditions of a table in ``when``."""
