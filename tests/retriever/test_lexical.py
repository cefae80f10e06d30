from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.lean.tokens import goal_tokens, name_parts, premise_tokens, text_tokens
from retriever.search.bm25 import Bm25, Bm25Parameters
from retriever.search.index.postings import build_postings
from tests.retriever.support import COMMUTES, goal, theorem

DOCUMENTS = [
    ["add", "comm", "add", "eq"],
    ["mul", "comm", "eq"],
    ["add", "zero", "eq", "nat", "nat", "nat"],
    ["sub", "self"],
    [],
]


def naive_scores(documents: list[list[str]], query: list[str], k1: float, b: float) -> list[float]:
    """BM25 written out from its definition."""
    count = len(documents)
    average = sum(map(len, documents)) / count
    scores = []
    for document in documents:
        score = 0.0
        for term in set(query):
            df = sum(term in other for other in documents)
            idf = math.log(1 + (count - df + 0.5) / (df + 0.5))
            tf = document.count(term)
            score += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(document) / average))
        scores.append(score)
    return scores


def test_both_ways_of_printing_give_the_same_tokens() -> None:
    assert text_tokens("n + m = k", "nmk") == ["add", "eq"]
    assert text_tokens("HAdd.hAdd n m = k", "nmk") == text_tokens("n + m = k", "nmk")
    prefix, infix = text_tokens("Membership.mem (s : Set Nat) x"), text_tokens("x ∈ (s : Set ℕ)")
    assert Counter(prefix) == Counter(infix) == Counter(["mem", "set", "nat"])


def test_operators_are_kept_apart() -> None:
    tokens = [text_tokens(f"a {operator} b") for operator in ("=", "≠", "≤", "<", "∈", "∉", "⊆", "⊂", "++")]
    assert len({tuple(token) for token in tokens}) == len(tokens)
    assert all(len(token) == 1 for token in tokens)


def test_renamed_variables_give_the_same_tokens() -> None:
    other = goal("alpha + b✝ = b✝ + alpha", ("alpha b✝", "ℕ"))
    assert Counter(goal_tokens(other)) == Counter(goal_tokens(COMMUTES))


def test_a_goal_shares_its_shape_with_the_lemma_that_states_it() -> None:
    lemma = theorem("Foo.add_comm", "Foo", "a + b = b + a", "{G : Type*}", "[AddCommGroup G]", "(a b : G)")
    other = theorem("Foo.add_left", "Foo", "a + b = a + b", "(a b : G)")
    shape = goal_tokens(COMMUTES)[-1]
    quantified = theorem("Foo.comm", "Foo", "∀ (a b : G), a + b = b + a", "{G : Type*}")
    assert shape in premise_tokens(lemma) and shape in premise_tokens(quantified)
    assert shape not in premise_tokens(other)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Nat.add_comm", ("nat", "add", "comm")),
        ("isUnit_iff", ("isunit", "is", "unit", "iff")),
        ("Foo.«strange name».mul'", ("foo", "strange name", "strange", "name", "mul")),
        ("MeasureTheory.ae_eq", ("measuretheory", "measure", "theory", "ae", "eq")),
    ],
)
def test_name_parts(name: str, parts: tuple[str, ...]) -> None:
    assert name_parts(name) == parts


def test_bm25_is_the_formula() -> None:
    query = ["add", "eq", "eq", "nat", "missing"]
    bm25 = Bm25([build_postings(DOCUMENTS)], Bm25Parameters(1.5, 0.6))
    assert bm25.scores(query) == pytest.approx(naive_scores(DOCUMENTS, query, 1.5, 0.6), rel=1e-5)


WORDS = st.lists(st.sampled_from(["add", "mul", "eq", "le", "zero"]), max_size=6)


@given(st.lists(WORDS, min_size=1, max_size=12), WORDS, st.data())
def test_segments_and_dead_documents_count_like_one_list(
    documents: list[list[str]], query: list[str], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(documents)))
    alive = data.draw(st.lists(st.booleans(), min_size=len(documents), max_size=len(documents)))
    left = [document for document, lives in zip(documents, alive, strict=True) if lives]
    parts = [build_postings(documents[:cut]), build_postings(documents[cut:])]
    split = Bm25(parts, Bm25Parameters(), np.array(alive)).scores(query)
    whole = Bm25([build_postings(left)]).scores(query)
    assert split[np.array(alive)] == pytest.approx(whole, rel=1e-5)
    assert not split[~np.array(alive)].any()


@given(st.lists(WORDS, min_size=1, max_size=10), WORDS)
def test_texts_outside_the_index_score_like_those_in_it(documents: list[list[str]], query: list[str]) -> None:
    bm25 = Bm25([build_postings(documents)])
    assert bm25.score_texts(query, documents) == pytest.approx(bm25.scores(query), rel=1e-4)


def test_unusable_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="BM25 needs"):
        Bm25Parameters(1.2, 1.5)
