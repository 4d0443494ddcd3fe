"""Streams: one request sent once, cut at once by a signal."""

import asyncio
from collections.abc import Callable

from agent_core.engine.signals import Signals
from agent_core.providers.base import Delta, ModelRequest, ModelResponse, Provider


class Cut(Exception):
    """The stream, or a wait for the next attempt, was cut by a signal."""


async def stream(
    provider: Provider, signals: Signals, request: ModelRequest, on_delta: Callable[[Delta], None]
) -> ModelResponse:
    """Send once. Raises ProviderError, or Cut when a signal cuts the stream."""
    if signals.cut.is_set():
        raise Cut
    sending = asyncio.ensure_future(provider.stream(request, on_delta))
    signals.cuts(sending)
    try:
        return await sending
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if signals.cut.is_set() and (task is None or not task.cancelling()):
            raise Cut from None
        sending.cancel()
        raise
    finally:
        signals.cuts(None)
