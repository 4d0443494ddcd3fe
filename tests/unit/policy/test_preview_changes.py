"""A card that changed says the new against the old, for every kind of preview."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model.proposal import (
    Change,
    FieldChange,
    FieldsChange,
    FileChange,
    FileFlag,
    ImageChange,
    MessageChange,
    Picture,
    Sign,
    TextChange,
    WhatChanges,
)
from agent_core.policy.preview_changes import preview_changes


def text(before: str | None, after: str | None = "new") -> TextChange:
    return TextChange(path="a.txt", before=before, after=after, added=1, removed=1)


def fields(after: str) -> FieldsChange:
    return FieldsChange(title="Invoice", rows=[FieldChange(sign=Sign.CHANGED, field="paid", before="no", after=after)])


def folder(*names: str) -> FileChange:
    return FileChange(action="delete", path="old", files=len(names), size=10 * len(names), names=list(names))


def picture(digest: str) -> ImageChange:
    return ImageChange(path="logo.png", before=Picture(form="PNG image", size=1, sha256=digest), after=None)


def shown(*parts: Change, headline: str = "1 change") -> WhatChanges:
    return WhatChanges(headline=headline, parts=list(parts))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (text("one\ntwo\n"), text("one\n2\n"), ["a.txt, line 2: it was “two”, it is “2” now."]),
        (text("one\n"), text("zero\nnil\none\n"), ["a.txt, line 1: “zero” is new, and 1 more line."]),
        (text("one\ntwo\n"), text("two\n"), ["a.txt, line 1: “one” is gone."]),
        (text("a\u2028b\x0cc\ntwo"), text("a\u2028b\x0cc\n2"), ["a.txt, line 2: it was “two”, it is “2” now."]),
        (text("one\n"), text("one\r\n"), ["a.txt ends its lines in another way now."]),
        (text(None), text("one\n"), ["a.txt is there now; it was not."]),
        (text("one\n"), text(None), ["a.txt is no longer there."]),
        (text("x" * 500), text("y"), [f"a.txt, line 1: it was “{'x' * 79}…”, it is “y” now."]),
        (fields("yes"), fields("late"), ["paid: it was “no” → “yes”, it is “no” → “late” now."]),
        (
            folder("a", "b"),
            folder("b", "c", "d"),
            ["old: it was 2 files of 20 bytes, it is 3 files of 30 bytes now.", "c, d: new since.", "a: gone since."],
        ),
        (picture("aa"), picture("bb"), ["logo.png is another picture now."]),
    ],
)  # fmt: skip
def test_the_new_is_said_against_the_old(old: Change, new: Change, said: list[str]) -> None:
    assert preview_changes(shown(old), shown(new)) == said


def test_other_totals_are_said_too() -> None:
    said = preview_changes(shown(headline="1 of 7 rows differs"), shown(headline="2 of 7 rows differ"))
    assert said == ["In all it was “1 of 7 rows differs”; it is “2 of 7 rows differ” now."]


def test_a_preview_that_can_no_longer_be_made_says_why() -> None:
    gone = WhatChanges(headline="", unavailable="note.txt is not there.")
    assert preview_changes(shown(text("a")), gone) == [
        "What would change cannot be computed any more: note.txt is not there."
    ]


def test_what_has_no_words_of_its_own_is_said_to_differ() -> None:
    mail = MessageChange(to=["a@x.example"], subject="Hi", body="Dear A")
    assert preview_changes(shown(mail), shown(msgspec.structs.replace(mail, body="Dear B"))) == [
        "What would change is different."
    ]
    assert preview_changes(None, shown(mail)) == ["What would change is different."]
    flagged = msgspec.structs.replace(folder("a"), flagged=[FileFlag(name="a", why="large")])
    assert preview_changes(shown(folder("a")), shown(flagged)) == ["What would change is different."]


@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_a_change_is_never_silent_and_no_change_never_told(old: str, new: str) -> None:
    said = preview_changes(shown(text(old)), shown(text(new)))
    assert bool(said) == (old != new)
    assert all(len(sentence) < 300 for sentence in said)
