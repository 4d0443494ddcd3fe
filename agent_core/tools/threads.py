"""Threads for tools: used again, since starting one costs more than most calls; daemons, so that none outlives us."""

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

Inbox = queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]]


class Threads:
    """Threads by need. One that hangs in its work is never free again, and another one takes its place."""

    def __init__(self) -> None:
        self._idle: list[Inbox] = []

    def run(self, work: Callable[[], T]) -> "asyncio.Future[T]":
        """Have the work done in a thread; what comes back is awaited on the running loop."""
        done: Future[T] = Future()
        done.set_running_or_notify_cancel()
        waiting = asyncio.wrap_future(done)
        try:
            inbox = self._idle.pop()
        except IndexError:
            inbox = queue.SimpleQueue()
            threading.Thread(target=self._serve, args=(inbox,), name="tool", daemon=True).start()
        inbox.put((done, work))
        return waiting

    def _serve(self, inbox: Inbox) -> None:
        while True:
            done, work = inbox.get()
            result, failure = None, None
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits
                failure = error
            self._idle.append(inbox)
            if failure is not None:
                done.set_exception(failure)
            else:
                done.set_result(result)
            del done, work, result, failure  # an idle thread keeps nothing alive


THREADS = Threads()
"""Those of this process."""
