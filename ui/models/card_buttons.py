"""The buttons of a card by its touchpoint: words, keys, icons, and which form each opens. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from agent_core.model.action import Tier
from agent_core.model.proposal import APPROVING, EDITING, Proposal, Touchpoint, Verdict
from ui.widgets.button import ButtonKind


class Form(StrEnum):
    """What stands between pressing a button and the decision."""

    NONE = "none"
    """Decides at once (through the guard)."""
    SECOND_STEP = "second_step"
    """The effect restated, with Cancel in focus."""
    REVIEW = "review"
    """The full review page."""
    ARGUMENTS = "arguments"
    """The arguments as fields."""
    PLAN = "plan"
    """The steps of a plan, to move, change, add and take out."""
    REJECT = "reject"
    """Reason chips, text, and whether the agent may try another way."""
    REASON = "reason"
    QUESTION = "question"
    PERSON = "person"
    REFERENCE = "reference"
    TAKE_OVER = "take_over"
    ANSWER = "answer"
    LIMITS = "limits"
    POSTPONE = "postpone"


@dataclass(frozen=True, slots=True)
class CardButton:
    """One button. `key` is a bare letter that opens a form, or "" ; the main button has Ctrl+Enter besides."""

    verdict: Verdict
    words: str
    form: Form = Form.NONE
    key: str = ""
    icon: str | None = None
    kind: ButtonKind = "default"
    confirm: str = ""
    """What confirms its form, where the verdict alone does not say it."""


@dataclass(frozen=True, slots=True)
class ButtonSet:
    """The three large buttons, the quiet ones below, and what the main button does next, in words."""

    main: tuple[CardButton, ...]
    quiet: tuple[CardButton, ...]
    hint: str

    @property
    def every(self) -> tuple[CardButton, ...]:
        """All of them."""
        return (*self.main, *self.quiet)


_V = Verdict
_ASK = CardButton(_V.ASK, "Ask", Form.QUESTION, "Q", "message-circle-question-mark")
_ESCALATE = CardButton(_V.ESCALATE, "Escalate", Form.PERSON, "E", "arrow-up-right")
_TAKE_OVER = CardButton(_V.TAKE_OVER, "Take over", Form.TAKE_OVER, "T", "hand-grab")
_POSTPONE = CardButton(_V.POSTPONE, "Later", Form.POSTPONE, "H", "clock")
_MODIFY = CardButton(_V.MODIFY, "Modify…", Form.ARGUMENTS, "M", "pencil")
_EDIT_PLAN = CardButton(_V.EDIT, "Edit…", Form.PLAN, "M", "pencil", confirm="Approve as edited")
_REJECT = CardButton(_V.REJECT, "Reject…", Form.REJECT, "R", "x")

_BY_TOUCHPOINT: Mapping[Touchpoint, ButtonSet] = {
    Touchpoint.QUALITY_REVIEW: ButtonSet(
        (
            CardButton(_V.RELEASE, "Release as is…", Form.SECOND_STEP, "", "send", "outline"),
            CardButton(_V.EDIT, "Edit…", Form.ARGUMENTS, "M", "pencil"),
            CardButton(_V.SEND_BACK, "Send back…", Form.REASON, "R", "rotate-ccw"),
        ),
        (_ASK, _ESCALATE, _TAKE_OVER, _POSTPONE),
        "one more step",
    ),
    Touchpoint.CONFIDENCE: ButtonSet(
        (
            CardButton(_V.ANSWER, "Answer…", Form.ANSWER, "", "check", "primary"),
            _TAKE_OVER,
            CardButton(_V.BEST_EFFORT, "Best effort…", Form.REASON, "B"),
        ),
        (_ESCALATE, CardButton(_V.ABANDON, "Abandon task", Form.REASON, "", "circle-x"), _POSTPONE),
        "logged as your choice",
    ),
    Touchpoint.EXCEPTION: ButtonSet(
        (
            CardButton(_V.USE_SUGGESTION, "Use suggestion…", Form.SECOND_STEP, "", "check", "outline"),
            CardButton(_V.FIXED, "Fixed, resume", Form.REASON, "M"),
            CardButton(_V.OTHER_WAY, "Other way…", Form.ANSWER, "O"),
        ),
        (
            CardButton(_V.SKIP, "Skip", Form.REASON, "", "arrow-right"),
            _ESCALATE,
            CardButton(_V.ABANDON, "Abandon task", Form.REASON, "", "circle-x"),
            _POSTPONE,
        ),
        "one more step",
    ),
    Touchpoint.OUTCOME_UNKNOWN: ButtonSet(
        (
            CardButton(_V.CHECK_AGAIN, "Check again now", Form.NONE, "C", None, "primary"),
            CardButton(_V.HAPPENED, "It happened…", Form.REFERENCE, "Y"),
            CardButton(_V.NOT_HAPPENED, "It did not…", Form.REFERENCE, "N"),
        ),
        (_TAKE_OVER, _ESCALATE, CardButton(_V.POSTPONE, "Keep paused", Form.POSTPONE, "H", "pause")),
        "asks for a reference",
    ),
    Touchpoint.BUDGET: ButtonSet(
        (
            CardButton(_V.EXTEND, "Continue…", Form.LIMITS, "", None, "outline"),
            CardButton(_V.FINISH, "Finish…", Form.REASON, "F"),
            CardButton(_V.STOP, "Stop now…", Form.REASON, "S"),
        ),
        (_ESCALATE, _POSTPONE),
        "needs a reason",
    ),
    Touchpoint.QUESTION: ButtonSet(
        (
            CardButton(_V.ANSWER, "Answer…", Form.ANSWER, "", "check", "primary"),
            CardButton(_V.DECLINE, "Decline…", Form.REASON, "R", "x"),
        ),
        (_POSTPONE,),
        "the agent reads your answer and goes on",
    ),
}

_APPROVALS: Mapping[Tier, tuple[CardButton, str]] = {
    Tier.R1: (CardButton(_V.APPROVE, "Approve", Form.NONE, "", "check", "primary"), "8 s to undo"),
    Tier.R2: (
        CardButton(_V.APPROVE, "Approve…", Form.SECOND_STEP, "", "check", "outline"),
        "one more step",
    ),
    Tier.R3: (CardButton(_V.APPROVE, "Review…", Form.REVIEW, "", "maximize-2", "default"), "on its own page"),
}


def buttons_for(card: Proposal) -> ButtonSet:
    """The buttons of a card, for the verdicts that it allows. The tier, never the model, sets how one approves."""
    if card.touchpoint is Touchpoint.APPROVAL:
        approve, hint = _APPROVALS.get(card.tier, _APPROVALS[Tier.R3])
        if card.doubtful and approve.form is Form.NONE:
            approve = CardButton(_V.APPROVE, "Approve…", Form.REASON, "", "check", "outline")
            hint = "below the threshold: needs a reason"
        every = ButtonSet((approve, _MODIFY, _REJECT), (_ASK, _ESCALATE, _TAKE_OVER, _POSTPONE), hint)
    elif card.touchpoint is Touchpoint.PLAN:  # judged by its gravest step
        approve, hint = _APPROVALS.get(card.tier, _APPROVALS[Tier.R3])
        every = ButtonSet((approve, _EDIT_PLAN, _REJECT), (_POSTPONE,), f"{hint}; approves no step")
    else:
        every = _BY_TOUCHPOINT[card.touchpoint]
        every = _held(every) if card.tier is Tier.R3 else every
    allowed = {*card.verdicts, Verdict.POSTPONE}
    return ButtonSet(
        tuple(button for button in every.main if button.verdict in allowed),
        tuple(button for button in every.quiet if button.verdict in allowed),
        _said_of(card) or every.hint,
    )


def _held(every: ButtonSet) -> ButtonSet:
    """The same, where what would run cannot be undone: what lets it run as it is leads to its own page."""
    main = tuple(
        replace(one, words="Review…", form=Form.REVIEW, icon="maximize-2", kind="default")
        if one.verdict in APPROVING - EDITING
        else one
        for one in every.main
    )
    return every if main == every.main else ButtonSet(main, every.quiet, "on its own page")


def _said_of(card: Proposal) -> str:
    """What a card itself says of its approval, before what its tier does; "" for most."""
    if card.drill:
        return "a drill: nothing runs"
    if card.people > 1:
        return "first of two, runs nothing yet" if card.first_approval is None else "second of two"
    return ""
