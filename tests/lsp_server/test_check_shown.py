"""The check of what is shown: a fresh Lean finds out a tactic that does not do what is said of it."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from lsp_server.schema import TacticItem

pytestmark = pytest.mark.lean

SCRIPT = Path(__file__).parents[2] / "scripts" / "check_shown_tactics.py"
PROOF = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  {}\n"
LEFT = ["case left\np q : Prop\nh : p ∧ q\n⊢ q", "case right\np q : Prop\nh : p ∧ q\n⊢ p"]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_shown_tactics", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("tactic", "status", "left", "said"),
    [
        ("exact ⟨h.2, h.1⟩", "closes", [], ""),
        ("exact h", "closes", [], "Type mismatch"),
        ("exact sorry", "closes", [], "it rests on sorryAx"),
        ("constructor", "closes", [], "unsolved goals"),
        ("constructor", "progress", LEFT, ""),
        ("constructor", "progress", LEFT[:1], ""),
        ("constructor", "progress", LEFT[::-1], "other goals are left"),
        ("exact ⟨h.2, h.1⟩", "progress", LEFT, "no goal is left"),
        ("constructor; exact h", "progress", LEFT, "Type mismatch"),
    ],
)
def test_what_is_said_of_a_tactic_is_looked_into(
    script: ModuleType, tmp_path: Path, tactic: str, status: str, left: list[str], said: str
) -> None:
    lean = script.FreshLean(tmp_path)
    text = PROOF.format(tactic)
    item = TacticItem(tactic, status, left)
    if status == "closes":
        found = script.closes_amiss(lean.messages(f"{text}\n#print axioms swap\n"), is_whole=True)
    else:
        found = script.leaves_amiss(lean.messages(text), item.remaining_goals)
    assert found.startswith(said) and bool(found) == bool(said), found
    assert list(tmp_path.iterdir()) == []


def test_a_run_and_the_same_run_again(environment: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "shown.jsonl"

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(SCRIPT), "--out", str(out), *options]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)

    first = run("--goals", "2", "--tactics-from", "templates")
    assert first.returncode == 0, first.stdout + first.stderr
    lines = out.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    out.write_text("\n".join([*lines[:2], lines[2][:40]]), encoding="utf-8")  # as a killed run leaves it
    again = run("--goals", "2", "--tactics-from", "templates")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "exceptions: shown, but refused by a fresh Lean  0" in again.stdout
    written = out.read_text(encoding="utf-8").splitlines()
    assert written[:2] == lines[:2]
    assert json.loads(written[2])["key"] == json.loads(lines[2])["key"]
    other = run("--goals", "2", "--seed", "9")
    assert other.returncode == 2
    assert "of another run" in other.stderr
