"""Waiting for a person without keeping the program alive: reads of the terminal in threads that die with it."""

import asyncio
import threading
from collections.abc import Callable


async def in_daemon(read: Callable[[], str]) -> str:
    """A blocking read in a thread that does not keep the program alive: stopping leaves the question unanswered.

    "" where the input ended or cannot be read.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[str] = loop.create_future()

    def deliver(line: str) -> None:
        if not future.done():
            future.set_result(line)

    def work() -> None:
        try:
            line = read()
        except (OSError, ValueError, EOFError):
            line = ""
        if not loop.is_closed():
            loop.call_soon_threadsafe(deliver, line)

    threading.Thread(target=work, name="terminal", daemon=True).start()
    return await future
