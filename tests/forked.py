"""Runs of `premise-suggest` that share one start of Python.

Importing the program takes longer than most of what tests ask of it. A process that has imported it forks one for
every run. Who starts a run starts `FORKED` in place of `SCRIPT`: a small program that hands over its arguments,
environment, folder, limits and standard streams, passes signals on, and ends as the run does.
"""

from __future__ import annotations

import array
import gc
import importlib
import json
import os
import pkgutil
import resource
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SCRIPT = Path(sys.executable).with_name("premise-suggest")
FORKED = Path(tempfile.gettempdir(), f"forked-{os.getpid()}", SCRIPT.name)
"""There while `forking`."""
_STARTER = Path(__file__).with_name("forked_run.py")


def program() -> str:
    """What runs `premise-suggest` fastest."""
    return str(FORKED if FORKED.exists() else SCRIPT)


def forked_run(
    *arguments: str | Path, environment: Mapping[str, str], stdin: bytes = b"", folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `premise-suggest` to its end. Raises subprocess.TimeoutExpired."""
    command = [program(), *map(str, arguments)]
    done = subprocess.run(
        command, input=stdin, capture_output=True, timeout=120, env={**environment}, cwd=folder
    )
    said, complained = done.stdout.decode(), done.stderr.decode()
    return subprocess.CompletedProcess(command, done.returncode, said, complained)


def run_of(pid: int) -> int:
    """The process of a run, whose starter has this ID; the same where nothing was forked for it."""
    link = FORKED.with_name(str(pid))
    return int(str(link.readlink())) if link.is_symlink() else pid


@contextmanager
def forking() -> Iterator[None]:
    """`FORKED` is there meanwhile."""
    shutil.rmtree(FORKED.parent, ignore_errors=True)  # of a session with this ID that was killed
    FORKED.parent.mkdir(0o700)
    address = FORKED.with_name("socket")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.forked", str(address)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline(), "the process that forks has ended"
    text = _STARTER.read_text(encoding="utf-8")
    given = {"PYTHON": sys.executable, "SCRIPT": str(SCRIPT), "ADDRESS": str(address)}
    for name, value in given.items():
        text = text.replace(f"@{name}@", value)
    FORKED.write_text(text, encoding="utf-8")
    FORKED.chmod(0o700)
    try:
        yield
    finally:
        process.stdin.close()
        process.wait(20)
        process.stdout.close()
        shutil.rmtree(FORKED.parent)


class _Forker:
    """Forks a process for each starter, and knows what became of it."""

    def __init__(self, address: str) -> None:
        self._folder = Path(address).parent
        self._selector = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(address)
        self._listener.listen(64)
        self._starters: dict[int, socket.socket] = {}
        self._watch(self._listener, self._start)
        self._watch(sys.stdin.fileno(), self._stop)
        self._is_wanted = True
        self.request: dict[str, Any] | None = None

    def work(self) -> dict[str, Any] | None:
        """Fork for whoever asks, until the session ends; in a process that was forked, what it is to run."""
        while self._is_wanted and self.request is None:
            for key, _ in self._selector.select():
                key.data()
                if self.request is not None:
                    break
        return self.request

    def _watch(self, handle: Any, react: Callable[[], None]) -> None:
        self._selector.register(handle, selectors.EVENT_READ, react)

    def _stop(self) -> None:
        self._is_wanted = False
        for pid in self._starters:
            os.kill(pid, signal.SIGKILL)

    def _start(self) -> None:
        starter, _ = self._listener.accept()
        try:
            request = _received(starter)
        except (EOFError, ConnectionError):
            starter.close()  # it was killed meanwhile
            return
        pid = os.fork()
        if pid == 0:
            starter.close()
            self._forget()
            self.request = request
            return
        for handle in request["handles"]:
            os.close(handle)
        self._starters[pid] = starter
        link = self._folder / str(_peer(starter))
        link.unlink(missing_ok=True)  # process IDs come round again
        link.symlink_to(str(pid))
        ended = os.pidfd_open(pid)
        self._watch(starter, lambda: self._pass_on(pid, starter))
        self._watch(ended, lambda: self._end(pid, ended))

    def _forget(self) -> None:
        """In a forked process: close what is the other's."""
        for key in [*self._selector.get_map().values()]:
            os.close(key.fd)
        self._selector.close()

    def _pass_on(self, pid: int, starter: socket.socket) -> None:
        """Signals; SIGKILL where the starter is gone."""
        try:
            numbers = starter.recv(16)
        except ConnectionError:
            numbers = b""
        for number in numbers or [signal.SIGKILL]:
            os.kill(pid, number)
        if not numbers:
            self._selector.unregister(starter)

    def _end(self, pid: int, ended: int) -> None:
        _, status = os.waitpid(pid, 0)
        self._selector.unregister(ended)
        os.close(ended)
        starter = self._starters.pop(pid)
        if starter in self._selector.get_map():
            self._selector.unregister(starter)
        with suppress(ConnectionError):  # it was killed
            starter.sendall(array.array("i", [os.waitstatus_to_exitcode(status)]).tobytes())
        starter.close()


def _peer(starter: socket.socket) -> int:
    """The ID of the process at the other end."""
    pid, _, _ = struct.unpack("3i", starter.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return int(pid)


def _received(starter: socket.socket) -> dict[str, Any]:
    """What a starter sends: four handles and a length, then JSON."""
    head, handles, _, _ = socket.recv_fds(starter, 4, 4)
    (left,) = array.array("I", head) if len(head) == 4 else (0,)
    body = bytearray()
    while len(body) < left:
        piece = starter.recv(left - len(body))
        if not piece:
            break
        body += piece
    if not left or len(body) < left:
        raise EOFError("the starter has ended")
    return {**json.loads(body), "handles": handles}


def _take_over(request: Mapping[str, Any]) -> None:
    """Make this process the one that a starter was asked for."""
    *streams, folder = request["handles"]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.fchdir(folder)
    os.close(folder)
    os.umask(request["umask"])
    for kind, limits in request["limits"].items():
        resource.setrlimit(int(kind), tuple(limits))
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.stdin, sys.stdout, sys.stderr = (_text_stream(number) for number in range(3))
    sys.argv = request["command"]


def _text_stream(number: int) -> TextIOWrapper:
    """A standard stream as Python opens it."""
    mode, errors = ("r", "strict") if number == 0 else ("w", "backslashreplace" if number == 2 else "strict")
    buffering = 1 if number == 2 or (number == 1 and os.isatty(1)) else -1
    return open(number, mode, buffering, encoding="utf-8", errors=errors, closefd=False)  # type: ignore[return-value]


def _import_all() -> None:
    """What the commands import, sooner or later; neither torch nor anything that starts threads."""
    import lsp_server

    for module in pkgutil.walk_packages(lsp_server.__path__, "lsp_server."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def main(address: str) -> int:
    """Fork until the session ends; in a forked process, the command line."""
    _import_all()
    from lsp_server.cli import main as run

    gc.collect()
    gc.freeze()
    forker = _Forker(address)
    print("ready", flush=True)
    request = forker.work()
    if request is None:
        return 0
    _take_over(request)
    return run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
