"""Expanded rows: everything is there, nothing is cut, and nothing is read before it is looked at."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.model import events as ev
from agent_core.model.action import ToolError
from tests.support import sample_session as sample
from tests.unit.ui.trace.test_model import of
from ui.hostile import visible
from ui.models.trace.brief import one_line, rough_size
from ui.models.trace.detail import Code, Section, copied, detail_of
from ui.models.trace.detail_rows import DetailRows
from ui.models.trace.json_rows import Quoted, json_pieces
from ui.models.trace.model import TraceModel
from ui.models.trace.rows import RowKind
from ui.models.trace.wrapped import WrappedText
from ui.widgets.wrapping import column_count, expand_tabs


def words(text: str, share: float) -> list[str]:
    width = max(1, int(80 * share))
    return [text[start : start + width] for start in range(0, len(text), width)] or [""]


def rows_of(sections: list[Section], columns: int = 80) -> DetailRows:
    rows = DetailRows(sections, columns, words)
    while not rows.complete:
        rows.extend(100)
    return rows


def text_of(model: TraceModel, row: int) -> str:
    return "\n".join(rows_of(detail_of(model, row)).texts())


def row_where(model: TraceModel, kind: RowKind, number: int = 0) -> int:
    return [row for row in range(len(model)) if model.kind(row) is kind][number]


# ---------------------------------------------------------------------------------------------- wrapping

TEXTS = st.text(st.sampled_from("ab c\n\t\r\u202e\U0001f44d漢é"), max_size=300)


@given(text=TEXTS, columns=st.integers(8, 40))
def test_no_character_is_lost_and_no_row_is_too_wide(text: str, columns: int) -> None:
    wrapped = WrappedText(text, columns)
    while not wrapped.complete:
        wrapped.extend(3)
    rows = [wrapped.row(number) for number in range(wrapped.count)]
    assert all(column_count(row) <= columns for row in rows)
    whole = expand_tabs(visible(text.replace("\r\n", "\n")))
    assert "".join(rows).replace("\\u000d", "") == whole.replace("\n", "").replace("\\u000d", "")


@given(text=TEXTS, columns=st.integers(8, 40), order=st.lists(st.integers(0, 400), max_size=12))
def test_rows_read_the_same_in_any_order(text: str, columns: int, order: list[int]) -> None:
    wrapped = WrappedText(text, columns)
    while not wrapped.complete:
        wrapped.extend(1_000)
    straight = [wrapped.row(number) for number in range(wrapped.count)]
    for number in order:
        assert wrapped.row(number % wrapped.count) == straight[number % wrapped.count]


@pytest.mark.parametrize("text", ["x" * 50_000_000, "line of a log\n" * 3_500_000, "漢字" * 1_000_000])
def test_a_text_of_fifty_megabytes_is_read_only_as_far_as_wanted(text: str) -> None:
    rows = DetailRows([Section("Result", (Code({"text": text}),))], 80, words)
    rows.extend(400)
    assert 400 <= rows.count <= 410
    assert not rows.complete
    assert rows.row(200).text[:1] in text[:20]


def test_the_end_of_a_long_text_can_be_reached() -> None:
    text = "".join(f"line {number}\n" for number in range(30_000))
    rows = rows_of([Section("Result", (Code(text),))])
    assert rows.count == 30_001
    assert rows.row(30_000).text == "line 29999"
    assert rows.row(15_001).text == "line 15000"


# ---------------------------------------------------------------------------------------------- JSON

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(value=JSON)
def test_json_without_long_strings_reads_back_as_it_was(value: object) -> None:
    pieces = list(json_pieces(value))
    if any(isinstance(piece, Quoted) for piece in pieces):
        return
    assert json.loads("\n".join(str(piece) for piece in pieces)) == value


def test_a_string_of_many_lines_is_shown_as_text() -> None:
    pieces = list(json_pieces({"path": "a", "text": "one\ntwo\n"}))
    assert pieces == ['{\n  "path": "a",\n  "text": text, 2 lines:', Quoted("one\ntwo\n", 2), "}"]


def test_json_that_is_nested_for_ever_is_shown_all_the_same() -> None:
    value: object = "end"
    for _ in range(400):
        value = [value]
    assert "end" in "".join(str(piece) for piece in json_pieces(value))


@given(value=JSON)
def test_one_line_is_json_cut_off_at_its_room(value: object) -> None:
    whole = json.dumps(value, ensure_ascii=False)
    shown = one_line(value, room=30)
    assert len(shown) <= 31
    assert whole.startswith(shown.removesuffix("…")) or len(shown) == 31
    assert one_line(value, room=100_000) == whole


def test_a_size_is_about_that_of_the_json() -> None:
    value = {"path": "ledger.csv", "lines": ["abc"] * 100, "n": 12, "ok": True}
    size, more = rough_size(value)
    assert not more
    assert abs(size - len(json.dumps(value))) < 0.3 * len(json.dumps(value))
    assert rough_size(["x"] * 100_000)[1]


# ---------------------------------------------------------------------------------------------- what is in it


def test_a_call_shows_arguments_gate_checks_attempts_result_and_key() -> None:
    model = of(sample.sample_events())
    searched = text_of(model, row_where(model, RowKind.CALL, 2))
    for part in ("short delivery", "Attempt 1", "The index did not answer within 2 s.", "Retryable yes",
                 "mail/0412.txt", "Idempotency key", "Digest", "It only reads."):  # fmt: skip
        assert part in searched, part
    written = text_of(model, row_where(model, RowKind.CALL, 6))
    for part in ("changed by m.keller", "24308.00 EUR", "As the model gave them", "Confidence 0.91, needs 0.85",
                 "2 of 3 checks pass", "price list is 9 d old", "The booked amount is wrong.", "model's words",
                 "To take it back"):  # fmt: skip
        assert part in written, part


def test_a_card_shows_who_was_shown_it_what_was_decided_and_why() -> None:
    model = of(sample.sample_events())
    shown = text_of(model, row_where(model, RowKind.CARD))
    for part in ("Write ledger.csv (3 lines, 1 changed)", "Shown to m.keller, console", "Decision: modify",
                 "Name the currency", "Without a decision the call is cancelled.", "Arguments as changed"):  # fmt: skip
        assert part in shown, part


def test_an_error_shows_its_structure_and_what_the_model_never_saw() -> None:
    story = sample.Story()
    (call,) = story.respond(story.request(), calls=[("files_read", {"path": "x"})])
    story.judge(call)
    story.start(call)
    error = ToolError(
        code="not_found", message="There is no x.", suggestion="List the folder.", detail="Traceback: line 1\nline 2"
    )
    story.finish(call, error=error)
    model = of(story.events)
    shown = text_of(model, len(model) - 1)
    for part in ("There is no x.", "not_found", "Retryable no", "List the folder.", "line 2", "not sent to the model"):
        assert part in shown, part


@pytest.mark.parametrize("row", range(len(of(sample.every_kind()))))
def test_every_row_has_a_detail_or_says_everything_in_its_line(row: int) -> None:
    model = of(sample.every_kind())
    rows = rows_of(detail_of(model, row))
    assert rows.count or model.kind(row) is RowKind.THOUGHT


@pytest.mark.parametrize("row", range(len(of(sample.every_kind()))))
def test_hidden_characters_never_reach_the_screen_as_they_are(row: int) -> None:
    events = [
        ev.Event(
            seq=e.seq, at=e.at, session=e.session, run=e.run, step=e.step, prev=e.prev, digest=e.digest,
            data=ev.decode_data(e.kind, ev.encode_data(e.data).replace(b"ledger", "led\u202eger".encode())),
        )
        for e in sample.every_kind()
    ]  # fmt: skip
    model = of(events)
    assert "\u202e" not in "".join(rows_of(detail_of(model, row)).texts())


def test_copying_gives_the_exact_text() -> None:
    story = sample.Story()
    text = "tab\there \u202e and \U0001f44d\nend "
    (call,) = story.respond(story.request(), text, [("files_write", {"path": "a", "content": text})])
    story.judge(call)
    story.start(call)
    story.finish(call, text, "ok")
    model = of(story.events)
    assert copied(model, row_where(model, RowKind.THOUGHT)) == text
    assert json.loads(copied(model, row_where(model, RowKind.CALL))) == {"path": "a", "content": text}
    assert copied(model, row_where(model, RowKind.OBSERVATION)) == text
