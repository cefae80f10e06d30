"""Hard negatives (section 3.3.2): what a trained retriever ranks first and no proof names.

    python -m retriever mine MODEL DATASET OUT.npz [--top 100] [--queries train|valid]
        [--importable] [--cache DIR]

For `train`, gold premises are left out of a query's candidates, for `valid` they are kept: the one file
gives negatives, the other a ranking to measure. The theorem itself and its generated twins are in neither.
With `--importable` only what the theorem's file could have used counts. A run that was stopped takes up its
premise vectors again.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import UserError
from retriever.lean.dataset.dataset import Dataset, load_dataset
from retriever.lean.dataset.queries import DatasetQuery
from retriever.lean.scope import ModuleNode, importable
from retriever.lean.training.vectors import corpus_vectors, state_vectors
from retriever.metrics.ranking import best_columns
from retriever.models.encoder import Encoder
from retriever.search.splits import family_roots
from retriever.training.reranking.mined import SPLITS_TO_MINE, Mined, save_mined

_BLOCK = 256


class Filter(Protocol):
    """Takes what is not offered to a query out of its scores."""

    def __call__(self, query: DatasetQuery, scores: Floats) -> None:
        """Set float32[corpus] to -inf where a premise is not offered."""


def _mine(
    dataset: Dataset,
    vectors: Floats,
    states: Floats,
    queries: Sequence[int],
    top: int,
    filters: Sequence[Filter],
) -> NDArray[np.int32]:
    """int32[q, top]: the premises of most similar vectors that every filter leaves, best first.

    Args:
        dataset: gives the queries by their numbers.
        vectors: float32[corpus, d].
        states: float32[q, d], those of `queries`.
        queries: numbers of queries.
        top: how many; rows with fewer end in -1.
        filters: what is not offered to a query.
    """
    found = np.empty((len(queries), top), dtype=np.int32)
    table = np.ascontiguousarray(vectors.T)
    for start in tqdm(
        range(0, len(queries), _BLOCK), desc="mining", unit_scale=_BLOCK, unit=" queries", disable=None
    ):
        scores = states[start : start + _BLOCK] @ table
        for row, number in enumerate(queries[start : start + _BLOCK]):
            for withhold in filters:
                withhold(dataset.queries[number], scores[row])
        found[start : start + len(scores)] = best_columns(scores, top)
    return found


class _Withheld:
    """The theorem itself, its twins and, where `gold` says so, the premises of its proof."""

    def __init__(self, dataset: Dataset, *, gold: bool) -> None:
        self._gold = gold
        self._families: dict[str, list[int]] = {}
        self._roots = family_roots(dataset.corpus)
        for number, premise in enumerate(dataset.corpus):
            self._families.setdefault(self._roots[premise.name], []).append(number)

    def __call__(self, query: DatasetQuery, scores: Floats) -> None:
        """Take them out of a query's scores."""
        root = self._roots.get(query.theorem, query.theorem)
        scores[self._families.get(root, [])] = -np.inf
        if self._gold:
            scores[[*query.gold, *query.later, *query.earlier]] = -np.inf


class Importable:
    """What is declared in a module that the theorem's file sees, or before the theorem in its own."""

    def __init__(self, dataset: Dataset) -> None:
        self._names = sorted({premise.module for premise in dataset.corpus})
        numbers = {name: index for index, name in enumerate(self._names)}
        self._modules = np.array([numbers[premise.module] for premise in dataset.corpus])
        self._lines = np.array([premise.span.start.line if premise.span else 0 for premise in dataset.corpus])
        self._graph = {
            module.name: ModuleNode(module.imports, module.in_module_system) for module in dataset.modules
        }
        self._numbers = numbers
        self._last: tuple[str, Floats] = ("", np.zeros(0, dtype=np.float32))

    def __call__(self, query: DatasetQuery, scores: Floats) -> None:
        """Take what the file cannot use out of a query's scores; quick where queries come file by file."""
        if self._last[0] != query.module:
            self._last = (query.module, self._barrier(query.module))
        own = np.flatnonzero(self._modules == self._numbers.get(query.module, -1))
        before = own[self._lines[own] < (query.line or 0)]
        kept = scores[before]
        scores += self._last[1]
        scores[before] = kept

    def _barrier(self, module: str) -> Floats:
        node = self._graph.get(module, ModuleNode())
        reached = importable(self._graph, (item.module for item in node.imports))
        visible = np.array([name in reached for name in self._names], dtype=np.bool_)
        return np.where(visible[self._modules], 0.0, -np.inf).astype(np.float32)


def _mine_split(
    dataset: Dataset,
    encoder: Encoder,
    split: str,
    top: int,
    *,
    only_importable: bool = False,
    cache: Path | None = None,
) -> Mined:
    """The first `top` candidates of every query of a split. Raises UserError when it has no queries."""
    of_split = [number for number, query in enumerate(dataset.queries) if query.split == split]
    if not of_split:
        raise UserError(f"The dataset has no {split} queries.", "Choose another split.")
    of_split.sort(key=lambda number: dataset.queries[number].module)  # `Importable` looks a file up once
    vectors = corpus_vectors(dataset, encoder, cache)
    states = state_vectors(encoder, [dataset.queries[number].goal for number in of_split])
    filters: list[Filter] = [_Withheld(dataset, gold=split == "train")]
    if only_importable:
        filters.append(Importable(dataset))
    found = _mine(dataset, vectors, states, of_split, top, filters)
    queries = np.array(of_split, dtype=np.int64)
    order = np.argsort(queries)
    return Mined(
        queries[order], found[order], dataset.manifest.digest, encoder.fingerprint, has_gold=split != "train"
    )


STOPPED = "Stopped; finished premise vectors are kept."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder")
    parser.add_argument("dataset", type=Path, help="a dataset folder")
    parser.add_argument("out", type=Path, help="the file to write (.npz)")
    parser.add_argument("--top", type=int, default=100, help="candidates of a query")
    parser.add_argument("--queries", choices=SPLITS_TO_MINE, default="train", help="whose candidates")
    parser.add_argument("--importable", action="store_true", help="only what the theorem's file could use")
    parser.add_argument("--cache", type=Path, help="where premise vectors are kept (the dataset's folder)")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    if options.top < 1:
        raise UserError(f"--top must be at least 1, not {options.top}.")
    encoder, dataset = Encoder.load(options.model), load_dataset(options.dataset)
    mined = _mine_split(
        dataset,
        encoder,
        options.queries,
        options.top,
        only_importable=options.importable,
        cache=options.cache or options.dataset,
    )
    save_mined(options.out, mined)
    print(f"{options.out}: {mined.candidates.shape[1]} candidates of each of {len(mined.queries)} queries")
