"""The learned ranker: its features against plain loops, and its file."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import ModelError
from lean_extract.records import Goal
from lean_extract.source.reader import read_module
from retriever.lean.eligibility import RankRequest
from retriever.lean.evaluation.ranker_graph import write_ranker
from retriever.lean.goal_context import GoalContext
from retriever.lean.ranker.features import RANKER_FEATURES
from retriever.lean.ranker.model import FILE, TreeRanker
from retriever.lean.ranker.patterns import PATTERNS, pattern_columns
from retriever.lean.ranker.votes import VOTES, used_together, voted
from retriever.lean.ranking import hash_rows
from retriever.lean.service import PremiseService
from retriever.lean.structure.goal_patterns import patterns_of
from retriever.lean.structure.hashes import goal_statement, of_premise
from retriever.lean.structure.index import StructureIndex
from retriever.lean.symbols import Mepo
from retriever.models.encoder import Encoder
from retriever.search.index.postings import build_postings
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.votes import ProofGraph
from tests.retriever.support import COMMUTES, Sheet, goal, make_store, theorem

SIZE = 12
graphs = st.dictionaries(
    st.integers(0, SIZE - 1), st.sets(st.integers(0, SIZE - 1), min_size=1).map(sorted), min_size=1
)


@given(graphs, st.permutations(range(SIZE)), st.integers(0, SIZE), st.integers(0, SIZE))
def test_votes_are_those_of_a_plain_loop(
    rows: dict[int, list[int]], order: list[int], near: int, lexical: int
) -> None:
    graph = ProofGraph.of_rows(SIZE, rows)
    nearest, by_text = np.array(order[:near], dtype=np.int64), np.array(order[::-1][:lexical], dtype=np.int64)
    similarity = np.linspace(0.9, 0.1, near).astype(np.float32)
    table = voted(graph, nearest, similarity, by_text).of(np.arange(-1, SIZE))
    assert not table[0].any()  # -1 is no premise
    for premise in range(SIZE):
        found = dict(zip(VOTES, table[premise + 1].tolist(), strict=True))
        users = [(rank, t) for rank, t in enumerate(nearest.tolist()) if premise in rows.get(t, ())]
        votes = sum(1 / np.sqrt(1 + rank) / np.sqrt(len(rows[t])) for rank, t in users)
        assert found["votes_512"] == pytest.approx(votes, rel=1e-5)
        assert found["votes_16"] == pytest.approx(np.log1p(votes), rel=1e-5)  # there are no more than 16
        assert found["user_best"] == pytest.approx(max((similarity[r] for r, _ in users), default=0.0))
        assert found["user_first"] == pytest.approx(1 / (1 + users[0][0]) if users else 0.0)
        told = sum(
            1 / np.sqrt(1 + rank) / np.sqrt(len(rows[t]))
            for rank, t in enumerate(by_text.tolist())
            if premise in rows.get(t, ())
        )
        assert found["votes_lexical"] == pytest.approx(np.log1p(told), rel=1e-5)


@given(graphs, st.lists(st.integers(-1, SIZE - 1), unique=True), st.sets(st.integers(0, SIZE - 1)))
def test_premises_used_together_are_counted(
    rows: dict[int, list[int]], ids: list[int], voters: set[int]
) -> None:
    votes = np.linspace(1.0, 0.1, len(ids)).astype(np.float32)
    allowed = np.isin(np.arange(SIZE), sorted(voters))
    found = used_together(ProofGraph.of_rows(SIZE, rows), np.array(ids, dtype=np.int64), votes, allowed)
    seeds = {one for one in ids[:6] if one >= 0}
    for index, premise in enumerate(ids):
        proofs = [row for t, row in rows.items() if t in voters and seeds & set(row) and premise in row]
        assert found[index] == pytest.approx(sum(1 / np.sqrt(len(row)) for row in proofs), rel=1e-5)


def patterns(of: Goal, *conclusions: str) -> list[dict[str, float]]:
    hashes = [of_premise(theorem(f"t{i}", "M", text, "(a b c : ℕ)")) for i, text in enumerate(conclusions)]
    index = StructureIndex([StructureColumns.of_rows(hashes)])
    found = pattern_columns(index, patterns_of(goal_statement(of)), *index.rows(np.arange(len(hashes))))
    same = pattern_columns(index, patterns_of(goal_statement(of)), *hash_rows(hashes))
    assert np.allclose(found, same)
    return [dict(zip(PATTERNS, row, strict=True)) for row in found.tolist()]


def test_an_equation_whose_left_side_occurs_rewrites() -> None:
    rewriting, backwards, relation, other = patterns(
        goal("x * (y + z) ≤ 1", ("x y z", "ℕ")), "a + b = b", "a = a + b", "a ≤ b", "a ∣ b"
    )
    assert rewriting["rewrites"] == 1.0 and rewriting["left_inside"] == 1.0
    assert backwards["rewrites"] == 0.0 and backwards["right_inside"] == 1.0
    assert (rewriting["is_equation"], relation["is_equation"]) == (1.0, 0.0)
    assert (relation["head"], rewriting["head"], other["head"]) == (1.0, 0.0, 0.0)
    [equivalence] = patterns(goal("x * y = 0", ("x y", "ℕ")), "a * b = 0 ↔ a = 0 ∨ b = 0")
    assert equivalence["is_equivalence"] == 1.0 and equivalence["rewrites"] == 1.0


def test_the_rarest_shared_token_counts() -> None:
    texts = [["common", "rare"], ["common"], ["other"]]
    index = Mepo([build_postings(texts[:1]), build_postings(texts[1:])])
    found = index.rarest({"common", "rare"})
    assert found.tolist() == pytest.approx([index.idf(1), index.idf(2), 0.0])
    assert index.rarest_of_texts({"common", "rare"}, texts).tolist() == pytest.approx(found.tolist())


SPLIT = RANKER_FEATURES.index("name_parts")
STUMP = {
    "tree_info": [
        {
            "tree_structure": {
                "split_feature": SPLIT,
                "threshold": 2.5,
                "left_child": {"leaf_value": 1.0},
                "right_child": {"leaf_value": -1.0},
            }
        }
    ]
}


def test_the_file_scores_as_its_trees_say(tmp_path: Path) -> None:
    write_ranker(tmp_path, STUMP, {"in_scope": 2.0}, "a test")
    ranker = TreeRanker.of_model(tmp_path)
    assert ranker is not None and ranker.fitted_on == "a test"
    matrix = np.zeros((3, len(RANKER_FEATURES)), dtype=np.float32)
    matrix[:, SPLIT] = [2.0, 3.0, 2.5]
    matrix[:, RANKER_FEATURES.index("in_scope")] = [0.0, 1.0, 0.5]
    assert ranker.score(matrix).tolist() == [1.0, 1.0, 2.0]
    assert ranker.score(matrix[:0]).tolist() == []


def test_a_model_without_a_ranker_has_none(tmp_path: Path) -> None:
    assert TreeRanker.of_model(tmp_path) is None


def test_a_damaged_ranker_is_refused(tmp_path: Path) -> None:
    write_ranker(tmp_path, STUMP, {}, "")
    whole = (tmp_path / FILE).read_bytes()
    for damaged in (b"", b"nothing", whole[: len(whole) // 2]):
        (tmp_path / FILE).write_bytes(damaged)
        with pytest.raises(ModelError, match=r"ranker\.onnx is damaged"):
            TreeRanker.of_model(tmp_path)


def test_a_ranker_of_other_features_is_refused_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_ranker(tmp_path, STUMP, {}, "")
    monkeypatch.setattr("retriever.lean.ranker.model.RANKER_FEATURES", RANKER_FEATURES[:-1])
    with pytest.raises(ModelError, match="other features") as caught:
        TreeRanker.of_model(tmp_path)
    assert "python -m retriever fit-ranker" in caught.value.hint


def test_a_ranker_fitted_before_a_feature_was_added_still_ranks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = tuple(name for name in RANKER_FEATURES if not name.startswith("tower"))
    with monkeypatch.context() as patch:
        patch.setattr("retriever.lean.evaluation.ranker_graph.RANKER_FEATURES", older)
        write_ranker(tmp_path, STUMP, {"in_scope": 2.0}, "")
    ranker = TreeRanker.of_model(tmp_path)
    assert ranker is not None and [RANKER_FEATURES[column] for column in ranker.columns] == list(older)
    rows = np.random.default_rng(0).random((5, len(RANKER_FEATURES)), dtype=np.float32)
    changed = rows.copy()
    changed[:, [RANKER_FEATURES.index(name) for name in RANKER_FEATURES if name not in older]] = 9.0
    assert np.array_equal(ranker.score(rows), ranker.score(changed))
    best = RANKER_FEATURES.index("in_scope")
    changed[:, best] += 1.0
    assert ranker.score(changed) - ranker.score(rows) == pytest.approx(2.0, abs=1e-5)


def test_the_service_ranks_by_the_trees(tmp_path: Path, encoder: Encoder, model_folder: Path) -> None:
    """With a tree that prefers short names, whatever the goal, those come first."""
    names = ("add_comm_of_long_name", "swap", "add_comm")
    sheet = Sheet([theorem(name, "Lib", "a + b = b + a", "(a b : ℕ)") for name in names])
    model = tmp_path / "model"
    shutil.copytree(model_folder, model)
    write_ranker(model, STUMP, {}, "")
    service = PremiseService.open([make_store(tmp_path / "index", {"Lib": sheet}, encoder)], model)
    for where in (
        None,
        GoalContext("New", ("Lib",), local=(theorem("own_lemma_here", "New", "x + y = y + x"),)),
    ):
        ranked = service.rank(RankRequest(COMMUTES, where))
        assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
        assert {one.premise.name for one in ranked[:2]} == {"swap", "add_comm"}
        assert len(ranked) == (3 if where is None else 4)
    assert service.rank(RankRequest(COMMUTES, None, kinds="definitions")) == []


def stump(feature: str, below: dict[str, object], above: dict[str, object]) -> dict[str, object]:
    """A split of a tree at 0."""
    return {
        "split_feature": RANKER_FEATURES.index(feature),
        "threshold": 0.0,
        "left_child": below,
        "right_child": above,
    }


def of_trees(tmp_path: Path, encoder: Encoder, model_folder: Path, root: dict[str, object]) -> PremiseService:
    """A service over two theorems and a definition, ranked by one tree."""
    model = tmp_path / "model"
    shutil.copytree(model_folder, model)
    write_ranker(model, {"tree_info": [{"tree_structure": root}]}, {}, "")
    premises = [
        theorem("add_comm", "Lib", "a + b = b + a", "(a b : ℕ)"),
        theorem("swapped", "Lib", "a + b = b + a", "(a b : ℕ)"),
        theorem("add", "Lib", "ℕ", "(a b : ℕ)", kind="def"),
    ]
    return PremiseService.open([make_store(tmp_path / "index", {"Lib": Sheet(premises)}, encoder)], model)


NO: dict[str, object] = {"leaf_value": 0.0}
YES: dict[str, object] = {"leaf_value": 1.0}


def test_the_caller_decides_which_kind_is_wanted(
    tmp_path: Path, encoder: Encoder, model_folder: Path
) -> None:
    """With a tree that wants definitions after `simp` and theorems else, of the open file, too."""
    root = stump("caller_simplify", stump("kind_definition", YES, NO), stump("kind_definition", NO, YES))
    service = of_trees(tmp_path, encoder, model_folder, root)
    own = (theorem("own_def", "New", "ℕ", kind="def"), theorem("own_law", "New", "x + y = y + x"))
    place = GoalContext("New", ("Lib",), local=own)
    for where, theorems, definitions in (
        (None, {"add_comm", "swapped"}, {"add"}),
        (place, {"add_comm", "swapped", "own_law"}, {"add", "own_def"}),
    ):
        plain = [
            one.premise.name
            for one in service.rank(RankRequest(COMMUTES, where, kinds="all", caller="apply"))
        ]
        told = [
            one.premise.name
            for one in service.rank(RankRequest(COMMUTES, where, kinds="all", caller="simplify"))
        ]
        assert set(plain[: len(theorems)]) == theorems and set(plain) == theorems | definitions
        assert set(told[: len(definitions)]) == definitions and set(told) == set(plain)


def test_what_was_used_last_above_is_known(tmp_path: Path, encoder: Encoder, model_folder: Path) -> None:
    root = stump("last_use", NO, YES)
    service = of_trees(tmp_path, encoder, model_folder, root)
    text = "theorem first : 1 = 1 := by\n  rw [swapped]\n\ntheorem second : 2 = 2 := by\n  exact first\n\n"
    source = read_module(text, "New", "New.lean")
    place = GoalContext("New", ("Lib",), line=7, local=source.premises, source=source)
    found = [one.premise.name for one in service.rank(RankRequest(COMMUTES, place))]
    assert set(found[:2]) == {"swapped", "first"} and set(found) == {"swapped", "first", "second", "add_comm"}
    assert {one.score for one in service.rank(RankRequest(COMMUTES))} == {0.0}, "without a file nothing is"
