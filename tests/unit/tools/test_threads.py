"""The threads of tools: used again, and never waited for when they hang."""

import asyncio
import threading

import pytest

from agent_core.tools.threads import Threads


async def test_a_free_thread_is_used_again() -> None:
    threads = Threads()
    first = await threads.run(threading.get_ident)
    second = await threads.run(threading.get_ident)

    assert first == second != threading.get_ident()


async def test_work_side_by_side_gets_threads_of_its_own() -> None:
    threads = Threads()
    both = threading.Barrier(2)
    await asyncio.gather(threads.run(lambda: both.wait(10)), threads.run(lambda: both.wait(10)))


async def test_a_hanging_thread_holds_up_nobody() -> None:
    threads, release = Threads(), threading.Event()
    hanging = threads.run(lambda: release.wait(10))

    assert await threads.run(lambda: "done") == "done"
    release.set()
    assert await hanging is True


async def test_an_error_reaches_who_waits_and_the_thread_goes_on() -> None:
    threads = Threads()
    with pytest.raises(ZeroDivisionError):
        await threads.run(lambda: 1 // 0)

    assert await threads.run(lambda: 1) == 1


async def test_threads_do_not_keep_the_program_alive() -> None:
    assert await Threads().run(lambda: threading.current_thread().daemon) is True
