import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.hostile import has_hidden, visible, visible_line


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("invoice\u202egnp.exe", "invoice\\u202egnp.exe"),
        ("pay\u200bpal", "pay\\u200bpal"),
        ("a\u2066b\u2069", "a\\u2066b\\u2069"),
        ("soft\u00adhyphen", "soft\\u00adhyphen"),
        ("\x1b[31mred", "\\u001b[31mred"),
        ("a\rb", "a\\u000db"),
        ("nul\x00", "nul\\u0000"),
        ("tag\U000e0041\U000e007f", "tag\\U000e0041\\U000e007f"),
        ("\ufefftext", "\\ufefftext"),
        ("lone\ud800", "lone\\ud800"),
        ("filler\u3164", "filler\\u3164"),
        ("line\u2028break", "line\\u2028break"),
        ("hidden\ufe01\U000e0101", "hidden\\ufe01\\U000e0101"),
    ],
)
def test_hidden_characters_become_escapes(raw: str, shown: str) -> None:
    assert visible(raw) == shown
    assert has_hidden(raw)


@pytest.mark.parametrize(
    "text", ["", "plain", "two\nlines\tand tab", "Überweisung €412,00 – “ok”", "日本語", "مرحبا", "❤️ 1️⃣ 😀"]
)
def test_ordinary_writing_stays(text: str) -> None:
    assert visible(text) == text
    assert not has_hidden(text)


def test_stacked_marks_are_held_to_three() -> None:
    assert visible("e" + "\u0301" * 6) == "e" + "\u0301" * 3 + "\\u0301" * 3


def test_one_line_shows_its_breaks() -> None:
    assert visible_line("a\nb\tc") == "a\\nb\\tc"


@given(st.text())
def test_what_is_shown_hides_nothing_and_is_stable(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert not any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t" for c in shown)
    assert not any(
        unicodedata.bidirectional(c) in ("RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI") for c in shown
    )


@given(st.text())
def test_a_line_has_no_breaks(text: str) -> None:
    assert len(visible_line(text).splitlines()) <= 1


def test_a_megabyte_is_quick_and_clean_text_is_returned_as_it_is() -> None:
    text = "credit note 412.00 " * 60_000
    assert visible(text) is text
