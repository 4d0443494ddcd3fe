"""Changes of files as the journal tells them: what was there before is shown where it is known, and said where not."""

from typing import Any

from agent_core.model import events as ev
from agent_core.model.action import ToolError
from tests.support import sample_session as sample
from ui.models.workspace_diff import UNKNOWN_BEFORE, Changed, WorkspaceChanges


def of(events: list[ev.Event]) -> list[Changed]:
    collected = WorkspaceChanges()
    collected.apply(events)
    return collected.changes


def run(story: sample.Story, tool: str, arguments: dict[str, Any], result: Any, **more: Any) -> None:
    (call,) = story.respond(story.request(), calls=[(tool, arguments)])
    story.judge(call)
    story.start(call)
    story.finish(call, result, "ok", **more)


def test_writes_show_their_content_and_who_changed_the_call() -> None:
    created, changed = of(sample.sample_events())
    assert (created.action, created.path, created.before, created.after) == (
        "created", "reports/october.csv", None, sample.REPORT,
    )  # fmt: skip
    assert (changed.action, changed.before, changed.by) == ("changed", sample.LEDGER, sample.OPERATOR)
    assert changed.after is not None
    assert "EUR" in changed.after
    assert changed.step == 4


def test_a_file_that_was_read_before_is_known() -> None:
    story = sample.Story()
    run(story, "files_read", {"path": "a.txt"}, {"path": "a.txt", "text": "one\ntwo\n"})
    run(story, "files_edit", {"path": "a.txt", "old": "two", "new": "three"}, {"path": "a.txt"})
    (change,) = of(story.events)
    assert (change.before, change.after, change.note) == ("one\ntwo\n", "one\nthree\n", "")


def test_a_page_of_a_file_is_not_taken_for_the_whole() -> None:
    story = sample.Story()
    run(story, "files_read", {"path": "a"}, {"path": "a", "text": "one\n", "offset": 0, "next_offset": 4})
    run(story, "files_write", {"path": "a", "content": "x"}, {"path": "a", "created": False, "changed": True})
    assert of(story.events)[0].note == UNKNOWN_BEFORE


def test_what_was_never_read_is_said_to_be_unknown() -> None:
    story = sample.Story()
    run(story, "files_write", {"path": "a", "content": "new"}, {"path": "a", "created": False, "changed": True})
    run(story, "files_edit", {"path": "b", "old": "x", "new": "y"}, {"path": "b"})
    first, second = of(story.events)
    assert (first.before, first.note) == (None, UNKNOWN_BEFORE)
    assert (second.before, second.after) == ("x", "y")
    assert "Only the part" in second.note


def test_moves_and_deletions_carry_what_is_known_along() -> None:
    story = sample.Story()
    run(story, "files_write", {"path": "a", "content": "text"}, {"path": "a", "created": True, "changed": True})
    run(story, "files_move", {"source": "a", "target": "b"}, {"target": "b"})
    run(story, "files_delete", {"path": "b"}, {"path": "b"})
    _, moved, deleted = of(story.events)
    assert (moved.action, moved.path, moved.target) == ("moved", "a", "b")
    assert (deleted.action, deleted.path, deleted.before, deleted.after) == ("deleted", "b", "text", None)


def test_what_did_not_run_or_changed_nothing_is_no_change() -> None:
    story = sample.Story()
    run(story, "files_write", {"path": "a", "content": "x"}, {"path": "a", "created": False, "changed": False})
    run(story, "files_delete", {"path": "a"}, None, error=ToolError(code="not_found", message="gone"))
    run(story, "files_delete", {"path": "a"}, {"path": "a"}, ran=False)
    assert of(story.events) == []


def test_a_tool_that_is_not_known_is_shown_by_its_card() -> None:
    story = sample.Story()
    (call,) = story.respond(story.request(), calls=[("docs__save", {"id": 7})])
    story.judge(call)
    story.open_card(call, what_changes=sample.preview("page.md", "old\n", "new\n"))
    story.start(call)
    story.finish(call, {"ok": True}, "Saved")
    (change,) = of(story.events)
    assert (change.path, change.before, change.after, change.tool) == ("page.md", "old\n", "new\n", "docs__save")
