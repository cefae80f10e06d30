"""Why a premise has its score: exact for a weighted sum, by occlusion for trees, on request alone."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lean_extract.common.arrays import Floats
from lean_extract.records import Goal
from retriever.lean.eligibility import RankRequest
from retriever.lean.evaluation.ranker_graph import write_ranker
from retriever.lean.explanation import (
    GROUPS,
    OTHER,
    RERANKER,
    Explanation,
    ScoredTable,
    explanations,
    group_of,
)
from retriever.lean.features import FEATURES, load_fusion
from retriever.lean.goal_context import GoalContext
from retriever.lean.ranker.features import RANKER_FEATURES
from retriever.lean.ranker.model import TreeRanker
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from retriever.search.fusion import Fusion, Lists
from retriever.search.index.store import IndexStore
from tests.retriever.support import COMMUTES, Sheet, make_store, theorem
from tests.retriever.test_ranker import STUMP


@pytest.mark.parametrize("feature", RANKER_FEATURES)
def test_every_feature_has_a_group(feature: str) -> None:
    """Who adds a feature names its group in `GROUPS`, so that people are told of it."""
    assert group_of(feature) in GROUPS


def test_what_nobody_has_named_is_in_the_other_group() -> None:
    assert group_of("a_new_feature") == OTHER
    assert group_of("dense_of_another_kind") == "meaning"
    assert group_of("target_lexical_log_rank") == group_of("lexical") == "words"


def by_group(explanation: Explanation) -> dict[str, float]:
    return {one.group: one.amount for one in explanation}


def values(shape: int | tuple[int, int]) -> st.SearchStrategy[Floats]:
    return arrays(np.float32, shape, elements=st.floats(-10, 10, width=32))


@given(
    values(len(FEATURES)),
    st.integers(1, 9).flatmap(lambda count: values((count, len(FEATURES)))),
    st.data(),
)
def test_contributions_to_a_weighted_sum_are_weight_times_distance_from_the_median(
    weights: Floats, rows: Floats, data: st.DataObject
) -> None:
    chosen = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), unique=True)), dtype=np.int64)
    fusion = Fusion(FEATURES, tuple(weights.tolist()))
    found = explanations([ScoredTable(fusion, rows)], chosen)
    medians = np.median(rows, axis=0)
    for position, explanation in zip(chosen.tolist(), found, strict=True):
        amounts = [one.amount for one in explanation]
        assert amounts == sorted(amounts, reverse=True)
        assert len(amounts) == len({group_of(name) for name in FEATURES})
        for group, amount in by_group(explanation).items():
            own = [group_of(name) == group for name in FEATURES]
            exact = (weights * (rows[position] - medians))[own].sum()
            assert amount == pytest.approx(float(exact), abs=1e-2)


class Counting:
    """A scorer, and how many rows it was asked for each time."""

    def __init__(self, scorer: Fusion | TreeRanker) -> None:
        self._scorer = scorer
        self.asked: list[int] = []

    @property
    def features(self) -> tuple[str, ...]:
        return self._scorer.features

    def score(self, matrix: Floats) -> Floats:
        self.asked.append(len(matrix))
        return self._scorer.score(matrix)


def test_trees_are_asked_once_for_all(tmp_path: Path) -> None:
    """One tree: 1 where a name has at most two parts, else -1."""
    write_ranker(tmp_path, STUMP, {"in_scope": 2.0}, "")
    ranker = TreeRanker.of_model(tmp_path)
    assert ranker is not None
    rows = np.zeros((5, len(RANKER_FEATURES)), dtype=np.float32)
    rows[:, RANKER_FEATURES.index("name_parts")] = [1, 4, 4, 5, 2]
    rows[:, RANKER_FEATURES.index("in_scope")] = [1, 1, 1, 0, 0]
    trees, other = Counting(ranker), Counting(Fusion(("use_count",), (3.0,)))
    parts = [
        ScoredTable(trees, rows),
        ScoredTable(other, np.array([[1], [2], [4]], dtype=np.float32)),
    ]
    found = explanations(parts, np.array([7, 0, 3, 5], dtype=np.int64))
    short, long = by_group(found[1]), by_group(found[2])
    assert found[1][0].group == "name"  # 1 by its name, and with four parts, the median, it were -1
    assert (short.pop("name"), long.pop("name")) == (2.0, 0.0)
    assert (short.pop("scope"), long.pop("scope")) == (0.0, -2.0)
    assert set(short.values()) == set(long.values()) == {0.0}
    assert [by_group(found[at]) for at in (0, 3)] == [{"use": 6.0}, {"use": -3.0}]
    assert trees.asked == [2 * (1 + len(by_group(found[1])))]
    assert len(other.asked) == 1
    assert explanations(parts, np.zeros(0, dtype=np.int64)) == []


NAMES = ("add_comm_of_long_name", "swap", "add_comm")


@pytest.fixture
def store(tmp_path: Path, encoder: Encoder) -> IndexStore:
    sheet = Sheet([theorem(name, "Lib", "a + b = b + a", "(a b : ℕ)") for name in NAMES])
    return make_store(tmp_path / "index", {"Lib": sheet}, encoder)


@pytest.fixture
def with_trees(tmp_path: Path, model_folder: Path) -> Path:
    model = Path(shutil.copytree(model_folder, tmp_path / "model"))
    write_ranker(model, STUMP, {}, "")
    return model


WHERE = GoalContext("New", ("Lib",), local=(theorem("own_lemma_here", "New", "x + y = y + x"),))


@pytest.mark.parametrize("where", [None, WHERE])
@pytest.mark.parametrize("trees", [True, False])
def test_the_service_explains_where_it_is_asked_to(
    store: IndexStore, with_trees: Path, model_folder: Path, where: GoalContext | None, trees: bool
) -> None:
    service = PremiseService.open([store], with_trees if trees else model_folder)
    plain, explained = (
        service.rank(RankRequest(COMMUTES, where, 1000)),
        service.rank(RankRequest(COMMUTES, where, 1000, explain=True)),
    )
    assert [one.explanation for one in plain] == [()] * len(plain)
    assert [replace(one, explanation=()) for one in explained] == plain
    features = RANKER_FEATURES if trees else FEATURES
    for one in explained:
        assert set(by_group(one.explanation)) == {group_of(name) for name in features}
    best, last = by_group(explained[0].explanation), by_group(explained[-1].explanation)
    if trees:  # it prefers short names, and knows nothing else
        assert (best["meaning"], last["meaning"]) == (0.0, 0.0)
        assert best["name"] >= 0.0 > last["name"] or best["name"] > 0.0 >= last["name"]


def test_a_weighted_sum_is_explained_whole(store: IndexStore, model_folder: Path) -> None:
    """Two scores differ by the difference of their contributions."""
    first, *others = PremiseService.open([store], model_folder).rank(RankRequest(COMMUTES, explain=True))
    assert others
    total = sum(one.amount for one in first.explanation)
    for other in others:
        difference = total - sum(one.amount for one in other.explanation)
        assert difference == pytest.approx(first.score - other.score, abs=1e-3)


def test_what_stands_behind_the_rankers_candidates_is_explained_by_the_fusion(
    store: IndexStore, with_trees: Path
) -> None:
    replace(load_fusion(with_trees), lists=Lists(1, 1, 1, 1, 1)).save(with_trees)
    service = PremiseService.open([store], with_trees)
    nothing_matches = Goal((), "a < b")
    ranked = service.rank(RankRequest(nothing_matches, k=1000, explain=True))
    assert len(ranked) == len(NAMES)
    assert "together" in by_group(ranked[0].explanation)
    assert "together" not in by_group(ranked[-1].explanation)  # the fusion has no such feature


def test_what_the_reranker_adds_is_told(
    store: IndexStore, tmp_path: Path, model_folder: Path, reranker_folder: Path
) -> None:
    model = Path(shutil.copytree(model_folder, tmp_path / "model"))
    shutil.copytree(reranker_folder, model / "reranker")
    service = PremiseService.open([store], model)
    before = {
        one.premise.name: one.score
        for one in PremiseService.open([store], model, rerank=0).rank(RankRequest(COMMUTES))
    }
    ranked = service.rank(RankRequest(COMMUTES, explain=True))
    assert [one.explanation for one in service.rank(RankRequest(COMMUTES))] == [()] * len(NAMES)
    for one in ranked:
        added = by_group(one.explanation)[RERANKER]
        assert one.score == pytest.approx(before[one.premise.name] + added, abs=1e-4)
        amounts = [contribution.amount for contribution in one.explanation]
        assert amounts == sorted(amounts, reverse=True)
