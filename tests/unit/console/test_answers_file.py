"""Decision files answer exactly what they say, as often as they say; malformed ones are refused in words."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.errors import InputError
from agent_core.model.proposal import Touchpoint, Verdict, Via
from console.answers_file import AnswersFile, equal
from console.deciding import FromFile, Nobody, Reply, decider_for, intent
from tests.unit.console.cards import card


def read(tmp_path: Path, entries: Any) -> AnswersFile:
    path = tmp_path / "answers.json"
    path.write_text(entries if isinstance(entries, str) else json.dumps(entries))
    return AnswersFile.read(path)


def verdicts(answers: AnswersFile, count: int) -> list[str | None]:
    taken = [answers.take(card()) for _ in range(count)]
    return [answer.verdict if answer else None for answer in taken]


def test_answers_are_tried_top_to_bottom_and_used_as_often_as_stated(tmp_path: Path) -> None:
    entries = [{"tool": "files_write", "verdict": "approve", "times": 2}, {"tool": "files_write", "verdict": "reject"}]

    assert verdicts(read(tmp_path, entries), 4) == ["approve", "approve", "reject", None]


def test_always_is_for_ever(tmp_path: Path) -> None:
    assert verdicts(read(tmp_path, [{"verdict": "approve", "times": "always"}]), 50) == ["approve"] * 50


def test_an_answer_for_another_tool_touchpoint_or_kind_of_card_leaves_it_open(tmp_path: Path) -> None:
    entries = [
        {"tool": "files_read", "verdict": "approve"},
        {"touchpoint": "budget", "verdict": "finish"},
        {"verdict": "extend"},
    ]

    assert read(tmp_path, entries).take(card()) is None
    taken = read(tmp_path, entries).take(card(Touchpoint.BUDGET))
    assert taken is not None
    assert taken.verdict == "finish"


def test_arguments_match_whole_and_arguments_include_in_part(tmp_path: Path) -> None:
    whole = [{"arguments": {"content": "one\ntwo\n", "path": "report.txt"}, "verdict": "approve"}]
    part = [{"arguments_include": {"path": "report.txt"}, "verdict": "approve"}]
    other = [{"arguments": {"path": "report.txt"}, "verdict": "approve"}]

    assert read(tmp_path, whole).take(card())
    assert read(tmp_path, part).take(card())
    assert read(tmp_path, other).take(card()) is None
    assert read(tmp_path, [{"arguments_include": {"x": 1}, "verdict": "approve"}]).take(card()) is None


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ("{", "is not JSON"),
        ("[NaN]", "NaN is not a JSON number"),
        ({"verdict": "approve"}, "must hold a list of answers, not a table"),
        ([3], "answers.json answer 1 must be an object, not 3"),
        ([{}], 'answers.json answer 1 needs a "verdict"'),
        ([{"verdict": "approve"}, {"verdict": ""}], 'answers.json answer 2: verdict cannot be ""'),
        ([{"verdict": None}], "answer 1: verdict cannot be None"),
        ([{"verdict": True}], "answer 1: verdict cannot be true"),
        ([{"verdict": "Yes"}], 'answer 1: verdict cannot be "Yes"'),
        ([{"verdict": "aprove"}], 'did you mean "approve"?'),
        ([{"touchpoint": "budget", "verdict": "approve"}], 'verdict cannot be "approve"; use one of extend, finish'),
        ([{"verdict": "approve", "tol": "x"}], 'unknown key "tol"; did you mean "tool"?'),
        ([{"verdict": "approve", "tool": "file_write"}], 'did you mean "files_write"?'),
        ([{"verdict": "approve", "times": 0}], "times must be a whole number from 1"),
        ([{"verdict": "approve", "times": True}], "times must be a whole number from 1"),
        ([{"verdict": "check_again", "times": "always"}], "brings the card back, so times must be a whole number"),
        ([{"verdict": "modify", "args": "x"}], 'args must be an object, not "x"'),
        ([{"verdict": "reject", "reason": 3}], "reason must be text, not 3"),
    ],
)
def test_a_malformed_file_names_the_entry_and_what_is_wrong(tmp_path: Path, entries: Any, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, entries)

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_or_binary_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")

    for name in ("no.json", "binary.json", "."):
        with pytest.raises(InputError, match="The decision file"):
            AnswersFile.read(tmp_path / name)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=8,
)


@given(json_values)
def test_a_value_equals_its_own_copy_through_json(value: Any) -> None:
    assert equal(value, json.loads(json.dumps(value)))


def test_a_boolean_is_no_number_and_a_text_no_number() -> None:
    assert not equal(True, 1)
    assert not equal({"a": 0}, {"a": False})
    assert not equal("1", 1)
    assert equal(1, 1.0)
    assert equal({"a": 1, "b": [2]}, {"b": [2], "a": 1})


def test_new_arguments_are_only_those_of_modify_and_edit() -> None:
    changed = intent("p-1", Reply(verdict="modify", args={"a": 1}), by="eva", via=Via.CLI)
    extended = intent("p-1", Reply(verdict="extend", args={"steps": 9}), by="eva", via=Via.CLI)
    empty = intent("p-1", Reply(verdict=Verdict.MODIFY), by="eva", via=Via.CLI)

    assert (changed.arguments, changed.details) == ({"a": 1}, {})
    assert (extended.arguments, extended.details) == (None, {"steps": 9})
    assert empty.arguments is None


def test_who_decides_follows_the_mode_and_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")

    assert isinstance(decider_for(None, at_terminal=False), Nobody)
    assert isinstance(decider_for("none", at_terminal=True), Nobody)
    assert isinstance(decider_for(str(tmp_path / "a.json"), at_terminal=False), FromFile)
    assert decider_for(None, at_terminal=True).via is Via.TERMINAL
    for bad in ("ask", "", "a\0b", str(tmp_path / "no.json")):
        with pytest.raises(InputError):
            decider_for(bad, at_terminal=False)


def test_an_answer_that_says_a_thing_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    file.write_text('[{"tool": "files_write", "verdict": "reject", "verdict": "approve"}]')
    with pytest.raises(InputError, match='the key "verdict" is there twice'):
        AnswersFile.read(file)
