"""The model as a port: one request in, deltas while it streams, one whole response out, or a typed error."""

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from agent_core.model.budget import Usage


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request of the Messages API. The raw members hold JSON that was serialised once and is kept as bytes."""

    model: str
    messages: list[msgspec.Raw]
    """One JSON object each: ``{"role": …, "content": [...]}``."""
    system: msgspec.Raw
    """JSON list of text blocks, with its cache marks."""
    tools: msgspec.Raw
    """JSON list of tool definitions, with the cache mark on the last."""
    max_tokens: int
    tool_choice: dict[str, Any] | None = None
    thinking: dict[str, Any] | None = None
    effort: str | None = None
    session: str = ""
    step: int = 0
    side: bool = False
    """Beside the history: a question about an open card. It is not sent; scripts tell by it which turn is due."""


class Delta(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a response as it streams: `kind` is text, thinking or input; `block` its place. Never kept."""

    kind: str
    block: int
    text: str
    tool: str | None = None


class ModelResponse(msgspec.Struct, frozen=True, kw_only=True):
    """A whole response. `content` holds the blocks as they came, unknown fields too; thinking byte-equal."""

    model: str
    content: list[dict[str, Any]]
    finish_reason: str
    usage: Usage
    request_id: str | None = None
    first_token_ms: int | None = None
    finish_detail: dict[str, Any] = {}
    raw_usage: dict[str, Any] = {}
    """The provider's own usage object, for pricing."""


class Provider(Protocol):
    """A model service."""

    name: str

    async def warm(self) -> None:
        """Get ready to send, before anybody counts the time of a request. Does nothing where that was done."""
        ...

    async def stream(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Send once, without retries. Raises ProviderError; a response that came by halves never becomes one.

        Cancelling the task closes the connection.
        """
        ...

    async def close(self) -> None:
        """Close connections."""
        ...
