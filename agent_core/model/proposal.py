"""Proposals and decisions: what a card shows, who may answer it how, and what silence means."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from agent_core.model.action import Rationale, Reversibility, Source, Tier
from agent_core.model.plan import PlanStep


class Touchpoint(StrEnum):
    """Why a person is asked."""

    APPROVAL = "approval"
    QUALITY_REVIEW = "quality_review"
    CONFIDENCE = "confidence"
    EXCEPTION = "exception"
    OUTCOME_UNKNOWN = "outcome_unknown"
    BUDGET = "budget"
    PLAN = "plan"
    QUESTION = "question"


class Verdict(StrEnum):
    """What a person can say to a proposal."""

    APPROVE = "approve"
    MODIFY = "modify"
    REJECT = "reject"
    ASK = "ask"
    ESCALATE = "escalate"
    TAKE_OVER = "take_over"
    RELEASE = "release"
    EDIT = "edit"
    SEND_BACK = "send_back"
    ANSWER = "answer"
    BEST_EFFORT = "best_effort"
    ABANDON = "abandon"
    USE_SUGGESTION = "use_suggestion"
    FIXED = "fixed"
    OTHER_WAY = "other_way"
    SKIP = "skip"
    CHECK_AGAIN = "check_again"
    HAPPENED = "happened"
    NOT_HAPPENED = "not_happened"
    EXTEND = "extend"
    FINISH = "finish"
    STOP = "stop"
    DECLINE = "decline"
    POSTPONE = "postpone"


_V = Verdict
VERDICTS: dict[Touchpoint, tuple[Verdict, ...]] = {
    Touchpoint.APPROVAL: (_V.APPROVE, _V.MODIFY, _V.REJECT, _V.ASK, _V.ESCALATE, _V.TAKE_OVER),
    Touchpoint.QUALITY_REVIEW: (_V.RELEASE, _V.EDIT, _V.SEND_BACK, _V.ASK, _V.ESCALATE, _V.TAKE_OVER),
    Touchpoint.CONFIDENCE: (_V.ANSWER, _V.BEST_EFFORT, _V.TAKE_OVER, _V.ESCALATE, _V.ABANDON),
    Touchpoint.EXCEPTION: (_V.USE_SUGGESTION, _V.FIXED, _V.OTHER_WAY, _V.SKIP, _V.ESCALATE, _V.ABANDON),
    Touchpoint.OUTCOME_UNKNOWN: (_V.CHECK_AGAIN, _V.HAPPENED, _V.NOT_HAPPENED, _V.TAKE_OVER, _V.ESCALATE),
    Touchpoint.BUDGET: (_V.EXTEND, _V.FINISH, _V.STOP, _V.ESCALATE),
    Touchpoint.PLAN: (_V.APPROVE, _V.EDIT, _V.REJECT),
    Touchpoint.QUESTION: (_V.ANSWER, _V.DECLINE),
}
"""The verdicts of each touchpoint, in the order of their buttons. `POSTPONE` is allowed everywhere besides."""

OPEN_VERDICTS = frozenset({_V.ASK, _V.ESCALATE, _V.CHECK_AGAIN, _V.POSTPONE})
"""Verdicts that leave the card open; every other closes it, once."""

EDITING = frozenset({_V.MODIFY, _V.EDIT})
"""Verdicts that carry the complete new arguments."""

APPROVING = EDITING | {_V.APPROVE, _V.BEST_EFFORT, _V.RELEASE}
"""Verdicts after which the action runs."""

REFUSING = frozenset({_V.REJECT, _V.SEND_BACK, _V.ABANDON, _V.DECLINE, _V.STOP})
"""Verdicts that say no. Whoever may decide can give them, also on a card that was passed on to somebody else."""

_RULED = frozenset({Touchpoint.APPROVAL, Touchpoint.QUALITY_REVIEW, Touchpoint.CONFIDENCE})
"""Touchpoints of cards about a call that a rule could have answered instead."""


def suggests_rule(touchpoint: Touchpoint, verdict: Verdict | None, *, drill: bool) -> bool:
    """Whether a rule can be made of a card: somebody closed it by `verdict`, and it is about a call of an agent."""
    return touchpoint in _RULED and verdict is not None and not drill


class DeadlineOutcome(StrEnum):
    """What happens when nobody answers. There is no approval here, by construction."""

    CANCEL = "cancel"
    ESCALATE = "escalate"
    STOP = "stop"
    FINISH = "finish"
    STAY = "stay"
    """The card stays open: staging and unknown outcomes wait for a person."""


class CheckResult(StrEnum):
    """How one check of a confidence score came out."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    NOT_APPLICABLE = "not_applicable"


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One computed check: what was held against what, and how much it weighs (0 when it does not apply)."""

    name: str
    result: CheckResult
    weight: float
    detail: str = ""


class Confidence(msgspec.Struct, frozen=True, kw_only=True):
    """A score from 0 to 1 computed by code from checks. `score` is None when no check applies."""

    score: float | None
    threshold: float
    below_threshold: bool
    checks: list[Check]


class Sign(StrEnum):
    """The sign of a changed field, row or line."""

    ADDED = "+"
    REMOVED = "-"
    CHANGED = "~"
    SAME = " "


class FieldChange(msgspec.Struct, frozen=True, kw_only=True):
    """One field of a record before and after; None where it does not exist."""

    sign: Sign
    field: str
    before: str | None = None
    after: str | None = None


class FieldsChange(msgspec.Struct, frozen=True, kw_only=True, tag="fields"):
    """Changed fields of one record, or plain facts of an action."""

    title: str
    rows: list[FieldChange]


class TextChange(msgspec.Struct, frozen=True, kw_only=True, tag="text"):
    """A text before and after; the screen computes line and word marks from both. None: no such file.

    Whole, but for a region of a large text, which says with which lines of the file it begins.
    """

    path: str
    before: str | None
    after: str | None
    added: int
    removed: int
    """Lines added and removed."""
    first_before: int = 1
    first_after: int = 1


class TableRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a table change; `before` holds the old cells of a changed row; `flag` says what is odd about it."""

    sign: Sign
    cells: list[str]
    before: list[str] | None = None
    flag: str | None = None


class TableChange(msgspec.Struct, frozen=True, kw_only=True, tag="table"):
    """Rows added, removed and changed in a table, flagged rows first; unchanged rows are only counted."""

    path: str
    columns: list[str]
    rows: list[TableRow]
    unchanged: int = 0
    totals: list[FieldChange] = []


class MessageChange(msgspec.Struct, frozen=True, kw_only=True, tag="message"):
    """A message that would leave: its recipients, subject and whole body."""

    to: list[str]
    subject: str
    body: str


class FileFlag(msgspec.Struct, frozen=True, kw_only=True):
    """What is odd about one file of many."""

    name: str
    why: str


class FileChange(msgspec.Struct, frozen=True, kw_only=True, tag="file"):
    """Files created, moved or deleted: how many, how large in bytes, and where to."""

    action: str
    path: str
    target: str | None = None
    files: int = 1
    size: int | None = None
    names: list[str] = []
    """Every file touched, where there is more than one."""
    flagged: list[FileFlag] = []
    """The files among them that a careful reader would stop at."""


class Picture(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a changed image, as the preview read it: what its bytes are, by their content."""

    form: str
    """ "PNG image", "text", "binary data"."""
    size: int
    """Bytes."""
    sha256: str
    data: str | None = None
    """The bytes of an image in base64; None for one that is too large for a card."""


class ImageChange(msgspec.Struct, frozen=True, kw_only=True, tag="image"):
    """An image before and after; None where there is no file. Equal hashes: the same picture at another path."""

    path: str
    before: Picture | None
    after: Picture | None


class CommandChange(msgspec.Struct, frozen=True, kw_only=True, tag="command"):
    """A command line or request that would be sent, whole, with its working folder or address."""

    command: str
    where: str


class StepAsks(StrEnum):
    """Whether the calls of a planned step will wait for a person, by the rules as they are."""

    NO = "no"
    MAYBE = "maybe"
    """That depends on their arguments."""
    YES = "yes"
    NEVER = "never"
    """A rule denies them."""


class PlannedStep(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a plan as a card shows it; `before` is the step as it was, where it is a changed one."""

    sign: Sign
    step: PlanStep
    reversibility: Reversibility | None
    """The gravest of what it may do; None where it changes nothing."""
    asks: StepAsks
    asks_because: str
    before: PlanStep | None = None


class PlanChange(msgspec.Struct, frozen=True, kw_only=True, tag="plan"):
    """The steps that would be carried out, in order, removed ones where they stood."""

    steps: list[PlannedStep]
    against: str = ""
    """What the signs compare with: the plan before, or the plan as it was proposed; empty for a first plan."""
    done: list[str] = []
    """Ids of steps that are done already: new ones may wait for them."""


Change = FieldsChange | TextChange | TableChange | MessageChange | FileChange | ImageChange | CommandChange | PlanChange


class WhatChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The preview: computed by code from the real state, never from the model's words."""

    headline: str
    """Counts and totals in one line, such as "3 changes in 2 records"."""
    parts: list[Change] = []
    not_happening: list[str] = []
    """What does NOT happen, where a reader might fear it ("No e-mail is sent.")."""
    unavailable: str | None = None
    """Why there is no preview, when there is none."""


class KeyFigure(msgspec.Struct, frozen=True, kw_only=True):
    """The figure that an irreversible approval must type, taken from the preview: "number of recipients", "38"."""

    label: str
    value: str


class AgentAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What the agent answered to a question about its card. Its words approve nothing and change nothing."""

    decision: str
    """The `ask` that it answers."""
    question: str
    asked_by: str
    answer: str
    answered_at: datetime
    evidence: list[Source] = []
    """What it read for the answer, with the call of each."""
    failed: bool = False
    """The agent could not answer; `answer` says why."""


class Escalation(msgspec.Struct, frozen=True, kw_only=True):
    """The card was passed on: only `to` may say yes from then on; everybody who may decide can still refuse."""

    to: str
    by: str
    at: datetime
    note: str | None = None


class FirstApproval(msgspec.Struct, frozen=True, kw_only=True):
    """The first of two approvals: the card waits for a second person."""

    decision: str
    by: str
    at: datetime
    reason: str | None = None
    arguments: dict[str, Any] | None = None
    """The complete new arguments, where the first person changed the call: the second approves it as changed."""
    changes: list[str] = []
    """What the first person changed, one sentence each: "amount: 500 → 250"."""


class ArgumentOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Where the value of a sensitive argument came from. `kind` is goal, operator, rule, result or nowhere."""

    argument: str
    value: str
    kind: str
    name: str = ""
    """As a card says it: "the goal", "files_read ledger.csv (step 3)"."""
    call_id: str | None = None
    seq: int | None = None
    """The event that holds it: a click scrolls the trace there."""
    untrusted: bool = False
    """Found only in text from outside, such as a web page."""
    stale: bool = False


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a card shows and a decision binds. Instants are aware UTC."""

    proposal: str
    session: str
    run: str
    step: int
    touchpoint: Touchpoint
    summary: str
    """The title: verb, object, amount, target; built by code from a template per tool."""
    opened_at: datetime
    approve_by: datetime | None
    deadline_outcome: DeadlineOutcome
    deadline_text: str
    """What happens if nobody answers, in one sentence."""
    verdicts: list[Verdict]
    call_id: str | None = None
    tool: str | None = None
    tool_version: str | None = None
    arguments: dict[str, Any] = {}
    schema: dict[str, Any] = {}
    """JSON Schema of the arguments (without rationale), for editing them."""
    digest: str | None = None
    verdict_reasons: list[str] = []
    """Why the gate asks: the default, the reversibility floor, or the text of the rules that matched."""
    what_changes: WhatChanges | None = None
    confidence: Confidence | None = None
    why: Rationale | None = None
    """The model's words; None when it gave none."""
    could_go_wrong: list[str] = []
    """Written by code for the tool; the model's own risks stand in `why`."""
    reversibility: Reversibility | None = None
    tier: Tier = Tier.R1
    way_back: str | None = None
    leaves_company: bool = False
    key_figure: KeyFigure | None = None
    sources: list[Source] = []
    system: str = ""
    """The system or environment that the action touches, such as "workspace" or "mail outbox"."""
    escalate_to: str | None = None
    evidence_parts: list[str] = []
    """Names of the parts that must be seen before an irreversible approval; flagged rows singly ("row:3")."""
    repeat_of: str | None = None
    """Set when the call looks like one already made: "looks like a repeat of step 7 (outcome unknown)"."""
    options: list[str] = []
    """Answers on offer (question, confidence), limits that can be extended (budget), tools of steps (plan)."""
    facts: dict[str, Any] = {}
    """What the kind needs besides: attempts of an exception, spend of a budget, key and start of an unknown call."""
    origins: list[ArgumentOrigin] = []
    """Of every sensitive argument, in the order of the tool's list."""
    answers: list[AgentAnswer] = []
    """Questions about the card and what the agent answered, oldest first."""
    escalation: Escalation | None = None
    people: int = 1
    """How many people must approve it; no one counts twice."""
    first_approval: FirstApproval | None = None
    changed: list[str] = []
    """What is different from the version before, one sentence each; empty for the first."""
    staged: str | None = None
    """The name of the draft that waits in the staging area."""
    drill: bool = False
    """A known-bad card to practise on: it carries no call and can never run."""

    @property
    def doubtful(self) -> bool:
        """Below the threshold and not simply reversible: approving it takes a reason."""
        below = self.confidence is not None and self.confidence.below_threshold
        return below and self.reversibility is not Reversibility.REVERSIBLE

    @property
    def decider(self) -> str | None:
        """The only person whose yes counts; None for whoever may decide."""
        return self.escalation.to if self.escalation is not None else None


class ProposalStatus(StrEnum):
    """Where a proposal stands."""

    OPEN = "open"
    DECIDED = "decided"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class Via(StrEnum):
    """Through which door a decision came."""

    CONSOLE = "console"
    TERMINAL = "terminal"
    CLI = "cli"
    FILE = "file"
    SYSTEM = "system"


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """One decision by one person, as it is journaled and signed."""

    decision: str
    proposal: str
    verdict: Verdict
    by: str
    via: Via
    at: datetime
    reason: str | None = None
    arguments: dict[str, Any] | None = None
    """The complete new arguments of a modify or edit."""
    details: dict[str, Any] = {}
    """What the verdict takes: until, then, limits, reference, done, to."""
    answer: str | None = None
    seen: list[str] = []
    open_seconds: float = 0.0
    effective_at: datetime | None = None
    """The executor waits until then; a reversible approval from the console can be undone before."""
    digest: str | None = None
    """Of the call that is approved, in its modified form where it was modified."""
    expires_at: datetime | None = None
    agent_version: str = ""
    key_id: str = ""
    signature: str = ""
    awaits_second: bool = False
    """The first of two approvals: it leaves the card open, and runs nothing by itself."""
    second_of: str | None = None
    """The first approval that this one seconds; it binds the same digest."""
