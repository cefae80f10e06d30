"""Emacs in batch mode, set up as docs/editors/emacs.md says: eglot; lsp-mode beside a stand-in for Lean."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.editors.conftest import FILE
from tests.editors.pages import behind, block
from tests.forked import SCRIPT

pytestmark = pytest.mark.lean

HERE = Path(__file__).parent
REVERSED = "α : Type\nk l : List α\n⊢ (k ++ l).reverse = l.reverse ++ k.reverse"
Emacs = Callable[..., Any]


@pytest.fixture
def emacs(library: Path, environment: dict[str, str], tmp_path: Path) -> Emacs:
    """Run Emacs with a set-up and a script of ours; what the script found."""
    program = shutil.which("emacs")
    if program is None:
        pytest.skip("there is no Emacs here (apt-get install emacs-nox elpa-eglot elpa-lsp-mode)")

    def run(package: str, set_up: str, script: str, *arguments: str) -> Any:
        variables = {**environment, "PATH": f"{SCRIPT.parent}:{environment['PATH']}", "HOME": str(tmp_path)}
        batch = [program, "--batch", "-q"]
        has = f'(progn (package-initialize) (kill-emacs (if (locate-library "{package}") 0 1)))'
        if subprocess.run([*batch, "--eval", has], env=variables, capture_output=True).returncode != 0:
            pytest.skip(f"this Emacs has no {package} (apt-get install elpa-{package})")
        (tmp_path / "set-up.el").write_text(set_up, encoding="utf-8")
        result = tmp_path / "result.json"
        command = [
            *batch,
            "-l",
            tmp_path / "set-up.el",
            "-l",
            HERE / script,
            library / FILE,
            *arguments,
            result,
        ]
        done = subprocess.run(
            [str(part) for part in command], env=variables, capture_output=True, text=True, timeout=180
        )
        assert result.exists(), done.stderr
        return {**json.loads(result.read_text(encoding="utf-8")), "said": done.stderr}

    return run


def test_eglot_hovers_completes_and_fixes(emacs: Emacs) -> None:
    found = emacs("eglot", block("emacs.md", "eglot", 0), "eglot.el")
    assert "`Nat.add_left_comm`" in found["hover"]
    assert found["fixed"] == "apply Nat.add_left_comm"
    assert found["completed"] == "exact Nat.add_left_comm"


def test_lsp_mode_hands_over_the_goal_of_its_lean(emacs: Emacs, text: list[str]) -> None:
    goals = {"plainGoal": {behind(text, "theorem sum_swapped") - 1: REVERSED}}
    lean = json.dumps([sys.executable, str(HERE / "stand_in_lean.py"), json.dumps(goals)])
    set_up = block("emacs.md", "Beside lean4-mode (lsp-mode)") + block("emacs.md", "The goal from lean4-mode")
    found = emacs("lsp-mode", set_up, "lsp_mode.el", lean)
    # The client's goal is about lists, whatever stands in the file.
    assert found["line"] == "exact List.reverse_append"
    assert len(found["offered"]) == 16
    assert "Unknown notification" not in found["said"]
    assert not found["lean"], "our server started a Lean"
