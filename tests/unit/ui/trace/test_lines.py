"""What rows say: facts by code, the model's words apart, hidden characters visible."""

from datetime import timedelta
from decimal import Decimal

import pytest

from agent_core.model import events as ev
from agent_core.model.action import Source, ToolError
from agent_core.model.budget import LimitName
from agent_core.model.proposal import DeadlineOutcome, Touchpoint, Verdict
from agent_core.model.run import StopReason
from tests.support import sample_session as sample
from tests.unit.ui.trace.test_model import of, spoken
from ui.models.trace.line import StepLine, TraceLine
from ui.models.trace.lines import line_of
from ui.models.trace.model import TraceModel
from ui.models.trace.rows import RowKind
from ui.models.trace.step_line import step_line
from ui.models.trace.words import DECIDED, EXPIRED, HELD, LIMITS, PAUSED, STOPPED


@pytest.fixture(scope="module")
def whole() -> list[str]:
    return spoken(of(sample.every_kind()))


@pytest.mark.parametrize(
    "start",
    [
        "Goal, Reconcile October invoices",
        "Run started, by m.keller, 40 steps · $0.50 · 15 min",
        'files_search, {"pattern": "short delivery", "path": "mail"}, retry 1, read-only, 2.1 s',
        "Trying again, files_search: The index did not answer within 2 s., timeout, attempt 1 · next in 2 s",
        "Observation, files_search: 1 match in 1 file",
        'Allowed by rule, allow files_write when path is inside "reports/**"',
        "Modified by m.keller, after 2 min 30 s: Name the currency",
        "Message from m.keller, Leave the Brix invoice alone",
        "Model request failed, The service is overloaded (529)., service overloaded, attempt 1 · next in 3.3 s",
        'Denied by the gate, "../payroll.csv" lies outside the workspace.',
        "Cleared 14 results, 31k tokens, 104k → 73k · $0.0040",
        "Alert, This run costs 2.1 times",
        "Taken back by m.keller, the card is open again",
        "Expired, no decision in time: the call was cancelled by the system",
        "Outcome unknown, files_move may or may not have happened.",
        "Withdrawn, A probe answered: it happened.",
        "Loop detected, the same 2 calls in turn",
        "files_delete switched off, Three calls were denied.",
        "Time stood still, for 8 h: the machine slept, or its clock was set, not counted",
        "Cost limit reached, $0.50 of $0.50",
        "Extended by m.keller, after 40 s: Worth finishing",
        "Cost limit changed by m.keller, $0.50 → $1.00 · Worth finishing",
        "Paused, the console was closed",
        "Resumed, by m.keller · 1 result is stale",
        "Everything halted, by m.keller: Fire drill",
        "Halt released, by m.keller",
        "Stopped at the cost limit, 2 gaps: The cost limit was reached before the goal.",
        "Forked, after step 7 of",
        "Backup restored, by m.keller",
        "Operator key added, m.keller, kept in the keyring",
    ],
)
def test_a_line_says_what_happened(whole: list[str], start: str) -> None:
    assert any(text.startswith(start) for text in whole), start


def test_the_word_tables_leave_no_member_out() -> None:
    assert set(STOPPED) == set(StopReason)
    assert set(DECIDED) == set(Verdict)
    assert set(HELD) == set(Touchpoint)
    assert set(EXPIRED) == set(DeadlineOutcome)
    assert set(LIMITS) == set(LimitName)
    assert set(PAUSED) == {"operator", "closed", "limit", "provider_overloaded", "cannot_save"}


@pytest.mark.parametrize("reason", list(StopReason))
def test_every_stop_reason_has_words_of_its_own(reason: StopReason) -> None:
    story = sample.Story()
    story.add(
        ev.RunStopped(stop_reason=reason.value, completed=False, output=None, gaps=["Nothing read"], confidence="low")
    )
    line = spoken(of(story.events))[-1]
    assert line == f"{STOPPED[reason]}, 1 gap: Nothing read, confidence low"
    assert "_" not in line


def test_a_pause_for_a_service_says_once_what_is_wrong_with_it() -> None:
    story = sample.Story()
    story.add(ev.RunPaused(reason="provider_overloaded", detail="The model's service at host cannot be reached."))
    assert spoken(of(story.events))[-1] == "Paused, The model's service at host cannot be reached."


def heads(model: TraceModel) -> list[StepLine]:
    rows = (row for row in range(len(model)) if model.kind(row) is RowKind.STEP)
    return [line for row in rows if isinstance(line := line_of(model, row), StepLine)]


def test_a_head_says_how_many_calls_ran_at_once_and_how_long_the_step_took() -> None:
    shown = heads(of(sample.sample_events()))
    assert shown[1].facts.endswith("2 calls in parallel · 8.1 s")
    assert shown[2].facts.endswith("2 calls · 2.6 s")


def test_a_head_says_what_was_read_and_what_it_cost() -> None:
    assert heads(of(sample.sample_events()))[1].figures == "7k in · 90 % cached · 188 out · $0.0071"


def test_an_unknown_cost_is_said_in_words_and_never_zero() -> None:
    story = sample.Story(price=False)
    story.respond(story.request(), "Hello.")
    assert heads(of(story.events))[0].figures.endswith("cost unknown")


def test_waiting_for_a_person_is_not_counted_as_the_time_of_a_step() -> None:
    assert " s" not in heads(of(sample.sample_events()))[4].facts


def test_a_sleep_of_the_machine_is_not_counted_as_the_time_of_a_step() -> None:
    story = sample.Story()
    request = story.request()
    story.add(ev.ClockJumped(since=story.now), 8 * 3600)
    story.respond(request, "Awake again")
    assert " h" not in heads(of(story.events))[0].facts


def test_a_stream_says_its_pace() -> None:
    from tests.unit.ui.trace.test_model import delta

    story = sample.Story()
    request = story.request()
    model = of(story.events)
    model.apply([], [(delta(request), "x" * 400)], story.now)
    head = model.row_of_step(1)
    assert head is not None
    later = step_line(model, head, story.now + timedelta(seconds=2))
    assert later.chip is not None
    assert later.chip.text == "Streaming · ~50 tok/s"


def test_an_answer_that_was_cut_off_says_so() -> None:
    story = sample.Story()
    story.respond(story.request(), "And then", finish="max_tokens")
    chip = heads(of(story.events))[0].chip
    assert chip is not None
    assert (chip.text, chip.tone) == ("answer cut off", "attn")


def test_an_old_source_is_said_to_have_changed_then_not_to_be_an_old_result() -> None:
    story = sample.Story()
    (call,) = story.respond(story.request(), "", [("files_read", {"path": "a.txt"})])
    story.judge(call)
    story.start(call)
    story.finish(call, "text", sources=[Source(name="a.txt", age_seconds=2_520.0)])
    (said,) = [line for line in spoken(of(story.events)) if line.startswith("Observation")]
    assert "changed 42 min earlier" in said


def test_the_tool_is_named_once_in_what_was_refused_of_several_calls() -> None:
    story = sample.Story()
    calls = story.respond(story.request(), "", [("files_write", {"path": 5}), ("files_read", {"path": "a.txt"})])
    story.finish(calls[0], error=ToolError(code="invalid", message="files_write: path must be a text."), ran=False)
    story.finish(calls[1], error=ToolError(code="not_found", message="There is no a.txt."))
    said = [line for line in spoken(of(story.events)) if line.startswith("Observation")]
    assert [line.split(", ")[1] for line in said] == [
        "files_write: path must be a text.",
        "files_read: There is no a.txt.",
    ]


def test_hidden_characters_are_visible_in_every_line() -> None:
    story = sample.Story()
    request = story.request()
    evil = "a\u202egpj\u200b.exe"
    (call,) = story.respond(request, evil, [(evil, {"path": evil})])
    story.judge(call)
    story.start(call)
    error = ToolError(code="not_found", message=evil)
    story.finish(call, error=error)
    story.add(ev.MessageAdded(text=evil, by=evil))
    story.add(ev.NoteWritten(key=evil, text=evil))
    story.add(ev.AlertRaised(alert="x", message=evil))
    for text in spoken(of(story.events)):
        assert "\u202e" not in text
        assert "\u200b" not in text


def test_markup_from_outside_is_text() -> None:
    story = sample.Story()
    story.respond(story.request(), "<b>bold</b>", [("files_read", {"path": "<a href=x>Approve</a>"})])
    model = of(story.events)
    line = line_of(model, len(model) - 1)
    assert isinstance(line, TraceLine)
    assert line.text == '{"path": "<a href=x>Approve</a>"}'


def test_a_huge_argument_is_cut_before_it_is_formatted() -> None:
    story = sample.Story()
    story.respond(story.request(), calls=[("files_write", {"path": "a", "content": "x" * 10_000_000})])
    model = of(story.events)
    line = line_of(model, len(model) - 1)
    assert isinstance(line, TraceLine)
    assert len(line.text) < 1_000
    assert line.text.endswith("…")


def test_a_cost_of_compaction_is_shown_only_where_it_is_known() -> None:
    story = sample.Story()
    story.add(ev.ContextEdited(technique="compaction", removed=["a"], tokens_before=150_000, tokens_after=60_000))
    assert spoken(of(story.events))[-1] == "Compacted 90k tokens, 150k → 60k"
    story.add(
        ev.ContextEdited(
            technique="handoff", removed=[], tokens_before=9_000, tokens_after=1_000, cost_usd=Decimal("0.05")
        )
    )
    assert spoken(of(story.events))[-1] == "Handed over 8k tokens, 9k → 1k · $0.05"
