from __future__ import annotations

import sys
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lean_extract.common.errors import UserError
from retriever.proof_matching.decoding import (
    UNASSIGNED,
    ScoredPairs,
    best_candidates,
    exact_decoding,
    global_decoding,
    local_decoding,
    sparse_decoding,
)

VALUES = st.floats(-50, 50, width=32)


def matrices(most: int = 5):
    sides = st.integers(1, most)
    return st.tuples(sides, sides).flatmap(lambda shape: arrays(np.float64, shape, elements=VALUES))


def best_sum(scores: np.ndarray) -> float:
    """By trying every assignment of the shorter side."""
    short = scores if scores.shape[0] <= scores.shape[1] else scores.T
    rows = np.arange(len(short))
    return max(short[rows, list(order)].sum() for order in permutations(range(short.shape[1]), len(short)))


def sum_of(scores: np.ndarray, proofs: np.ndarray) -> float:
    given_one = np.flatnonzero(proofs != UNASSIGNED)
    return float(scores[given_one, proofs[given_one]].sum())


def is_matching(proofs: np.ndarray, pairs: int) -> bool:
    taken = proofs[proofs != UNASSIGNED]
    return len(taken) == pairs == len(set(taken.tolist()))


@given(matrices())
def test_local_decoding_takes_the_first_of_the_best(scores: np.ndarray) -> None:
    for row, proof in enumerate(local_decoding(scores)):
        assert scores[row, proof] == scores[row].max()
        assert (scores[row, :proof] < scores[row, proof]).all()


@given(matrices())
def test_exact_decoding_is_the_best_of_all_assignments(scores: np.ndarray) -> None:
    found = exact_decoding(scores).proofs
    assert is_matching(found, min(scores.shape))
    assert sum_of(scores, found) == pytest.approx(best_sum(scores), abs=1e-6)


@given(matrices(6), st.integers(1, 6))
def test_global_decoding_gives_every_proof_once(scores: np.ndarray, count: int) -> None:
    found = global_decoding(scores, count)
    assert is_matching(found.proofs, min(scores.shape))
    assert sum_of(scores, found.proofs) <= best_sum(scores) + 1e-6
    if count >= scores.shape[1]:
        assert sum_of(scores, found.proofs) == pytest.approx(best_sum(scores), abs=1e-6)


@given(matrices(5), st.integers(1, 5))
def test_sparse_decoding_is_the_best_of_the_largest_over_the_candidates(
    scores: np.ndarray, count: int
) -> None:
    candidates = best_candidates(scores, count)
    found = sparse_decoding(candidates)
    allowed = [set(row) for row in candidates.proofs.tolist()]
    assert all(proof == UNASSIGNED or proof in allowed[row] for row, proof in enumerate(found.tolist()))
    size, value = best_over(scores, allowed)
    assert is_matching(found, size)
    assert sum_of(scores, found) == pytest.approx(value, abs=1e-5)


def best_over(scores: np.ndarray, allowed: list[set[int]]) -> tuple[int, float]:
    """(size, sum) of the best of the largest assignments, by trying them all."""
    found = {(0, 0.0, frozenset[int]())}
    for row, proofs in enumerate(allowed):
        found |= {
            (size + 1, value + float(scores[row, proof]), taken | {proof})
            for size, value, taken in found
            for proof in proofs - taken
        }
    return max((size, value) for size, value, _ in found)


@given(arrays(np.float64, (12, 12), elements=st.integers(-9, 9).map(float)), st.integers(0, 11))
@settings(max_examples=30)
def test_candidates_are_the_best(scores: np.ndarray, row: int) -> None:
    found = best_candidates(scores, 4)
    assert isinstance(found, ScoredPairs)
    assert sorted(found.scores[row]) == sorted(scores[row])[-4:]
    assert found.proofs[row].tolist() == sorted(set(found.proofs[row].tolist()))


def test_statements_that_want_the_same_few_proofs_share_the_rest() -> None:
    """All keep proofs 0 and 1 as candidates, so two of five are served by them."""
    scores = np.zeros((5, 5))
    scores[:, 0], scores[:, 1] = 9, 8
    scores[3, 4] = 7
    found = global_decoding(scores, 2)
    assert sorted(found.proofs.tolist()) == [0, 1, 2, 3, 4]
    assert found.outside == 3
    assert found.proofs[3] in (0, 1, 4)


def test_a_greedy_choice_is_undone() -> None:
    """Both statements like proof 0 best, and the second has nothing else."""
    scores = np.array([[5.0, 4.0], [5.0, -5.0]])
    assert local_decoding(scores).tolist() == [0, 0]
    assert exact_decoding(scores).proofs.tolist() == [1, 0]


@pytest.mark.parametrize(
    "scores", [np.zeros((0, 3)), np.zeros(3), np.array([[np.nan]]), np.array([[np.inf]])]
)
def test_a_matrix_without_scores_is_refused(scores: np.ndarray) -> None:
    for decode in (local_decoding, exact_decoding, global_decoding):
        with pytest.raises(ValueError):
            decode(scores)


def test_without_lap_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lap", None)
    with pytest.raises(UserError, match=r"premise-suggest\[match\]"):
        global_decoding(np.eye(3), 1)
