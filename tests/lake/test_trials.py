"""Tactics are tried on what the user's own file is for Lake: its module, with its options and its rights."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from lean_extract.records import Position
from lean_extract.session import LeanLimits, LeanSession
from tests.lake.projects import LakeProject

pytestmark = pytest.mark.lean

Make = Callable[..., LakeProject]
LAKEFILE = """name = "lib"

[[lean_lib]]
name = "Lib"
leanOptions.pp.unicode.fun = true
leanOptions.autoImplicit = false
"""
FUN = "theorem same : (fun (x : Nat) => x) = (fun x => x) := by\n  sorry\n"


async def statuses(
    project: LakeProject, name: str, position: Position, tactics: Sequence[str], text: str | None = None
) -> list[str]:
    async with await LeanSession.start(project.root, project.toolchain, LeanLimits(slots=3)) as session:
        tried = session.try_tactics(Path(name), text, position, tactics)
        async with aclosing(tried):
            found = {one.tactic: one.status async for one in tried}
    return [found[tactic] for tactic in tactics]


@pytest.mark.parametrize("version", ["4.9.1", "4.18.0", "4.22.0", "4.23.0", "4.27.0", "4.35.0"])
async def test_options_of_a_library_hold_for_trials(lake_project: Make, version: str) -> None:
    """The goal is printed as in the file; and what `autoImplicit` would accept is refused."""
    project = lake_project(version, {"lakefile.toml": LAKEFILE, "Lib.lean": FUN})
    tactics = ["rfl", "exact (fun (h : α) => h)", "have h : (fun (x : Nat) => x) = (fun y => y) := rfl"]
    assert await statuses(project, "Lib.lean", Position(1, 2), tactics) == ["closes", "fails", "progress"]


async def test_a_file_that_is_not_saved_and_has_another_alphabet(lake_project: Make) -> None:
    files = {"lakefile.toml": LAKEFILE.replace("Lib", "Λ"), "Λ.lean": "", "Λ/Ω.lean": ""}
    project = lake_project(files=files)
    assert await statuses(project, "Λ/Ω.lean", Position(1, 2), ["rfl"], FUN) == ["closes"]


async def test_nothing_is_built_and_nothing_is_written(lake_project: Make) -> None:
    """Not even where an import is out of date."""
    files = {
        "lakefile.toml": LAKEFILE,
        "Lib.lean": f"import Lib.A\n\n{FUN}",
        "Lib/A.lean": "def a : Nat := 1\n",
    }
    project = lake_project(files=files)
    before = _listed(project.root)
    assert await statuses(project, "Lib.lean", Position(3, 2), ["rfl"]) == ["closes"]
    assert _listed(project.root) == before


def _listed(folder: Path) -> str:
    done = subprocess.run(["ls", "-lR", "--full-time", folder], capture_output=True, text=True, check=True)
    return done.stdout
