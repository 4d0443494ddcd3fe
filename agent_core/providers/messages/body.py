"""The body of a request, joined from JSON that was serialised once: a long history is never serialised again."""

from typing import Any

import msgspec

from agent_core.providers.base import ModelRequest

_NONE = b"[]"


def request_body(request: ModelRequest) -> bytes:
    """The JSON of a streamed POST /v1/messages."""
    settings: dict[str, Any] = {"model": request.model, "max_tokens": request.max_tokens, "stream": True}
    if request.thinking is not None:
        settings["thinking"] = request.thinking
    if request.effort is not None:
        settings["output_config"] = {"effort": request.effort}
    tools, system = bytes(request.tools), bytes(request.system)
    if request.tool_choice is not None and tools != _NONE:
        settings["tool_choice"] = request.tool_choice
    parts = [msgspec.json.encode(settings)[:-1]]
    if tools != _NONE:
        parts += [b',"tools":', tools]
    if system != _NONE:
        parts += [b',"system":', system]
    parts += [b',"messages":[', b",".join(request.messages), b"]}"]
    return b"".join(parts)
