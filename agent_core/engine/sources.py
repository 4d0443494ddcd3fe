"""Sources: everything that an argument can have come from, and how old it is. Texts are prepared once each."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from agent_core.config.profile import Profile
from agent_core.model.action import EffectClass, Source
from agent_core.model.engine_tools import ASK_OPERATOR, OWN_WORDS
from agent_core.model.run import HistoryKind
from agent_core.model.state import CallState, SessionState
from agent_core.policy.provenance import OriginKind, Provenance, SourceText, beginning

MOST_ON_CARD = 12
"""Sources that a card lists, the newest of each name."""
_LOOK_BACK = 200
"""Calls at the end of a run that may be new since the last look."""


class Sources:
    """The sources of one session. Looks at new entries only."""

    def __init__(self) -> None:
        self._said: list[SourceText] = []
        self._said_upto = 0
        self._read: dict[str, SourceText] = {}

    def provenance(self, state: SessionState, profile: Profile, now: datetime) -> Provenance:
        """The goal, what the operator said, and every result so far, with its age."""
        self._take_in(state, profile.context.result_cap)
        waiting = [_message(text) for text in state.pending_messages]
        limits = {entry.name: entry.ttl for entry in profile.tools}
        results = [
            _aged(text, state.calls[call_id], limits.get(state.calls[call_id].tool), now)
            for call_id, text in self._read.items()
        ]
        return Provenance((*self._said, *waiting, *results))

    def on_card(self, state: SessionState, profile: Profile, now: datetime) -> list[Source]:
        """What was read so far, newest first, each name once, with its age and the age that it may have."""
        limits = {entry.name: entry.ttl for entry in profile.tools}
        found: dict[str, Source] = {}
        for call in _reads(state):
            for source in call.finished.sources if call.finished is not None else ():
                if source.name not in found and len(found) < MOST_ON_CARD:
                    found[source.name] = Source(
                        name=source.name,
                        age_seconds=_age(call, now),
                        limit_seconds=source.limit_seconds or limits.get(call.tool),
                        call_id=call.call_id,
                        untrusted=source.untrusted,
                    )
        return list(found.values())

    def _take_in(self, state: SessionState, cap: int) -> None:
        for place in range(self._said_upto, len(state.history)):
            entry = state.history[place]
            if entry.kind is HistoryKind.OPERATOR:
                goal = SourceText(kind=OriginKind.GOAL, content=entry.text, name="the goal")
                self._said.append(_message(entry.text) if place else goal)
        self._said_upto = len(state.history)
        for run in state.runs:
            for call_id in run.calls[-_LOOK_BACK:]:
                call = state.calls[call_id]
                if call_id not in self._read and _vouches(call):
                    self._read[call_id] = _text(call, cap)


def _message(text: str) -> SourceText:
    return SourceText(kind=OriginKind.OPERATOR, content=text, name="a message")


def _vouches(call: CallState) -> bool:
    finished = call.finished
    if finished is None or not finished.ok or call.tool in OWN_WORDS:
        return False
    return finished.ran or call.tool == ASK_OPERATOR


def _text(call: CallState, cap: int) -> SourceText:
    """What the model was shown of a result: a value that stands behind the cut cannot come from there."""
    assert call.finished is not None
    sources = call.finished.sources
    named = ", ".join(source.name for source in sources[:3])
    return SourceText(
        kind=OriginKind.OPERATOR if call.tool == ASK_OPERATOR else OriginKind.RESULT,
        content=beginning(call.finished.result, cap),
        name=f"{call.tool} {named} (step {call.step})".replace("  ", " "),
        call_id=call.call_id,
        asked=call.arguments,
        untrusted=any(source.untrusted for source in sources),
    )


def _aged(text: SourceText, call: CallState, limit: float | None, now: datetime) -> SourceText:
    """The text with its age; texts without a limit never grow stale and keep what was prepared of them."""
    if limit is None:
        return text
    aged = replace(text, age_seconds=_age(call, now), limit_seconds=limit)
    prepared = {name: value for name, value in vars(text).items() if name not in aged.__dataclass_fields__}
    vars(aged).update(prepared)
    return aged


def _age(call: CallState, now: datetime) -> float | None:
    return None if call.finished_at is None else max(0.0, (now - call.finished_at).total_seconds())


def _reads(state: SessionState) -> Iterator[CallState]:
    for call_id in reversed(state.run.calls):
        call = state.calls[call_id]
        if call.judged is not None and call.judged.effect_class is EffectClass.READ_ONLY:
            yield call
