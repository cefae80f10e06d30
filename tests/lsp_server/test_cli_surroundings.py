"""The command line under terminals, locales and full disks."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.forked import SCRIPT
from tests.lsp_server.conftest import STATE, Cli, succeed
from tests.lsp_server.terminals import on_terminal

pytestmark = pytest.mark.lean


def test_colour_and_bars_are_for_terminals(environment: dict[str, str], own_project: Path) -> None:
    asked = [str(SCRIPT), "suggest", "--file", str(own_project / "Work.lean"), "--line", "6"]
    terminal = {**environment, "TERM": "xterm"}
    assert "\x1b[1mLib.and_swap\x1b[0m" in on_terminal(asked, terminal)
    assert "\x1b" not in on_terminal(asked, {**terminal, "NO_COLOR": "1"})
    (own_project / "New.lean").write_text("theorem new : True := True.intro\n", encoding="utf-8")
    assert "Reading and embedding: 100%" in on_terminal([str(SCRIPT), "index", str(own_project)], terminal)


def test_a_full_disk_leaves_the_old_index(cli: Cli, environment: dict[str, str], own_project: Path) -> None:
    """Writing fails as on a full disk (no file may grow past 20 kB); the index before it still answers."""
    theorems = "".join(f"theorem t{i} (n : Nat) : n + {i} = n + {i} := rfl\n" for i in range(200))
    (own_project / "New.lean").write_text(theorems, encoding="utf-8")
    done = subprocess.run(
        ["prlimit", "--fsize=20000", str(SCRIPT), "index", str(own_project)],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 1, done.stdout
    assert done.stderr.startswith("error: ")
    assert "\nhint: " in done.stderr
    assert "Traceback" not in done.stderr
    assert "Lib.plus_swap" in cli("suggest", "--state", "-", stdin=STATE, cwd=own_project).stdout


def test_the_demo_shows_the_whole_path(cli: Cli) -> None:
    done = succeed(cli, "demo")
    lines = done.stdout.splitlines()
    assert any(line.startswith("  ⊢ ") for line in lines)
    assert any(line.startswith("  1. ") and line.endswith("in scope") for line in lines)
    accepted = lines[lines.index("Tactics that Lean accepts") + 1]
    assert accepted.endswith("closes the goal")


def test_any_locale_will_do(environment: dict[str, str], project: Path) -> None:
    done = subprocess.run(
        [str(SCRIPT), "suggest", "--state", "-"],
        input=STATE.encode(),
        capture_output=True,
        cwd=project,
        env={**environment, "LC_ALL": "C", "PYTHONIOENCODING": "latin-1"},
    )
    assert done.returncode == 0
    assert "⊢ n + m = m + n" in done.stdout.decode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_a_full_disk_is_told_in_a_sentence(tmp_path: Path) -> None:
    environment = {**os.environ, "PREMISE_SUGGEST_INDEX": str(tmp_path)}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [str(SCRIPT), "collections"], stdout=full, stderr=subprocess.PIPE, text=True, env=environment
        )
    assert done.returncode == 1
    assert "error: The output cannot be read or written: No space left on device." in done.stderr
    assert "Traceback" not in done.stderr
