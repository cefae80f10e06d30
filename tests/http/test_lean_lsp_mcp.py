"""lean-lsp-mcp, a client that no one here wrote: its hammer, pointed here by environment."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from lean_extract.toolchains.packaged import PackagedLean
from lean_extract.toolchains.toolchain import resolve_lean
from tests.http.conftest import Served, names
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


@asynccontextmanager
async def session(project: Path, **variables: str) -> AsyncIterator[Any]:
    from mcp.client.stdio import StdioServerParameters, stdio_client

    environment = {
        **os.environ,
        "PATH": f"{project.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "LEAN_PROJECT_PATH": str(project),
        "LEAN_LOG_LEVEL": "NONE",
        **variables,
    }
    parameters = StdioServerParameters(command=str(PROGRAM), args=[], env=environment)
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
