"""Sessions that could have happened, drawn at random: many kinds of steps in any order, some left unfinished."""

from collections.abc import Callable
from datetime import timedelta

from hypothesis import strategies as st

from agent_core.model import events as ev
from agent_core.model.action import EffectClass, GateVerdict, Tier, ToolError
from agent_core.model.budget import LimitName, Limits
from agent_core.model.plan import PlanStep
from agent_core.model.proposal import DeadlineOutcome, Touchpoint, Verdict, Via
from tests.support.sample_session import OPERATOR, Story

_LATE = ToolError(code="timeout", message="No answer in time.", retryable=True)


def _thinks(story: Story) -> None:
    story.respond(story.request(), "The ledger agrees.", thinking="It may be short.")


def _says_nothing(story: Story) -> None:
    story.respond(story.request(), "  ")


def _reads(story: Story) -> None:
    (call,) = story.respond(story.request(), "Reads.", [("files_read", {"path": "a.txt"})])
    story.read(call, {"path": "a.txt", "text": "ok"}, "1 line")


def _reads_two_at_once(story: Story) -> None:
    first, second = story.respond(story.request(), calls=[("files_read", {"path": p}) for p in "ab"])
    for call in (first, second):
        story.judge(call, rules=["allow files_read"])
        story.start(call)
    story.finish(second, "b", "1 line")
    story.retry(first, 1, _LATE)
    story.start(first, 2)
    story.finish(first, error=_LATE)


def _held(story: Story) -> tuple[str, str]:
    (call,) = story.respond(story.request(), "Writes.", [("files_write", {"path": "r.csv", "content": "1"})])
    story.judge(call, GateVerdict.ASK, effect=EffectClass.NON_IDEMPOTENT, tier=Tier.R2)
    return call, story.open_card(call)


def _writes_when_approved(story: Story) -> None:
    call, card = _held(story)
    story.decide(card, Verdict.APPROVE)
    story.start(call)
    story.finish(call, {"path": "r.csv"}, "Written")


def _writes_after_a_change_of_mind(story: Story) -> None:
    call, card = _held(story)
    story.add(ev.ProposalPresented(proposal=card, by=OPERATOR, via=Via.CONSOLE))
    story.decide(card, Verdict.POSTPONE, details={"until": (story.now + timedelta(hours=1)).isoformat()})
    made = story.decide(card, Verdict.APPROVE)
    story.add(ev.DecisionUndone(proposal=card, decision=made.decision, by=OPERATOR))
    story.add(ev.ProposalChanged(proposal=card, revised=story.cards[card], why="Checked again"))
    story.decide(card, Verdict.REJECT, reason="Not like this")
    story.finish(call, error=ToolError(code="rejected", message="Not like this"), ran=False)


def _expires(story: Story) -> None:
    call, card = _held(story)
    story.add(ev.MessageAdded(text="Be quick.", by=OPERATOR))
    story.add(ev.ProposalExpired(proposal=card, outcome=DeadlineOutcome.CANCEL))
    story.finish(call, error=_LATE, ran=False)


def _asks(story: Story) -> None:
    (call,) = story.respond(story.request(), "Which month?", [("ask_operator", {"question": "Which month?"})])
    card = story.open_card(call, Touchpoint.QUESTION)
    story.decide(card, Verdict.ANSWER, answer="October", digest=None)
    story.finish(call, {"answer": "October"}, ran=False)


def _is_denied(story: Story) -> None:
    (call,) = story.respond(story.request(), calls=[("files_delete", {"path": "a"})])
    story.judge(call, GateVerdict.DENY)
    story.finish(call, error=ToolError(code="denied", message="No"), ran=False)


def _stumbles(story: Story) -> None:
    request = story.request()
    failed = ev.ModelFailed(request_id=request, attempt=1, fault="overloaded", message="busy", lost_tokens=40)
    story.add(failed)
    story.request(request_id=request, attempt=2)
    story.respond(request, "At last.")


def _crashes_in_a_call(story: Story) -> None:
    (call,) = story.respond(story.request(), calls=[("files_move", {"source": "a", "target": "b"})])
    story.judge(call)
    story.start(call)
    story.add(ev.CallUnknown(call_id=call, tool_use_id="toolu", tool="files_move", why="It was cut off."))
    card = story.open_card(call, Touchpoint.OUTCOME_UNKNOWN, approve_by=None)
    story.decide(card, Verdict.HAPPENED, digest=None)
    story.finish(call, {"happened": True}, "It happened")


def _crashes_in_a_request(story: Story) -> None:
    request = story.request()
    story.add(ev.RunPaused(reason="closed"))
    story.add(ev.RunResumed(by=OPERATOR))
    story.request(request_id=request, attempt=2)
    story.respond(request, "Again.")


def _leaves_a_card_open(story: Story) -> None:
    _held(story)


def _stops_and_starts(story: Story) -> None:
    done = ev.RunStopped(stop_reason="completed", completed=True, output="Done.", gaps=[], confidence="high")
    story.add(done)
    story.start_run(Limits(steps=20), "And now November")


def _reaches_a_limit(story: Story) -> None:
    story.add(ev.LimitReached(limit=LimitName.STEPS, value="4", spent="4"))
    card = story.open_card(None, Touchpoint.BUDGET, deadline_outcome=DeadlineOutcome.FINISH)
    story.decide(card, Verdict.EXTEND, details={"steps": "9"})
    story.add(ev.LimitChanged(limit=LimitName.STEPS, old="4", new="9", by=OPERATOR))


def _regrets(story: Story) -> None:
    for card in list(story.cards)[:1]:
        story.add(ev.DecisionRegretted(proposal=card, decision="d-1", by=OPERATOR, why="Too soon"))


def _takes_notes(story: Story) -> None:
    story.add(ev.NoteWritten(key="total", text="412"))
    story.add(ev.AlertRaised(alert="cost", message="More than usual"))
    story.add(ev.ContextEdited(technique="clearing", removed=["c-1"], tokens_before=9, tokens_after=4))


def _plans(story: Story) -> None:
    (call,) = story.respond(story.request(), "A plan.", [("plan_submit", {"steps": []})])
    story.judge(call)
    story.add(ev.PlanAdopted(call_id=call, steps=[PlanStep(id="1", goal="Read", tool="files_read")], edited_by="ana"))
    story.finish(call, {"adopted": True})
    story.add(ev.StepReported(step="1", done=True, result="Read"))


def _sleeps(story: Story) -> None:
    story.add(ev.ClockJumped(since=story.now), 3_600)


ACTS: tuple[Callable[[Story], None], ...] = (
    _thinks, _says_nothing, _reads, _reads_two_at_once, _writes_when_approved, _writes_after_a_change_of_mind, _expires,
    _asks, _is_denied, _stumbles, _crashes_in_a_call, _crashes_in_a_request, _leaves_a_card_open, _stops_and_starts,
    _reaches_a_limit, _regrets, _takes_notes, _plans, _sleeps,
)  # fmt: skip


def told(acts: list[Callable[[Story], None]]) -> list[ev.Event]:
    """The events of a session in which these things happened."""
    story = Story()
    for act in acts:
        act(story)
    return story.events


stories = st.lists(st.sampled_from(ACTS), max_size=24).map(told)
"""Events of sessions."""
