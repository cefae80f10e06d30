"""The developers' commands, run in this process."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence


def command(line: str) -> Callable[[Sequence[object]], int]:
    """What `python -m PACKAGE VERB` runs: takes the arguments, returns the exit code."""
    package, verb = line.split()
    main = importlib.import_module(f"{package}.__main__").main
    return lambda arguments: int(main([verb, *map(str, arguments)]))
