"""How long a server's event loop works at a stretch: CPU time of each call that the loop makes, in its own thread."""

from __future__ import annotations

import sys
from pathlib import Path

_PROGRAM = """
import asyncio, sys, time
record, run = open(sys.argv[1], "a", buffering=1), asyncio.Handle._run

def watched(handle):
    begun = time.thread_time()
    run(handle)
    took = time.thread_time() - begun
    if took > 0.005:
        print(took, repr(handle).replace("\\\\n", " "), file=record)

asyncio.Handle._run = watched
from lsp_server.cli import main
sys.argv[0] = "premise-suggest"
sys.exit(main(sys.argv[2:]))
"""


def watched_command(record: Path) -> list[str]:
    """The command that stands for `premise-suggest serve` and writes down what takes its loop more than 5 ms."""
    return [sys.executable, "-P", "-c", _PROGRAM, str(record), "serve"]


def longest(record: Path) -> tuple[float, str]:
    """Seconds of CPU time of the longest stretch until now, and what it was."""
    lines = (line.partition(" ") for line in record.read_text(encoding="utf-8").splitlines())
    return max(((float(seconds), what) for seconds, _, what in lines), default=(0.0, ""))
