"""Cards as JSON: a proposal with every field that interface.md promises to scripts."""

from typing import Any

from agent_core.engine.summary import instant_text
from agent_core.model.intents import OpenProposal
from agent_core.model.plain import plain
from agent_core.model.proposal import Proposal, Verdict


def card_json(card: Proposal, status: str = "open") -> dict[str, Any]:
    """One entry of `proposals --json`. A value that was not given is null, never left out."""
    return {
        "proposal": card.proposal,
        "session": card.session,
        "run": card.run,
        "step": card.step,
        "call_id": card.call_id,
        "tool": card.tool,
        "touchpoint": card.touchpoint.value,
        "status": status,
        "summary": card.summary,
        "what_changes": plain(card.what_changes),
        "why": plain(card.why),
        "confidence": plain(card.confidence),
        "could_go_wrong": card.could_go_wrong,
        "reversibility": card.reversibility.value if card.reversibility else None,
        "way_back": card.way_back,
        "sources": [
            {"name": s.name, "age_seconds": s.age_seconds, "limit_seconds": s.limit_seconds} for s in card.sources
        ],
        "approve_by": instant_text(card.approve_by),
        "deadline_outcome": card.deadline_outcome.value,
        "verdicts": [*(verdict.value for verdict in card.verdicts), Verdict.POSTPONE.value],
        "arguments": card.arguments,
        "schema": card.schema,
        "digest": card.digest,
        "opened_at": instant_text(card.opened_at),
        "tier": card.tier.value,
        "deadline_text": card.deadline_text,
        "verdict_reasons": card.verdict_reasons,
        "options": card.options,
        "facts": plain(card.facts),
    }


def open_card_json(entry: OpenProposal) -> dict[str, Any]:
    """A card of the queue: expired ones say so although no writer has journaled it yet."""
    return card_json(entry.proposal, "expired" if entry.expired else "open")
