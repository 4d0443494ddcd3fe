"""The signals that tell a program to leave, and the end of a program, which no signal disturbs."""

import contextlib
import signal
from collections.abc import Callable, Iterator

LEAVE = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def put_back() -> Iterator[None]:
    """Whatever is done to the handlers meanwhile, they are as before at the end; who was told to leave stays deaf."""
    before = {number: signal.getsignal(number) for number in LEAVE}
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) not in (handler, _unheard, signal.SIG_IGN):
                signal.signal(number, handler)


class Interrupted(KeyboardInterrupt):
    """As by Ctrl+C. Where KeyboardInterrupt itself passes through `exec`, as while a dataclass is made, Python keeps
    that in mind, and ends by SIGINT in the end, whoever caught it.
    """


def ignore() -> None:
    """The work is done and the exit code is known: a late signal changes nothing about either."""
    deafen()
    for number in LEAVE:
        signal.signal(number, signal.SIG_IGN)


def deafen() -> None:
    """From now on they change nothing. One of the same moment has a handler to go to; without any, Python complains."""
    for number in LEAVE:
        signal.signal(number, _unheard)


def _unheard(*_: object) -> None:
    """Nothing."""


def interrupt() -> None:
    """Until something heeds them: the first of these signals raises Interrupted, the others change nothing.

    What the program was started to ignore stays ignored.
    """

    def raise_once(*_: object) -> None:
        deafen()
        raise Interrupted

    for number in LEAVE:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, raise_once)


def heed(leave: Callable[[], None]) -> None:
    """The first of these signals has `leave` called on the running loop; from then on the program is deaf to them.

    One is enough: a storm of them would call the handler from within itself until the stack is full.
    """
    from asyncio import get_running_loop  # slow to load, and `interrupt` has to be there early

    loop = get_running_loop()

    def told() -> None:
        ignore()
        leave()

    def set_soon(*_: object) -> None:
        deafen()
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile: nobody is left to be told
            loop.call_soon_threadsafe(told)

    for number in LEAVE:
        signal.signal(number, set_soon)
