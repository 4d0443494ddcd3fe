"""The names of the built-in tools. Profiles are checked against them before any tool is loaded; a test holds them equal
to the registry."""

TOOL_NAMES: tuple[str, ...] = (
    "files_list",
    "files_read",
    "files_search",
    "files_write",
    "files_edit",
    "files_move",
    "files_delete",
    "notes_read",
    "notes_write",
    "ask_operator",
    "finish",
    "email_send",
)
"""What this version has."""

LATER_TOOLS = frozenset({"sql_query", "sql_execute", "http_get", "http_send", "shell_run"})
"""Designed, but not in this version: refused by that name rather than as unknown."""
