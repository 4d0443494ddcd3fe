"""Files and functions stay small enough to be read in one go."""

import ast

from tests.architecture.sources import Source, sources

FILE_LINES = 500
FUNCTION_LINES = 70

# Where splitting would make things worse: the name, and in a comment the reason.
LONG_FILES: set[str] = set()
LONG_FUNCTIONS: set[str] = set()


def test_files_are_short() -> None:
    long = {source.name: len(source.text.splitlines()) for source in sources()}
    over = {name: lines for name, lines in long.items() if lines > FILE_LINES and name not in LONG_FILES}

    assert not over, f"over {FILE_LINES} lines: {over}"


def test_functions_are_short() -> None:
    over = {
        name: lines
        for source in sources()
        for name, lines in _functions(source)
        if lines > FUNCTION_LINES and name not in LONG_FUNCTIONS
    }

    assert not over, f"over {FUNCTION_LINES} lines: {over}"


def test_allowances_are_still_needed() -> None:
    files = {source.name for source in sources() if len(source.text.splitlines()) > FILE_LINES}
    functions = {name for source in sources() for name, lines in _functions(source) if lines > FUNCTION_LINES}

    assert files >= LONG_FILES
    assert functions >= LONG_FUNCTIONS


def _functions(source: Source) -> list[tuple[str, int]]:
    found = []
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            found.append((f"{source.name}::{node.name}", node.end_lineno - node.lineno + 1))
    return found
