"""Metrics of generated reference sequences (section 6.1, Table 8): a predicted sequence against the true one.

The paper names them only; where it leaves a choice, its oracle rows and the authors' published code decide:
the edit distance is divided by the length of the true sequence and is at most 1, BLEU counts every sequence
that is too short for an n-gram as one n-gram that is not found, and "1-gram precision" is BLEU-1, so a total
that is too short lowers it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from lean_extract.common.arrays import Doubles
from retriever.metrics.bootstrap import Bootstrap, Interval

Ids = Sequence[int]

COLUMNS = (
    "EM",
    "Edit",
    "BLEU",
    "BLEU-2",
    "Len",
    "multiset EM",
    "multiset F1",
    "set EM",
    "set F1",
    "1-gram",
)
"""Table 8's columns. `Len` is a ratio, the others are percent; `Edit` is better when low."""

_LONGEST = 4
"""BLEU's longest n-gram."""
_SHARES = 5
"""Columns that are means over examples; they come first in `_row`."""


def edit_distance(predicted: Ids, true: Ids) -> int:
    """The fewest insertions, deletions and replacements of one id that make one sequence the other."""
    row = list(range(len(true) + 1))
    for left, one in enumerate(predicted, start=1):
        diagonal, row[0] = row[0], left
        for right, other in enumerate(true, start=1):
            cheapest = min(row[right] + 1, row[right - 1] + 1, diagonal + (one != other))
            diagonal, row[right] = row[right], cheapest
    return row[-1]


def figures(predicted: Sequence[Ids], true: Sequence[Ids]) -> dict[str, float]:
    """`COLUMNS` over all examples.

    A predicted sequence may be empty. Raises ValueError when there are no examples, the two are not as many,
    or a true sequence is empty.
    """
    means = _rows(predicted, true).mean(axis=0, keepdims=True)
    return dict(zip(COLUMNS, _to_columns(means)[0].tolist(), strict=True))


def intervals(predicted: Sequence[Ids], true: Sequence[Ids], seed: int = 0) -> dict[str, Interval]:
    """`figures`, each with the 95% interval of a bootstrap over examples. Raises ValueError as it does."""
    rows = _rows(predicted, true)
    found = Bootstrap(len(rows), seed=seed).intervals(rows, _to_columns)
    return dict(zip(COLUMNS, found, strict=True))


def _rows(predicted: Sequence[Ids], true: Sequence[Ids]) -> Doubles:
    """[examples, c] What `_to_columns` needs the means of."""
    if not true or not all(true):
        raise ValueError("an example without references has no metrics")
    return np.array([_row(*pair) for pair in zip(predicted, true, strict=True)], dtype=np.float64)


def _row(predicted: Ids, true: Ids) -> list[float]:
    found, wanted = Counter(predicted), Counter(true)
    shares = [
        list(predicted) == list(true),
        min(edit_distance(predicted, true) / len(true), 1),
        len(predicted) / len(true),
        found == wanted,
        found.keys() == wanted.keys(),
    ]
    sizes = [len(predicted), len(true), len(found), len(wanted), len(found.keys() & wanted.keys())]
    hits, grams = zip(*(_shared_grams(predicted, true, n) for n in range(1, _LONGEST + 1)), strict=True)
    return [*shares, *sizes, *hits, *grams]


def _shared_grams(predicted: Ids, true: Ids, n: int) -> tuple[int, int]:
    """How many n-grams of the prediction are true, each as often as there at most; and how many it has.

    At least one is counted, as the authors' library (nltk) does.
    """
    shared = Counter(_grams(predicted, n)) & Counter(_grams(true, n))
    return shared.total(), max(1, len(predicted) - n + 1)


def _grams(ids: Ids, n: int) -> Iterable[tuple[int, ...]]:
    return (tuple(ids[start : start + n]) for start in range(len(ids) - n + 1))


def _to_columns(means: Doubles) -> Doubles:
    """[n, c] means of `_row` to [n, columns]."""
    same, edit, ratio, same_multiset, same_set = means[:, :_SHARES].T
    length, true_length, distinct, true_distinct, shared = means[:, _SHARES : 2 * _SHARES].T
    hits, grams = np.split(means[:, 2 * _SHARES :], 2, axis=1)
    percent = [
        same,
        edit,
        _bleu(hits, grams, length, true_length),
        _bleu(hits[:, :2], grams[:, :2], length, true_length),
        ratio / 100,
        same_multiset,
        # F1 of the whole corpus: 2 TP / (predicted + true); a multiset's TP are the shared 1-grams.
        2 * hits[:, 0] / (length + true_length),
        same_set,
        2 * shared / (distinct + true_distinct),
        _bleu(hits[:, :1], grams[:, :1], length, true_length),
    ]
    return 100 * np.stack(percent, axis=1)


def _bleu(hits: Doubles, grams: Doubles, length: Doubles, true_length: Doubles) -> Doubles:
    """[n] Corpus BLEU, not smoothed: 0 where no n-gram of one length is found.

    Args:
        hits: [n, longest] n-grams found, by length.
        grams: [n, longest] n-grams predicted.
        length: [n] of the predictions.
        true_length: [n] of the true sequences.
    """
    with np.errstate(divide="ignore"):
        precision: Doubles = np.exp(np.log(hits / grams).mean(axis=1))
        brevity: Doubles = np.exp(np.minimum(0, 1 - true_length / length))
    return precision * brevity
