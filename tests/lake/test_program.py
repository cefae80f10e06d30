"""What the stand-in for Lake answers, by its version, and that Lean's own server takes the answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lean_extract.records import Position
from lean_extract.session import LeanSession
from tests.lake.projects import LakeProject

pytestmark = pytest.mark.lean

LAKEFILE = """name = "lib"
leanOptions.autoImplicit = false

[moreServerOptions]
pp.deepTerms = true

[[lean_lib]]
name = "Lib"
leanOptions.pp.unicode.fun = true
"""
FUN = "theorem same : (fun (x : Nat) => x) = (fun x => x) := by\n  sorry\n"
USE = "import Lib.A\n\ntheorem use : (fun (x : Nat) => x) = (fun x => x) := by\n  exact same\n"
FILES = {"lakefile.toml": LAKEFILE, "Lib.lean": USE, "Lib/A.lean": FUN, "Other.lean": FUN}
PACKAGE, SERVER, LIBRARY = {"autoImplicit": False}, {"pp.deepTerms": True}, {"pp.unicode.fun": True}
Make = Callable[..., LakeProject]


def options(project: LakeProject, name: str) -> dict[str, Any]:
    answer = json.loads(project.lake("setup-file", str(project.root / name), "--no-build").stdout)
    found: dict[str, Any] = answer["setupOptions"] if "paths" in answer else answer["options"]
    return found


@pytest.mark.parametrize(
    ("version", "of_module", "of_external"),
    [
        ("4.9.1", PACKAGE | SERVER | LIBRARY, {}),
        ("4.18.0", PACKAGE | SERVER | LIBRARY, {}),
        ("4.22.0", PACKAGE | SERVER | LIBRARY, PACKAGE | SERVER),
        ("4.23.0", PACKAGE | LIBRARY, PACKAGE | SERVER),
        ("4.27.0", PACKAGE | LIBRARY, PACKAGE | SERVER),
        ("4.35.0", PACKAGE | LIBRARY, PACKAGE | SERVER),
    ],
)
def test_options_by_version(
    lake_project: Make, version: str, of_module: dict[str, Any], of_external: dict[str, Any]
) -> None:
    project = lake_project(version, FILES)
    assert options(project, "Lib/A.lean") == of_module
    assert options(project, "Other.lean") == options(project, "Lib/New.lean") == of_external
    assert version in project.lake("--version").stdout


async def test_leans_server_prints_with_the_options_of_the_file(lake_project: Make) -> None:
    project = lake_project("4.27.0", FILES)
    assert project.toolchain.kind == "lake" and project.toolchain.version == "4.27.0"
    async with await LeanSession.start(project.root, project.toolchain) as session:
        targets = [
            (await session.goals_at(Path(name), None, Position(line, 2))).goals[0].target
            for name, line in (("Lib/A.lean", 1), ("Lib.lean", 3), ("Other.lean", 1))
        ]
    arrows = "(fun x ↦ x) = fun x ↦ x"
    assert targets == [arrows, arrows, arrows.replace("↦", "=>")]


@pytest.mark.parametrize("version", ["4.9.1", "4.35.0"])
def test_what_has_to_be_built_is_an_exit_code(lake_project: Make, version: str) -> None:
    project = lake_project(version, {**FILES, "Lib/B.lean": "import Lib.A\n"}, is_built=False)
    ask = ("setup-file", str(project.root / "Lib.lean"), "Lib.B", "--no-build", "--no-cache")
    assert project.lake(*ask, succeeds=False).returncode == 3
    project.build()
    project.lake(*ask)
    project.write({"Lib/A.lean": f"{FUN}\n"})
    assert project.lake(*ask, succeeds=False).returncode == 3
    project.write({"Lib/A.lean": FUN})
    project.lake(*ask)


def test_dependencies_are_fetched_as_lake_does(lake_project: Make, tmp_path: Path) -> None:
    """What the product must not let happen: no command but `serve` is needed for it."""
    origin, revision = tmp_path / "origin", "1" * 40
    origin.mkdir()
    (origin / "lakefile.toml").write_text('name = "dep"\n[[lean_lib]]\nname = "Dep"\n')
    (origin / "Dep.lean").write_text(FUN)
    requires = f'\n[[require]]\nname = "dep"\ngit = "{origin}"\nrev = "{revision}"\n'
    project = lake_project(
        files={"lakefile.toml": LAKEFILE + requires, "Lib.lean": "import Dep\n"}, is_built=False
    )
    assert "not in manifest" in project.lake("build", succeeds=False).stderr
    project.lake("update")
    project.build()
    head = project.root / ".lake" / "packages" / "dep" / ".git" / "HEAD"
    assert head.read_text() == f"{revision}\n"
    head.write_text("ref: refs/heads/main\n")
    project.lake("serve", "--", "--help")
    assert head.read_text() == f"{revision}\n"
