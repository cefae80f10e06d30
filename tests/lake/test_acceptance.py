"""The script that a real machine runs (`real.yml`), on the stand-in for Lake."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lake.projects import LakeProject

pytestmark = pytest.mark.lean

SCRIPT = Path(__file__).parents[2] / "scripts" / "acceptance.py"
LIBRARY = "theorem lib_fact (p : Prop) (h : p) : p := by\n  exact h\n"
GOALS = """import Lib

theorem one (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  sorry

theorem two (p : Prop) : p := by
  sorry

theorem three (a b : Nat) (h : a = b) : b = a := by
  sorry
"""


def test_goals_are_closed_and_read_again_by_the_project_s_lean(
    lake_project: Callable[..., LakeProject], tmp_path: Path
) -> None:
    project = lake_project(files={"Lib.lean": LIBRARY})
    goals, report = tmp_path / "Goals.lean", tmp_path / "report"
    goals.write_text(GOALS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, SCRIPT, project.root, goals, "--report", report],
        env={**project.environment, "PREMISE_SUGGEST_INDEX": str(tmp_path / "index")},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((report / "report.json").read_text(encoding="utf-8"))
    assert [bool(one["closes"]) for one in found["goals"]] == [True, False, True]
    assert found["refused"] == [] and found["lean"] == project.toolchain.version
    assert {"live: goal", "live: tactics"} <= {one["name"] for one in found["doctor"]}
    assert "| goals closed | 2 of 3 |" in (report / "report.md").read_text(encoding="utf-8")
    assert (report / "Finished.lean").read_text(encoding="utf-8").count("sorry") == 1
