"""Examination: one call held against the world, scored, and put before the gate. Reads only; nothing is journaled here.

The same examination is made when a call is asked for and again just before it runs.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import msgspec

from agent_core.config.profile import Rule
from agent_core.engine.equipment import Equipment, Overlay, Policy
from agent_core.engine.planning import Planned, plan_look, plan_preview
from agent_core.engine.scoring import Evidence, confidence_of, is_scored
from agent_core.engine.sources import Sources
from agent_core.model.action import EffectClass, GateVerdict, Rationale, Reversibility, Source, Tier, ToolError
from agent_core.model.proposal import ArgumentOrigin, Confidence, Verdict
from agent_core.model.state import CallState, CallStatus, SessionState
from agent_core.policy import rules as rule_book
from agent_core.policy.containment import why_contained
from agent_core.policy.digest import NotCanonical, call_digest
from agent_core.policy.gate import GateInput, Judgement, judge
from agent_core.policy.loops import signature
from agent_core.policy.origins import argument_origins
from agent_core.policy.two_people import people_needed
from agent_core.tools.base import Preview, Tool
from agent_core.tools.executor import Examined
from agent_core.tools.plan import PlanArguments
from agent_core.tools.registry import split_rationale

_GRAVITY = tuple(Reversibility)


@dataclass(frozen=True, slots=True)
class Answered:
    """A person already approved this call, or modified it into this one, on a card of that tier."""

    tier: Tier
    decision: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What an examination found: the call as it would run, and what the gate says of it."""

    call: CallState
    tool: Tool | None
    arguments: dict[str, Any]
    rationale: Rationale | None
    seen: dict[str, str]
    preview: Preview | None
    confidence: Confidence | None
    reversibility: Reversibility
    judgement: Judgement
    digest: str | None
    policy: Policy
    plan_step: str | None = None
    """The step of the plan in force that it serves."""
    repeat_of: str | None = None
    sources: list[Source] = field(default_factory=list)
    """What was read before it, with its age."""
    origins: list[ArgumentOrigin] = field(default_factory=list)
    """Where each sensitive argument came from."""
    people: int = 1
    """How many must approve it, by the policy as it is now."""

    @property
    def effect_class(self) -> EffectClass:
        """The tool's; the gravest for a tool that nobody knows."""
        return self.tool.effect_class if self.tool is not None else EffectClass.NON_IDEMPOTENT


@dataclass(frozen=True, slots=True)
class _Support:
    """What speaks for a call: its score, what was read, and where its arguments came from."""

    confidence: Confidence | None = None
    sources: list[Source] = field(default_factory=list)
    origins: list[ArgumentOrigin] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Look:
    """One call held against the world, before anybody judges it."""

    state: SessionState
    call: CallState
    tool: Tool
    policy: Policy
    arguments: dict[str, Any]
    """As the tool resolved them, else as they were given."""
    rationale: Rationale | None
    preview: Preview | None
    reversibility: Reversibility
    invalid: ToolError | None
    denied: ToolError | None
    facts: dict[str, Any]
    seen: dict[str, str]
    uses: dict[str, int]
    people: int
    repeat_of: str | None
    planned: Planned


class Examiner:
    """Examines the calls of one session."""

    def __init__(self, equipment: Equipment) -> None:
        self._equipment = equipment
        self._sources = Sources()

    async def examine(
        self,
        state: SessionState,
        call: CallState,
        *,
        arguments: dict[str, Any] | None = None,
        overlay: Overlay | None = None,
        denials: int | None = None,
        answered: Answered | None = None,
        claimed: Collection[str] = (),
    ) -> Finding:
        """Look at one call; never raises for what is asked. `arguments` replace the model's: a person modified them.

        `claimed` are the steps of the plan that earlier calls of the same response serve.
        """
        policy = self._equipment.policy.read()
        if call.tool not in self._equipment.registry:
            return self._unknown_tool(call, policy)
        look = await self._look(state, call, policy, arguments, overlay, claimed)
        support = self._support(look) if is_scored(look.tool) and look.invalid is None else _Support()
        digest, judgement = _bind(look, judge(self._gate_input(look, support, denials, answered)))
        return _found(look, support, judgement, digest)

    async def _look(
        self,
        state: SessionState,
        call: CallState,
        policy: Policy,
        arguments: dict[str, Any] | None,
        overlay: Overlay | None,
        claimed: Collection[str],
    ) -> _Look:
        equipment = self._equipment
        tool = equipment.registry.find(call.tool)
        given, rationale = split_rationale(tool, call.asked_input)
        given, step = equipment.registry.split_step(tool, given)
        wanted = given if arguments is None else arguments
        context = equipment.context(state, call.call_id, overlay)
        examined = await equipment.executor.examine(tool, wanted, context, preview=is_scored(tool))
        if isinstance(examined.arguments, PlanArguments):
            proposed = None if arguments is None else given
            preview = plan_preview(equipment, policy, state, examined.arguments, proposed)
            examined = msgspec.structs.replace(examined, preview=preview)
        planned = plan_look(equipment, state, call, step, examined.arguments, claimed)
        return _looked(state, call, tool, policy, wanted, rationale, examined, planned)

    def _support(self, look: _Look) -> _Support:
        """What speaks for the call and against it, where it is scored."""
        state, tool, profile, now = look.state, look.tool, look.policy.profile, self._equipment.clock.now()
        matched = [rule for rule in look.policy.rules if self._allows(rule, look)]
        provenance = self._sources.provenance(state, profile, now)
        evidence = Evidence(look.arguments, look.rationale, look.preview, provenance, matched)
        granted = rule_book.granted_arguments(matched)
        places = {name: known.finished_seq for name, known in state.calls.items()}
        return _Support(
            confidence_of(look.policy, state, tool, evidence),
            self._sources.on_card(state, profile, now),
            argument_origins(look.arguments, tool.sensitive, provenance, granted, places),
        )

    def _gate_input(self, look: _Look, support: _Support, denials: int | None, answered: Answered | None) -> GateInput:
        tool, policy, preview = look.tool, look.policy, look.preview
        listed = [*(entry.name for entry in policy.profile.tools), *self._equipment.registry.of_pattern]
        known = look.state.run.contained.get(tool.name)
        return GateInput(
            tool=tool.name,
            now=self._equipment.clock.now(),
            in_manifest=tool.name in listed,
            available=listed,
            contained=known if denials is None else why_contained(tool.name, denials),
            out_of_plan=look.planned.fault,
            invalid=look.invalid,
            denied=_unreadable(policy, tool) or look.denied,
            effect_class=tool.effect_class,
            reversibility=look.reversibility,
            open_world=tool.open_world,
            arguments=look.arguments,
            facts=look.facts,
            rules=policy.rules,
            rule_uses=look.uses,
            confidence=support.confidence,
            stale_sources=preview is not None and any(source.stale for source in preview.sources),
            repeat_of=look.repeat_of,
            already_answered=answered is not None,
            answered_tier=answered.tier if answered is not None else None,
            people=look.people,
            opens=tool.opens,
            staged=is_staged(policy, tool.name),
            demo=self._equipment.demo,
            real=tool.real,
        )

    def _allows(self, rule: Rule, look: _Look) -> bool:
        return rule.verdict is GateVerdict.ALLOW and rule_book.matches(
            rule,
            tool=look.tool.name,
            arguments=look.arguments,
            facts=look.facts,
            now=self._equipment.clock.now(),
            uses=look.uses.get(rule_book.key(rule), 0),
            tree=look.tool.effect_class is not EffectClass.READ_ONLY,
        )

    def _unknown_tool(self, call: CallState, policy: Policy) -> Finding:
        available = self._equipment.registry.names
        asked = GateInput(tool=call.tool, now=self._equipment.clock.now(), in_manifest=False, available=available)
        return Finding(
            call=call,
            tool=None,
            arguments=call.asked_input,
            rationale=None,
            seen={},
            preview=None,
            confidence=None,
            reversibility=Reversibility.IRREVERSIBLE,
            judgement=judge(asked),
            digest=None,
            policy=policy,
        )


def _looked(
    state: SessionState,
    call: CallState,
    tool: Tool,
    policy: Policy,
    given: dict[str, Any],
    rationale: Rationale | None,
    examined: Examined,
    planned: Planned,
) -> _Look:
    resolved, reversibility = examined.resolved, gravest(tool, examined.preview)
    arguments = resolved.arguments if resolved is not None else given
    return _Look(
        state=state,
        call=call,
        tool=tool,
        policy=policy,
        arguments=arguments,
        rationale=rationale,
        preview=examined.preview,
        reversibility=reversibility,
        invalid=_invalid(tool, examined),
        denied=resolved.denied if resolved is not None else None,
        facts=resolved.facts if resolved is not None else {},
        seen=dict(resolved.seen) if resolved is not None else {},
        uses=_uses(policy, state),
        people=1 if tool.opens is not None else people_needed(policy.profile.gate, reversibility, tool.name),
        repeat_of=looks_like(state, call, tool, arguments),
        planned=planned,
    )


def _found(look: _Look, support: _Support, judgement: Judgement, digest: str | None) -> Finding:
    return Finding(
        call=look.call,
        tool=look.tool,
        arguments=look.arguments,
        rationale=look.rationale,
        seen=look.seen,
        preview=look.preview,
        confidence=support.confidence,
        reversibility=look.reversibility,
        judgement=judgement,
        digest=digest,
        policy=look.policy,
        plan_step=look.planned.step,
        repeat_of=look.repeat_of,
        sources=support.sources,
        origins=support.origins,
        people=look.people,
    )


def gravest(tool: Tool, preview: Preview | None) -> Reversibility:
    """The graver of what the tool states and what the preview found."""
    found = preview.reversibility if preview is not None and preview.reversibility is not None else tool.reversibility
    return max(tool.reversibility, found, key=_GRAVITY.index)


def is_staged(policy: Policy, tool: str) -> bool:
    """Whether the drafts of a tool wait in the staging area until a person releases them."""
    return any(entry.staging for entry in policy.profile.tools if entry.name == tool)


def looks_like(state: SessionState, call: CallState, tool: Tool, arguments: dict[str, Any]) -> str | None:
    """What a call that changes something looks like a repeat of: the same call, of unknown outcome or refused."""
    if not tool.effect_class.changes:
        return None
    adrift = state.unknown_calls if tool.effect_class is EffectClass.NON_IDEMPOTENT else []
    wanted: str | None = None
    for earlier in (state.calls[c] for c in (*adrift, *reversed(state.refused_calls))):
        if earlier.tool != call.tool or earlier.call_id == call.call_id:
            continue
        wanted = wanted or signature(call.tool, arguments)
        words = _why_no_plain_repeat(earlier)
        if words is not None and signature(earlier.tool, earlier.arguments) == wanted:
            return f"step {earlier.step} ({words})"
    return None


def _why_no_plain_repeat(earlier: CallState) -> str | None:
    """What a person has to know of the call before it is made again; None where it is settled."""
    decision = earlier.decision
    if earlier.unknown is None:
        refused = decision is not None and decision.verdict in (Verdict.REJECT, Verdict.SEND_BACK)
        return f"refused by {decision.by} at {decision.at:%H:%M} UTC" if refused and decision is not None else None
    if earlier.status is CallStatus.UNKNOWN:
        return "outcome unknown"
    return None if _known_not_done(earlier) else "outcome was unknown for a while"


def _known_not_done(call: CallState) -> bool:
    error = call.finished.error if call.finished is not None else None
    return error is not None and error.code == "did_not_happen"


def _invalid(tool: Tool, examined: Examined) -> ToolError | None:
    """An error that answers the call at once. A read that cannot be previewed runs and gives its own error."""
    if examined.error is None or (examined.resolved is not None and examined.resolved.denied is not None):
        return None
    return None if not tool.effect_class.changes and examined.resolved is not None else examined.error


def _unreadable(policy: Policy, tool: Tool) -> ToolError | None:
    if policy.problem is None or not tool.effect_class.changes:
        return None
    message = f"The policy cannot be read, so nothing that changes anything may run: {policy.problem}"
    return ToolError(code="policy_unreadable", message=message)


def _uses(policy: Policy, state: SessionState) -> dict[str, int]:
    if not any(rule.uses is not None for rule in policy.rules):
        return {}
    calls = (state.calls[c] for run in state.runs for c in run.calls)
    ran = [c.judged for c in calls if c.judged is not None and c.started is not None]
    return rule_book.count_uses(policy.rules, [judged.rules for judged in ran if judged.verdict is GateVerdict.ALLOW])


def _bind(look: _Look, judgement: Judgement) -> tuple[str | None, Judgement]:
    """The digest of a call that may run or be asked about; what no digest can bind is refused."""
    if judgement.verdict is GateVerdict.DENY:
        return None, judgement
    try:
        digest = call_digest(
            arguments=look.arguments,
            tool=look.tool.name,
            tool_version=look.tool.version,
            session=look.state.session,
            call_id=look.call.call_id,
            verdict=judgement.verdict.value,
            rules=judgement.rules,
            seen=look.seen,
        )
    except NotCanonical as error:
        refusal = ToolError(code=error.code, message=f"{error}.")
        return None, Judgement(
            verdict=GateVerdict.DENY, reasons=[f"{error}."], rules=judgement.rules, tier=judgement.tier, error=refusal
        )
    return digest, judgement
