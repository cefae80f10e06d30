from __future__ import annotations

import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import IndexDamaged, IndexMissing, ModelError
from lean_extract.records import Import, Premise
from lean_extract.source.reader import read_module
from retriever.lean.eligibility import RankRequest, doc_url
from retriever.lean.features import FEATURES
from retriever.lean.goal_context import GoalContext
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from retriever.search.fusion import Fusion, Lists
from retriever.search.index.store import IndexStore
from tests.retriever.support import COMMUTES, Sheet, goal, make_store, theorem

PROJECT = {
    "Lib.Add": Sheet(
        [
            theorem("add_comm", "Lib.Add", "a + b = b + a", "{M : Type*}", "[AddComm M]", "(a b : M)"),
            theorem("add_secret", "Lib.Add", "a + b = b + a", "(a b : ℕ)", is_private=True),
            theorem("add_op", "Lib.Add", "ℕ → ℕ → ℕ", kind="def"),
        ],
        (Import("Lib.Order"),),
    ),
    "Lib.Order": Sheet([theorem("le_total", "Lib.Order", "a ≤ b ∨ b ≤ a", "(a b : ℕ)")]),
    "Lib.Sets": Sheet([theorem("mem_union", "Lib.Sets", "x ∈ s ∪ t ↔ x ∈ s ∨ x ∈ t", "(s t : Set α)")]),
    "Lib.Open": Sheet(
        [
            theorem("open_old", "Lib.Open", "n + m = m + n", "(n m : ℕ)", lines=(2, 3)),
            theorem("open_later", "Lib.Open", "n + m = m + n", "(n m : ℕ)", lines=(30, 31)),
        ]
    ),
}
MATHLIB = {
    "Mathlib.Algebra.Group.Basic": Sheet(
        [
            theorem(
                "add_comm'", "Mathlib.Algebra.Group.Basic", "a + b = b + a", "(a b : G)", doc="Sums commute."
            )
        ],
        package="mathlib",
    ),
    "Mathlib.Data.Set": Sheet(
        [theorem("Set.mem_union", "Mathlib.Data.Set", "x ∈ s ∪ t ↔ x ∈ s ∨ x ∈ t")], package="mathlib"
    ),
}


@pytest.fixture
def store(tmp_path: Path, encoder: Encoder) -> IndexStore:
    return make_store(tmp_path / "index", PROJECT, encoder)


@pytest.fixture
def service(store: IndexStore, model_folder: Path) -> PremiseService:
    return PremiseService.open([store], model_folder)


def found(service: PremiseService, where: GoalContext | None = None, **options: object) -> list[str]:
    return [ranked.premise.name for ranked in service.rank(RankRequest(COMMUTES, where, **options))]  # type: ignore[arg-type]


def test_what_states_the_goal_comes_first(service: PremiseService) -> None:
    ranked = service.rank(RankRequest(COMMUTES, None, 10))
    assert {r.premise.name for r in ranked[:3]} == {"add_comm", "open_old", "open_later"}
    first = next(r for r in ranked if r.premise.name == "add_comm")
    assert first.premise == PROJECT["Lib.Add"].premises[0]
    assert first.in_scope is None and first.import_line is None
    assert [r.score for r in ranked] == sorted((r.score for r in ranked), reverse=True)
    members = service.rank(RankRequest(goal("y ∈ A ∪ B", ("y", "α"), ("A B", "Set α")), None, 1))
    assert [r.premise.name for r in members] == ["mem_union"]


def test_k_is_kept(service: PremiseService) -> None:
    assert len(found(service, k=2)) == 2
    assert found(service, k=0) == []
    assert len(found(service, k=1000)) == len(set(found(service, k=1000))) == 5


def test_kinds_are_filtered(service: PremiseService) -> None:
    assert "add_op" not in found(service)
    assert found(service, kinds="definitions") == ["add_op"]
    assert {"add_op", "add_comm"} <= set(found(service, kinds="all"))


def test_scope_and_the_import_that_is_missing(service: PremiseService) -> None:
    place = GoalContext("New", ("Lib.Add",))
    ranked = {one.premise.name: one for one in service.rank(RankRequest(COMMUTES, place))}
    assert ranked["add_comm"].in_scope is True and ranked["add_comm"].import_line is None
    assert ranked["le_total"].in_scope is True  # through Lib.Add
    assert ranked["mem_union"].in_scope is False
    assert ranked["mem_union"].import_line == "import Lib.Sets"
    assert ranked["open_old"].in_scope is False


def test_what_is_in_scope_ranks_higher(tmp_path: Path, encoder: Encoder, model_folder: Path) -> None:
    twins = {name: Sheet([theorem(f"{name}.comm", name, "a + b = b + a")]) for name in ("A", "B")}
    service = PremiseService.open([make_store(tmp_path, twins, encoder)], model_folder)
    assert found(service, GoalContext("New", ("A",))) == ["A.comm", "B.comm"]
    assert found(service, GoalContext("New", ("B",))) == ["B.comm", "A.comm"]


def test_private_premises_stay_in_their_file(service: PremiseService) -> None:
    assert "add_secret" not in found(service)
    assert "add_secret" not in found(service, GoalContext("New", ("Lib.Add",)))
    assert "add_secret" in found(service, GoalContext("Lib.Add"))


def test_the_saved_file_counts_up_to_the_goal(service: PremiseService) -> None:
    names = found(service, GoalContext("Lib.Open", (), line=31))
    assert "open_old" in names
    assert "open_later" not in found(service, GoalContext("Lib.Open", (), line=30))


LOCAL: tuple[Premise, ...] = (
    theorem("My.swap", "Lib.Open", "x + y = y + x", "(x y : ℕ)", lines=(1, 2)),
    theorem("My.number", "Lib.Open", "ℕ", kind="def", lines=(3, 3)),
    theorem("My.goal", "Lib.Open", "n + m = m + n", "(n m : ℕ)", lines=(5, 8)),
    theorem("My.goal_twin", "Lib.Open", "n * m = m * n", "(n m : ℕ)", generated_from="My.goal"),
    theorem("My.after", "Lib.Open", "n + m = m + n", "(n m : ℕ)", lines=(9, 9)),
)


def test_the_open_file_replaces_its_saved_state(service: PremiseService) -> None:
    names = found(service, GoalContext("Lib.Open", (), line=6, local=LOCAL))
    assert names[0] == "My.swap"
    assert not {"open_old", "open_later"} & set(names)


def test_a_theorem_never_suggests_itself_nor_what_follows(service: PremiseService) -> None:
    for line in (5, 6, 8):
        names = set(found(service, GoalContext("Lib.Open", (), line=line, local=LOCAL), kinds="all"))
        assert not {"My.goal", "My.goal_twin", "My.after"} & names
        assert {"My.swap", "My.number"} <= names
    assert "My.goal" in found(service, GoalContext("Lib.Open", (), line=9, local=LOCAL))


def test_the_first_theorem_of_a_file_is_not_taken_from_what_was_indexed_of_it(
    service: PremiseService,
) -> None:
    text = "import Lib.Add\n\n\n\n\ntheorem open_old (n m : ℕ) : n + m = m + n := by\n  skip\n"
    source = read_module(text, "Lib.Open", "Lib/Open.lean")
    names = found(service, GoalContext("Lib.Open", ("Lib.Add",), 6, (), "open_old", source))
    assert "add_comm" in names and not {"open_old", "open_later"} & set(names)
    assert "open_old" not in found(service, GoalContext("Lib.Open", (), line=9, theorem="open_old"))


def test_local_premises_are_embedded_once(
    store: IndexStore, model_folder: Path, encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = PremiseService.open([store], model_folder)
    asked: list[int] = []
    encode = Encoder.encode_premises

    def counted(self: Encoder, premises: Sequence[Premise]) -> Floats:
        asked.append(len(premises))
        return encode(self, premises)

    monkeypatch.setattr(Encoder, "encode_premises", counted)
    unchanged = theorem("open_old", "Lib.Open", "n + m = m + n", "(n m : ℕ)", lines=(2, 3))
    where = GoalContext("Lib.Open", (), line=20, local=(LOCAL[0], unchanged))
    first = service.rank(RankRequest(COMMUTES, where))
    assert asked == [1]  # The other one's text is in the index.
    assert service.rank(RankRequest(COMMUTES, where)) == first
    assert asked == [1]


def test_bundled_premises_give_way_to_the_projects_own_copy(
    tmp_path: Path, store: IndexStore, encoder: Encoder, model_folder: Path
) -> None:
    bundled = make_store(tmp_path / "bundled", MATHLIB, encoder, is_bundled=True)
    service = PremiseService.open([store, bundled], model_folder)
    place = GoalContext("New", ("Lib.Add",))
    ranked = {one.premise.name: one for one in service.rank(RankRequest(COMMUTES, place))}
    assert ranked["add_comm"].in_scope is True and ranked["add_comm'"].in_scope is False
    alone = PremiseService.open([bundled], model_folder)
    [first, *_] = alone.rank(RankRequest(COMMUTES, GoalContext("New", ("Mathlib.Data.Set",))))
    assert first.premise == Premise("add_comm'", "theorem", "Mathlib.Algebra.Group.Basic")
    assert first.import_line == "import Mathlib.Algebra.Group.Basic"
    own = {"Mathlib.Other": Sheet([theorem("t", "Mathlib.Other", "a + b = b + a")], package="mathlib")}
    with_mathlib = make_store(tmp_path / "own", own, encoder)
    assert found(PremiseService.open([with_mathlib, bundled], model_folder)) == ["t"]


def test_documentation_links() -> None:
    premise = Premise("Nat.foo'", "theorem", "Mathlib.Data.Nat.«Odd Name»")
    base = "https://leanprover-community.github.io/mathlib4_docs/"
    assert doc_url(premise, "mathlib") == base + "Mathlib/Data/Nat/Odd%20Name.html#Nat.foo%27"
    assert doc_url(Premise("x∈y", "theorem", "M"), "Mathlib") == base + "M.html#x%E2%88%88y"
    assert doc_url(premise, "my-project") is None


def weighing(name: str) -> Fusion:
    """A fusion that ranks by one feature, with lists of one premise each."""
    return Fusion(FEATURES, tuple(float(feature == name) for feature in FEATURES), Lists(1, 1, 1, 1, 1))


def test_what_the_proofs_of_near_theorems_use_is_a_candidate(tmp_path: Path, encoder: Encoder) -> None:
    proofs = {"add_comm": ["far.away"], "open_old": ["far.away"]}
    far = {"Far": Sheet([theorem("far.away", "Far", "x ∈ s ∪ t ↔ False", "(s t : Set α)")])}
    store = make_store(tmp_path, PROJECT | far, encoder, proofs=proofs)
    service = PremiseService([store], encoder, weighing("neighbours"))
    assert found(service)[0] == "far.away"
    without = make_store(tmp_path / "b", PROJECT | far, encoder)
    assert "far.away" not in found(PremiseService([without], encoder, weighing("neighbours")))
    # the theorem being proved has no vote, nor has what follows it
    place = GoalContext("Lib.Open", (), line=3, theorem="open_old")
    [first, *_] = service.rank(RankRequest(COMMUTES, place))
    assert (first.premise.name, first.score) == ("far.away", pytest.approx(np.log(2)))


def test_what_the_proofs_above_use_is_a_candidate(tmp_path: Path, encoder: Encoder) -> None:
    proofs = {"open_old": ["mem_union"]}
    store = make_store(tmp_path, PROJECT, encoder, proofs=proofs)
    service = PremiseService([store], encoder, weighing("used_nearby"))
    indexed = service.rank(RankRequest(COMMUTES, GoalContext("Lib.Open", (), line=9)))
    assert (indexed[0].premise.name, indexed[0].score) == ("mem_union", pytest.approx(np.log(2)))
    text = "theorem open_old : 1 = 1 := by\n  rw [le_total]\n\ntheorem next : 2 = 2 := by\n  exact open_old\n"
    source = read_module(text, "Lib.Open", "Lib/Open.lean")
    place = GoalContext("Lib.Open", (), line=9, local=source.premises, source=source)
    shown = {one.premise.name: one.score for one in service.rank(RankRequest(COMMUTES, place))}
    assert shown["le_total"] == shown["open_old"] == pytest.approx(np.log(2))
    assert shown.get("mem_union", 0.0) == 0.0, "what the editor shows takes the place of what was indexed"
    inside = GoalContext("Lib.Open", (), line=4, local=source.premises, theorem="next", source=source)
    [old] = [one for one in service.rank(RankRequest(COMMUTES, inside)) if one.premise.name == "open_old"]
    assert old.score == 0.0


def test_a_new_index_is_seen_and_a_bad_one_is_told(
    tmp_path: Path, store: IndexStore, service: PremiseService, encoder: Encoder
) -> None:
    make_store(store.root, {"Lib.Sets": PROJECT["Lib.Sets"]}, encoder)
    assert found(service) == ["mem_union"]
    shutil.rmtree(store.root / "segments")
    with pytest.raises(IndexDamaged):
        store.manifest_path.write_bytes(store.manifest_path.read_bytes())
        service.rank(RankRequest(COMMUTES))
    shutil.rmtree(store.root)
    with pytest.raises(IndexMissing):
        service.rank(RankRequest(COMMUTES))


def test_a_model_that_does_not_fit_is_told(store: IndexStore, model_folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "model"
    shutil.copytree(model_folder, other)
    config = (other / "config.json").read_text().replace('"max_length": 64', '"max_length": 32')
    (other / "config.json").write_text(config)
    with pytest.raises(ModelError, match="was built with model"):
        PremiseService.open([store], other)


def test_freshness_names_sources_and_changed_files(
    tmp_path: Path, store: IndexStore, service: PremiseService
) -> None:
    freshness = service.freshness()
    assert freshness.built_at == store.manifest().built_at != ""
    [source] = freshness.sources
    assert (source.modules, source.premises, source.is_bundled) == (4, 7, False)
    assert "Lib/Add.lean" in freshness.stale_files  # The entries name files that are not there.


def test_many_threads_get_the_same_answers(service: PremiseService) -> None:
    goals = [COMMUTES, goal("y ∈ A ∪ B", ("y", "α")), goal("a ≤ b ∨ b ≤ a", ("a b", "ℕ"))] * 8
    where = GoalContext("Lib.Open", ("Lib.Sets",), line=20, local=LOCAL)
    alone = [service.rank(RankRequest(item, where, 5)) for item in goals]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda item: service.rank(RankRequest(item, where, 5)), goals)) == alone
