"""Ranking over a pool small enough to check by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lean_extract.errors import BadRecords
from lean_extract.records import Goal, Header, Import, Module, Position, Premise, Proof, Span, write_records
from retriever.evaluation.pool import Pool, Question, pool_of
from retriever.evaluation.rankers import candidates, features, in_setting, ranking, score
from retriever.evaluation.real_states import read_states
from retriever.evaluation.tables import figures_of, markdown, measure
from retriever.fusion import FEATURES, Fusion
from retriever.lexical import Bm25Parameters
from retriever.training.dataset import build_dataset
from retriever.training.dataset_files import load_dataset


def _premise(name: str, module: str, line: int, conclusion: str, source: str | None = None) -> Premise:
    span = Span(Position(line, 0), Position(line, 9))
    made = "to_additive" if source else None
    return Premise(
        name, "theorem", module, ("(a : ℕ)",), conclusion, span, generated_by=made, generated_from=source
    )


PREMISES = [
    _premise("A.first", "A", 1, "a = a"),
    _premise("B.early", "B", 2, "twist a = a"),
    _premise("B.asked", "B", 5, "twist (twist a) = a"),
    _premise("B.asked_twin", "B", 5, "turn (turn a) = a", source="B.asked"),
    _premise("B.late", "B", 9, "twist a = twist a"),
    _premise("C.hidden", "C", 1, "mix a = a"),
    _premise("D.after", "D", 1, "glue a = a"),
]
MODULES = [
    Module("A", "A.lean", (Import("C"),), in_module_system=True),
    Module("B", "B.lean", (Import("A"),)),
    Module("C", "C.lean"),
    Module("D", "D.lean", (Import("B"),)),
]


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Pool:
    folder = tmp_path_factory.mktemp("pool")
    proofs = [Proof("B.asked", "B", ("A.first", "B.early")), Proof("B.late", "B", ("A.first",))]
    write_records(folder / "r.jsonl", Header("text"), [*MODULES, *PREMISES, *proofs])
    build_dataset(folder / "r.jsonl", folder / "dataset")
    return pool_of(load_dataset(folder / "dataset"), Bm25Parameters())


@pytest.fixture
def question(pool: Pool) -> Question:
    gold = frozenset({pool.names.index("B.early"), pool.names.index("A.first")})
    return Question(Goal((), "twist (twist a) = a"), "B.asked", "B", 5, gold)


def _names(pool: Pool, chosen: np.ndarray) -> set[str]:
    return {pool.names[place] for place in np.flatnonzero(chosen)}


def test_the_theorem_and_its_twins_are_not_offered(pool: Pool, question: Question) -> None:
    assert set(pool.names) - _names(pool, pool.offered(question)) == {"B.asked", "B.asked_twin"}


def test_importable_is_what_is_visible_or_earlier_in_the_file(pool: Pool, question: Question) -> None:
    assert _names(pool, pool.importable(question)) == {"A.first", "B.early"}
    stranger = Question(question.goal, "X.y", "X", None, question.gold)
    assert _names(pool, pool.importable(stranger)) == set()


def test_each_method_ranks_by_its_score_and_the_filter_holds(pool: Pool, question: Question) -> None:
    vectors = np.eye(len(pool), dtype=np.float32)
    state = np.linspace(0.1, 0.9, len(pool), dtype=np.float32)
    weights = Fusion(tuple(1.0 if name == "dense" else 0.0 for name in FEATURES))
    scored = score(pool, vectors, state, question)
    dense = ranking("dense", pool, scored, weights, 0)
    assert dense.tolist() == [n for n in range(len(pool) - 1, -1, -1) if "asked" not in pool.names[n]]
    assert ranking("fused", pool, scored, weights, 0).tolist() == dense.tolist()
    assert set(ranking("random", pool, scored, weights, 0)) == set(dense)
    assert pool.names[ranking("bm25", pool, scored, weights, 0)[0]] in {"B.early", "B.late"}
    assert pool.names[ranking("frequency", pool, scored, weights, 0)[0]] == "A.first"
    narrow = in_setting(scored, "importable")
    assert {pool.names[n] for n in ranking("fused", pool, narrow, weights, 0)} == {"A.first", "B.early"}
    with pytest.raises(KeyError):
        ranking("magic", pool, scored, weights, 0)


def test_features_know_the_place_only_where_the_setting_does(pool: Pool, question: Question) -> None:
    vectors, state = np.eye(len(pool), dtype=np.float32), np.ones(len(pool), dtype=np.float32)
    weights = Fusion((0.0,) * len(FEATURES))
    scope, module = FEATURES.index("in_scope"), FEATURES.index("same_module")
    for setting, expected in (("state", {0.5}), ("place", {0.0, 1.0}), ("importable", {1.0})):
        scored = in_setting(score(pool, vectors, state, question), setting)  # type: ignore[arg-type]
        table = features(pool, scored, candidates(scored, weights))
        assert set(table[:, scope]) == expected
        assert table[:, module].any() == (setting != "state")


def test_a_one_hot_encoder_gets_exact_figures(pool: Pool, question: Question) -> None:
    """The state's vector points at one gold premise of two, so half of them is found at once."""
    target = pool.names.index("B.early")
    vectors = np.eye(len(pool), dtype=np.float32)
    weights = Fusion(tuple(1.0 if name == "dense" else 0.0 for name in FEATURES))
    scored = in_setting(score(pool, vectors, vectors[target], question), "importable")
    figures = figures_of(pool, scored, ranking("dense", pool, scored, weights, 0))
    assert figures == [0.5, 1.0, 1.0, 1.0, pytest.approx(1.0), 1.0]
    rows = measure(pool, vectors, vectors[[target]], [question], weights)
    by_key = {(row.setting, row.method): row.figures for row in rows}
    assert by_key["importable", "dense"]["R@1"].mean == 50.0
    assert len(by_key) == 11
    assert markdown(rows).count("| fused | ") == 3


def test_traced_steps_become_questions(pool: Pool, tmp_path: Path) -> None:
    step = {
        "theorem": "B.asked",
        "file": "Old/Place/Of/B.lean",
        "state_before": "a : ℕ\n⊢ twist (twist a) = a",
        "premises": ["B.early", "Nat.unknown", "B.asked"],
    }
    useless = {**step, "premises": ["Nat.unknown"]}
    path = tmp_path / "steps.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (step, useless)), encoding="utf-8")
    [found] = read_states(path, pool)
    assert (found.module, found.line, found.namespace) == ("B", 5, "B")
    assert {pool.names[number] for number in found.gold} == {"B.early"}
    path.write_text('{"theorem": "x"}\n', encoding="utf-8")
    with pytest.raises(BadRecords, match=r"steps\.jsonl:1:"):
        read_states(path, pool)
