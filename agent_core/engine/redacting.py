"""Redaction where the model's words come in: what a provider streams and answers is taken in with secrets replaced."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from agent_core.model.errors import ProviderError
from agent_core.policy.redaction import Redactor, StreamRedactor
from agent_core.providers.base import Delta, ModelRequest, ModelResponse, Provider

S = TypeVar("S", bound=msgspec.Struct)

_SIGNED = frozenset({"thinking", "redacted_thinking"})


def redacted(redactor: Redactor, value: S) -> S:
    """The same frozen value with every known secret replaced."""
    plain = msgspec.to_builtins(value)
    clean = redactor.redact(plain)
    return value if clean == plain else msgspec.convert(clean, type(value))


class RedactingProvider:
    """Another provider behind a redactor, which is asked for anew with each request."""

    def __init__(self, inner: Provider, redactor: Callable[[], Redactor]) -> None:
        self._inner = inner
        self._redactor = redactor
        self.name = inner.name

    async def warm(self) -> None:
        """Get the other one ready."""
        await self._inner.warm()

    async def stream(self, request: ModelRequest, on_delta: Callable[[Delta], None]) -> ModelResponse:
        """Send once; pieces are held back while they may become a secret."""
        redactor = self._redactor()
        if not redactor.knows_any:
            return await self._inner.stream(request, on_delta)
        pieces = _Pieces(redactor, on_delta)
        try:
            response = await self._inner.stream(request, pieces.take)
        except ProviderError as error:
            error.args = tuple(redactor.redact(list(error.args)))
            error.detail = redactor.redact(error.detail)
            raise
        pieces.end()
        return _redacted(response, redactor)

    async def close(self) -> None:
        """Close the other one."""
        await self._inner.close()


class _Pieces:
    """The pieces of one response, block by block."""

    def __init__(self, redactor: Redactor, on_delta: Callable[[Delta], None]) -> None:
        self._redactor = redactor
        self._on_delta = on_delta
        self._streams: dict[tuple[str, int], tuple[StreamRedactor, Delta]] = {}

    def take(self, delta: Delta) -> None:
        """Pass on what cannot become a secret any more."""
        place = (delta.kind, delta.block)
        stream, _ = self._streams.get(place) or (self._redactor.stream(), delta)
        self._streams[place] = (stream, delta)
        self._pass(delta, stream.feed(delta.text))

    def end(self) -> None:
        """Pass on the rest."""
        for stream, delta in self._streams.values():
            self._pass(delta, stream.flush())

    def _pass(self, delta: Delta, text: str) -> None:
        if text:
            self._on_delta(msgspec.structs.replace(delta, text=text))


def _redacted(response: ModelResponse, redactor: Redactor) -> ModelResponse:
    """The response with secrets replaced. Signed reasoning cannot be changed: one that holds a secret is dropped."""
    content = redactor.redact(response.content)
    if content == response.content:
        return response
    signed = [block for block in response.content if block.get("type") in _SIGNED]
    if redactor.redact(signed) != signed:
        content = [block for block in content if block.get("type") not in _SIGNED]
    return msgspec.structs.replace(response, content=content)
