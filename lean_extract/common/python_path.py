"""Keeps the modules of the current folder out of our processes: a project may hold a `socket.py`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_VARIABLE = "PYTHONSAFEPATH"


@contextmanager
def safe_path() -> Iterator[None]:
    """Python processes that are started in the block import no modules of the current folder.

    multiprocessing starts them with `python -c`, for which Python puts that folder first. A command line of our own
    has `-P` instead.
    """
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before


def leave_current_folder() -> None:
    """Take back that `python -m` puts the current folder first, unless it holds these packages.

    For the start of `__main__`; processes that are started later inherit it. What Python has imported by then is
    imported: `python -P -m` leaves the folder out from the beginning.
    """
    with suppress(FileNotFoundError):  # there is no current folder any more, so Python has put none first
        if not sys.flags.safe_path and Path(sys.path[0]) == Path.cwd() != Path(__file__).parents[1]:
            del sys.path[0]
