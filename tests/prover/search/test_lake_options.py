"""A fresh Lean checks a proof with the options that Lake gives its file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lean_extract.toolchains.toolchain import Toolchain
from prover.search.fresh_lean import file_options
from prover.search.theorem import CheckedProof, Theorem, check_proof
from tests.lake.projects import LakeProject

pytestmark = pytest.mark.lean

LAKEFILE = """name = "lib"
leanOptions.maxRecDepth = 2000

[[lean_lib]]
name = "Lib"
leanOptions.autoImplicit = {auto}
leanOptions.weak.linter.no.such = true
"""
Make = Callable[..., LakeProject]


def made(make: Make, version: str, *, auto: bool) -> LakeProject:
    lakefile = LAKEFILE.format(auto=str(auto).lower())
    return make(
        version, {"lakefile.toml": lakefile, "Lib.lean": "import Lib.A\n", "Lib/A.lean": "def a := 1\n"}
    )


async def checked(project: LakeProject, name: str = "Lib.lean") -> CheckedProof:
    theorem = Theorem.stated(
        project.root / name, "import Lib.A", "theorem t (h : a = a) (n : List α) : n = n"
    )
    return await check_proof(theorem, ["rfl"], project.toolchain, project.root)


@pytest.mark.parametrize("version", ["4.9.1", "4.18.0", "4.22.0", "4.27.0", "4.35.0"])
async def test_options_of_the_library_apply(lake_project: Make, version: str) -> None:
    project = made(lake_project, version, auto=True)
    done = await checked(project)
    assert (done.accepted, done.message) == (True, "")
    found = await file_options(project.toolchain, project.root, Path("Lib.lean"), 60)
    assert set(found) == {"-DmaxRecDepth=2000", "-DautoImplicit=true", "-Dweak.linter.no.such=true"}


async def test_an_option_may_refuse_a_proof(lake_project: Make) -> None:
    done = await checked(made(lake_project, "4.27.0", auto=False))
    assert not done.accepted and "α" in done.message


async def test_what_is_to_be_built_and_what_is_not_there_has_options(lake_project: Make) -> None:
    project = made(lake_project, "4.27.0", auto=True)
    project.write({"Lib/A.lean": "def a := 2\n"})
    before = sorted(project.root.rglob("*"))
    assert len(await file_options(project.toolchain, project.root, Path("Lib.lean"), 60)) == 3
    assert await file_options(project.toolchain, project.root, Path("New.lean"), 60) == (
        "-DmaxRecDepth=2000",
    )
    assert sorted(project.root.rglob("*")) == before


async def test_without_an_answer_there_are_none(lake_project: Make, tmp_path: Path) -> None:
    project = made(lake_project, "4.27.0", auto=True)
    project.write({"lakefile.toml": "name = "})
    assert await file_options(project.toolchain, project.root, Path("Lib.lean"), 60) == ()
    plain = Toolchain("path", ("lean", "--server"), ("lean",))
    assert await file_options(plain, project.root, Path("Lib.lean"), 60) == ()
    for number, printed in enumerate(
        ("", "[1]", "{", '{"options": [1]}', '{"options": {"a": [1], "b": null}}')
    ):
        lake = tmp_path / f"lake{number}"
        lake.write_text(f"#!/bin/sh\necho '{printed}'\n")
        lake.chmod(0o755)
        command = (os.fspath(lake),)
        odd = Toolchain("lake", (*command, "serve", "--"), (*command, "env", "lean"))
        assert await file_options(odd, tmp_path, Path("Lib.lean"), 60) == ()
