"""Modify: what a person does not touch stays exactly as it was asked for, left out or null included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit

from agent_core.model.intents import Trial
from tests.gui.decisions.conftest import Bench
from tests.support.engine_lab import eventually
from tests.support.sample_cards import card
from ui.views.decisions.modify_form import ModifyForm

PROPERTIES: dict[str, Any] = {
    "path": {"type": "string"},
    "urgency": {"enum": ["low", "high"]},
    "level": {"enum": [1, True, None, "1"]},
    "notify": {"type": "boolean"},
    "copies": {"type": "integer", "default": 1},
    "share": {"type": ["number", "null"]},
    "cc": {"type": "array", "items": {"type": "string"}},
    "due": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
    "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    "customer": {"type": "object", "properties": {"id": {"type": "integer"}}},
    "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
    "rates": {"type": "array", "items": {"type": "number"}},
    "anything": {},
}
LINE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "due": {"type": "string", "format": "date"},
        "paid": {"type": "boolean"},
    },
    "required": ["amount"],
}
SCHEMA: dict[str, Any] = {
    "type": "object", "properties": PROPERTIES, "required": ["path"], "$defs": {"line": LINE}
}  # fmt: skip


async def _form(
    bench: Callable[..., Bench], arguments: dict[str, Any], schema: dict[str, Any] = SCHEMA
) -> tuple[Bench, ModifyForm]:
    desk = bench(card(1, arguments=arguments, schema=schema))
    await desk.show()
    desk.qtbot.keyClick(desk.panel.card, Qt.Key.Key_M)
    form = desk.panel.card.footer.form
    assert isinstance(form, ModifyForm)
    return desk, form


def _exactly(arguments: dict[str, Any] | None) -> dict[str, str]:
    assert arguments is not None
    return {name: repr(value) for name, value in arguments.items()}


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "a.txt"},
        {"path": "a.txt", "urgency": "high", "level": True, "notify": False, "copies": 3, "share": 1.0},
        {"path": "a.txt", "level": 1, "share": None, "due": None, "count": None, "anything": None},
        {"path": "a.txt", "level": None, "share": 2, "due": "2026-12-04", "count": 0, "anything": [1, 1.0, "1"]},
        {"path": "a.txt", "lines": [{"amount": 1.0, "due": "2026-12-04"}, {"amount": 2, "x": None}], "rates": [1, 2.0]},
        {"path": "a.txt", "lines": [], "rates": [], "cc": ["ana"]},
        {"path": "a.txt", "due": "soon"},
        {"path": "a.txt", "urgency": "unheard of", "notify": None, "cc": [], "customer": {"id": 7, "x": [1.50]}},
    ],
)  # fmt: skip
async def test_untouched_arguments_are_the_very_same(bench: Callable[..., Bench], arguments: dict[str, Any]) -> None:
    _, form = await _form(bench, arguments)
    given = form.arguments()
    assert _exactly(given) == _exactly(arguments)
    assert given is not None
    assert form.is_unchanged(given)


async def test_what_was_left_out_can_be_given_and_what_is_null_filled_in(bench: Callable[..., Bench]) -> None:
    desk, form = await _form(bench, {"path": "a.txt", "share": None})

    def line(name: str) -> QLineEdit:
        found = desk.panel.findChild(QLineEdit, f"card.form.argument.{name}")
        assert isinstance(found, QLineEdit)
        return found

    def choose(name: str, words: str) -> None:
        combo = desk.panel.findChild(QComboBox, f"card.form.argument.{name}")
        assert isinstance(combo, QComboBox)
        assert combo.currentText() == "not given"
        combo.setCurrentText(words)

    choose("urgency", "low")
    choose("notify", "true")
    desk.qtbot.keyClicks(line("share"), "0.50")
    desk.qtbot.keyClicks(line("copies"), "2")
    listed = desk.panel.findChild(QPlainTextEdit, "card.form.argument.cc")
    assert listed is not None
    desk.qtbot.keyClicks(listed, "ben")
    assert _exactly(form.arguments()) == _exactly(
        {"path": "a.txt", "urgency": "low", "notify": True, "copies": 2, "share": 0.5, "cc": ["ben"]}
    )


async def test_a_number_that_may_be_null_is_emptied_into_null(bench: Callable[..., Bench]) -> None:
    desk, form = await _form(bench, {"path": "a.txt", "count": 4})
    count = desk.panel.findChild(QLineEdit, "card.form.argument.count")
    assert isinstance(count, QLineEdit)
    count.clear()
    assert form.arguments() == {"path": "a.txt", "count": None}


async def test_what_stands_in_an_object_and_a_list_is_edited_without_json(bench: Callable[..., Bench]) -> None:
    arguments = {
        "path": "a.txt",
        "cc": ["ana", "ben"],
        "customer": {"id": 7, "vip": True, "address": {"city": "Bremen"}},
    }
    desk, form = await _form(bench, arguments)
    number = desk.panel.findChild(QLineEdit, "card.form.argument.customer.id")
    city = desk.panel.findChild(QLineEdit, "card.form.argument.customer.address.city")
    listed = desk.panel.findChild(QPlainTextEdit, "card.form.argument.cc")
    assert isinstance(number, QLineEdit)
    assert isinstance(city, QLineEdit)
    assert listed is not None
    number.selectAll()
    desk.qtbot.keyClicks(number, "8")
    desk.qtbot.keyClicks(city, "New ")
    listed.moveCursor(listed.textCursor().MoveOperation.End)
    desk.qtbot.keyClick(listed, Qt.Key.Key_Return)
    desk.qtbot.keyClicks(listed, "cleo")
    assert _exactly(form.arguments()) == _exactly(
        {
            "path": "a.txt",
            "cc": ["ana", "ben", "cleo"],
            "customer": {"id": 8, "vip": True, "address": {"city": "New Bremen"}},
        }
    )
    number.selectAll()
    desk.qtbot.keyClicks(number, "eight")
    assert form.arguments() is None


async def test_objects_of_a_list_are_edited_added_and_taken_out_by_their_fields(bench: Callable[..., Bench]) -> None:
    lines = [{"amount": 10.0, "due": "2026-12-04"}, {"amount": 20, "paid": True}]
    desk, form = await _form(bench, {"path": "a.txt", "lines": lines})

    def editor(name: str) -> QLineEdit:
        found = desk.panel.findChild(QLineEdit, f"card.form.argument.lines.{name}")
        assert isinstance(found, QLineEdit)
        return found

    desk.qtbot.keyClick(editor("0.due"), Qt.Key.Key_Up)
    editor("1.amount").selectAll()
    desk.qtbot.keyClicks(editor("1.amount"), "20.50")
    await desk.click("card.form.argument.lines.add")
    assert editor("2.amount").hasFocus() or not desk.panel.isActiveWindow()
    assert form.arguments() is None, "what a new object needs is not given yet"
    await eventually(lambda: form.problem() == "Mend what is marked; it is checked at once.")
    desk.qtbot.keyClicks(editor("2.amount"), "30")
    await desk.click("card.form.argument.lines.0.remove")
    assert _exactly(form.arguments()) == _exactly(
        {"path": "a.txt", "lines": [{"amount": 20.5, "paid": True}, {"amount": 30}]}
    )
    form.show_trial(Trial(errors={"lines.1.amount": "This is too much."}))
    assert editor("2.amount").accessibleDescription() == "This is too much.", "told at the object that it is now"

    left = form.entries()
    _, again = await _form(bench, {"path": "a.txt", "lines": lines})
    again.enter(left)
    assert again.arguments() == form.arguments()


async def test_a_half_filled_edit_comes_back_as_it_was_whatever_its_arguments_are_called(
    bench: Callable[..., Bench],
) -> None:
    arguments = {
        "path": "a.txt",
        "a.b": "one",
        "a": {"b": "two", "add": "x"},
        "lines": [{"remove": "3", "add": "4", "0.remove": "5", "__class__": "6"}],
        "lines.0": {"remove": "7"},
        "": "8",
        "level": "1",
    }
    schema = {"properties": {"level": PROPERTIES["level"]}}
    _, form = await _form(bench, arguments, schema)
    for number, field in enumerate(form.findChildren(QLineEdit)):
        if field.objectName().startswith("card.form.argument."):
            field.setText(f"\u202e\u200b<b>%s{{0}} {number}")
    (level,) = (one for one in form.findChildren(QComboBox) if one.objectName().endswith("level"))
    level.setCurrentIndex(level.count() - 1)
    left, edited = form.entries(), form.arguments()
    assert edited is not None

    _, again = await _form(bench, arguments, schema)
    again.enter(left)
    assert again.arguments() == edited
    level.setCurrentIndex(0)
    assert form.arguments() != edited
    again.enter(form.entries())
    assert again.arguments() == form.arguments()
    assert len({level.itemText(row) for row in range(level.count())}) == level.count(), "what is not alike looks so"
