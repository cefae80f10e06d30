"""The aliases of an index have the statements of their targets, in other files and packages too."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.records import Premise
from lean_extract.source.projects.project import SourceFile, find_sources
from retriever.lean.eligibility import RankRequest
from retriever.lean.goal_context import GoalContext
from retriever.lean.index.build import SharedPackage, pinned_packages, update_index, update_package
from retriever.lean.index.view import LeanView
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from retriever.search.index.store import IndexStore
from tests.retriever.support import COMMUTES, CountingEncoder, write_project

BASE = "theorem base_turn (n m : Nat) : n + m = m + n := sorry\n"
USER = "import Num.Base\nalias my_turn := base_turn\nalias core_turn := Nat.turn\nalias absent := nothing\n"
CORE = "theorem Nat.turn (n m : Nat) : n * m = m * n := sorry\n"
SECOND = "import Core.Nat\nalias second_turn := Nat.turn\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_project(tmp_path / "project", Base=BASE, User=USER)


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


def test_an_alias_has_the_statement_of_another_file(
    root: Path, store: IndexStore, counting: CountingEncoder
) -> None:
    report = update_index(root, store, counting)
    assert premise(store, counting, "my_turn").statement == "(n m : Nat) : n + m = m + n"
    assert premise(store, counting, "absent").conclusion == ""
    assert (report.files, report.files_read, report.problems) == (2, 2, ())
    view = LeanView.open([store], counting.fingerprint)
    assert report.documents == int(view.alive.sum())


def test_an_alias_is_found_by_its_statement(
    root: Path, store: IndexStore, encoder: Encoder, model_folder: Path
) -> None:
    update_index(root, store, encoder)
    service = PremiseService.open([store], model_folder)
    ranked = [
        one.premise.name for one in service.rank(RankRequest(COMMUTES, GoalContext("New", ("Num.User",))))
    ]
    assert set(ranked[:2]) == {"base_turn", "my_turn"}


def test_an_alias_has_the_statement_of_another_package(
    root: Path, store: IndexStore, core: SharedPackage, tmp_path: Path, counting: CountingEncoder
) -> None:
    update_index(root, store, counting, shared=tmp_path / "shared", core=core)
    assert premise(store, counting, "core_turn").conclusion == "n * m = m * n"
    assert premise(store, counting, "second_turn").conclusion == "n * m = m * n"


def test_a_package_that_was_indexed_by_itself_is_completed_within_itself(
    core: SharedPackage, tmp_path: Path, counting: CountingEncoder
) -> None:
    update_package(core, tmp_path / "shared", counting)
    found = premise(core.store(tmp_path / "shared", counting.fingerprint), counting, "second_turn")
    assert found.conclusion == "n * m = m * n"


def test_a_first_index_completes_the_packages_that_it_finds(
    root: Path, store: IndexStore, core: SharedPackage, tmp_path: Path, counting: CountingEncoder
) -> None:
    path = root / ".lake" / "packages" / "lib" / "Lib.lean"
    path.parent.mkdir(parents=True)
    path.write_text("import Core.Nat\nalias lib_turn := Nat.turn\n")
    entry = '{"type": "git", "name": "lib", "rev": "1", "url": "https://example.org/lib"}'
    (root / "lake-manifest.json").write_text(f'{{"version": "1.1.0", "packages": [{entry}], "name": "num"}}')
    [library] = pinned_packages(root, find_sources(root).sources)
    shared = tmp_path / "shared"
    update_package(library, shared, counting)
    assert premise(library.store(shared, counting.fingerprint), counting, "lib_turn").conclusion == ""
    update_index(root, store, counting, shared=shared, core=core)
    assert premise(store, counting, "lib_turn").conclusion == "n * m = m * n"


def test_a_second_run_writes_nothing(root: Path, store: IndexStore, counting: CountingEncoder) -> None:
    update_index(root, store, counting)
    stamp, asked = store.stamp(), len(counting.names)
    update_index(root, store, counting)
    assert store.stamp() == stamp and len(counting.names) == asked
