"""lean-lsp-mcp, a client that no one here wrote: its remote tools, pointed here by environment."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from lean_extract.toolchains.packaged import PackagedLean
from lean_extract.toolchains.toolchain import resolve_lean
from tests.http.conftest import ADD_COMM, Served, names
from tests.mcp.conftest import Workplace, on_stdio

mcp = pytest.importorskip("mcp", reason="lean-lsp-mcp is not installed (pip install 'premise-suggest[test]')")
PROGRAM = Path(sys.executable).with_name("lean-lsp-mcp")
if not PROGRAM.exists() and not os.environ.get("CI"):
    pytest.skip("lean-lsp-mcp is not installed", allow_module_level=True)

TEXT = "theorem mine (m n : Nat) : m + n = n + m := by\n  sorry\n"
pytestmark = pytest.mark.lean


@pytest.fixture(scope="module")
def project(packaged_lean: PackagedLean, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of one file, and a `lake` whose `serve` starts the packaged Lean."""
    root = tmp_path_factory.mktemp("mcp") / "project"
    root.mkdir()
    (root / "lean-toolchain").write_text("leanprover/lean4:v4.35.0\n", encoding="utf-8")
    (root / "lakefile.toml").write_text('name = "mine"\n', encoding="utf-8")
    (root / "Mine.lean").write_text(TEXT, encoding="utf-8")
    toolchain = resolve_lean(root, environment={})
    settings = "\n".join(f'os.environ["{name}"] = {value!r}' for name, value in toolchain.environment.items())
    lake = root.parent / "bin" / "lake"
    lake.parent.mkdir()
    lake.write_text(
        f"#!{sys.executable}\nimport os, sys\nassert sys.argv[1] == 'serve', sys.argv\n{settings}\n"
        f"command = {list(toolchain.server_command)!r} + sys.argv[3:]\nos.execv(command[0], command)\n",
        encoding="utf-8",
    )
    lake.chmod(0o755)
    return root


POINTED_HERE = """
import os, urllib.request
class Pointed(urllib.request.Request):
    def __init__(self, url, *arguments, **options):
        super().__init__(url.replace("https://leansearch.net", os.environ["OUR_URL"]), *arguments, **options)
urllib.request.Request = Pointed
from lean_lsp_mcp import main
main()
"""
"""lean-lsp-mcp with another address in place of LeanSearch's, which no variable of its version 0.32 changes."""


@asynccontextmanager
async def session(
    project: Path, program: Sequence[str] = (str(PROGRAM),), **variables: str
) -> AsyncIterator[Any]:
    from mcp.client.stdio import StdioServerParameters, stdio_client

    environment = {
        **os.environ,
        "PATH": f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "LEAN_PROJECT_PATH": str(project),
        "LEAN_LOG_LEVEL": "NONE",
        **variables,
    }
    parameters = StdioServerParameters(command=program[0], args=[*program[1:]], env=environment)
    async with stdio_client(parameters) as streams, mcp.ClientSession(*streams) as opened:
        await opened.initialize()
        yield opened


async def test_its_hammer_gets_our_answers(project: Path, server: Served) -> None:
    place = {"file_path": str(project / "Mine.lean"), "line": 2, "column": 3}
    async with session(project, LEAN_HAMMER_URL=server.url) as client:
        hammered = await client.call_tool("lean_hammer_premise", {**place, "num_results": 16})
        elsewhere = await client.call_tool("lean_hammer_premise", {**place, "line": 1, "column": 1})
    assert not hammered.is_error
    premises = names(hammered.structured_content["items"])
    assert len(premises) == 16 and premises[0] == "Nat.add_comm"
    assert elsewhere.is_error


async def ask(client: Any, tool: str, query: str, count: int) -> Any:
    """The items of an answer, or the text of an error."""
    answer = await client.call_tool(tool, {"query": query, "num_results": count})
    return answer.content[0].text if answer.is_error else answer.structured_content["items"]


async def test_its_loogle_gets_our_answers_and_our_errors(project: Path, server: Served) -> None:
    async with session(project, LOOGLE_URL=server.url) as client:
        found = await ask(client, "lean_loogle", '?a + ?b = ?b + ?a, "Nat"', 4)
        unknown = await ask(client, "lean_loogle", "add_comm", 4)
        unread = await ask(client, "lean_loogle", "(_ + _", 4)
    assert found[0] == {
        "name": "Nat.add_comm",
        "type": "(m n : ℕ) : m + n = n + m",
        "module": "Example.Nat.Basic",
    }
    assert "`add_comm`" in unknown and 'Suggestions: "add_comm"' in unknown
    assert "The bracket `(` is not closed" in unread


async def test_its_lean_finder_gets_our_answers_and_our_errors(project: Path, server: Served) -> None:
    async with session(project, LEAN_FINDER_URL=f"{server.url}/leanfinder") as client:
        found = await ask(client, "lean_leanfinder", "addition is commutative", 5)
        of_state = await ask(client, "lean_leanfinder", ADD_COMM, 5)
        nothing = await ask(client, "lean_leanfinder", " ", 5)
    [best] = [one for one in found if one["formal_name"] == "Nat.add_comm"]
    assert best["type"] == "∀ (m n : ℕ), m + n = n + m" and best["path"] == "Example.Nat.Basic"
    assert best["informal_description"] == "Addition is commutative." and len(found) == 5
    assert of_state[0]["formal_name"] == "Nat.add_comm"
    assert "There is nothing to search for" in nothing


async def test_its_lean_search_can_read_our_answers(project: Path, server: Served) -> None:
    program = (sys.executable, "-c", POINTED_HERE)
    async with session(project, program, OUR_URL=server.url) as client:
        found = await ask(client, "lean_leansearch", "addition is commutative", 4)
        nothing = await ask(client, "lean_leansearch", "cheap flights to Paris", 4)
    [best] = [one for one in found if one["name"] == "Nat.add_comm"]
    assert best["module_name"] == "Example.Nat.Basic" and best["kind"] == "theorem" and len(found) == 4
    assert best["type"] == "∀ (m n : ℕ), m + n = n + m"
    assert nothing == []


async def test_our_tools_work_beside_it(project: Path, environment: dict[str, str]) -> None:
    place = {"line": 2, "column": 3}
    async with (
        session(project) as theirs,
        on_stdio(Workplace(project, environment)) as ours,
    ):
        goal, suggested = await asyncio.gather(
            theirs.call_tool("lean_goal", {"file_path": str(project / "Mine.lean"), **place}),
            ours.call_tool("suggest", {"file": "Mine.lean", **place}),
        )
    assert not goal.is_error and not suggested.is_error
    found = suggested.structured_content
    assert found["goal"].splitlines()[-1] in json.dumps(goal.structured_content, ensure_ascii=False)
    assert found["premises"] and found["tactics"]
