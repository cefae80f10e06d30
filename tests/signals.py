"""How the tests' process and the processes that it starts meet signals."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_USUAL = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


@contextmanager
def usual_signals() -> Iterator[None]:
    """SIGINT and SIGTERM do what they usually do, here and in the processes that are started meanwhile.

    A shell without job control starts its background commands with SIGINT ignored (`nohup make test &` in a
    script), and ignored signals are inherited. A handler is not: children start with the system's default.
    Only the main thread can set this.
    """
    ignored = [number for number in _USUAL if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, _USUAL[number])
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
