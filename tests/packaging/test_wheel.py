"""The wheel as users have it: installed offline, in an environment of its own, used outside of the clone."""

from __future__ import annotations

import json
import os
import subprocess
import zipfile
from pathlib import Path

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.packaging.conftest import ROOT, Installed, wheel_in

MOST_BYTES = 100_000_000
"""What PyPI takes, unless one asks for more."""
GOAL = "a b : ℕ\n⊢ a * b = b * a\n"


def test_the_wheel_holds_what_is_in_the_repository_and_is_small_enough_to_publish(built: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel_in(built)).namelist() if ".dist-info/" not in name}
    listed = subprocess.run(
        [
            "git",
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
            "--",
            "lean_extract",
            "lsp_server",
            "prover",
            "retriever",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert names == set(listed.stdout.split("\0")) - {""}
    assert wheel_in(built).stat().st_size < MOST_BYTES
    assert len(list(built.glob("*.tar.gz"))) == 1


def test_the_first_goal_is_answered_with_no_lean_no_network_and_no_compiler(installed: Installed) -> None:
    done = installed.run("suggest", "--state", "-", "--k", "2", "--json", given=GOAL)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["premises"][0]["name"] == "mul_comm"


def test_a_project_is_indexed_and_the_doctor_says_what_is_missing(installed: Installed) -> None:
    project = installed.home / "project"
    project.mkdir()
    (project / "lakefile.toml").write_text('name = "project"\n', encoding="utf-8")
    (project / "Project.lean").write_text(
        "theorem my_own_lemma (a b : Nat) : a * b = b * a := Nat.mul_comm a b\n", encoding="utf-8"
    )
    done = installed.run("index", "project")
    assert done.returncode == 0 and "1 premise in 1 file" in done.stdout, done.stdout + done.stderr
    told = {item["name"]: item for item in json.loads(installed.run("doctor", "project", "--json").stdout)}
    assert told["index"]["status"] == "ok" and told["hnswlib"]["status"] == "note"
    assert "premise-suggest[lean]" in told["lean"]["fix"] or "elan" in told["lean"]["fix"]


async def test_an_agent_is_served(installed: Installed, tmp_path: Path) -> None:
    command = StdioServerParameters(
        command=str(installed.bin / "premise-suggest"),
        args=["mcp", "--structured"],
        env={**os.environ, **installed.variables},
        cwd=tmp_path,
    )
    async with Client(stdio_client(command)) as client:
        answer = await client.call_tool("premises", {"state": GOAL, "k": 1})
    assert answer.structured_content is not None
    assert answer.structured_content["premises"][0]["name"] == "mul_comm"
