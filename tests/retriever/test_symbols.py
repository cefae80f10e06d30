from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.lean.symbols import (
    Mepo,
    goal_symbols,
    premise_symbols,
    symbol_overlap,
    target_symbols,
    text_symbols,
)
from retriever.search.index.postings import build_postings
from tests.retriever.support import COMMUTES, theorem

TOKENS = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=6)


def test_a_symbol_is_the_same_however_it_is_written() -> None:
    assert text_symbols("HAdd.hAdd n m = k") == text_symbols("n + m = k") == {"add", "eq"}
    forms = "∑ i ∈ s, f i", "Finset.sum s f", "s.sum f"
    assert all("sum" in text_symbols(form) for form in forms)
    assert text_symbols("Function.Injective f") == text_symbols("Injective f") == {"Injective"}


def test_variables_projections_and_punctuation_are_no_symbols() -> None:
    assert text_symbols("fun x ↦ (h.1, x₂.2) : Type*", {"h"}) == set()
    assert text_symbols("left = right", {"left", "right"}) == {"eq"}
    assert text_symbols("left.symm = right.2", {"left", "right"}) == {"symm", "eq"}


def test_goals_and_premises_have_those_of_their_types_and_not_of_their_names() -> None:
    assert goal_symbols(COMMUTES) == {"add", "eq", "nat"}
    assert target_symbols(COMMUTES) == {"add", "eq"}
    lemma = theorem("Nat.mul_pos", "M", "0 < n", "(n : ℕ)", "(h : n ∣ m)")
    assert premise_symbols(lemma) == {"zero", "lt", "nat", "dvd"}
    assert premise_symbols(theorem("a", "M", "x = x", "[Group G]")) == {"Group", "eq"}


def test_the_overlap_is_the_share_of_the_premises_weight() -> None:
    weights = {"add": 1.0, "eq": 0.5, "norm": 3.0}
    found = symbol_overlap(
        {"add", "eq", "pow"}, [{"add", "norm"}, {"eq"}, {"norm"}, set()], weights.__getitem__
    )
    assert found.tolist() == [0.25, 1.0, 0.0, 0.0]


@given(TOKENS, st.integers(0, 6), st.sets(st.sampled_from("abcdefg")))
def test_postings_in_any_number_of_segments_give_what_the_texts_give(
    texts: list[list[str]], cut: int, query: set[str]
) -> None:
    def idf(term: str) -> float:
        return math.log((1 + len(texts)) / (1 + sum(term in text for text in texts))) + 1

    parts = [part for part in (texts[:cut], texts[cut:]) if part]
    index = Mepo([build_postings(part) for part in parts])
    expected = symbol_overlap(query, [frozenset(text) for text in texts], idf)
    assert len(index) == len(texts)
    assert index.scores(query) == pytest.approx(expected, abs=1e-5)
    assert index.score_texts(query, texts) == pytest.approx(expected, abs=1e-5)


def test_an_index_of_nothing_answers() -> None:
    assert np.array_equal(Mepo([]).scores({"a"}), np.zeros(0, dtype=np.float32))
    assert Mepo([]).score_texts({"a"}, [["a", "b"]]) == pytest.approx([0.5])
