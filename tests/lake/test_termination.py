"""Lake and what it has started are asked to end before they are killed, so that a `git` can tidy up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from lean_extract.records import Position
from lean_extract.session import LeanSession
from tests.lake.projects import LakeProject

pytestmark = pytest.mark.lean

GOAL = "theorem t (n : Nat) : n = n := by\n  sorry\n"
Make = Callable[..., LakeProject]


@pytest.fixture
def project(lake_project: Make) -> LakeProject:
    return lake_project(files={"Lib.lean": GOAL})


def wrap_lake(project: LakeProject, on_termination: str) -> None:
    """Have Lake run below a shell that has a `trap` for SIGTERM."""
    lake = project.prefix / "bin" / "lake"
    real = lake.rename(lake.with_name("real-lake"))
    lake.write_text(
        f"#!/bin/sh\ntrap '{on_termination}' TERM\nexec 3<&0\n{real} \"$@\" <&3 &\nchild=$!\nwait $child\n"
    )
    lake.chmod(0o755)


async def close_after_a_goal(project: LakeProject) -> list[psutil.Process]:
    """The processes that a session had before it was closed."""
    async with await LeanSession.start(project.root, project.toolchain) as session:
        assert (await session.goals_at(Path("Lib.lean"), None, Position(1, 2))).goals
        assert session.pid is not None
        lake = psutil.Process(session.pid)
        return [lake, *lake.children(recursive=True)]


async def test_lake_can_tidy_up(project: LakeProject, tmp_path: Path) -> None:
    wrap_lake(project, f"echo tidied > {tmp_path / 'told'}; exit 143")
    await close_after_a_goal(project)
    assert (tmp_path / "told").read_text() == "tidied\n"


async def test_what_does_not_end_is_killed(project: LakeProject) -> None:
    wrap_lake(project, "")
    had = await close_after_a_goal(project)
    assert len(had) > 2 and not psutil.wait_procs(had, timeout=30)[1]
