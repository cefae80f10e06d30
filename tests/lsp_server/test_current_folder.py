"""Commands run in a folder with a Python file for each module that they might import, and import none of them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from lsp_server.cli import COMMANDS
from tests.forked import SCRIPT
from tests.hostile.raw_client import encoded, request
from tests.http.conftest import serving
from tests.lsp_server.conftest import PROJECT, Cli, make_project
from tests.poison import found_first, poison

pytestmark = pytest.mark.lean

STATE = "m n : Nat\n⊢ m + n = n + m"
SESSION = b"".join(
    map(
        encoded,
        (
            request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}),
            request(2, "shutdown"),
            {"jsonrpc": "2.0", "method": "exit"},
        ),
    )
).decode()
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
TO_THEIR_END = {
    "suggest": ("suggest --file Work.lean --line 6 --tactics", ""),
    "prove": ("prove Work.lean:6 --seconds 5", ""),
    "fill": ("fill Work.lean --seconds 5", ""),
    "repair": ("repair Work.lean", ""),
    "search": ("search add_comm", ""),
    "uses": ("uses Lib.zero_plus", ""),
    "generator": ("generator", ""),
    "setup": ("setup --yes --quiet", ""),
    "index": ("index . --quiet", ""),
    "index on Dask": ("index . --processes 2 --quiet", ""),
    "collections": ("collections", ""),
    "serve": ("serve", SESSION),
    "mcp": ("mcp", json.dumps(request(1, "initialize", HELLO)) + "\n"),
    "eval on Dask": ("eval minicore --tactics-from templates --limit 1 --nodes 1 --processes 1", ""),
    "doctor": ("doctor", ""),
    "demo": ("demo", ""),
    "completion": ("completion bash", ""),
}
"""Commands that end by themselves, with their standard input."""


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file in which what was imported is named."""
    return tmp_path_factory.mktemp("noted") / "imported"


@pytest.fixture(scope="module")
def poisoned(tmp_path_factory: pytest.TempPathFactory, noted: Path, cli: Cli) -> Path:
    """A project with an index and with such files."""
    root = make_project(tmp_path_factory.mktemp("poisoned") / "project", cli)
    poison(root, noted)
    return root


def test_no_command_is_left_out() -> None:
    assert {*COMMANDS} == {line.split()[0] for line, _ in TO_THEIR_END.values()} | {"http", "watch"}


@pytest.mark.parametrize("name", TO_THEIR_END)
def test_a_command_imports_nothing_of_the_project(
    name: str, poisoned: Path, noted: Path, environment: dict[str, str]
) -> None:
    line, stdin = TO_THEIR_END[name]
    done = subprocess.run(
        [str(SCRIPT), *line.split()],
        input=stdin,
        capture_output=True,
        text=True,
        env=environment,
        cwd=poisoned,
        timeout=300,
    )
    assert not noted.exists(), noted.read_text(encoding="utf-8")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("program", [[str(SCRIPT)], [sys.executable, "-m", "lsp_server"]])
def test_workers_of_the_web_server_import_nothing_of_the_project(
    program: list[str], tmp_path: Path, noted: Path, environment: dict[str, str]
) -> None:
    folder = tmp_path / "folder"
    poison(folder, noted, found_first("lsp_server") if "-m" in program else ())
    with serving(environment, "--workers", "2", command=program, folder=folder) as served:
        answer = served.get("/api/search", query=STATE, results=1)
    assert not noted.exists(), noted.read_text(encoding="utf-8")
    assert answer.status_code == httpx.codes.OK


@pytest.mark.parametrize(
    "line",
    [
        ["extract", "project", "records.jsonl", "--workers", "2"],
        ["extract-all", "out", "project", "--processes", "2"],
    ],
)
def test_processes_that_extract_records_import_nothing_of_the_project(
    line: list[str], tmp_path: Path, noted: Path
) -> None:
    folder = tmp_path / "folder"
    poison(folder, noted, found_first("lean_extract"))
    shutil.copytree(PROJECT, folder / "project")
    done = subprocess.run(
        [sys.executable, "-m", "lean_extract", *line],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=300,
    )
    assert not noted.exists(), noted.read_text(encoding="utf-8")
    assert done.returncode == 0, done.stderr
