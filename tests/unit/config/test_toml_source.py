"""The line of a key is found in every way of writing TOML."""

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent_core.config.toml_source import KeyPath, TomlSource, key_lines

TEXT = '''# a comment with [brackets] and key = 1
name = "a = [b" # not the end: [
prompt = """
[limits]
steps = 1
"""
raw = \'\'\'
x = """
\'\'\'
list = [
  "]", # ]
  { deep = 1 },
]
a.b.c = 3
[limits] # trailing
steps = 3
"quoted key" = 4
[[tools]]
name = "one"
[tools.more]
x = 1
[[tools]]
name = "two"
'''


def test_lines_of_every_spelling() -> None:
    lines = key_lines(TEXT)

    assert lines[("name",)] == 2
    assert lines[("prompt",)] == 3
    assert lines[("raw",)] == 7
    assert lines[("list",)] == 10
    assert lines[("a", "b", "c")] == lines[("a",)] == 14
    assert lines[("limits",)] == 15
    assert lines[("limits", "steps")] == 16
    assert lines[("limits", "quoted key")] == 17
    assert lines[("tools", 0, "name")] == 19
    assert lines[("tools", 0, "more", "x")] == 21
    assert lines[("tools", 1)] == 22
    assert lines[("tools", 1, "name")] == 23


def test_a_key_without_a_line_of_its_own_has_its_holders() -> None:
    source = TomlSource.parse("a.toml", "x = 1\n[t]\nwhen = { path = 3 }\n")

    assert source.line(("t", "when", "path")) == 3
    assert source.line(("nowhere",)) == 1


names = st.text("abc", min_size=1, max_size=3)
values = st.sampled_from(['"[t]\\nx = 1"', "1", "[\n1,\n2\n]", '"""\nz = 1\n"""', "{ q = 1 }", "'#'"])


@given(st.dictionaries(names, st.dictionaries(names, values, min_size=1), min_size=1))
def test_the_named_line_holds_the_key(tables: dict[str, dict[str, str]]) -> None:
    text = "".join(
        f"[{table}]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items()) for table, keys in tables.items()
    )
    written = text.splitlines()
    lines = key_lines(text)

    for path in _paths(tomllib.loads(text)):
        assert written[lines[path] - 1].startswith(f"{path[1]} = ")


def _paths(data: dict[str, dict[str, Any]]) -> list[KeyPath]:
    return [(table, key) for table, keys in data.items() for key in keys]
