"""Lines about cards: held, decided, expired, withdrawn, and what happens to one while it is open."""

from agent_core.model import events as ev
from agent_core.model.ids import short
from agent_core.model.proposal import EDITING, OPEN_VERDICTS, Proposal, Touchpoint, Verdict
from ui import formatting
from ui.hostile import visible_line
from ui.models.card_text import KINDS
from ui.models.decision_words import particulars
from ui.models.trace.line import ChipText, Link, TraceLine
from ui.models.trace.model import SETTLED_BELOW, TraceModel
from ui.models.trace.words import DECIDED, EXPIRED, HELD, REFUSING
from ui.tokens import ColorName

Closing = ev.DecisionMade | ev.ProposalExpired | ev.ProposalWithdrawn


def card_line(model: TraceModel, row: int) -> TraceLine:
    """A card as it stands now."""
    card = proposal_of(model, row)
    closing = closing_of(model, row)
    if closing is None:
        return _held(model, row, card, open_now=True)
    if model.rows.blocks[row] == SETTLED_BELOW:
        return _held(model, row, card, open_now=False)
    return _settled(closing, card)


def closing_line(model: TraceModel, row: int, data: Closing) -> TraceLine:
    """What closed a card, at the place where it happened."""
    card = model.row_of_card(data.proposal)
    return _settled(data, proposal_of(model, card) if card is not None else None)


def _settled(closing: Closing, card: Proposal | None) -> TraceLine:
    link = _link(closing.proposal)
    if isinstance(closing, ev.DecisionMade):
        return _decided(closing, card)
    if isinstance(closing, ev.ProposalExpired):
        words = f"no decision in time: {EXPIRED[closing.outcome]}"
        return TraceLine("hourglass", "Expired", words, icon_color="attn", title_color="attn", link=link)
    return TraceLine("undo-2", "Withdrawn", visible_line(closing.why), icon_color="text2", link=link)


def proposal_of(model: TraceModel, row: int) -> Proposal:
    """The card of a row in its newest version."""
    for event in reversed(model.later(row)):
        if isinstance(event.data, ev.ProposalChanged):
            return event.data.revised
    data = model.event(row).data
    assert isinstance(data, ev.ProposalOpened)
    return data.proposal


def closing_of(model: TraceModel, row: int) -> Closing | None:
    """What closed a card; None while it is open, or open again."""
    closing: Closing | None = None
    for event in model.later(row):
        data = event.data
        if isinstance(data, ev.ProposalExpired | ev.ProposalWithdrawn):
            closing = data
        elif isinstance(data, ev.DecisionUndone):
            closing = None
        elif isinstance(data, ev.DecisionMade) and data.decision.verdict not in OPEN_VERDICTS:
            closing = data
    return closing


def _held(model: TraceModel, row: int, card: Proposal, *, open_now: bool) -> TraceLine:
    unknown = card.touchpoint is Touchpoint.OUTCOME_UNKNOWN
    color: ColorName = "text2" if not open_now else "unk" if unknown else "attn"
    reason = card.verdict_reasons[0] if card.verdict_reasons else card.summary
    if card.verdict_reasons and model.calls_of_step(row) > 1:
        reason = f"{card.summary}. {reason}"
    seen = next((e.data for e in model.later(row) if isinstance(e.data, ev.ProposalPresented)), None)
    return TraceLine(
        KINDS[card.touchpoint].icon,
        HELD[card.touchpoint],
        visible_line(reason),
        icon_color=color,
        title_color=color if open_now else "text",
        right=f"shown to {visible_line(seen.by)}" if seen is not None else "",
        link=_link(card.proposal),
    )


def _decided(data: ev.DecisionMade, card: Proposal | None) -> TraceLine:
    verdict = data.decision.verdict
    waited = f"after {formatting.duration(data.open_seconds)}"
    told = _told(data)
    low = card is not None and card.confidence is not None and card.confidence.below_threshold
    return TraceLine(
        "x" if verdict in REFUSING else "pencil" if verdict in EDITING else "user-check",
        visible_line(DECIDED[verdict].format(by=data.by)),
        visible_line(f"{waited}: {told}" if told else waited),
        icon_color="text2",
        chips=(ChipText("below threshold", "attn"),) if low and verdict is Verdict.APPROVE else (),
        link=_link(data.proposal),
    )


def decision_line(model: TraceModel, row: int, data: ev.DecisionMade) -> TraceLine:
    """A decision at the place where it was made: one that leaves its card open, or closed it later."""
    decision = data.decision
    if decision.verdict not in OPEN_VERDICTS:
        return closing_line(model, row, data)
    return TraceLine(
        _OPEN_ICONS[decision.verdict],
        visible_line(DECIDED[decision.verdict].format(by=data.by)),
        visible_line(_told(data)),
        icon_color="text2",
        link=_link(data.proposal),
    )


def _told(data: ev.DecisionMade) -> str:
    """What the person said with it: the particulars, and their own words."""
    made = data.decision
    first = ["first of two"] if made.awaits_second else []
    own = [words for words in (made.answer or data.reason,) if words]
    return " · ".join([*first, *particulars(made.verdict, made.details), *own])


def undone_line(model: TraceModel, row: int, data: ev.DecisionUndone) -> TraceLine:
    """An approval was taken back."""
    title = visible_line(f"Taken back by {data.by}")
    return TraceLine("undo-2", title, "the card is open again", icon_color="text2", link=_link(data.proposal))


def change_line(model: TraceModel, row: int, data: ev.ProposalChanged) -> TraceLine:
    """A card came back different."""
    by = "" if data.by == "system" else f" by {data.by}"
    return TraceLine("refresh-cw", visible_line(f"Card changed{by}"), visible_line(data.why), link=_link(data.proposal))


def _link(proposal: str) -> Link:
    return Link(visible_line(short(proposal)), card=proposal)


_OPEN_ICONS = {
    Verdict.ASK: "message-circle-question-mark",
    Verdict.ESCALATE: "arrow-up-right",
    Verdict.CHECK_AGAIN: "refresh-cw",
    Verdict.POSTPONE: "clock",
}
