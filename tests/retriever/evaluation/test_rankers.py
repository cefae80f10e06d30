"""Ranking over a pool small enough to check by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import BadRecords
from lean_extract.records import Goal, Header, Import, Module, Position, Premise, Proof, Span, write_records
from retriever.lean.dataset.dataset import Dataset, build_dataset, load_dataset
from retriever.lean.evaluation.measure import (
    COMPACT,
    PER_QUERY,
    SETTINGS,
    differences,
    figures_of,
    markdown,
    measure,
    recalls_of,
    rows_of,
)
from retriever.lean.evaluation.pool import HeldOutGoal, Pool, pool_of
from retriever.lean.evaluation.rankers import (
    Column,
    ContextualMethod,
    Method,
    Random,
    RankedMethod,
    ScoredQuestion,
    Setting,
    UseCountRanker,
    feature_rows,
    rankings,
    score,
)
from retriever.lean.evaluation.session import EvaluationSession, read_states
from retriever.lean.features import FEATURES
from retriever.models.encoder import Encoder
from retriever.search.bm25 import Bm25Parameters
from retriever.search.fusion import Fusion


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
def question(pool: Pool) -> HeldOutGoal:
    gold = frozenset({pool.names.index("B.early"), pool.names.index("A.first")})
    return HeldOutGoal(Goal((), "twist (twist a) = a"), "B.asked", "B", 5, gold)


def _names(pool: Pool, chosen: np.ndarray) -> set[str]:
    return {pool.names[place] for place in np.flatnonzero(chosen)}


def test_the_theorem_and_its_twins_are_not_offered(pool: Pool, question: HeldOutGoal) -> None:
    offered = _names(pool, pool.offered(question, is_placed=True))
    assert set(pool.names) - offered == {"B.asked", "B.asked_twin"}


def test_internal_names_are_offered_where_the_question_names_them(
    question: HeldOutGoal, tmp_path: Path
) -> None:
    internal = [
        _premise("Lean.Grind.step", "G", 1, "a = a"),
        _premise("Lean.Grind.turn", "G", 5, "twist a = a"),
    ]
    records = [*MODULES, Module("G", "G.lean"), *PREMISES, *internal, Proof("B.late", "B", ("A.first",))]
    write_records(tmp_path / "r.jsonl", Header("text"), records)
    build_dataset(tmp_path / "r.jsonl", tmp_path / "dataset")
    pool = pool_of(load_dataset(tmp_path / "dataset"), Bm25Parameters())
    step, turn = ({one.name} for one in internal)
    assert not _names(pool, pool.offered(question, is_placed=True)) & (step | turn)
    inside = replace(question, theorem="Lean.Grind.turn", module="G")
    assert _names(pool, pool.offered(inside, is_placed=True)) & (step | turn) == step
    assert not _names(pool, pool.offered(inside, is_placed=False)) & (step | turn), "the place is not known"


def test_a_theorems_own_proof_is_no_use_that_it_knows_of(pool: Pool, question: HeldOutGoal) -> None:
    first, early = pool.names.index("A.first"), pool.names.index("B.early")
    assert pool.use_counts[[first, early]].tolist() == [2, 1]
    assert pool.uses_elsewhere(question)[[first, early]].tolist() == [1, 0]
    stranger = HeldOutGoal(question.goal, "X.y", "X", None, question.gold)
    assert (pool.uses_elsewhere(stranger) == pool.use_counts).all()


def test_importable_is_what_is_visible_or_earlier_in_the_file(pool: Pool, question: HeldOutGoal) -> None:
    assert _names(pool, pool.importable(question)) == {"A.first", "B.early"}
    stranger = HeldOutGoal(question.goal, "X.y", "X", None, question.gold)
    assert _names(pool, pool.importable(stranger)) == set()


def scored_in(pool: Pool, question: HeldOutGoal, *settings: Setting) -> list[ScoredQuestion]:
    """The question in each setting; all premises are equally near to its state."""
    vectors, state = np.eye(len(pool), dtype=np.float32), np.ones((3, len(pool)), dtype=np.float32)
    return list(score(pool, vectors, state, question, settings))


def ranking(method: Method, scored: ScoredQuestion) -> Int64s:
    return next(iter(rankings(method, [scored])))


@dataclass(frozen=True)
class OneHot:
    """Reads nothing: every state's vector points at one candidate."""

    target: int
    size: int

    def encode_states(self, goals: Sequence[Goal]) -> np.ndarray:
        return np.repeat(np.eye(self.size, dtype=np.float32)[[self.target]], len(goals), axis=0)


def test_each_method_ranks_by_its_score_and_the_filter_holds(pool: Pool, question: HeldOutGoal) -> None:
    vectors = np.eye(len(pool), dtype=np.float32)
    state = np.linspace(0.1, 0.9, len(pool), dtype=np.float32)
    weights = Fusion(FEATURES, tuple(float(name == "dense") for name in FEATURES))
    fused = RankedMethod.fused(pool, weights)
    scored, narrow = score(pool, vectors, np.stack([state] * 3), question, ["state", "importable"])
    dense = ranking(Column("dense"), scored)
    assert dense.tolist() == [n for n in range(len(pool) - 1, -1, -1) if "asked" not in pool.names[n]]
    assert ranking(fused, scored).tolist() == dense.tolist()
    assert set(ranking(Random(len(pool)), scored)) == set(dense)
    assert pool.names[ranking(Column("bm25"), scored)[0]] in {"B.early", "B.late"}
    counts = UseCountRanker(pool.use_counts.astype(np.float32))
    assert pool.names[ranking(counts, scored)[0]] == "A.first"
    for method in (fused, counts, Column("bm25"), Random(len(pool))):
        assert {pool.names[n] for n in ranking(method, narrow)} <= {"A.first", "B.early"}
    wide, filtered = rankings(counts, [scored, narrow])
    assert (len(wide), len(filtered)) == (len(pool) - 2, 2)
    assert isinstance(fused, ContextualMethod) and not isinstance(counts, ContextualMethod)


def test_features_know_the_place_only_where_the_setting_does(pool: Pool, question: HeldOutGoal) -> None:
    weights = Fusion(FEATURES, (0.0,) * len(FEATURES))
    scope, module = FEATURES.index("in_scope"), FEATURES.index("line_distance")
    for setting, expected in (("state", {0.5}), ("place", {0.0, 1.0}), ("importable", {1.0})):
        [scored] = scored_in(pool, question, setting)  # type: ignore[arg-type]
        _, table = feature_rows(pool, weights.lists, FEATURES, scored)
        assert set(table[:, scope]) == expected
        assert table[:, module].any() == (setting != "state")


def test_training_proofs_vote_and_count_where_they_may_be_known(pool: Pool, question: HeldOutGoal) -> None:
    """`B.late` alone has a proof that was trained on and is not the question's own; it stands behind it."""
    assert _names(pool, pool.proofs.known) == {"B.asked", "B.late"}
    scored, *known = scored_in(pool, question, *SETTINGS)
    assert _names(pool, scored.served.signals.votes > 0) == {"A.first"}
    for one in known:
        assert not one.served.signals.votes.any(), "what follows in its file does not vote there"
        assert not one.served.there.nearby.any()
    elsewhere = replace(question, theorem="C.hidden", module="C", line=1)
    [there] = scored_in(pool, elsewhere, "importable")
    votes = _names(pool, there.served.signals.votes > 0)
    assert votes >= {"A.first"}, "what cannot be used there votes all the same"
    later = replace(question, theorem="D.after", module="B", line=10)
    [below] = scored_in(pool, later, "place")
    assert _names(pool, below.served.there.nearby > 0) == {"A.first", "B.early"}


def test_by_file_no_other_proof_of_the_file_is_known(pool: Pool, question: HeldOutGoal) -> None:
    later = replace(question, theorem="D.after", module="B", line=10)
    hidden = replace(later, hides_file=True)
    known, scored = (
        [one.served for one in scored_in(pool, asked, "state", "importable")] for asked in (later, hidden)
    )
    assert known[0].signals.votes.any() and known[1].there.nearby.any() and pool.uses_elsewhere(later).any()
    for asked in scored:
        assert not asked.signals.votes.any() and not asked.there.nearby.any()
    assert not pool.uses_elsewhere(hidden).any() and not pool.place_of(hidden).last_use.any()
    assert pool.importable(hidden).tolist() == pool.importable(later).tolist(), "its declarations can be used"
    elsewhere = replace(hidden, theorem="C.hidden", module="C", line=1)
    [there] = scored_in(pool, elsewhere, "state")
    assert there.served.signals.votes.any()


def test_a_one_hot_encoder_gets_exact_figures(pool: Pool, question: HeldOutGoal, tmp_path: Path) -> None:
    """The state's vector points at one gold premise of two, so half of them is found at once."""
    target = pool.names.index("B.early")
    vectors = np.eye(len(pool), dtype=np.float32)
    weights = Fusion(FEATURES, tuple(1.0 if name == "dense" else 0.0 for name in FEATURES))
    [scored] = score(pool, vectors, vectors[[target] * 3], question, ["importable"])
    ranked = ranking(Column("dense"), scored)
    figures = dict(zip(PER_QUERY, figures_of(pool, scored, ranked), strict=True))
    assert [figures[f"R@{k}"] for k in (1, 5, 10, 32)] == [0.5, 1.0, 1.0, 1.0]
    assert [figures[f"P@{k}"] for k in (1, 5, 10)] == [1.0, 2 / 5, 2 / 10]
    assert [figures[f"nDCG@{k}"] for k in (1, 5, 10)] == pytest.approx([1.0, 1.0, 1.0])
    assert figures["MRR"] == 1.0
    assert recalls_of(scored, ranked)[:3].tolist() == [0.5, 1.0, 1.0]
    encoder = cast(Encoder, OneHot(target, len(pool)))
    session = EvaluationSession(tmp_path, None, cast(Dataset, None), encoder, None, pool, vectors)
    methods = [Random(len(pool)), Column("bm25"), Column("dense"), RankedMethod.fused(pool, weights)]
    rows = rows_of(measure(session, methods, [question] * 3), against="bm25")
    by_key = {(row.setting, row.method): row for row in rows}
    assert len(by_key) == 2 * len(methods) + 1
    found = by_key["importable", "dense"]
    assert found.figures["R@1"].mean == 50.0
    assert found.figures["F1@1"].mean == pytest.approx(100 * 2 * 1.0 * 0.5 / 1.5)
    bm25 = by_key["importable", "bm25"]
    assert found.differences["R@1"].mean == pytest.approx(50.0 - bm25.figures["R@1"].mean)
    assert not bm25.differences
    assert markdown(rows).count("| fused | ") == 3
    assert differences(rows, "bm25").count("| dense | ") == 2
    assert all(name in markdown(rows) for name in COMPACT)


def test_traced_steps_become_questions(pool: Pool, tmp_path: Path) -> None:
    step = {
        "theorem": "B.asked",
        "file": "Old/Place/Of/B.lean",
        "tactic": "rw [B.early]",
        "state_before": "a : ℕ\n⊢ twist (twist a) = a",
        "premises": ["B.early", "Nat.unknown", "B.asked"],
    }
    useless = {**step, "premises": ["Nat.unknown"]}
    path = tmp_path / "steps.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (step, useless)), encoding="utf-8")
    [found] = read_states(path, pool)
    assert (found.module, found.line) == ("B", 5)
    assert {pool.names[number] for number in found.gold} == {"B.early"}
    first, second = read_states(path, pool, "everything")
    assert first.gold == found.gold | {len(pool)} and second.gold == {len(pool)}
    vectors = np.eye(len(pool), dtype=np.float32)
    one_hot = vectors[[pool.names.index("B.early")] * 3]
    for question, expected in ((first, 0.5), (second, 0.0)):
        [scored] = score(pool, vectors, one_hot, question, ["state"])
        ranked = ranking(Column("dense"), scored)
        figures = dict(zip(PER_QUERY, figures_of(pool, scored, ranked), strict=True))
        assert (figures["R@1"], figures["R@32"], figures["MRR"]) == (expected, expected, expected * 2)
    path.write_text('{"theorem": "x"}\n', encoding="utf-8")
    with pytest.raises(BadRecords, match=r"steps\.jsonl:1:"):
        read_states(path, pool)
    path.write_bytes(b"\xff\n")
    with pytest.raises(BadRecords, match=r"steps\.jsonl is not UTF-8"):
        read_states(path, pool)
    with pytest.raises(BadRecords, match=r"none\.jsonl cannot be read"):
        read_states(tmp_path / "none.jsonl", pool)
