"""Runs of `premise-suggest` that share one start of Python.

Importing the program takes longer than most of what tests ask of it. A process that has imported it forks one
for every run, which has an environment, a folder and standard streams of its own, and ends as any other.
"""

from __future__ import annotations

import importlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SCRIPT = Path(sys.executable).with_name("premise-suggest")
_IMPORTED = ("suggest", "prove", "fill", "index", "doctor", "collections", "eval", "demo")
_STREAMS = (
    ("stdin", os.O_RDONLY),
    ("stdout", os.O_WRONLY | os.O_CREAT),
    ("stderr", os.O_WRONLY | os.O_CREAT),
)


class ForkedRuns:
    """One process that has imported `premise-suggest`, and what it forks, one run at a time."""

    def __init__(self) -> None:
        theirs, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.forked", str(theirs), str(answers)],
            pass_fds=(theirs, answers),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(answers)
        self._lock = threading.Lock()

    def run(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: Path | None,
        stdin: bytes,
        seconds: float,
    ) -> subprocess.CompletedProcess[str]:
        """Run `premise-suggest` to its end.

        Args:
            environment: all its variables; those that Python reads at its start have no effect.
            folder: where it runs; ours by default.

        Raises subprocess.TimeoutExpired.
        """
        command = [str(SCRIPT), *arguments]
        with self._lock, tempfile.TemporaryDirectory(prefix="forked-") as streams:
            Path(streams, "stdin").write_bytes(stdin)
            where = str(folder or Path.cwd())
            request = {
                "command": command,
                "environment": {**environment},
                "folder": where,
                "streams": streams,
            }
            _write(self._requests, request)
            pid = self._answer(None)
            code = self._answer(seconds)
            if code is None:
                os.kill(pid, signal.SIGKILL)
                self._answer(None)
                raise subprocess.TimeoutExpired(command, seconds)
            said, complained = (Path(streams, name).read_bytes().decode() for name in ("stdout", "stderr"))
            return subprocess.CompletedProcess(command, code, said, complained)

    def _answer(self, seconds: float | None) -> Any:
        ready, _, _ = select.select([self._answers], [], [], seconds)
        return _read(self._answers) if ready else None

    def close(self) -> None:
        """End the process that forks."""
        os.close(self._requests)
        self._process.wait(20)
        os.close(self._answers)


def _write(pipe: int, value: Any) -> None:
    with open(pipe, "w", encoding="utf-8", closefd=False) as stream:
        print(json.dumps(value), file=stream)


def _read(pipe: int) -> Any:
    """The next line of a pipe as JSON. Raises EOFError where the other side has closed it."""
    with open(pipe, "rb", buffering=0, closefd=False) as stream:
        line = stream.readline()
    if not line:
        raise EOFError("the process that forks has ended")
    return json.loads(line)


def _serve(requests: int, answers: int) -> int:
    """Fork a process for each request, which returns from here with the exit code of its run."""
    for name in _IMPORTED:
        importlib.import_module(f"lsp_server.commands.{name}")
    while True:
        try:
            request = _read(requests)
        except EOFError:
            return 0
        pid = os.fork()
        if pid == 0:
            os.close(requests)
            os.close(answers)
            return _run(request)
        _write(answers, pid)
        _, status = os.waitpid(pid, 0)
        _write(answers, os.waitstatus_to_exitcode(status))


def _run(request: Mapping[str, Any]) -> int:
    """The command line, in a process that was forked for it."""
    from lsp_server.cli import main

    for number, (name, flags) in enumerate(_STREAMS):
        stream = os.open(Path(request["streams"], name), flags, 0o600)
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    sys.argv = request["command"]
    return main()


if __name__ == "__main__":
    sys.exit(_serve(int(sys.argv[1]), int(sys.argv[2])))
