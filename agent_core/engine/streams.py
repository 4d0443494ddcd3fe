"""Streams: the way to the model, got ready and used once per request, and cut at once by a signal."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from agent_core.engine.signals import Signals
from agent_core.providers.base import Delta, ModelRequest, ModelResponse, Provider

T = TypeVar("T")


class Cut(Exception):
    """The stream, or a wait for the next attempt, was cut by a signal."""


async def stream(
    provider: Provider, signals: Signals, request: ModelRequest, on_delta: Callable[[Delta], None]
) -> ModelResponse:
    """Send once. Raises ProviderError, or Cut when a signal cuts the stream."""
    return await _cuttable(signals, provider.stream(request, on_delta))


async def warm(provider: Provider, signals: Signals) -> None:
    """Get the provider ready to send. Raises Cut when a signal ends the wait."""
    await _cuttable(signals, provider.warm())


async def _cuttable(signals: Signals, work: Coroutine[Any, Any, T]) -> T:
    if signals.cut.is_set():
        work.close()
        raise Cut
    working = asyncio.ensure_future(work)
    signals.cuts(working)
    try:
        return await working
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if signals.cut.is_set() and (task is None or not task.cancelling()):
            raise Cut from None
        working.cancel()
        raise
    finally:
        signals.cuts(None)
