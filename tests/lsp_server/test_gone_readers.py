"""Commands whose output nobody reads any more (`| head -1`) end with a code, and say nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from lsp_server.cli import COMMANDS as ALL
from tests.forked import program

pytestmark = pytest.mark.lean

STATE = "a b : Nat\n⊢ a + b = b + a\n"
SECONDS = 300
COMMANDS = [
    ("--help", 1),
    ("--version", 1),
    ("setup", 2),  # nobody can be asked
    ("setup --yes --quiet", 1),
    ("suggest --help", 1),
    ("suggest --state -", 1),
    ("suggest --state - --json", 1),
    ("suggest --file Work.lean --line 6 --tactics", 1),
    ("prove Work.lean:6 --seconds 5", 1),
    ("fill Work.lean --seconds 5 --json", 1),
    ("repair Work.lean --json", 1),
    ("search add_comm", 1),
    ("search add_comm --json", 1),
    ("uses Lib.zero_plus", 1),
    ("uses Lib.zero_plus --json", 1),
    ("generator", 0),  # none was added: nothing is listed
    ("index", 1),
    ("watch", 1),
    ("collections", 1),
    ("completion bash", 1),
    ("collections --json", 1),
    ("doctor", 1),
    ("doctor --json", 1),
    ("demo", 1),
    ("eval --help", 1),
    ("eval report {run}", 1),
    ("eval report {run} --json", 1),
    ("eval report {run} --markdown", 1),
]
SERVERS = ("serve", "http", "mcp")
VERBS = ["--help", "extract --help", "extract . {run}/records.jsonl"]


@contextmanager
def nobody() -> Iterator[int]:
    """The writing end of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.fixture(scope="module")
def variables(environment: dict[str, str]) -> dict[str, str]:
    """With output that is kept until there is much of it, as Python usually has it."""
    return {name: value for name, value in environment.items() if name != "PYTHONUNBUFFERED"}


@pytest.fixture(scope="module")
def run_folder(project: Path, variables: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an evaluation; the command that writes it has no reader either."""
    folder = tmp_path_factory.mktemp("run") / "run"
    line = f"eval minicore --tactics-from templates --limit 1 --nodes 1 --quiet --out {folder}"
    with nobody() as output:
        done = subprocess.run(
            [program(), *line.split()], stdout=output, stderr=subprocess.PIPE, env=variables, timeout=SECONDS
        )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr and b"Exception" not in done.stderr
    return folder


def test_no_command_is_left_out() -> None:
    assert {*ALL} <= {line.split()[0] for line, _ in COMMANDS} | {*SERVERS}


@pytest.mark.parametrize(("line", "code"), COMMANDS)
def test_output_that_nobody_reads_is_no_traceback(
    line: str, code: int, project: Path, run_folder: Path, variables: dict[str, str]
) -> None:
    with nobody() as output:
        done = subprocess.run(
            [program(), *line.format(run=run_folder).split()],
            stdout=output,
            stderr=subprocess.PIPE,
            input=STATE.encode(),
            env=variables,
            cwd=project,
            timeout=SECONDS,
        )
    assert done.returncode == code
    assert (b"error: " in done.stderr) is (code == 2)
    assert b"Traceback" not in done.stderr and b"Exception" not in done.stderr, done.stderr.decode()


@pytest.mark.parametrize("line", VERBS)
def test_the_same_holds_of_the_developers_commands(
    line: str, project: Path, run_folder: Path, variables: dict[str, str]
) -> None:
    with nobody() as output:
        done = subprocess.run(
            [sys.executable, "-m", "lean_extract", *line.format(run=run_folder).split()],
            stdout=output,
            stderr=subprocess.PIPE,
            env=variables,
            cwd=project,
            timeout=SECONDS,
        )
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("line", "code"),
    [("nothing", 2), ("search --nothing", 2), ("suggest --state nothing", 2), ("search add_comm", 0)],
)
def test_errors_that_nobody_reads_keep_their_codes(
    line: str, code: int, project: Path, variables: dict[str, str]
) -> None:
    with nobody() as errors:
        done = subprocess.run(
            [program(), *line.split()],
            stdout=subprocess.PIPE,
            stderr=errors,
            env=variables,
            cwd=project,
            timeout=SECONDS,
        )
    assert done.returncode == code
    assert bool(done.stdout) is (code == 0)


@pytest.mark.parametrize("line", ["http", "mcp --http"])
def test_a_server_goes_on_where_nobody_reads_its_address(
    line: str, project: Path, variables: dict[str, str]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (
        nobody() as output,
        subprocess.Popen(
            [program(), *line.split(), "--port", str(port)],
            stdout=output,
            stderr=subprocess.PIPE,
            env=variables,
            cwd=project,
        ) as process,
    ):
        try:
            found = None
            while found is None:
                assert process.poll() is None
                with suppress(httpx.ConnectError):
                    found = httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False, timeout=SECONDS)
            assert found.status_code in (httpx.codes.OK, httpx.codes.NOT_FOUND)
        finally:
            process.terminate()
        _, errors = process.communicate(timeout=SECONDS)
    assert b"Traceback" not in errors, errors.decode()
