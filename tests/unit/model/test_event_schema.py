"""Event classes change only on purpose: what is journaled has to be read for as long as somebody keeps it."""

import json

import msgspec

from agent_core.model.events import EventData
from tests.support.event_schema import SUMMARY, digest_of, summary


def test_every_event_class_is_as_its_summary_says() -> None:
    written = json.loads(SUMMARY.read_text(encoding="utf-8"))

    assert summary() == written, "see tests/support/event_schema.py for what a changed class takes"


def test_a_summary_sees_names_types_and_defaults_but_no_words() -> None:
    class Inner(msgspec.Struct):
        count: int = 0

    class Told(EventData, kw_only=True):
        """Some words."""

        kind = "told"
        title: str
        inner: Inner

    known = digest_of(Told)
    Told.__doc__ = "Other words."
    reworded = digest_of(Told)
    other_type = digest_of(msgspec.defstruct("Told", [("title", int), ("inner", Inner)]))
    other_name = digest_of(msgspec.defstruct("Told", [("name", str), ("inner", Inner)]))
    other_default = digest_of(msgspec.defstruct("Told", [("inner", Inner), ("title", str, "")]))
    deeper = msgspec.defstruct("Inner", [("count", int, 1)])
    other_inner = digest_of(msgspec.defstruct("Told", [("title", str), ("inner", deeper)]))
    same = digest_of(msgspec.defstruct("Told", [("title", str), ("inner", Inner)]))

    assert known == reworded == same
    assert len({known, other_type, other_name, other_default, other_inner}) == 5
