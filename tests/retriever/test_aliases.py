"""The aliases of an index have the statements of their targets, in other files and packages too."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.records import Premise
from lean_extract.source.projects.project import SourceFile, find_sources
from retriever.lean.eligibility import RankRequest
from retriever.lean.goal_context import GoalContext
from retriever.lean.index.build import SharedPackage, pinned_packages, update_package
from retriever.lean.index.view import LeanView
from retriever.search.index.store import IndexStore
from tests.retriever.support import COMMUTES, CountingEncoder, Project

BASE = "theorem base_turn (n m : Nat) : n + m = m + n := sorry\n"
USER = "import Num.Base\nalias my_turn := base_turn\nalias core_turn := Nat.turn\nalias absent := nothing\n"
CORE = "theorem Nat.turn (n m : Nat) : n * m = m * n := sorry\n"
SECOND = "import Core.Nat\nalias second_turn := Nat.turn\n"


@pytest.fixture
def project(tmp_path: Path, counting: CountingEncoder) -> Project:
    return Project.written(tmp_path, counting, Base=BASE, User=USER)


@pytest.fixture
def core(tmp_path: Path) -> SharedPackage:
    folder = tmp_path / "lean"
    (folder / "Core").mkdir(parents=True)
    sources = []
    for name, text in (("Nat", CORE), ("Second", SECOND)):
        path = folder / "Core" / f"{name}.lean"
        path.write_text(text)
        sources.append(SourceFile(path, f"Core.{name}", "core", "1"))
    return SharedPackage("core", "1", folder, tuple(sources))


def premise(store: IndexStore, encoder: CountingEncoder, name: str) -> Premise:
    view = LeanView.open([store], encoder.fingerprint)
    [found] = [view.premise(i) for i in range(len(view)) if view.alive[i] and view.name(i) == name]
    return found


def test_an_alias_has_the_statement_of_another_file(project: Project) -> None:
    report = project.index()
    assert premise(project.store, project.encoder, "my_turn").statement == "(n m : Nat) : n + m = m + n"
    assert premise(project.store, project.encoder, "absent").conclusion == ""
    assert (report.files, report.files_read, report.problems) == (2, 2, ())
    view = project.view()
    assert report.documents == int(view.alive.sum())


def test_an_alias_is_found_by_its_statement(project: Project) -> None:
    project.index()
    ranked = project.service().rank(RankRequest(COMMUTES, GoalContext("New", ("Num.User",))))
    assert {one.premise.name for one in ranked[:2]} == {"base_turn", "my_turn"}


def test_an_alias_has_the_statement_of_another_package(
    project: Project, core: SharedPackage, tmp_path: Path
) -> None:
    project.index(shared=tmp_path / "shared", core=core)
    assert premise(project.store, project.encoder, "core_turn").conclusion == "n * m = m * n"
    assert premise(project.store, project.encoder, "second_turn").conclusion == "n * m = m * n"


def test_a_package_that_was_indexed_by_itself_is_completed_within_itself(
    core: SharedPackage, tmp_path: Path, counting: CountingEncoder
) -> None:
    update_package(core, tmp_path / "shared", counting)
    found = premise(core.store(tmp_path / "shared", counting.fingerprint), counting, "second_turn")
    assert found.conclusion == "n * m = m * n"


def test_a_first_index_completes_the_packages_that_it_finds(
    project: Project, core: SharedPackage, tmp_path: Path
) -> None:
    path = project.root / ".lake" / "packages" / "lib" / "Lib.lean"
    path.parent.mkdir(parents=True)
    path.write_text("import Core.Nat\nalias lib_turn := Nat.turn\n")
    entry = '{"type": "git", "name": "lib", "rev": "1", "url": "https://example.org/lib"}'
    manifest = f'{{"version": "1.1.0", "packages": [{entry}], "name": "num"}}'
    (project.root / "lake-manifest.json").write_text(manifest)
    [library] = pinned_packages(project.root, find_sources(project.root).sources)
    shared = tmp_path / "shared"
    update_package(library, shared, project.encoder)
    own = library.store(shared, project.encoder.fingerprint)
    assert premise(own, project.encoder, "lib_turn").conclusion == ""
    project.index(shared=shared, core=core)
    assert premise(project.store, project.encoder, "lib_turn").conclusion == "n * m = m * n"


def test_a_second_run_writes_nothing(project: Project) -> None:
    project.index()
    stamp, asked = project.store.stamp(), len(project.encoder.names)
    project.index()
    assert project.store.stamp() == stamp and len(project.encoder.names) == asked
