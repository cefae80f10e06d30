"""`mcp --store`: agents in a project of their own search a library that was published in a database."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.forked import program
from tests.postgres.conftest import Postgres, run

pytest.importorskip("mcp", reason="mcp is not installed (pip install 'premise-suggest[mcp]')")

SUM = "m n : Nat\n⊢ m + n = n + m"
OWN = "theorem my_very_own (n : Nat) : n * 54321 = 54321 * n := sorry\n"


@asynccontextmanager
async def agent(environment: dict[str, str], root: Path, *arguments: str) -> AsyncIterator[Any]:
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    given = ["mcp", "--structured", "--project", str(root), *arguments]
    async with Client(
        stdio_client(StdioServerParameters(command=program(), args=given, env=environment))
    ) as client:
        yield client


async def ask(client: Any, tool: str, **arguments: Any) -> dict[str, Any]:
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content
    answer: dict[str, Any] = found.structured_content
    return answer


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A project of one file, which nobody has indexed."""
    root = tmp_path / "mine"
    root.mkdir()
    (root / "lakefile.toml").write_text('name = "mine"\n', encoding="utf-8")
    (root / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n", encoding="utf-8")
    (root / "Mine.lean").write_text(OWN, encoding="utf-8")
    return root


async def test_a_library_answers_where_nothing_is_indexed(
    published: Postgres, environment: dict[str, str], own: Path
) -> None:
    async with agent(environment, own, "--store", published.uri) as client:
        found = await ask(client, "premises", state=SUM, k=5)
        assert found["premises"][0]["name"] == "Nat.add_comm"
        assert found["premises"][0]["statement"]
        said = await ask(client, "declaration", name="Nat.add_comm")
        assert "m + n = n + m" in said["premise"]["statement"]
        assert said["path"] is None
        status = await ask(client, "index_status")
        assert "only the library example 4.35.0 was searched" in " ".join(status["warnings"])


async def test_a_project_and_a_library_are_ranked_in_one_list(
    published: Postgres, environment: dict[str, str], own: Path
) -> None:
    assert run(environment, "index", own, "--quiet").returncode == 0
    async with agent({**environment, "PREMISE_SUGGEST_STORE": published.uri}, own) as client:
        mine = await ask(client, "premises", state="n : Nat\n⊢ n * 54321 = 54321 * n", k=10)
        names = [one["name"] for one in mine["premises"]]
        assert names[0] == "my_very_own"
        assert "Nat.mul_comm" in names
        searched = await ask(client, "search", query="Nat.add_comm", k=3)
        assert searched["premises"][0]["name"] == "Nat.add_comm"
        status = await ask(client, "index_status")
        assert status["warnings"] == []


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--library", "example"], 2, "--library names a library of a database, and none is given."),
        (["--library", "nothing", "--store"], 2, "holds no library nothing."),
        (["--store=mysql://someone:hunter2@127.0.0.1/x"], 2, "is no address of a PostgreSQL database"),
        (["--store=postgresql://someone:hunter2@127.0.0.1:1/x"], 1, "does not answer"),
    ],
)
def test_what_cannot_be_searched_is_told(
    published: Postgres, environment: dict[str, str], own: Path, arguments: list[str], code: int, said: str
) -> None:
    given = [*arguments, published.uri] if arguments[-1] == "--store" else arguments
    done = run(environment, "mcp", "--project", own, *given)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "hunter2" not in done.stderr
    assert "Traceback" not in done.stderr


def test_another_lean_version_is_told(
    published: Postgres, environment: dict[str, str], own: Path, tmp_path: Path
) -> None:
    """`index_status` says so; here over the engine that the server asks."""
    import asyncio

    from lsp_server.engine.databases import Published
    from lsp_server.engine.engine import Engine

    shutil.copytree(own, tmp_path / "older")
    (tmp_path / "older" / "lean-toolchain").write_text("leanprover/lean4:v4.9.0\n", encoding="utf-8")

    async def warnings() -> list[str]:
        engine = Engine(tmp_path / "older", library=Published(published.uri).fitting(tmp_path / "older"))
        try:
            return list((await engine.status()).warnings)
        finally:
            await engine.close()

    assert "is for Lean 4.35.0; the project has 4.9.0." in " ".join(asyncio.run(warnings()))
