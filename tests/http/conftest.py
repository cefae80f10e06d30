"""The example library with an index, and real servers in processes of their own, each made once a session."""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from lsp_server.commands.demo import EXAMPLE
from retriever.lean.index.bundled import read_card
from tests.environments import own_indexes
from tests.forked import forked_run, program

TOKEN = "a-token-for-tests"
ADD_COMM = "m n : Nat\n⊢ m + n = n + m"
ADD_COMM_WITHOUT_NOTATION = "m n : Nat\n⊢ Eq (HAdd.hAdd m n) (HAdd.hAdd n m)"
BUNDLED = read_card().revision
MARKED = (
    "/-- <img src=x onerror=alert(1)> <b>bold</b>. More. -/\ntheorem marked_up (p : Prop) (h : p) : p := h\n"
)
_LINE = re.compile(r"premise-suggest http: (http://\S+)")
_START_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Served:
    """A server that runs, and how it is asked."""

    url: str
    client: httpx.Client
    process: subprocess.Popen[str]

    def get(self, path: str, **parameters: Any) -> httpx.Response:
        return self.client.get(path, params=parameters)

    def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        return self.client.post(path, json=body, headers=headers)

    def retrieve(self, **body: Any) -> Any:
        """What /retrieve answers."""
        response = self.post("/retrieve", body)
        assert response.status_code == 200, response.text
        return response.json()


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory, forked: None) -> dict[str, str]:
    """Variables for our processes: indexes in a scratch folder, but the bundled one unpacked only once."""
    scratch = own_indexes(tmp_path_factory.mktemp("scratch") / "index")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("PREMISE_SUGGEST")},
        "PREMISE_SUGGEST_INDEX": str(scratch),
        "XDG_CONFIG_HOME": str(scratch / "config"),
    }


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Path:
    """A copy of the example library with an index, for a Lean version of its own."""
    root = tmp_path_factory.mktemp("project") / "example"
    shutil.copytree(EXAMPLE, root)
    (root / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n", encoding="utf-8")
    (root / "Example" / "Marked.lean").write_text(MARKED, encoding="utf-8")
    done = run(environment, "index", root)
    assert done.returncode == 0, done.stderr
    return root


def run(environment: dict[str, str], *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `premise-suggest` to its end, whatever its code."""
    return forked_run(*arguments, environment=environment)


@contextmanager
def serving(
    environment: dict[str, str],
    *arguments: str | Path,
    errors: Path | None = None,
    open_files: int | None = None,
    command: Sequence[str] = (),
    folder: Path | None = None,
    **client: Any,
) -> Iterator[Served]:
    """A server on a free port, from its line on standard output to its end."""
    started = [*(command or [program()]), "http", "--port", "0", *map(str, arguments)]
    if open_files is not None:
        started = ["sh", "-c", f'ulimit -n {open_files}; exec "$@"', "sh", *started]
    with open(errors or os.devnull, "w", encoding="utf-8") as log:
        process = subprocess.Popen(
            started, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder
        )
    assert process.stdout is not None
    try:
        ready, _, _ = select.select([process.stdout], [], [], _START_SECONDS)
        line = process.stdout.readline() if ready else ""
        found = _LINE.match(line)
        assert found, f"the server said {line!r}"
        url = found[1].replace("0.0.0.0", "127.0.0.1")
        with httpx.Client(base_url=url, timeout=120, trust_env=False, **client) as asked:
            yield Served(url, asked, process)
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


@pytest.fixture(scope="session")
def server_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the server writes on standard error."""
    return tmp_path_factory.mktemp("log") / "stderr"


@pytest.fixture(scope="session")
def server(environment: dict[str, str], library: Path, server_log: Path) -> Iterator[Served]:
    """The example library as the default index, the bundled one beside it."""
    with serving(environment, "--project", library, "--verbose", errors=server_log) as served:
        yield served


@pytest.fixture(scope="session")
def open_server(environment: dict[str, str], library: Path) -> Iterator[Served]:
    """A server beyond loopback: with a token, and a low rate."""
    options = ("--host", "0.0.0.0", "--token", TOKEN, "--rate", "5", "--project", library)
    with serving(environment, *options) as served:
        yield served


Curl = Callable[..., Any]


def curl(*arguments: str, stdin: str | None = None) -> Any:
    """What curl prints, as JSON."""
    done = subprocess.run(
        ["curl", *arguments], input=stdin, capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(done.stdout)


def escaped(text: str) -> str:
    """As Lean's `System.Uri.escapeUri` writes it."""
    return quote(text, safe="~-_.")


def names(premises: list[dict[str, Any]]) -> list[str]:
    return [premise["name"] for premise in premises]
