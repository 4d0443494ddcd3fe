"""Redrafts: a draft that takes the place of one that a person sent back, held against that one."""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from agent_core.model.proposal import TextChange, Verdict
from agent_core.model.state import CallState, SessionState
from agent_core.tools.shared.previews.text_diff import text_changes

if TYPE_CHECKING:
    from agent_core.tools.base import Preview


def against_sent_back(
    state: SessionState, call: CallState, arguments: Mapping[str, Any], preview: "Preview"
) -> "Preview":
    """The preview with what is different from the draft before; as it is where this is a first draft."""
    before = _sent_back(state, call, arguments)
    decision = before.decision if before is not None else None
    if before is None or decision is None:
        return preview
    what = preview.what_changes
    headline = f"{what.headline}, instead of the draft that {decision.by} sent back"
    parts = [*what.parts, *_differences(before.arguments, arguments)]
    return msgspec.structs.replace(preview, what_changes=msgspec.structs.replace(what, headline=headline, parts=parts))


def _sent_back(state: SessionState, call: CallState, arguments: Mapping[str, Any]) -> CallState | None:
    """The newest draft of the tool that was sent back, where no other one came since and something of it is the same.

    A letter to somebody else with other words takes nobody's place.
    """
    of_tool = [one for one in state.calls.values() if one.tool == call.tool]
    earlier = of_tool[: next((at for at, one in enumerate(of_tool) if one.call_id == call.call_id), len(of_tool))]
    last = earlier[-1] if earlier else None
    if last is None or last.decision is None or last.decision.verdict is not Verdict.SEND_BACK:
        return None
    same = any(last.arguments.get(name) == value for name, value in arguments.items())
    return last if same else None


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[TextChange]:
    for name in (*after, *(name for name in before if name not in after)):
        old, new = _text(before.get(name)), _text(after.get(name))
        if old != new:
            yield from text_changes(f"{name}, against the draft sent back", old, new)


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=2)
