"""Files that would keep a careless reader for ever: told and skipped; and nothing outlives its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from lean_extract.limits import MAX_SOURCE_BYTES
from lsp_server.protocol.progress import STATUS

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs and devices are POSIX")
SOUND = "prelude\ntheorem sound : True := sorry\n"
_SOON = 20.0
"""Seconds; far more than an end takes on a busy machine, far less than for ever."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one sound file among all that is none."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "lean-toolchain").write_text("leanprover/lean4:v4.24.0\n")
    os.mkfifo(root / "Fifo.lean")
    (root / "Zero.lean").symlink_to("/dev/zero")
    (root / "Terminal.lean").symlink_to("/dev/tty")
    (root / "Folder.lean").mkdir()
    (root / "Large.lean").write_text("-- far too large\n" * (MAX_SOURCE_BYTES // 16))
    (root / "Latin.lean").write_bytes("theorem caf\xe9 : True := sorry\n".encode("latin-1"))
    (root / "Sound.lean").write_text(SOUND)
    return root


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "PREMISE_SUGGEST_INDEX": str(home / "index"), "HOME": str(home)}


def _command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "lsp_server", *map(str, arguments)]


def hard_text(count: int) -> str:
    """So many theorems that reading and embedding them takes far longer than any test."""
    return "".join(f"theorem t{number} (a b : Nat) : a + {number} = b := sorry\n" for number in range(count))


def test_what_cannot_be_read_is_told_and_the_rest_is_indexed(project: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        _command("index", project), capture_output=True, text=True, env=_environment(tmp_path), timeout=120
    )
    assert done.returncode == 0, done.stderr
    for name in ("Fifo", "Zero", "Terminal"):
        assert f"{project / name}.lean" in done.stderr
    assert done.stderr.count("it is not a regular file") == 1
    assert done.stderr.count("is left out: it is a link") == 2
    assert f"{project / 'Large.lean'}" in done.stderr and "larger than 4 MiB" in done.stderr
    assert f"{project / 'Latin.lean'} is not UTF-8" in done.stderr
    assert "Traceback" not in done.stderr
    found = subprocess.run(
        _command("suggest", "--text", "⊢ True"),
        capture_output=True,
        text=True,
        cwd=project,
        env=_environment(tmp_path),
        timeout=120,
    )
    assert "sound" in found.stdout, found.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_indexing_in_the_midst_of_a_file(tmp_path: Path, number: signal.Signals) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "lean-toolchain").write_text("leanprover/lean4:v4.24.0\n")
    (root / "Hard.lean").write_text(hard_text(60_000))
    process = subprocess.Popen(
        [sys.executable, "-c", _REPORTING, "index", str(root)],
        env=_environment(tmp_path),
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        assert any(line == b"reading\n" for line in process.stderr)
        process.send_signal(number)
        _, said = process.communicate(timeout=_SOON)
    finally:
        process.kill()
    assert process.returncode == 130, said
    assert b"Run the same command again to continue" in said and b"Traceback" not in said


_REPORTING = """
import sys
from lean_extract.source import reader
read = reader.read_file
def reported(path, *rest, **named):
    if path.name == "Hard.lean":
        print("reading", file=sys.stderr, flush=True)
    return read(path, *rest, **named)
reader.read_file = reported
from lsp_server.cli import main
sys.exit(main())
"""
"""The command line, which says when it begins to read the large file."""


class Client:
    """A language client on raw pipes."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._stdin, self._stdout = stdin, stdout
        self._arrived = threading.Condition()
        self._messages: list[dict[str, Any]] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, method: str, params: Any = None, id: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        body = json.dumps(message if id is None else {**message, "id": id}).encode()
        self._stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._stdin.flush()

    def hang_up(self) -> None:
        """End the server's input."""
        self._stdin.close()

    def wait(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message that fits; fails after some seconds."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: any(map(fits, self._messages)), 4 * _SOON), self._messages
            return next(filter(fits, self._messages))

    def has(self, fits: Callable[[dict[str, Any]], bool]) -> bool:
        """Whether such a message has come."""
        with self._arrived:
            return any(map(fits, self._messages))

    def _listen(self) -> None:
        size = 0
        while header := self._stdout.readline():
            if header.lower().startswith(b"content-length:"):
                size = int(header.split(b":")[1])
            elif not header.strip():
                message = json.loads(self._stdout.read(size))
                with self._arrived:
                    self._messages.append(message)
                    self._arrived.notify_all()


@contextmanager
def serving(root: Path, home: Path) -> Iterator[tuple[subprocess.Popen[bytes], Client]]:
    """A server that is in the midst of reading the project's hard file."""
    process = subprocess.Popen(
        [sys.executable, "-c", _REPORTING, "serve"],
        env=_environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    client = Client(process.stdin, process.stdout)  # type: ignore[arg-type]
    path = root / "Hard.lean"
    try:
        client.send("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": {}}, 1)
        client.wait(lambda message: message.get("id") == 1)
        client.send("initialized", {})
        document = {"uri": path.as_uri(), "languageId": "lean4", "version": 1, "text": SOUND}
        client.send("textDocument/didOpen", {"textDocument": document})
        assert any(line == b"reading\n" for line in process.stderr)
        yield process, client
        assert process.wait(_SOON) == 0
        assert b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def hard(tmp_path: Path) -> Path:
    """A project whose one file is read for long."""
    root = tmp_path / "hard"
    root.mkdir()
    (root / "lean-toolchain").write_text("leanprover/lean4:v4.24.0\n")
    (root / "Hard.lean").write_text(hard_text(60_000))
    return root


def test_the_server_ends_on_exit_while_it_reads(hard: Path, tmp_path: Path) -> None:
    with serving(hard, tmp_path) as (_, client):
        client.send("shutdown", None, 2)
        client.wait(lambda message: message.get("id") == 2)
        client.send("exit")  # standard input stays open


def test_the_server_ends_with_its_input_while_it_reads(hard: Path, tmp_path: Path) -> None:
    with serving(hard, tmp_path) as (_, client):
        client.hang_up()


def test_the_server_ends_on_sigterm_while_it_reads(hard: Path, tmp_path: Path) -> None:
    with serving(hard, tmp_path) as (process, _):
        process.terminate()


def test_others_are_answered_while_it_reads(hard: Path, tmp_path: Path) -> None:
    place = {"textDocument": {"uri": (hard / "Hard.lean").as_uri()}, "position": {"line": 0, "character": 3}}
    with serving(hard, tmp_path) as (_, client):
        client.send("textDocument/hover", place, 7)
        client.wait(lambda message: message.get("id") == 7)
        assert not client.has(lambda message: message.get("method") == STATUS and _is_over(message))
        client.hang_up()


def _is_over(status: dict[str, Any]) -> bool:
    return not status["params"]["indexing"]
