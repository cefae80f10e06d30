"""Which files and folders a run of ours opens: every `open`, `listdir` and `scandir` of Python's.

What a library opens from C, and what processes that ours starts open, is not seen.
"""

from __future__ import annotations

import os
import site
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]

_PROGRAM = """
import os, sys
record, seen = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC), set()

def hear(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and arguments:
        path = arguments[0]
        if path is None:
            path = "."
        if isinstance(path, (str, bytes, os.PathLike)):
            path = os.path.realpath(os.fsencode(path))
            if path not in seen:
                seen.add(path)
                os.write(record, path + b"\\0")

sys.addaudithook(hear)
from lsp_server.cli import main
sys.argv[0] = "premise-suggest"
sys.exit(main(sys.argv[2:]))
"""
_SYSTEM = ("/proc", "/sys", "/dev", "/usr", "/lib", "/lib64", "/etc/localtime", "/etc/mime.types")
"""What Python's own modules look at (processors, time zones, types of files)."""


@dataclass(frozen=True)
class Watched:
    """A run that has ended."""

    done: subprocess.CompletedProcess[str]
    opened: frozenset[str]
    """Real paths."""

    def outside(self, allowed: Iterable[Path]) -> list[str]:
        """What it opened that is neither in these folders nor Python's, ours or the system's, in order."""
        return outside(self.opened, allowed)


def watched(
    arguments: Sequence[str | Path], record: Path, environment: Mapping[str, str], *, seconds: float = 120
) -> Watched:
    """Run `premise-suggest` with these arguments to its end; `record` is a file that may be written."""
    done = subprocess.run(
        [*watched_command(record), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        env=dict(environment),
        timeout=seconds,
        check=False,
    )
    return Watched(done, opened(record))


def watched_command(record: Path) -> list[str]:
    """The command that stands for `premise-suggest` and writes down what it opens."""
    return [sys.executable, "-P", "-c", _PROGRAM, str(record)]


def opened(record: Path) -> frozenset[str]:
    """What such a command has opened until now, as real paths."""
    return frozenset(map(os.fsdecode, record.read_bytes().split(b"\0"))) - {""}


def outside(paths: Iterable[str], allowed: Iterable[Path]) -> list[str]:
    """The paths that are neither in these folders nor Python's, ours or the system's, in order."""
    ours = (sys.prefix, sys.base_prefix, *site.getsitepackages(), *sysconfig.get_paths().values(), *_SYSTEM)
    folders = {os.path.realpath(folder) for folder in (*map(str, allowed), *ours, str(REPOSITORY))}
    return sorted(
        path
        for path in paths
        if not any(path == folder or path.startswith(folder + os.sep) for folder in folders)
    )
