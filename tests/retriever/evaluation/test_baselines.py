"""The baselines over the example library, and against their definitions written out."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lean_extract
from lean_extract.common.errors import BadSettings, UserError
from lean_extract.source.extract import extract_project
from retriever.lean.dataset.dataset import build_dataset
from retriever.lean.evaluation import baselines
from retriever.lean.evaluation.baselines import DenseRanker, beside
from retriever.lean.evaluation.measure import RECALL_DEPTHS, measure
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.registry import open_methods
from retriever.lean.evaluation.session import EvaluationSession, open_session
from retriever.lean.symbols import goal_symbols, premise_symbols
from retriever.search.index.postings import build_postings
from retriever.search.tfidf import TfIdfIndex
from retriever.search.votes import ProofGraph
from tests.commands import command
from tests.retriever.general_encoder import write_general_encoder
from tests.retriever.support import COMMUTES, goal, theorem

CHEAP = ["keyword", "knn", "knn-bm25", "mepo", "mepo-plain", "tfidf", "tfidf-words"]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example library's, made from its text."""
    folder = tmp_path_factory.mktemp("example")
    extract_project(
        Path(lean_extract.__file__).parent / "minicore" / "example", folder / "r.jsonl", workers=1
    )
    build_dataset(folder / "r.jsonl", folder / "dataset")
    return folder / "dataset"


@pytest.fixture(scope="module")
def session(dataset: Path, model_folder: Path) -> EvaluationSession:
    return open_session(model_folder, dataset)


@pytest.fixture(scope="module")
def questions(session: EvaluationSession) -> list[HeldOutGoal]:
    """Every statement whose proof uses something; held-out ones are too few."""
    return [
        HeldOutGoal(query.goal, query.theorem, query.module, query.line, frozenset(query.gold))
        for query in session.dataset.queries
        if query.origin == "statement"
    ]


def test_each_finds_far_more_than_chance(session: EvaluationSession, questions: list[HeldOutGoal]) -> None:
    found = measure(
        session, open_methods(session, ["random", *CHEAP]), questions[::4], ["state", "importable"]
    )
    column = RECALL_DEPTHS.index(10)
    recall = {key: float(outcome.figures[:, column].mean()) for key, outcome in found.items()}
    for setting in ("state", "importable"):
        for name in CHEAP:
            assert recall[setting, name] > 2 * recall["state", "random"] + 0.05, (setting, name)


def test_the_same_question_is_answered_alike(
    session: EvaluationSession, questions: list[HeldOutGoal]
) -> None:
    first, second = (
        measure(session, open_methods(session, CHEAP), questions[:5], ["state"]) for _ in range(2)
    )
    assert all(np.array_equal(first[key].recalls, second[key].recalls) for key in first)


@given(
    st.lists(st.lists(st.sampled_from("abcd"), max_size=5), min_size=1, max_size=5),
    st.text("abcde", max_size=5),
)
def test_tfidf_is_the_cosine_of_its_vectors(texts: list[list[str]], query: str) -> None:
    found = TfIdfIndex(build_postings(texts)).scores(list(query))
    assert found == pytest.approx(_cosines(texts, query), abs=1e-5)


def test_without_scikit_learn_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    with pytest.raises(UserError, match=r"premise-suggest\[baselines\]"):
        TfIdfIndex(build_postings([["a"]]))


def _cosines(texts: list[list[str]], query: str) -> list[float]:
    terms = sorted({term for text in texts for term in text})
    idf = [math.log((1 + len(texts)) / (1 + sum(term in text for text in texts))) + 1 for term in terms]

    def vector(tokens: Sequence[str]) -> list[float]:
        counts = Counter(tokens)
        weights = [counts[term] * weight for term, weight in zip(terms, idf, strict=True)]
        norm = math.sqrt(sum(weight * weight for weight in weights)) or 1.0
        return [weight / norm for weight in weights]

    asked = vector(query)
    return [sum(a * b for a, b in zip(asked, vector(text), strict=True)) for text in texts]


def test_plain_words_are_what_a_library_takes_by_default() -> None:
    lemma = theorem("Nat.add_comm", "M", "n + m = m + n", "(n m : ℕ)")
    assert baselines.premise_words(lemma) == ["nat", "add_comm", "var", "goal"]
    assert baselines.goal_words(goal("Continuous f", ("f", "ℝ → ℝ"))) == ["var", "goal", "continuous"]


def _mepo_of_lean(
    statements: Sequence[Iterable[str]], start: Iterable[str], rare: bool, limit: int, p: float, c: float
) -> list[int]:
    """Lean's `MePo.mepo`, line by line over sets."""
    sets = [set(statement) for statement in statements]
    frequency = Counter(symbol for statement in sets for symbol in statement)

    def weight(symbol: str) -> float:
        return 1 + 2 / (math.floor(math.log2(frequency[symbol])) + 1) if rare else 1.0

    relevant, waiting, accepted = set(start), list(range(len(sets))), list[int]()
    while waiting and len(accepted) < limit:
        scores = {}
        for fact in waiting:
            mass = sum(map(weight, sorted(sets[fact] & relevant)))
            rest = len(sets[fact] - relevant)
            scores[fact] = (mass / (mass + rest) if mass + rest else 0.0, len(sets[fact] & relevant))
        new = [fact for fact in waiting if scores[fact][0] >= p]
        if not new:
            break
        accepted += sorted(new, key=lambda fact: (-round(scores[fact][0], 5), -scores[fact][1]))
        waiting = [fact for fact in waiting if fact not in new]
        relevant = relevant.union(*(sets[fact] for fact in new))
        p += (1 - p) / c
    return accepted[:limit]


@pytest.mark.parametrize("rare", [True, False])
@pytest.mark.parametrize(("limit", "p", "c"), [(1000, 0.6, 2.4), (20, 0.6, 2.4), (1000, 0.35, 0.9)])
def test_mepo_accepts_what_leans_does(
    session: EvaluationSession, questions: list[HeldOutGoal], rare: bool, limit: int, p: float, c: float
) -> None:
    statements = [premise_symbols(premise) for premise in session.dataset.corpus]
    facts = baselines.facts_of(statements)
    weights = baselines.rarity(facts) if rare else np.ones(len(facts.symbols), dtype=np.float32)
    everything = np.ones(len(statements), dtype=np.bool_)
    lengths = set()
    for question in questions[::60]:
        start = goal_symbols(question.goal)
        found = baselines.select(facts, weights, start, everything, limit=limit, p=p, c=c).tolist()
        expected = _mepo_of_lean(statements, start, rare, limit, p, c)
        if len(expected) < limit:
            assert sorted(found) == sorted(expected)
        agreeing = sum(a == b for a, b in zip(found, expected, strict=True))
        assert agreeing >= 0.9 * len(expected)  # float32 against float64 may swap neighbours
        lengths.add(len(found))
    assert len(lengths) > 1 or limit == 20


def test_mepos_rounds_reach_what_the_goal_does_not_name() -> None:
    statements = [{"a", "b"}, {"b", "c"}, {"c", "d"}, {"x"}, {"a"}]
    facts = baselines.facts_of(statements)
    ones, allowed = np.ones(len(facts.symbols), dtype=np.float32), np.ones(5, dtype=np.bool_)
    reached = baselines.select(facts, ones, ["a"], allowed, limit=9, p=0.4, c=1e9)
    assert reached.tolist() == [4, 0, 1, 2], "the whole match, then half of it, then what those lead to"
    assert baselines.select(facts, ones, ["a"], allowed, limit=2, p=0.4, c=1e9).tolist() == [4, 0]
    without = allowed & ~np.eye(5, dtype=np.bool_)[0]
    assert baselines.select(facts, ones, ["a"], without, limit=9, p=0.4, c=1e9).tolist() == [4]
    assert baselines.select(facts, ones, ["unknown"], allowed, limit=9).tolist() == []


def test_keywords_want_all_symbols_and_then_brevity() -> None:
    holders = build_postings([["add", "eq"], ["add", "eq", "nat"], ["add"], ["norm"]])
    search = baselines.Keyword(holders, np.array([50, 20, 5, 1], dtype=np.float32))
    scores = search.scores(HeldOutGoal(COMMUTES, "t", "M", None, frozenset({0})))
    assert np.argsort(-scores).tolist() == [1, 0, 2, 3]
    assert scores[3] == -np.inf


def test_neighbours_vote_for_what_they_use_and_for_themselves() -> None:
    proofs = ProofGraph.of_rows(5, {0: [3], 1: [3, 4]})
    similarity = np.array([0.5, 1.0, 0.9, -np.inf, 0.1], dtype=np.float32)
    plain = baselines.Voting(exponent=1.0, dilution=0.0, own=1.0)
    votes = baselines.vote(similarity, proofs, plain)
    assert votes.tolist() == [0.5, 1.0, -np.inf, 1.5, 1.0], "2 is nearer than 0, but has no known proof"
    shared = baselines.vote(similarity, proofs, replace(plain, dilution=1.0, own=0.0, exponent=2.0))
    assert shared.tolist() == [-np.inf, -np.inf, -np.inf, 0.75, 0.5]
    nearest = baselines.vote(similarity, proofs, replace(plain, neighbours=1))
    assert nearest.tolist() == [-np.inf, 1.0, -np.inf, 1.0, 1.0]


@pytest.mark.train
def test_a_general_encoder_is_embedded_in_pieces_and_ranks(
    session: EvaluationSession,
    questions: list[HeldOutGoal],
    dataset: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("torch")
    from retriever.lean.evaluation import sentence
    from retriever.lean.training.vectors import corpus_vectors
    from retriever.training.pretrained import read_pretrained

    folder = write_general_encoder(tmp_path)
    asked = [str(dataset), "--model", str(folder), "--cache", str(tmp_path / "cache")]
    assert command("retriever embed-sentences")(asked) == 0
    assert f"{len(session.pool)} premises, 32 numbers" in capsys.readouterr().out
    encoder = sentence.SentenceEncoder(read_pretrained(folder))
    vectors = corpus_vectors(session.dataset, encoder, tmp_path / "cache")
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)
    number = session.pool.names.index(questions[0].theorem)
    own = DenseRanker("sentence", encoder, vectors).scores(questions[0])[number]
    assert own == pytest.approx(1.0, abs=0.02), "a statement and its own goal are one text"
    assert command("retriever embed-sentences")([*asked[:2], tmp_path / "none", *asked[3:]]) != 0
    assert "There is no encoder" in capsys.readouterr().err


def test_another_model_folder_is_a_row_of_its_own(
    session: EvaluationSession, questions: list[HeldOutGoal], model_folder: Path
) -> None:
    found = measure(
        session, [beside(session, f"twin={model_folder}"), *open_methods(session, ["dense"])], questions[:3]
    )
    assert np.array_equal(found["state", "twin"].figures, found["state", "dense"].figures)
    for text in ("twin", "=x", "twin="):
        with pytest.raises(BadSettings, match="NAME=FOLDER"):
            beside(session, text)


def test_what_a_general_encoder_reads() -> None:
    pytest.importorskip("torch")
    from retriever.lean.evaluation.sentence import premise_text

    lemma = theorem("Nat.add_comm", "M", "n + m = m + n", "(n m : ℕ)", "[Foo n]")
    assert premise_text(lemma) == "n m : ℕ , Foo n ⊢ n + m = m + n"
