"""Files that would keep a careless reader for ever: skipped with a message; no process outlives its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lean_extract.limits import MAX_SOURCE_BYTES
from lsp_server.protocol.progress import STATUS
from tests.hostile.raw_client import RawClient

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


def _run(folder: Path, home: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lsp_server", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=_environment(home), timeout=120
    )


def test_what_cannot_be_read_is_told_and_the_rest_is_indexed(project: Path, tmp_path: Path) -> None:
    done = _run(project, tmp_path, "index", project)
    assert done.returncode == 0, done.stderr
    for name in ("Fifo", "Zero", "Terminal"):
        assert f"{project / name}.lean" in done.stderr
    assert done.stderr.count("it is not a regular file") == 1
    assert done.stderr.count("is left out: it is a link") == 2
    assert f"{project / 'Large.lean'}" in done.stderr and "larger than 4 MiB" in done.stderr
    assert f"{project / 'Latin.lean'} is not UTF-8" in done.stderr
    assert "Traceback" not in done.stderr
    found = _run(project, tmp_path, "suggest", "--text", "⊢ True")
    assert "sound" in found.stdout, found.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_indexing_in_the_middle_of_a_file(
    hard: Path, tmp_path: Path, number: signal.Signals
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _REPORTING, "index", str(hard)],
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


@contextmanager
def serving(root: Path, home: Path) -> Iterator[RawClient]:
    """A server that is in the middle of reading the project's hard file."""
    command = (sys.executable, "-c", _REPORTING, "serve")
    client = RawClient(_environment(home), command=command, seconds=4 * _SOON)
    try:
        client.shake_hands(root, options={"index": {"auto": True}})
        client.open((root / "Hard.lean").as_uri(), SOUND)
        client.wait_for(b"reading\n")
        yield client
        assert client.process.wait(_SOON) == 0
        client.wait()
        client.check_quiet()
    finally:
        client.process.kill()
        client.close()


@pytest.fixture
def hard(tmp_path: Path) -> Path:
    """A project whose one file has so many theorems that reading it takes far longer than any test."""
    theorem = "theorem t{} (a b : Nat) : a + {} = b := sorry\n"
    root = tmp_path / "hard"
    root.mkdir()
    (root / "lean-toolchain").write_text("leanprover/lean4:v4.24.0\n")
    (root / "Hard.lean").write_text("".join(theorem.format(number, number) for number in range(60_000)))
    return root


def test_the_server_ends_on_exit_while_it_reads(hard: Path, tmp_path: Path) -> None:
    with serving(hard, tmp_path) as client:
        client.ask("shutdown")
        client.notify("exit")  # standard input stays open


def test_the_server_ends_with_its_input_while_it_reads(hard: Path, tmp_path: Path) -> None:
    with serving(hard, tmp_path) as client:
        client.end_input()


def test_the_server_ends_on_sigterm_while_it_reads(hard: Path, tmp_path: Path) -> None:
    with serving(hard, tmp_path) as client:
        client.process.terminate()


def test_others_are_answered_while_it_reads(hard: Path, tmp_path: Path) -> None:
    place = {"textDocument": {"uri": (hard / "Hard.lean").as_uri()}, "position": {"line": 0, "character": 3}}
    with serving(hard, tmp_path) as client:
        client.ask("textDocument/hover", place)
        assert all(one["params"]["indexing"] for one in client.others if one.get("method") == STATUS)
        client.end_input()
