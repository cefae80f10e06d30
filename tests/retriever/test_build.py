from __future__ import annotations

import errno
import json
import os
import signal
from pathlib import Path

import pytest

from lean_extract.common.errors import IndexWriteFailed
from retriever.lean.eligibility import RankRequest
from retriever.lean.goal_context import GoalContext
from retriever.lean.index.build import SharedPackage, update_index
from retriever.lean.index.view import Coverage
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from retriever.search.index import hnsw
from retriever.search.index.store import IndexStore
from retriever.search.index.view import open_stores
from retriever.search.indexing import embedding, update
from retriever.search.indexing.report import IndexReport
from tests.retriever.failing_writes import refusing, run_killed
from tests.retriever.support import COMMUTES, CountingEncoder, Project

BASE = """\
/-! Numbers. -/
namespace Num

theorem add_swap (n m : Nat) : n + m = m + n := sorry

private theorem add_hidden (n : Nat) : n + 0 = n := sorry

class Comm (α : Type) [Mul α] where
  mul_swap : ∀ a b : α, a * b = b * a
  unit : α

def double (n : Nat) : Nat := n + n

end Num
"""
ORDER = """\
import Num.Base

namespace Num

theorem le_or (a b : Nat) : a ≤ b ∨ b ≤ a := sorry
theorem double_le (a : Nat) : a ≤ double a := sorry

end Num
"""


@pytest.fixture
def project(tmp_path: Path, counting: CountingEncoder) -> Project:
    return Project.written(tmp_path, counting, Base=BASE, Order=ORDER)


ALL = {"Num.add_swap", "Num.Comm.mul_swap", "Num.double", "Num.le_or", "Num.double_le"}


def test_a_first_run_indexes_every_declaration(project: Project) -> None:
    heard: list[tuple[str, int, int]] = []
    report = project.index(progress=lambda *step: heard.append(step))
    assert (report.files, report.files_read, report.stopped, report.problems) == (2, 2, False, ())
    view = project.view()
    assert project.names() >= ALL
    assert report.documents == report.documents_embedded == int(view.alive.sum())
    assert report.documents == len(project.encoder.names)
    assert project.store.manifest().complete and project.store.manifest().built_at
    assert ("scan", 2, 2) in heard and ("embed", 2, 2) in heard


def test_the_indexed_project_answers(project: Project) -> None:
    project.index()
    service = project.service()
    [first, *rest] = service.rank(RankRequest(COMMUTES, GoalContext("New", ("Num.Order",))))
    assert first.premise.name == "Num.add_swap" and first.in_scope
    assert first.premise.conclusion == "n + m = m + n"
    names = {ranked.premise.name for ranked in rest}
    assert "Num.Comm.mul_swap" in names  # a field that states a proposition
    assert not {"Num.double", "Num.Comm.unit"} & names
    assert service.freshness().stale_files == ()


def test_nothing_changed_writes_nothing(project: Project) -> None:
    project.index()
    stamp, asked = project.store.stamp(), len(project.encoder.names)
    report = project.index()
    assert (report.files_read, report.documents_embedded, report.files) == (0, 0, 2)
    assert project.store.stamp() == stamp and len(project.encoder.names) == asked


def test_only_new_texts_of_changed_files_are_embedded(project: Project) -> None:
    project.index()
    before = len(project.encoder.names)
    changed = ORDER.replace("double_le (a", "double_less (a").replace(
        "end Num", "theorem new_one (a : Nat) : a * 1 = a := sorry\nend Num"
    )
    project.write("Order", changed)
    report = project.index()
    assert project.encoder.names[before:] == ["Num.double_less", "Num.new_one"]  # a name is embedded, too
    assert (report.files_read, report.documents_embedded, report.documents_reused) == (1, 2, 1)
    names = project.names()
    assert {"Num.new_one", "Num.double_less", "Num.add_swap"} <= names and "Num.double_le" not in names


def test_kept_vectors_are_the_right_ones(project: Project) -> None:
    project.index()
    project.write("Order", ORDER.replace("theorem le_or", "theorem top : 0 ≤ 1\n\ntheorem le_or"))
    project.index()
    view = project.view()
    for number in range(len(view)):
        if view.alive[number]:
            [expected] = project.encoder.encode_premises([view.premise(number)])
            assert view.vector(number) == pytest.approx(expected, abs=0.01)


def test_a_touched_file_is_not_read_again(project: Project) -> None:
    project.index()
    os.utime(project.path("Base"), ns=(1, 1))
    assert project.index().files_read == 0
    assert Coverage(project.view()).stale_files() == ()
    stamp = project.store.stamp()
    project.index()
    assert project.store.stamp() == stamp


def test_changed_and_removed_files_are_stale_until_the_next_run(project: Project) -> None:
    project.index()
    service = project.service()
    project.write("Order", ORDER + "-- more\n")
    project.path("Base").unlink()
    assert service.freshness().stale_files == ("Num/Base.lean", "Num/Order.lean")
    project.index()
    assert service.freshness().stale_files == ()


def test_an_update_that_is_stopped_while_it_looks_for_files_takes_none_for_gone(project: Project) -> None:
    assert project.index(should_stop=lambda: True).stopped
    assert not project.store.manifest().complete
    project.index()
    names, stamp = project.names(), project.store.stamp()
    assert project.index(should_stop=lambda: True).stopped
    assert project.store.stamp() == stamp
    assert names and project.names() == names


def test_packages_of_different_names_never_share_a_store(tmp_path: Path) -> None:
    named = [("a_b", "r"), ("a:b", "r"), ("a b", "r"), ("x" * 300, "r"), ("x" * 301, "r"), ("../up", "r")]
    stores = {SharedPackage(*key, tmp_path, ()).store(tmp_path / "shared", "f").root for key in named}
    assert len(stores) == len(named)
    assert {folder.parent for folder in stores} == {tmp_path / "shared"}
    assert all(len(folder.name) <= 200 for folder in stores)
    ordinary = SharedPackage("«doc-gen4»", "abc", tmp_path, ()).store(tmp_path / "shared", "f").root
    assert ordinary.name == "_doc-gen4_-abc-f"


def test_removed_and_renamed_files_go(project: Project) -> None:
    project.index()
    project.path("Base").rename(project.path("Basics"))
    project.path("Order").unlink()
    report = project.index()
    assert (report.files, report.files_read, report.files_removed) == (1, 1, 2)
    view = project.view()
    assert [file.module for file in view.live_files] == ["Num.Basics"]
    assert "Num.le_or" not in project.names()


def test_a_file_that_is_not_text_is_reported_and_the_rest_goes_on(project: Project) -> None:
    project.path("Broken").write_bytes(b"theorem x : \xff\xfe := sorry")
    report = project.index()
    assert [Path(problem.path).name for problem in report.problems] == ["Broken.lean"]
    assert project.names() >= ALL


def write_many(project: Project, count: int) -> None:
    for number in range(count):
        text = f"theorem t{number} (n : Nat) : n + {number} = {number} + n := sorry\n"
        project.write(f"File{number}", text)


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit after every three premises, embed one file at a time."""
    monkeypatch.setattr(update, "DOCUMENTS_PER_SEGMENT", 3)
    monkeypatch.setattr(embedding, "DOCUMENTS_PER_STEP", 1)


@pytest.mark.usefixtures("small_steps")
def test_a_stopped_run_goes_on_where_it_was(project: Project) -> None:
    write_many(project, 12)
    report = project.index(should_stop=lambda: len(project.encoder.names) > 8)
    assert report.stopped and not project.store.manifest().complete
    half = project.names()
    assert 8 < len(half) < 19
    report = project.index()
    assert not report.stopped and project.store.manifest().complete
    assert len(project.encoder.names) == len(set(project.encoder.names)) == report.documents, (
        "nothing is embedded twice"
    )


@pytest.mark.usefixtures("small_steps")
def test_segments_stay_few_and_hold_everything(project: Project) -> None:
    write_many(project, 24)
    project.index()
    assert len(project.store.manifest().segments) <= update.MAX_SEGMENTS
    for number in range(0, 24, 2):
        project.write(f"File{number}", f"theorem u{number} : {number} ≤ {number} := sorry\n")
    report = project.index()
    view = project.view()
    expected = {f"u{n}" if n % 2 == 0 else f"t{n}" for n in range(24)}
    assert expected | ALL <= project.names()
    assert not {f"t{n}" for n in range(0, 24, 2)} & project.names()
    assert len(project.names()) == int(view.alive.sum()) == report.documents
    assert len(project.store.manifest().segments) <= update.MAX_SEGMENTS


def test_a_killed_run_leaves_a_usable_index_that_the_next_completes(
    project: Project, model_folder: Path
) -> None:
    project.index()
    write_many(project, 12)
    index = f"""
from pathlib import Path
from retriever.models.encoder import Encoder
from retriever.search.indexing import embedding, update
from retriever.lean.index.build import update_index
from retriever.search.index.store import IndexStore

update.DOCUMENTS_PER_SEGMENT, embedding.DOCUMENTS_PER_STEP = 3, 1
encoder = Encoder.load(Path({str(model_folder)!r}))
update_index(Path({str(project.root)!r}), IndexStore(Path({str(project.store.root)!r})), encoder)
"""
    found = []
    for flushes in (3, 60, 60):
        assert run_killed(index, flushes) == -signal.SIGKILL
        names = project.names()
        assert names >= ALL
        found.append(len(names & {f"t{n}" for n in range(12)}))
    assert found == [0, 3, 6]
    report = project.index()
    assert project.names() >= ALL | {f"t{n}" for n in range(12)}
    assert report.documents_embedded == 6, "what the killed runs committed was kept"
    manifest = project.store.manifest()
    kept = {segment.name for segment in manifest.segments} | set(manifest.retired)
    assert {path.name for path in (project.store.root / "segments").iterdir()} <= kept


def test_a_failed_write_leaves_the_old_index(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.index()
    before = project.store.manifest()
    write_many(project, 3)
    monkeypatch.setattr(os, "fsync", refusing(errno.ENOSPC))
    with pytest.raises(IndexWriteFailed, match="the disk is full"):
        project.index()
    monkeypatch.undo()
    assert project.store.manifest() == before
    assert project.index().files == 5


def with_package(root: Path, revision: str | None) -> None:
    package = root / ".lake" / "packages" / "dep"
    (package / "Dep").mkdir(parents=True, exist_ok=True)
    (package / "lakefile.toml").write_text('name = "dep"\n')
    (package / "Dep" / "Main.lean").write_text("theorem Dep.add_turn (n m : Nat) : n + m = m + n := sorry\n")
    pinned = f', "rev": "{revision}"' if revision else ""
    (root / "lake-manifest.json").write_text(
        f'{{"version": "1.1.0", "packages": [{{"name": "dep", "type": "git"{pinned}}}]}}'
    )


def test_pinned_packages_are_shared_between_projects(
    project: Project, tmp_path: Path, model_folder: Path
) -> None:
    with_package(project.root, "0123456789abcdef")
    shared = tmp_path / "shared"
    first = project.index(shared=shared)
    assert first.files == 3 and "Dep.add_turn" in project.encoder.names
    other_root, other_store = tmp_path / "other", IndexStore(tmp_path / "other-index")
    with_package(other_root, "0123456789abcdef")
    asked = len(project.encoder.names)
    second = update_index(other_root, other_store, project.encoder, shared=shared)
    assert second.files == 1 and len(project.encoder.names) == asked
    service = PremiseService.open([other_store], model_folder)
    assert service.rank(RankRequest(COMMUTES))[0].premise.name == "Dep.add_turn"
    [source] = service.freshness().sources
    assert (source.package, source.revision) == ("dep", "0123456789abcdef")
    with_package(other_root, "fedcba9876543210")
    update_index(other_root, other_store, project.encoder, shared=shared)
    assert len(list(shared.iterdir())) == 2


def test_unpinned_packages_go_into_the_projects_own_index(project: Project, tmp_path: Path) -> None:
    with_package(project.root, None)
    project.index(shared=tmp_path / "shared")
    assert "Dep.add_turn" in project.names()
    assert not (tmp_path / "shared").exists()


def test_large_segments_get_a_graph(project: Project) -> None:
    pytest.importorskip("hnswlib", reason="hnswlib is not installed")
    parameters = hnsw.HnswParameters(threshold=5)
    project.index(graphs=parameters)
    [segment] = project.view().segments
    assert hnsw.has_graph(segment.folder, len(segment))
    heard: list[str] = []
    project.index(graphs=parameters, progress=lambda stage, *_: heard.append(stage))
    assert "graph" not in heard


def test_a_package_gets_the_graph_that_was_stopped(project: Project, tmp_path: Path) -> None:
    pytest.importorskip("hnswlib", reason="hnswlib is not installed")
    with_package(project.root, "0123456789abcdef")
    parameters, heard = hnsw.HnswParameters(threshold=1), list[str]()

    def index(*, stop_at: str = "") -> bool:
        heard.clear()
        return update_index(
            project.root,
            project.store,
            project.encoder,
            shared=tmp_path / "shared",
            graphs=parameters,
            progress=lambda stage, *_: heard.append(stage),
            should_stop=lambda: stop_at in heard,
        ).stopped

    assert index(stop_at="graph")
    [package] = (tmp_path / "shared").iterdir()
    [(segment, _)] = IndexStore(package).open()[1]
    assert not hnsw.has_graph(segment.folder, len(segment))
    assert not index() and "graph" in heard
    assert hnsw.has_graph(segment.folder, len(segment))
    embedded = len(project.encoder.names)
    assert not index() and "graph" not in heard
    assert len(project.encoder.names) == embedded


def test_use_counts_reach_the_index(project: Project) -> None:
    project.index(uses={"Num.le_or": 9})
    view = project.view()
    assert {view.name(n): int(view.uses[n]) for n in range(len(view)) if view.uses[n]} == {"Num.le_or": 9}


def test_a_package_index_of_another_format_is_built_again(project: Project, tmp_path: Path) -> None:
    with_package(project.root, "r1")
    shared = tmp_path / "shared"
    before = project.index(shared=shared)
    for meta in (*shared.glob("*/segments/*/meta.json"), *project.store.root.glob("segments/*/meta.json")):
        meta.write_text(json.dumps({**json.loads(meta.read_text()), "version": 1}))
    again = project.index(shared=shared)
    assert (again.documents, again.files_read) == (before.documents, before.files_read)
    assert project.names()


def test_reports_add_up() -> None:
    total = IndexReport(1, 10, 1, seconds=1.5) + IndexReport(2, 20, stopped=True, seconds=0.5)
    assert total == IndexReport(3, 30, 1, stopped=True, seconds=2.0)


def test_an_index_folder_that_is_named_from_here_is_read_from_anywhere(
    project: Project, tmp_path: Path, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_package(project.root, "abc")
    monkeypatch.chdir(tmp_path)
    update_index(project.root, IndexStore(Path("own")), encoder, shared=Path("shared"))
    monkeypatch.chdir(project.root)
    manifest = IndexStore(tmp_path / "own").manifest()
    assert [Path(one).is_absolute() for one in manifest.includes] == [True]
    assert not open_stores([IndexStore(tmp_path / "own")], encoder.fingerprint).left_out
