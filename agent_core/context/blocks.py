"""Blocks of messages: what goes back to the model of its own responses and of what came of its calls. Pure."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from agent_core.model.action import ToolError
from agent_core.model.events import CallFinished, SideRead
from agent_core.model.run import CallState, CallStatus
from agent_core.tools.wire import error_text, result_text

Block = dict[str, Any]

_USE_ID = re.compile(r"[a-zA-Z0-9_-]+")
_THINKING = frozenset({"thinking", "redacted_thinking"})


def text_block(text: str) -> Block:
    """A text block."""
    return {"type": "text", "text": text}


def response_blocks(content: list[Block], use_ids: Mapping[int, str], *, keep_thinking: bool) -> list[Block]:
    """A response's blocks as they go back: untouched, those left out that the service would refuse.

    `use_ids` gives the id of each tool call by the place of its block; a call that was never taken up has none and is
    left out, as are empty texts, thinking without a signature and, unless `keep_thinking`, all thinking. Empty when
    nothing is left that says anything.
    """
    kept = []
    for place, block in enumerate(content):
        if _goes_back(block, place in use_ids, keep_thinking):
            use_id = use_ids.get(place)
            kept.append(block if use_id is None or use_id == block.get("id") else {**block, "id": use_id})
    return kept if any(block["type"] not in _THINKING for block in kept) else []


def result_block(call: CallState, use_id: str, cap: int, more: str, known_seq: int | None) -> Block:
    """The answer to one call, as it was known when it was sent: a result that came later does not change it.

    `known_seq` is the journal's place of the request that carried it; None for the request that is being built.
    """
    finished = call.finished
    if finished is not None and (known_seq is None or call.finished_seq < known_seq):
        text, failed = result_text(finished, cap, more), not finished.ok
    else:
        text, failed = error_text(_without_answer(call), cap), True
    block = {"type": "tool_result", "tool_use_id": use_id, "content": text or "(empty)"}
    return {**block, "is_error": True} if failed else block


def side_result_block(read: SideRead, cap: int) -> Block:
    """The answer to one call of a side conversation."""
    if read.ok:
        text = result_text(_as_finished(read), cap, "Ask for less at a time.")
    else:
        text = error_text(read.error or ToolError(code="failed", message="It failed."), cap)
    block = {"type": "tool_result", "tool_use_id": read.tool_use_id, "content": text or "(empty)"}
    return block if read.ok else {**block, "is_error": True}


def _as_finished(read: SideRead) -> CallFinished:
    return CallFinished(
        call_id=read.call_id,
        tool_use_id=read.tool_use_id,
        tool=read.tool,
        ok=True,
        result=read.result,
        sources=read.sources,
    )


def fresh_id(use_id: str, call_id: str, taken: Collection[str]) -> str:
    """The provider's id of a call, or ours where the provider gave one twice or none that it would take back."""
    return use_id if _USE_ID.fullmatch(use_id) and use_id not in taken else call_id


def _goes_back(block: Block, taken_up: bool, keep_thinking: bool) -> bool:
    kind = block.get("type")
    if kind == "text":
        return bool(str(block.get("text") or "").strip())
    if kind == "tool_use":
        return taken_up
    if kind == "thinking":
        return keep_thinking and bool(block.get("signature"))
    if kind == "redacted_thinking":
        return keep_thinking
    return True


def _without_answer(call: CallState) -> ToolError:
    if call.started is not None or call.status is CallStatus.UNKNOWN:
        return ToolError(
            code="outcome_unknown",
            message=f"{call.tool} was interrupted and may have taken effect.",
            suggestion="Look with reading tools whether it happened; do not do it again.",
        )
    if call.status in (CallStatus.WAITING, CallStatus.APPROVED):
        return ToolError(code="waiting", message=f"{call.tool} was not run yet: it waits for a person's decision.")
    return ToolError(code="cancelled", message=f"{call.tool} was not run: the run ended before it could.")
