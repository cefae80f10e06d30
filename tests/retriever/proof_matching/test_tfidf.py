from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.proof_matching.metrics import own_ranks
from retriever.proof_matching.schema import Token
from retriever.proof_matching.tfidf import tfidf_scores
from tests.retriever.proof_matching.matching import make_pairs, symbol, word

TOKENS = st.builds(Token, st.sampled_from("abc"), st.sampled_from(["word", "identifier"]))
TEXTS = st.lists(st.lists(TOKENS, min_size=1, max_size=8), min_size=1, max_size=5)


def by_hand(statement: list[Token], proofs: list[list[Token]], number: int, damped: bool) -> float:
    counted = [Counter(token.spelled for token in proof) for proof in proofs]
    terms = set().union(*counted)

    def weights(counts: Counter[str]) -> dict[str, float]:
        found = {}
        for term, times in counts.items():
            if term in terms:
                holders = sum(term in other for other in counted)
                rarity = math.log((1 + len(proofs)) / (1 + holders)) + 1
                found[term] = (1 + math.log(times) if damped else times) * rarity
        length = math.sqrt(sum(value**2 for value in found.values())) or 1.0
        return {term: value / length for term, value in found.items()}

    one, other = weights(Counter(token.spelled for token in statement)), weights(counted[number])
    return sum(value * other.get(term, 0.0) for term, value in one.items())


@given(TEXTS, TEXTS, st.booleans())
def test_scores_are_the_cosines_of_the_formula(
    statements: list[list[Token]], proofs: list[list[Token]], damped: bool
) -> None:
    scores = tfidf_scores(statements, proofs, damped=damped)
    assert scores.shape == (len(statements), len(proofs))
    for row, statement in enumerate(statements):
        for column in range(len(proofs)):
            assert scores[row, column] == pytest.approx(by_hand(statement, proofs, column, damped), abs=1e-5)


def test_a_word_and_a_symbol_of_one_spelling_are_apart() -> None:
    assert tfidf_scores([[word("a")]], [[symbol("a")], [word("a")]]).tolist() == [[0.0, 1.0]]


def test_proofs_with_their_statements_rare_words_come_first() -> None:
    pairs = make_pairs(held=40).part("test")
    scores = tfidf_scores([pair.statement for pair in pairs], [pair.proof for pair in pairs])
    assert np.mean(own_ranks(scores) == 1) > 0.9


def test_no_statement_gives_no_row() -> None:
    assert tfidf_scores([], [[word("a")]]).shape == (0, 1)
