"""Card changes: what is different between two versions of a card, in sentences. Pure."""

from collections.abc import Iterator

from agent_core.model.proposal import Proposal
from agent_core.policy.decision_details import when
from agent_core.policy.preview_changes import preview_changes


def card_changes(before: Proposal, after: Proposal) -> list[str]:
    """What a person who saw the version before has to know of this one; empty when nothing that matters differs."""
    return [*_of_people(before, after), *_of_the_action(before, after), *_of_time(before, after)]


def _of_people(before: Proposal, after: Proposal) -> Iterator[str]:
    for answer in after.answers[len(before.answers) :]:
        said = "could not answer" if answer.failed else "answered"
        yield f"The agent {said} {answer.asked_by}'s question."
    if after.escalation is not None and after.escalation != before.escalation:
        yield f"{after.escalation.by} passed it to {after.escalation.to}."
    first, earlier = after.first_approval, before.first_approval
    if first is not None and first != earlier:
        did = "changed and approved it" if first.arguments is not None else "approved it"
        yield f"{first.by} {did}; a second person has to approve it too."
        yield from (f"Changed: {change}." for change in first.changes)
    if first is None and earlier is not None:
        yield f"The approval of {earlier.by} no longer counts: it was given for another version."
    if after.people > before.people:
        yield f"{after.people} people must approve it now."


def _of_the_action(before: Proposal, after: Proposal) -> Iterator[str]:
    if after.summary != before.summary:
        yield f"It was: {before.summary}. It is now: {after.summary}."
    yield from preview_changes(before.what_changes, after.what_changes)
    if (after.reversibility, after.tier) != (before.reversibility, before.tier):
        yield f"Its risk is {after.tier.value} now, it was {before.tier.value}."
    score, old = after.confidence, before.confidence
    if score is not None and old is not None and score.score != old.score:
        yield f"Its confidence is {score.score} now, it was {old.score}."
    if after.verdict_reasons != before.verdict_reasons:
        yield "The reasons why it is asked are different."
    if after.digest != before.digest and after.what_changes == before.what_changes:
        yield "What it rests on is different."


def _of_time(before: Proposal, after: Proposal) -> Iterator[str]:
    if after.approve_by != before.approve_by:
        now = "no deadline" if after.approve_by is None else f"the deadline {when(after.approve_by)}"
        yield f"It has {now}."
