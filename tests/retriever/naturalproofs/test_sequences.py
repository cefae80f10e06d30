from __future__ import annotations

import math
from collections import Counter
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.naturalproofs.evaluation.sequences import COLUMNS, edit_distance, figures, intervals

Ids = tuple[int, ...]

few = st.integers(0, 4)
sequences = st.lists(few, max_size=7).map(tuple)
truths = st.lists(few, min_size=1, max_size=7).map(tuple)
examples = st.lists(st.tuples(sequences, truths), min_size=1, max_size=6)


def of(pairs: list[tuple[Ids, Ids]]) -> dict[str, float]:
    return figures([predicted for predicted, _ in pairs], [true for _, true in pairs])


@cache
def by_definition(left: Ids, right: Ids) -> int:
    if not left or not right:
        return len(left) + len(right)
    return min(
        by_definition(left[1:], right) + 1,
        by_definition(left, right[1:]) + 1,
        by_definition(left[1:], right[1:]) + (left[0] != right[0]),
    )


@given(sequences, sequences)
def test_the_edit_distance_is_that_of_its_definition(left: Ids, right: Ids) -> None:
    assert edit_distance(left, right) == by_definition(left, right)


def test_one_example_by_hand() -> None:
    """Predicted 1 2 3 9 against 1 2 3 4 4: shared n-grams 3 of 4, 2 of 3, 1 of 2, 0 of 1."""
    found = of([((1, 2, 3, 9), (1, 2, 3, 4, 4))])
    brevity = math.exp(1 - 5 / 4)
    assert found == {
        "EM": 0,
        "Edit": pytest.approx(40),
        "BLEU": 0,
        "BLEU-2": pytest.approx(100 * brevity * math.sqrt(3 / 4 * 2 / 3)),
        "Len": pytest.approx(4 / 5),
        "multiset EM": 0,
        "multiset F1": pytest.approx(100 * 2 * 3 / 9),
        "set EM": 0,
        "set F1": pytest.approx(100 * 2 * 3 / 8),
        "1-gram": pytest.approx(100 * brevity * 3 / 4),
    }


def test_bleu_and_f1_are_of_the_whole_corpus_and_not_means() -> None:
    """1 2 3 4 5 is all right, 9 all wrong; 9 counts as one n-gram of each length."""
    found = of([((1, 2, 3, 4, 5), (1, 2, 3, 4, 5)), ((9,), (8,))])
    assert found["BLEU"] == pytest.approx(100 * (5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25)
    assert found["BLEU-2"] == pytest.approx(100 * (5 / 6 * 4 / 5) ** 0.5)
    assert found["set F1"] == found["multiset F1"] == pytest.approx(100 * 2 * 5 / 12)
    assert found["EM"] == found["set EM"] == found["Edit"] == 50


def test_a_long_prediction_is_no_more_than_all_wrong() -> None:
    assert of([((5, 6, 7), (1,))])["Edit"] == 100
    assert of([((5, 6, 7), (1,))])["Len"] == 3


def test_repeated_ids_tell_sets_from_multisets() -> None:
    found = of([((2, 1), (1, 2, 1))])
    assert (found["set EM"], found["multiset EM"], found["EM"]) == (100, 0, 0)
    assert found["set F1"] == 100
    assert found["multiset F1"] == pytest.approx(100 * 2 * 2 / 5)


def test_a_repeated_guess_is_counted_as_often_as_it_is_true() -> None:
    assert of([((1, 1, 1, 1), (1, 2))])["1-gram"] == pytest.approx(25)


@given(examples)
def test_figures_are_in_their_range(pairs: list[tuple[Ids, Ids]]) -> None:
    found = of(pairs)
    assert tuple(found) == COLUMNS
    assert all(0 <= found[name] <= 100 + 1e-9 for name in COLUMNS if name != "Len")
    assert found["EM"] <= found["multiset EM"] <= found["set EM"]
    assert found["Len"] == pytest.approx(np.mean([len(p) / len(t) for p, t in pairs]))


@given(examples)
def test_bleu_agrees_with_its_formula(pairs: list[tuple[Ids, Ids]]) -> None:
    ones = sum(sum((Counter(p) & Counter(t)).values()) for p, t in pairs)
    twos = sum(sum((Counter(pairwise(p)) & Counter(pairwise(t))).values()) for p, t in pairs)
    length, wanted = sum(len(p) for p, _ in pairs), sum(len(t) for _, t in pairs)
    expected = 0.0
    if ones and twos:
        short = min(1.0, math.exp(1 - wanted / length))
        of_ones = sum(max(1, len(p)) for p, _ in pairs)
        of_twos = sum(max(1, len(p) - 1) for p, _ in pairs)
        expected = 100 * short * math.sqrt(ones / of_ones * twos / of_twos)
    assert of(pairs)["BLEU-2"] == pytest.approx(expected)


@given(st.lists(truths, min_size=1, max_size=6))
def test_the_truth_itself_is_perfect_but_for_what_bleu_does_to_short_ones(true: list[Ids]) -> None:
    found = figures(true, true)
    assert found["Edit"] == 0
    assert found["Len"] == pytest.approx(1)
    assert all(found[name] == pytest.approx(100) for name in COLUMNS if name[-2:] in ("EM", "F1"))
    assert found["1-gram"] == pytest.approx(100)
    long = [sequence * 4 for sequence in true]
    assert figures(long, long)["BLEU"] == pytest.approx(100)


@given(examples)
def test_the_order_of_examples_and_the_names_of_ids_do_not_matter(
    pairs: list[tuple[Ids, Ids]],
) -> None:
    renamed = [(tuple(90 - id for id in p), tuple(90 - id for id in t)) for p, t in reversed(pairs)]
    assert of(renamed) == pytest.approx(of(pairs))


def test_intervals_hold_the_figure_and_are_the_same_for_a_seed() -> None:
    rng = np.random.default_rng(1)
    true = [tuple(rng.integers(0, 9, size=5).tolist()) for _ in range(60)]
    guessed = [one if place % 2 else tuple(reversed(one)) for place, one in enumerate(true)]
    found = intervals(guessed, true, seed=3)
    assert {name: one.mean for name, one in found.items()} == pytest.approx(figures(guessed, true))
    assert all(one.low - 1e-9 <= one.mean <= one.high + 1e-9 for one in found.values())
    assert found["BLEU"].low < found["BLEU"].high
    assert found == intervals(guessed, true, seed=3) != intervals(guessed, true, seed=4)


def test_a_model_that_says_nothing_gets_nothing() -> None:
    found = intervals([(), ()], [(1,), (2, 3)])
    assert found["Edit"].mean == 100
    assert all(found[name].high == 0 for name in COLUMNS if name != "Edit")


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(ValueError, match="without references"):
        figures([(1,)], [()])
    with pytest.raises(ValueError, match="without references"):
        figures([], [])
    with pytest.raises(ValueError, match="longer"):
        figures([(1,)], [(1,), (2,)])
