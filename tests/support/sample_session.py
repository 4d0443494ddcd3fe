"""A session as a small office would have it, built from real events: what views and their tests are shown.

`Story` writes events one after another with a clock of its own; `sample_events()` is the whole session, `story()` a
shorter one to extend. Nothing here is random: the same call gives the same events.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from agent_core.model import events as ev
from agent_core.model.action import EffectClass, GateVerdict, Rationale, Reversibility, Source, Tier, ToolError
from agent_core.model.budget import CostParts, LimitName, Limits, Usage
from agent_core.model.plan import PlanStep
from agent_core.model.proposal import (
    VERDICTS,
    Check,
    CheckResult,
    Confidence,
    DeadlineOutcome,
    Decision,
    FieldChange,
    FieldsChange,
    Proposal,
    Sign,
    TextChange,
    Touchpoint,
    Verdict,
    Via,
    WhatChanges,
)

SESSION = "s-01kbq7d3aa-sample"
RUN = "r-01kbq7d3ab-000001"
OPERATOR = "m.keller"
START = datetime(2026, 11, 30, 8, 44, 0, tzinfo=UTC)
PROFILE: dict[str, Any] = {
    "name": "ap-reconciler",
    "model": "claude-sonnet-5-5",
    "pattern": "react",
    "context": {"ceiling": 200_000, "clear_at": 100_000, "compact_at": 150_000, "handoff_at": 180_000},
    "tools": [{"name": "files_read", "because": "reads invoices"}],
}
RULE = 'allow files_write when path is inside "reports/**"'

Call = tuple[str, dict[str, Any]]


class Story:
    """Writes the events of one session. Every method moves the clock and gives what later ones refer to."""

    def __init__(self, session: str = SESSION, limits: Limits | None = None, *, price: bool = True) -> None:
        self.session, self.events = session, list[ev.Event]()
        self.now = START
        self.step = 0
        self.price = price
        self._run: str | None = None
        self._ids = 0
        self._slots = {"system": 6_100, "tools": 8_200, "notes": 300, "history": 2_000, "results": 1_000}
        self.cards: dict[str, Proposal] = {}
        self.add(
            ev.SessionOpened(
                goal="Reconcile October invoices", agent="ap-reconciler", agent_version="1.4.2", profile=PROFILE,
                workspace="/home/keller/work/ap-2026-10", by=OPERATOR,
            ), 0,
        )  # fmt: skip
        self.start_run(limits or Limits(steps=40, tool_calls=60, tokens=600_000, cost_usd=Decimal("0.50")))

    def add(self, data: ev.EventData, seconds: float = 0.2) -> ev.Event:
        """One more event, that many seconds after the last one."""
        self.now += timedelta(seconds=seconds)
        seq = len(self.events) + 1
        event = ev.Event(
            seq=seq, at=self.now, session=self.session, run=self._run, step=self.step, data=data,
            prev=f"{seq - 1:064x}" if seq > 1 else "", digest=f"{seq:064x}",
        )  # fmt: skip
        self.events.append(event)
        return event

    def new(self, prefix: str) -> str:
        """A new identifier."""
        self._ids += 1
        return f"{prefix}-01kbq7d3ab-{self._ids:06d}"

    # ---------------------------------------------------------------- runs and requests

    def start_run(self, limits: Limits, message: str | None = None) -> None:
        """A run begins."""
        self._run, self.step = (RUN if self._run is None else self.new("r")), 0
        self.add(ev.RunStarted(limits=limits, agent_version="1.4.2", by=OPERATOR, message=message), 0.1)

    def request(self, seconds: float = 0.5, *, request_id: str = "", attempt: int = 1, closing: bool = False) -> str:
        """A model request; without `request_id` it opens the next step."""
        if not request_id:
            self.step += 1
        name = request_id or self.new("q")
        self.add(
            ev.ModelRequested(
                request_id=name, attempt=attempt, model="claude-sonnet-5-5", max_tokens=8_192, input_estimate=6_200,
                reserved_tokens=15_000, reserved_cost_usd=Decimal("0.10"), closing=closing, slots=dict(self._slots),
            ), seconds,
        )  # fmt: skip
        return name

    def respond(
        self, request_id: str, text: str = "", calls: Sequence[Call] = (), *, thinking: str = "",
        tokens: tuple[int, int, int] = (320, 6_100, 190), seconds: float = 2.1, finish: str = "",
    ) -> list[str]:  # fmt: skip
        """A response; `tokens` are fresh input, cache read and output. Gives the ids of its calls."""
        content: list[dict[str, Any]] = []
        if thinking:
            content.append({"type": "thinking", "thinking": thinking, "signature": "c2lnbmF0dXJl"})
        if text:
            content.append({"type": "text", "text": text})
        asked = []
        for tool, arguments in calls:
            use_id = self.new("toolu")
            content.append({"type": "tool_use", "id": use_id, "name": tool, "input": arguments})
            asked.append(
                ev.AskedCall(call_id=self.new("c"), tool_use_id=use_id, tool=tool, block=len(content) - 1)
            )  # fmt: skip
        fresh, read, output = tokens
        write = 400 if self.step > 1 else 8_000
        self._slots["history"] += output + 40
        parts = CostParts(
            fresh_input=Decimal(fresh) * Decimal("0.000003"), cache_read=Decimal(read) * Decimal("0.0000003"),
            cache_write=Decimal(write) * Decimal("0.00000375"), output=Decimal(output) * Decimal("0.000015"),
        )  # fmt: skip
        self.add(
            ev.ModelResponded(
                request_id=request_id, attempt=1, model="claude-sonnet-5-5", content=content,
                finish_reason=finish or ("tool_use" if asked else "end_turn"),
                usage=Usage(
                    input_tokens=fresh, output_tokens=output, cache_read_tokens=read, cache_write_5m_tokens=write
                ),
                calls=asked, cost_usd=parts.total if self.price else None, cost_parts=parts if self.price else None,
                price_source="genai-prices 0.2.3" if self.price else "",
                duration_ms=round(seconds * 1_000), first_token_ms=640,
            ), seconds,
        )  # fmt: skip
        return [call.call_id for call in asked]

    # ---------------------------------------------------------------- calls

    def asked(self, call_id: str) -> tuple[ev.AskedCall, dict[str, Any]]:
        """A call as the model asked for it."""
        for event in reversed(self.events):
            if isinstance(event.data, ev.ModelResponded):
                for call in event.data.calls:
                    if call.call_id == call_id:
                        return call, event.data.content[call.block]["input"]
        raise KeyError(call_id)

    def judge(
        self, call_id: str, verdict: GateVerdict = GateVerdict.ALLOW, *, effect: EffectClass = EffectClass.READ_ONLY,
        reasons: Sequence[str] = ("It only reads.",), rules: Sequence[str] = (), tier: Tier = Tier.R0,
        reversibility: Reversibility = Reversibility.REVERSIBLE, confidence: Confidence | None = None,
        rationale: Rationale | None = None, error: ToolError | None = None, plan_step: str | None = None,
    ) -> None:  # fmt: skip
        """What the gate said."""
        asked, arguments = self.asked(call_id)
        self.add(
            ev.CallJudged(
                call_id=call_id, tool_use_id=asked.tool_use_id, tool=asked.tool, arguments=arguments, verdict=verdict,
                reasons=list(reasons), rules=list(rules), effect_class=effect, reversibility=reversibility, tier=tier,
                tool_version="1", digest="9f2c" * 16, rationale=rationale, confidence=confidence, error=error,
                plan_step=plan_step,
            ), 0.02,
        )  # fmt: skip

    def start(
        self, call_id: str, attempt: int = 1, arguments: dict[str, Any] | None = None, seconds: float = 0.02
    ) -> None:
        """The effect begins."""
        asked, given = self.asked(call_id)
        self.add(
            ev.CallStarted(
                call_id=call_id, tool_use_id=asked.tool_use_id, tool=asked.tool, arguments=arguments or given,
                idempotency_key=f"{self.session}/{call_id}", digest="9f2c" * 16, attempt=attempt,
            ), seconds,
        )  # fmt: skip

    def retry(self, call_id: str, attempt: int, error: ToolError, seconds: float = 1.5) -> None:
        """An attempt failed; another follows in two seconds."""
        asked, _ = self.asked(call_id)
        self.add(
            ev.CallRetried(
                call_id=call_id, tool=asked.tool, attempt=attempt, error=error,
                retry_at=self.now + timedelta(seconds=seconds + 2),
            ), seconds,
        )  # fmt: skip

    def finish(
        self, call_id: str, result: Any = None, summary: str = "", *, error: ToolError | None = None,
        seconds: float = 0.3, ran: bool = True, sources: Sequence[Source] = (), changed_by: str | None = None,
        undo: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """The call is answered."""
        asked, _ = self.asked(call_id)
        self.add(
            ev.CallFinished(
                call_id=call_id, tool_use_id=asked.tool_use_id, tool=asked.tool, ok=error is None, result=result,
                error=error, duration_ms=round(seconds * 1_000), ran=ran,
                summary=summary or (error.message if error else ""), sources=list(sources), changed_by=changed_by,
                undo=undo,
            ), seconds,
        )  # fmt: skip

    def read(self, call_id: str, result: Any, summary: str, seconds: float = 0.3) -> None:
        """Judge, start and finish a reading call."""
        self.judge(call_id)
        self.start(call_id)
        self.finish(call_id, result, summary, seconds=seconds)

    # ---------------------------------------------------------------- cards

    def open_card(self, call_id: str | None, touchpoint: Touchpoint = Touchpoint.APPROVAL, **fields: Any) -> str:
        """A card is open."""
        name = self.new("p")
        asked = self.asked(call_id) if call_id else None
        card = Proposal(
            **{
                "proposal": name, "session": self.session, "run": self._run or RUN, "step": self.step,
                "touchpoint": touchpoint, "summary": "Write reports/october.csv (12 lines, new)",
                "opened_at": self.now, "approve_by": self.now + timedelta(minutes=15),
                "deadline_outcome": DeadlineOutcome.CANCEL,
                "deadline_text": "Without a decision the call is cancelled. Nothing is approved by itself.",
                "verdicts": list(VERDICTS[touchpoint]), "call_id": call_id,
                "tool": asked[0].tool if asked else None, "arguments": asked[1] if asked else {},
                "digest": "9f2c" * 16 if asked else None, **fields,
            }
        )  # fmt: skip
        self.cards[name] = card
        self.add(ev.ProposalOpened(proposal=card), 0.02)
        return name

    def decide(self, card: str, verdict: Verdict, seconds: float = 30.0, **fields: Any) -> Decision:
        """A person decided."""
        at = self.now + timedelta(seconds=seconds)
        decision = Decision(
            **{
                "decision": self.new("d"), "proposal": card, "verdict": verdict, "by": OPERATOR, "via": Via.CONSOLE,
                "at": at, "open_seconds": (at - self.cards[card].opened_at).total_seconds(),
                "digest": self.cards[card].digest, **fields,
            }
        )  # fmt: skip
        self.add(
            ev.DecisionMade(
                proposal=card, verdict=verdict.value, by=decision.by, via=decision.via, reason=decision.reason,
                open_seconds=decision.open_seconds, decision=decision,
            ), seconds,
        )  # fmt: skip
        return decision


def checks(score: float = 0.91) -> Confidence:
    """A computed confidence with one check of each result."""
    return Confidence(
        score=score, threshold=0.85, below_threshold=score < 0.85,
        checks=[
            Check(name="arguments valid", result=CheckResult.PASS, weight=1.0),
            Check(name="amount traceable", result=CheckResult.PASS, weight=2.0, detail="412.00 in INV-20418"),
            Check(name="sources fresh", result=CheckResult.WARN, weight=0.5, detail="price list is 9 d old, limit 7 d"),
            Check(name="recipient known", result=CheckResult.NOT_APPLICABLE, weight=0.0),
        ],
    )  # fmt: skip


def preview(path: str, before: str | None, after: str) -> WhatChanges:
    """A text change of a file."""
    added = len(after.splitlines())
    return WhatChanges(
        headline=f"{added} lines in 1 file",
        parts=[TextChange(path=path, before=before, after=after, added=added, removed=0)],
        not_happening=["No e-mail is sent.", "No other file changes."],
    )


LEDGER = "date,supplier,invoice,amount\n2026-10-04,Halden Metals,INV-20418,24720.00\n2026-10-09,Brix,INV-20419,812.40\n"
REPORT = "supplier,invoice,booked,expected,difference\nHalden Metals,INV-20418,24720.00,24308.00,412.00\n"


def sample_events() -> list[ev.Event]:
    """The whole session: reads with a retry, three kinds of decision, notes, a loop warning, a card that waits."""
    story = Story()
    _read_the_folder(story)
    _find_the_difference(story)
    _write_the_report(story)
    _ask_for_a_credit_note(story)
    _stumble(story)
    _propose_the_mail(story)
    return story.events


def _read_the_folder(story: Story) -> None:
    request = story.request()
    (listed,) = story.respond(
        request, "I start with what is in the folder.", [("files_list", {"path": "invoices"})],
        tokens=(8_400, 0, 120),
    )  # fmt: skip
    names = [f"INV-{20418 + i}.txt" for i in range(6)]
    story.read(listed, {"path": "invoices", "entries": names}, "6 files in invoices", 0.041)
    request = story.request()
    first, second = story.respond(
        request, thinking="Two sources have to agree: the ledger and the invoices themselves.",
        calls=[("files_read", {"path": "ledger.csv"}), ("files_search", {"pattern": "short delivery", "path": "mail"})],
        tokens=(310, 6_240, 188),
    )  # fmt: skip
    story.judge(first)
    story.judge(second)
    story.start(first)
    story.start(second)
    story.finish(first, {"path": "ledger.csv", "text": LEDGER}, "3 lines of ledger.csv", seconds=0.331)
    busy = ToolError(code="timeout", message="The index did not answer within 2 s.", retryable=True)
    story.retry(second, 1, busy)
    story.start(second, 2, seconds=2.0)
    story.finish(second, {"matches": [{"path": "mail/0412.txt", "line": 7}]}, "1 match in 1 file", seconds=2.1)


def _find_the_difference(story: Story) -> None:
    request = story.request()
    calls = story.respond(
        request,
        "INV-20418 is €412.00 above the order. Before proposing anything, check whether the goods receipt was short. "
        "The mail of 21 November says that two units were missing, and the price per unit is €206.00.",
        [
            ("files_read", {"path": "receipts/GR-5521.txt"}),
            ("notes_write", {"key": "INV-20418", "text": "118 of 120 received"}),
        ],
        thinking="412 / 206 = 2, which is exactly the number of missing units.",
        tokens=(340, 6_900, 341),
    )
    story.read(
        calls[0], {"path": "receipts/GR-5521.txt", "text": "ordered 120\nreceived 118\n"},
        "2 lines of receipts/GR-5521.txt", 0.214,
    )  # fmt: skip
    story.judge(calls[1], effect=EffectClass.ENGINE, reasons=["It has no effect outside the journal."])
    story.start(calls[1])
    story.add(ev.NoteWritten(key="INV-20418", text="118 of 120 received"))
    story.finish(calls[1], {"key": "INV-20418"}, "Noted INV-20418", seconds=0.004)


def _write_the_report(story: Story) -> None:
    request = story.request()
    first, second = story.respond(
        request, "The report goes to the agreed folder.",
        [
            ("files_write", {"path": "reports/october.csv", "content": REPORT}),
            ("files_write", {"path": "ledger.csv", "content": LEDGER.replace("24720.00", "24308.00")}),
        ],
        tokens=(290, 7_300, 402),
    )  # fmt: skip
    story.judge(
        first, effect=EffectClass.IDEMPOTENT_BY_KEY, reasons=[f"A rule allows it: {RULE}."], rules=[RULE],
        tier=Tier.R1, confidence=checks(),
    )  # fmt: skip
    story.judge(
        second, GateVerdict.ASK, effect=EffectClass.IDEMPOTENT_BY_KEY, tier=Tier.R1, confidence=checks(),
        reasons=["It changes something, and no rule allows it."],
        rationale=Rationale(why="The booked amount is wrong.", risks="Somebody may rely on it.", evidence=["GR-5521"]),
    )  # fmt: skip
    card = story.open_card(
        second, summary="Write ledger.csv (3 lines, 1 changed)", confidence=checks(),
        verdict_reasons=["It changes something, and no rule allows it."],
        reversibility=Reversibility.REVERSIBLE, what_changes=preview("ledger.csv", LEDGER, REPORT),
    )  # fmt: skip
    story.start(first)
    story.finish(
        first, {"path": "reports/october.csv", "bytes": len(REPORT), "created": True, "changed": True},
        "Wrote reports/october.csv, 0.1 kB", seconds=0.012, undo={"path": "reports/october.csv"},
    )  # fmt: skip
    story.add(ev.ProposalPresented(proposal=card, by=OPERATOR, via=Via.CONSOLE), 3)
    edited = {"path": "ledger.csv", "content": LEDGER.replace("24720.00", "24308.00 EUR")}
    story.decide(card, Verdict.MODIFY, 147, arguments=edited, reason="Name the currency")
    story.start(second, arguments=edited)
    story.finish(
        second, {"path": "ledger.csv", "bytes": 96, "created": False, "changed": True}, "Wrote ledger.csv, 0.1 kB",
        seconds=0.498, changed_by=OPERATOR, undo={"path": "ledger.csv"},
    )  # fmt: skip


def _ask_for_a_credit_note(story: Story) -> None:
    story.add(ev.MessageAdded(text="Leave the Brix invoice alone, I know about it.", by=OPERATOR), 4)
    request = story.request()
    (delete,) = story.respond(
        request, "The old drafts are no longer needed.", [("files_delete", {"path": "drafts"})],
        tokens=(305, 7_700, 95),
    )  # fmt: skip
    ask = ["It changes something, and no rule allows it."]
    story.judge(
        delete, GateVerdict.ASK, effect=EffectClass.NON_IDEMPOTENT, tier=Tier.R2, reasons=ask,
        reversibility=Reversibility.PARTLY_REVERSIBLE, confidence=checks(0.62),
    )  # fmt: skip
    card = story.open_card(
        delete, summary="Delete the folder drafts (4 files)", verdict_reasons=ask, confidence=checks(0.62),
        reversibility=Reversibility.PARTLY_REVERSIBLE, tier=Tier.R2,
    )  # fmt: skip
    story.decide(card, Verdict.ASK, 20, reason="Are there signed copies in it?")
    story.decide(card, Verdict.REJECT, 41, reason="Wrong target: the signed copies are in it", digest=None)
    refused = ToolError(
        code="rejected", message="m.keller refused: Wrong target: the signed copies are in it",
        suggestion="Do not ask for the same again; find another way that respects the reason.",
    )  # fmt: skip
    story.finish(delete, error=refused, seconds=0.01, ran=False)


def _stumble(story: Story) -> None:
    request = story.request()
    story.add(
        ev.ModelFailed(
            request_id=request, attempt=1, fault="overloaded", message="The service is overloaded (529).",
            retry_at=story.now + timedelta(seconds=4), lost_tokens=0,
        ), 0.7,
    )  # fmt: skip
    story.request(4.0, request_id=request, attempt=2)
    (read,) = story.respond(request, calls=[("files_read", {"path": "../payroll.csv"})], tokens=(280, 8_000, 66))
    denied = ToolError(
        code="denied", message='"../payroll.csv" lies outside the workspace.',
        suggestion="Stay inside the workspace.", detail="resolved to /home/keller/work/payroll.csv",
    )  # fmt: skip
    story.judge(read, GateVerdict.DENY, reasons=[denied.message], error=denied)
    story.finish(read, error=denied, seconds=0.002, ran=False)
    story.add(
        ev.ContextEdited(
            technique="clear_tool_results", removed=[f"result of step {n}" for n in range(1, 15)],
            tokens_before=104_000, tokens_after=73_000, cost_usd=Decimal("0.004"),
        )
    )  # fmt: skip
    story.add(ev.AlertRaised(alert="cost", message="This run costs 2.1 times what ap-reconciler usually costs."))
    story.add(ev.AlertAcknowledged(alert="cost", by=OPERATOR))


def _propose_the_mail(story: Story) -> None:
    request = story.request()
    mail = {
        "to": "billing@halden-metals.example",
        "subject": "Credit note for INV-20418",
        "body": "Dear team,\n\ntwo of 120 units were missing. Please send a credit note for €412.00.\n",
    }
    (send,) = story.respond(
        request,
        "The supplier confirmed the short delivery. A credit note for 2 units matches the receipt and the mail.",
        [("email_send", mail)], tokens=(330, 8_300, 341),
    )  # fmt: skip
    reasons = ["It cannot be undone, so a person decides; no rule can lower that."]
    story.judge(
        send, GateVerdict.ASK, effect=EffectClass.NON_IDEMPOTENT, tier=Tier.R3, confidence=checks(), reasons=reasons,
        reversibility=Reversibility.IRREVERSIBLE,
        rationale=Rationale(why="The supplier asked for it in writing.", risks="It cannot be recalled.", evidence=[]),
    )  # fmt: skip
    story.open_card(
        send, summary='Send "Credit note for INV-20418" to billing@halden-metals.example', verdict_reasons=reasons,
        confidence=checks(), reversibility=Reversibility.IRREVERSIBLE, tier=Tier.R3, leaves_company=True,
        what_changes=WhatChanges(
            headline="1 message leaves the company",
            parts=[
                FieldsChange(title="Mail", rows=[FieldChange(sign=Sign.ADDED, field="to", after=str(mail["to"]))])
            ],
        ),
    )  # fmt: skip


def every_kind() -> list[ev.Event]:
    """One event of every kind at least, in an order that could have happened."""
    story = Story()
    story.events[:] = sample_events()
    story.step, story.now = 7, story.events[-1].at
    last = story.events[-1].data
    assert isinstance(last, ev.ProposalOpened)
    card = story.cards.setdefault(last.proposal.proposal, last.proposal)
    story._run, story._ids = RUN, 500
    story.add(ev.ProposalChanged(proposal=card.proposal, revised=card, why="Checked again: nothing changed"), 60)
    story.decide(card.proposal, Verdict.APPROVE, 30)
    story.add(ev.DecisionUndone(proposal=card.proposal, decision="d-1", by=OPERATOR), 4)
    story.add(ev.ProposalExpired(proposal=card.proposal, outcome=DeadlineOutcome.CANCEL), 900)
    late = ToolError(code="expired", message="Nobody decided by 09:02; not run.")
    story.finish(card.call_id or "", error=late, ran=False, summary="No decision in time; not run.")
    _unknown_and_limits(story)
    _asked_beside(story)
    _planned(story)
    _stops_and_goes_on(story)
    return story.events


def _planned(story: Story) -> None:
    steps = [
        PlanStep(id="s1", goal="Compare every receipt with its order"),
        PlanStep(id="s2", goal="Write the differences down", tool="files_write", after=["s1"]),
    ]
    story.add(ev.PlanAdopted(call_id="c-plan", steps=steps, edited_by=OPERATOR))
    story.add(ev.StepReported(step="s1", done=True, result="Two units of INV-20418 are missing."))


def _unknown_and_limits(story: Story) -> None:
    request = story.request()
    (move,) = story.respond(request, calls=[("files_move", {"source": "a.txt", "target": "b.txt"})])
    story.judge(move, GateVerdict.ASK, effect=EffectClass.NON_IDEMPOTENT, reasons=["A rule asks."], tier=Tier.R1)
    first = story.open_card(move, summary="Move a.txt to b.txt")
    story.decide(first, Verdict.APPROVE, 12)
    story.start(move)
    story.add(
        ev.CallUnknown(
            call_id=move, tool_use_id="toolu", tool="files_move", why="The process ended before the call answered."
        ), 5,
    )  # fmt: skip
    card = story.open_card(move, Touchpoint.OUTCOME_UNKNOWN, summary="Did files_move happen?", approve_by=None)
    story.add(ev.ProposalWithdrawn(proposal=card, why="A probe answered: it happened."), 10)
    story.finish(move, {"happened": True}, "It happened, says m.keller.")
    story.add(ev.LoopDetected(call_id=move, tool="files_move", period=2, stops=False))
    story.add(ev.ToolContained(tool="files_delete", why="Three calls were denied."))
    story.add(ev.ToolReleased(tool="files_delete", by=OPERATOR))
    story.add(ev.ClockJumped(since=story.now), 8 * 3600)
    story.add(ev.LimitReached(limit=LimitName.COST_USD, value="0.50", spent="0.50"))
    budget = story.open_card(
        None, Touchpoint.BUDGET, summary="The limit of cost is reached: 0.50 of 0.50 used",
        deadline_outcome=DeadlineOutcome.FINISH,
    )  # fmt: skip
    story.decide(budget, Verdict.EXTEND, 40, details={"cost_usd": "1.00"}, reason="Worth finishing")
    story.add(ev.LimitChanged(limit=LimitName.COST_USD, old="0.50", new="1.00", by=OPERATOR, why="Worth finishing"))


def _asked_beside(story: Story) -> None:
    card = next(iter(story.cards))
    story.add(ev.DecisionRegretted(proposal=card, decision="d-1", by=OPERATOR, why="The amount was wrong."))
    beside: dict[str, Any] = {"proposal": card, "decision": "d-ask"}
    story.add(
        ev.SideAsked(
            request_id="q-side", attempt=1, model="m", max_tokens=500, input_estimate=900, reserved_tokens=1_400,
            reserved_cost_usd=None, question="Where does the amount come from?", **beside,
        )
    )  # fmt: skip
    story.add(ev.SideAnswered(request_id="q-side", content=[{"type": "text", "text": "From line 4."}], **beside), 2)
    story.add(
        ev.SideRead(
            call_id="c-side", tool_use_id="toolu_side", tool="files_read", arguments={"path": "ledger.csv"}, ok=True,
            result="4,250.00", summary="Read ledger.csv", **beside,
        )
    )  # fmt: skip


def _stops_and_goes_on(story: Story) -> None:
    story.add(ev.RunPaused(reason="closed", by="system", detail="The console was closed."))
    story.add(ev.RunResumed(by=OPERATOR, preflight=["1 result is stale"], agent_version="1.4.3"), 3_600)
    story.add(ev.HaltSet(by=OPERATOR, reason="Fire drill"))
    story.add(ev.HaltReleased(by=OPERATOR))
    story.add(
        ev.RunStopped(
            stop_reason="cost_limit", completed=False, output="5 of 6 invoices agree.",
            gaps=["The cost limit was reached before the goal.", "INV-20423 was not read."], confidence="low",
        )
    )  # fmt: skip
    story.add(ev.SessionForked(source="s-01kbq7d3aa-older", seq=41, step=7, by=OPERATOR))
    story.add(ev.Restored(by=OPERATOR, heads={story.session: "ab" * 32}))
    story.add(ev.OperatorKeyAdded(operator=OPERATOR, key_id="k1", public_key="cd" * 32, place="keyring"))
    story.add(ev.SettingChanged(key="budgets.steps", old="25", new="40", by=OPERATOR, why="Long lists"))
    story.add(ev.RulesChanged(by=OPERATOR, why="Reports may be written", rules=[]))


def long_session(steps: int) -> list[ev.Event]:
    """A session with that many steps of one call each: seven events a step, texts of differing length."""
    story = Story(limits=Limits(steps=steps + 1, tool_calls=steps + 1))
    words = "The receipt and the invoice agree on amount and date. " * 9
    for number in range(steps):
        request = story.request()
        (call,) = story.respond(
            request, words[: 20 + number * 37 % 400], [("files_read", {"path": f"invoices/INV-{number}.txt"})]
        )
        story.read(call, {"path": f"invoices/INV-{number}.txt", "text": "ok"}, f"2 lines of INV-{number}.txt")
    return story.events
