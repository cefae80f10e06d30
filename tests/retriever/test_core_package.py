"""Lean's own library as a package that projects share: read once a version, and always in scope."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from lean_extract.common.errors import IndexWriteFailed
from lean_extract.source.reader import read_module
from lean_extract.toolchains.core_sources import LEAN_CORE, CoreSources
from retriever.lean.eligibility import RankRequest, doc_url
from retriever.lean.goal_context import GoalContext
from retriever.lean.index.build import SharedPackage, complete_report, update_index
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from retriever.search.index.files import locked
from retriever.search.index.store import IndexStore
from retriever.search.indexing.report import IndexReport
from tests.lean_extract.machines import give_sources
from tests.retriever.support import COMMUTES, CountingEncoder, Sheet, goal, make_store, theorem

OWN = "theorem my_swap (n m : Nat) : n + m = m + n := sorry\n"
CORE_NAMES = {"Nat.plus_turn", "Std.Sets.or_turn"}


class Projects:
    """Projects, each with a store, that share a folder of packages and a toolchain."""

    def __init__(self, folder: Path, encoder: CountingEncoder, model: Path) -> None:
        self.folder, self.encoder, self.model = folder, encoder, model
        self.shared = folder / "shared"
        self.core_root = give_sources(folder / "toolchain")

    def core(self, version: str = "4.24.0") -> SharedPackage:
        files = CoreSources(LEAN_CORE, version, self.core_root, ("Init", "Std")).files()
        return SharedPackage(LEAN_CORE, version, self.core_root, files, is_fixed=False)

    def project(self, name: str, text: str = OWN) -> Path:
        root = self.folder / name
        root.mkdir(exist_ok=True)
        (root / "lakefile.toml").write_text(f'name = "{name}"\n')
        (root / "Mine.lean").write_text(text)
        return root

    def store(self, name: str) -> IndexStore:
        return IndexStore(self.folder / f"index-{name}")

    def index(
        self,
        name: str,
        core: SharedPackage | None = None,
        *,
        progress: Callable[[str, int, int], None] = lambda *_: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> IndexReport:
        """Index a project; the names that were embedded for it are in `encoder.names`."""
        self.encoder.names.clear()
        return update_index(
            self.project(name),
            self.store(name),
            self.encoder,
            shared=self.shared,
            core=core or self.core(),
            progress=progress,
            should_stop=should_stop,
        )

    def service(self, name: str = "one") -> PremiseService:
        return PremiseService.open([self.store(name)], self.model)

    def ranked(self, name: str = "one") -> list[str]:
        """The premises for a goal in a project, by names."""
        return [one.premise.name for one in self.service(name).rank(RankRequest(COMMUTES))]

    @property
    def core_store(self) -> IndexStore:
        return self.core().store(self.shared, self.encoder.fingerprint)


@pytest.fixture
def projects(tmp_path: Path, counting: CountingEncoder, model_folder: Path) -> Projects:
    return Projects(tmp_path, counting, model_folder)


def test_a_version_is_read_once_for_all_projects(projects: Projects) -> None:
    first = projects.index("one")
    assert set(projects.encoder.names) == {*CORE_NAMES, "my_swap"}
    assert (first.files, first.documents) == (5, 3)
    written = projects.core_store.stamp()
    second = projects.index("two")
    assert projects.encoder.names == ["my_swap"]
    assert (second.files, second.documents, second.files_read) == (5, 3, 1)
    assert projects.core_store.stamp() == written
    for name in ("one", "two"):
        assert set(projects.ranked(name)) == {*CORE_NAMES, "my_swap"}
    own, core = projects.service("two").freshness().sources
    assert (own.package, own.premises) == ("", 1)
    assert (core.package, core.revision, core.modules, core.premises) == (LEAN_CORE, "4.24.0", 4, 2)


def test_another_version_has_an_index_of_its_own(projects: Projects) -> None:
    projects.index("one")
    projects.index("one", projects.core("4.25.0"))
    assert {source.revision for source in projects.service().freshness().sources} == {"", "4.25.0"}
    assert len(list(projects.shared.iterdir())) == 2


def test_what_changes_under_a_version_is_read_again(projects: Projects, encoder: Encoder) -> None:
    """A linked toolchain, built anew: only the changed file is embedded."""
    projects.index("one")
    path = projects.core_root / "Init" / "Numbers.lean"
    path.write_text(path.read_text() + "theorem Nat.newly_proved : True := sorry\n")
    assert complete_report(projects.core(), projects.core_store, encoder.fingerprint) is None
    projects.index("two")
    assert sorted(projects.encoder.names) == ["Nat.newly_proved", "my_swap"]
    found = complete_report(projects.core(), projects.core_store, encoder.fingerprint)
    assert found is not None and found.documents == 3


def test_the_same_version_elsewhere_is_not_embedded_again(projects: Projects) -> None:
    projects.index("one")
    moved = projects.folder / "moved"
    shutil.move(projects.core_root, moved)
    projects.core_root = moved
    projects.index("two")
    assert projects.encoder.names == ["my_swap"]
    snapshot = projects.service("two").snapshot()
    [number] = snapshot.names.find_names(["Nat.plus_turn"]).tolist()
    assert snapshot.view.path(number) == moved / "Init" / "Numbers.lean"


def test_a_copy_of_the_same_version_is_settled_once_it_was_looked_at(projects: Projects) -> None:
    """Its files have other times and hold the same."""
    projects.index("one")
    copied = projects.folder / "copied"
    shutil.copytree(projects.core_root, copied, copy_function=shutil.copyfile)
    projects.core_root = copied
    fingerprint = projects.encoder.fingerprint
    assert complete_report(projects.core(), projects.core_store, fingerprint) is None
    projects.index("two")
    assert projects.encoder.names == ["my_swap"]
    assert complete_report(projects.core(), projects.core_store, fingerprint) is not None


def test_who_comes_while_another_reads_it_waits_and_has_it(projects: Projects) -> None:
    """The lock is another's until it is heard that we wait for it."""
    projects.shared.mkdir()
    heard, may_end, taken = threading.Event(), threading.Event(), threading.Event()

    def hold() -> None:
        with locked(projects.core_store.root / "lock"):
            taken.set()
            may_end.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    assert taken.wait(30)

    def progress(stage: str, _done: int, _total: int) -> None:
        if stage == "wait":
            heard.set()
            may_end.set()

    report = projects.index("one", progress=progress)
    holder.join()
    assert heard.is_set()
    assert (report.stopped, report.documents) == (False, 3)


def test_who_is_stopped_while_waiting_keeps_what_the_project_had(projects: Projects) -> None:
    heard = threading.Event()
    with locked(projects.core_store.root / "lock"):
        report = projects.index(
            "one",
            progress=lambda stage, *_: heard.set() if stage == "wait" else None,
            should_stop=heard.is_set,
        )
    assert report.stopped
    assert projects.ranked() == ["my_swap"]
    assert projects.index("one").documents == 3


def test_what_was_stopped_goes_on_where_it_was(projects: Projects, counting: CountingEncoder) -> None:
    for number in range(600):
        text = f"prelude\ntheorem more_{number} : True := sorry\n"
        (projects.core_root / "Init" / f"More{number}.lean").write_text(text)
    heard = threading.Event()
    report = projects.index(
        "one", progress=lambda stage, *_: heard.set() if stage == "embed" else None, should_stop=heard.is_set
    )
    first = len(counting.names)
    assert report.stopped and 0 < first < 600
    assert not projects.index("one").stopped
    assert first + len(counting.names) == 603
    assert projects.service().snapshot().view.alive.sum() == 603


@pytest.mark.parametrize("spoilt", ["manifest.json", "segments/*/meta.json", "segments/*/*.npy"])
def test_a_damaged_index_of_it_is_built_again(projects: Projects, spoilt: str) -> None:
    projects.index("one")
    for path in projects.core_store.root.glob(spoilt):
        path.write_bytes(b"spoilt")
    assert not projects.index("two").stopped
    assert set(projects.encoder.names) >= CORE_NAMES
    assert set(projects.ranked()) == {*CORE_NAMES, "my_swap"}


def test_a_folder_that_cannot_be_written_to_is_told(projects: Projects) -> None:
    projects.shared.write_text("a file, where the folder of packages would be")
    with pytest.raises(IndexWriteFailed, match="could not be written"):
        projects.index("one")


def test_a_file_of_it_that_cannot_be_read_is_left_out(projects: Projects) -> None:
    (projects.core_root / "Init" / "Latin.lean").write_bytes(b"theorem caf\xe9 : True")
    (projects.core_root / "Init" / "Gone.lean").symlink_to("nowhere")
    report = projects.index("one")
    assert report.documents == 3
    named = sorted(Path(one.path.split(": ")[0]).name for one in report.problems)
    assert named == ["Gone.lean", "Latin.lean"]


SCOPES = [
    ("", {"Nat.plus_turn"}),
    ("import Std.Sets\n", CORE_NAMES),
    ("import Std\n", CORE_NAMES),
    ("prelude\n", set[str]()),
    ("prelude\nimport Init.Numbers\n", {"Nat.plus_turn"}),
    ("module\n", {"Nat.plus_turn"}),
]


@pytest.mark.parametrize(("header", "reached"), SCOPES)
def test_init_is_imported_by_every_file_without_prelude(
    projects: Projects, header: str, reached: set[str]
) -> None:
    projects.index("one")
    text = header + "theorem here (n m : Nat) : n + m = m + n := by\n  sorry\n"
    source = read_module(text, "Here", "Here.lean")
    where = GoalContext("Here", tuple(one.module for one in source.module.imports), 5, (), "here", source)
    ranked = projects.service().rank(RankRequest(COMMUTES, where))
    assert {one.premise.name for one in ranked if one.in_scope} == reached
    [far] = [one for one in ranked if one.premise.name == "Std.Sets.or_turn"]
    can_import = not far.in_scope and header != "module\n"  # `Std.Sets` is not in Lean's module system here
    assert far.import_line == ("import Std.Sets" if can_import else None)


def test_what_the_project_has_of_the_core_counts_first(projects: Projects) -> None:
    """Lean's own repository: its module `Init.Numbers` is the one that is being worked on."""
    mine = projects.project("one") / "Init" / "Numbers.lean"
    mine.parent.mkdir()
    mine.write_text("theorem Nat.plus_turned (n m : Nat) : n + m = m + n := sorry\n")
    projects.index("one")
    assert set(projects.ranked()) == {"my_swap", "Nat.plus_turned", "Std.Sets.or_turn"}


def test_a_lemma_of_mathlibs_that_has_gone_to_the_core_is_offered_once(
    projects: Projects, encoder: Encoder, tmp_path: Path
) -> None:
    projects.index("one")
    sheet = Sheet(
        [
            theorem("Nat.plus_turn", "Mathlib.Nat", "n + m = m + n", "(n m : ℕ)"),
            theorem("my_swap", "Mathlib.Nat", "n + m = m + n", "(n m : ℕ)", is_private=True),
            theorem("Nat.other", "Mathlib.Nat", "n + m = m + n", "(n m : ℕ)"),
        ],
        package="mathlib",
    )
    bundled = make_store(tmp_path / "bundled", {"Mathlib.Nat": sheet}, encoder, is_bundled=True)
    service = PremiseService.open([projects.store("one"), bundled], projects.model)
    found = [(one.premise.name, one.premise.module) for one in service.rank(RankRequest(COMMUTES))]
    assert found.count(("Nat.plus_turn", "Init.Numbers")) == 1
    assert {name for name, module in found if module == "Mathlib.Nat"} == {"Nat.other"}


def test_its_lemmas_have_a_page_and_a_place(projects: Projects) -> None:
    projects.index("one")
    ranked = projects.service().rank(RankRequest(COMMUTES))
    [found] = [one for one in ranked if one.premise.name == "Nat.plus_turn"]
    assert found.doc_url is not None and found.doc_url.endswith("/Init/Numbers.html#Nat.plus_turn")
    assert doc_url(found.premise, "mini-core") is None


def test_axioms_that_prove_nothing_are_not_offered(projects: Projects) -> None:
    axioms = "axiom sorryAx (α : Sort u) : α\nunsafe axiom lcNowhere {α : Sort u} : α\n"
    axioms += "axiom Lean.trustCompiler : True\naxiom choose {α : Sort u} : Nonempty α → α\n"
    (projects.core_root / "Init" / "Axioms.lean").write_text(f"prelude\n{axioms}")
    projects.index("one")
    assert set(projects.ranked()) == {*CORE_NAMES, "my_swap", "choose"}


PROVED = """prelude
theorem Std.Internal.turn (n m : Nat) : n + m = m + n := by
  apply Nat.plus_turn
theorem Nat.turned (n m : Nat) : n + m = m + n := by
  exact Std.Internal.turn n m
theorem Nat.turned_openly (n m : Nat) : n + m = m + n := by
  exact Nat.plus_turn n m
"""


def test_steps_of_what_it_calls_internal_are_no_tactics(projects: Projects) -> None:
    (projects.core_root / "Init" / "Turning.lean").write_text(PROVED)
    projects.index("one")
    service = projects.service()
    assert {step.theorem for step in service.near_steps(COMMUTES)} == {"Nat.turned_openly"}
    named = goal("n + Std.Internal.id m = m + n", ("n m", "ℕ"))
    found = {step.theorem for step in service.near_steps(named)}
    assert found == {"Nat.turned_openly", "Nat.turned", "Std.Internal.turn"}
