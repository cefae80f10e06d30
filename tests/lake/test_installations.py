"""A Lean that is installed in part, or is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lean_extract.common.errors import LeanError, LeanNotFound, ProjectBroken
from lean_extract.records import Position
from lean_extract.session import LeanSession
from lean_extract.toolchains.toolchain import Toolchain, resolve_lean
from tests.lake.projects import LakeProject

pytestmark = pytest.mark.lean

NAME = "leanprover/lean4:v4.27.0"
FILES = {
    "Lib.lean": "import Lib.A\ntheorem t (n : Nat) : n = n := by\n  sorry\n",
    "Lib/A.lean": "theorem of_a : True := trivial\n",
}
Make = Callable[..., LakeProject]


@pytest.fixture
def project(lake_project: Make) -> LakeProject:
    """A project of which elan has the toolchain."""
    made = lake_project(files=FILES)
    folder = made.root.parent / "elan" / "toolchains" / "leanprover--lean4---v4.27.0"
    folder.parent.mkdir(parents=True)
    folder.symlink_to(made.prefix)
    return made


def resolved(project: LakeProject) -> Toolchain:
    home = project.root.parent / "elan"
    variables = {**project.environment, "ELAN_HOME": str(home), "PATH": "/usr/bin:/bin"}
    return resolve_lean(project.root, environment=variables)


async def refusal(project: LakeProject, toolchain: Toolchain) -> LeanError:
    with pytest.raises(LeanError) as raised:
        async with await LeanSession.start(project.root, toolchain) as session:
            await session.goals_at(Path("Lib.lean"), None, Position(2, 2))
    return raised.value


@pytest.mark.parametrize(
    ("name", "folder", "resolves_to"),
    [
        (NAME, "leanprover--lean4---v4.27.0", NAME),
        ("4.27.0", "leanprover--lean4---v4.27.0", NAME),
        ("stable", "leanprover--lean4---v4.27.0", NAME),
        (
            "nightly-2026-07-01",
            "leanprover--lean4-nightly---nightly-2026-07-01",
            "leanprover/lean4-nightly:nightly-2026-07-01",
        ),
        ("own", "own", "own"),
    ],
)
async def test_what_elan_has(project: LakeProject, name: str, folder: str, resolves_to: str) -> None:
    toolchains = project.root.parent / "elan" / "toolchains"
    (toolchains / "leanprover--lean4---v4.27.0").rename(toolchains / folder)
    project.write({"lean-toolchain": f"{name}\n"})
    toolchain = resolved(project)
    assert toolchain.kind == "lake" and toolchain.environment["ELAN_TOOLCHAIN"] == resolves_to
    async with await LeanSession.start(project.root, toolchain) as session:
        assert (await session.goals_at(Path("Lib.lean"), None, Position(2, 2))).goals


@pytest.mark.parametrize("missing", ["lean", "everything"])
def test_without_lean(project: LakeProject, missing: str) -> None:
    if missing == "lean":
        (project.prefix / "bin" / "lean").unlink()
    else:
        project.prefix.rename(project.prefix.with_name("moved"))
    with pytest.raises(
        LeanNotFound, match=r"v4\.27\.0 is incomplete: .* has no bin/lean.*toolchain uninstall"
    ):
        resolved(project)


async def test_without_its_library(project: LakeProject) -> None:
    (project.prefix / "lib" / "lean").unlink()
    error = await refusal(project, resolved(project))
    assert isinstance(error, ProjectBroken) and "unknown module prefix 'Init'" in error.message
    assert f"elan toolchain install {NAME}" in error.hint and "lake build" not in error.hint


async def test_without_lake(project: LakeProject) -> None:
    (project.prefix / "bin" / "lake").unlink()
    error = await refusal(project, resolved(project))
    assert "There is no Lake with this Lean" in error.hint and f"elan toolchain install {NAME}" in error.hint


async def test_a_lake_that_does_not_run(project: LakeProject) -> None:
    toolchain = resolved(project)
    (project.prefix / "bin" / "lake").write_text("")
    error = await refusal(project, toolchain)
    assert isinstance(error, LeanNotFound) and "bin/lake: Exec format error" in error.message


@pytest.mark.parametrize(
    ("program", "expected"),
    [("", "does not run"), ("#!/bin/sh\necho hello\n", "did not print a version of Lean: hello")],
    ids=["empty", "another program"],
)
def test_a_lean_that_is_none(project: LakeProject, program: str, expected: str) -> None:
    (project.prefix / "bin" / "lean").write_text(program)
    with pytest.raises(LeanNotFound, match=expected):
        resolved(project)
