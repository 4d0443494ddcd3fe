"""The signals that tell a program to leave, and the end of a program, which no signal disturbs."""

import contextlib
import signal
from collections.abc import Iterator

LEAVE = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def put_back() -> Iterator[None]:
    """Whatever is done to the handlers meanwhile, they are as before at the end; who was told to leave stays deaf."""
    before = {number: signal.getsignal(number) for number in LEAVE}
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) not in (handler, signal.SIG_IGN):
                signal.signal(number, handler)


def ignore() -> None:
    """The work is done and the exit code is known: a late signal changes nothing about either."""
    for number in LEAVE:
        signal.signal(number, signal.SIG_IGN)
