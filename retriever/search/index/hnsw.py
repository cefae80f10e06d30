"""Approximate search over a navigable small-world graph (hnswlib), where that is installed.

One graph a segment, saved next to its vectors as `hnsw.bin` with `hnsw.json` saying what it belongs to;
segments without a graph, and filters that leave it too few hits, are searched exactly.

Premises' vectors differ in length (eq. 3), and a graph over inner products then has corners that no search
reaches. So each vector gets one more element that makes its length 1, and a query a 0: the products stay
what they were, and the graph is one over angles (Bachrach et al., 2014). docs/bench.md has what that gains.

Not usearch, which needs no compiler and finds as much: imported before onnxruntime, it crashes the process
(docs/bench.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Ids
from lean_extract.common.errors import IndexDamaged
from lean_extract.common.typed import read_typed
from retriever.models.quantise import StoredVectors
from retriever.search.index.exact import (
    ExactSearch,
    NearestNeighbours,
    NeighbourQuery,
    inner_products,
    products_of,
)
from retriever.search.index.files import read_json, write_json
from retriever.search.index.meta import Count, Digest, GoOn, Sums, always, check, sums_of, verify
from retriever.search.top import top

GRAPH, _CARD = "hnsw.bin", "hnsw.json"
_MARK = "hnsw.checked"
VERSION = 2
_DEFAULT_EF = 800
"""Wide enough for lists of some hundred candidates under a mild filter; about 2 ms at 200,000. For ten
premises 200 would do (`scripts/benchmarks/hnsw_curve.py`)."""


@dataclass(frozen=True, slots=True)
class HnswParameters:
    """`m` links a node, `ef_construction` and `ef` the widths of the search at building and asking."""

    m: int = 16
    ef_construction: int = 200
    ef: int = _DEFAULT_EF
    threshold: int = 50_000
    """Segments of fewer premises get no graph: exact search over these takes 3 ms, and any filter with it."""


def available() -> bool:
    """Whether hnswlib can be imported."""
    try:
        import hnswlib  # noqa: F401
    except ImportError:
        return False
    return True


def has_graph(folder: Path, count: int) -> bool:
    """Whether a segment's folder holds a whole graph over this many vectors, as it was saved."""
    try:
        card = _read_card(folder)
        check(folder, card.sums, _MARK)
        return card.count == count
    except (OSError, ValueError, IndexDamaged):
        return False  # Exact search answers just as well; `premise-suggest index` builds the graph again.


def verify_graph(folder: Path, go_on: GoOn = always) -> list[str]:
    """Read a segment's graph, if it has one, and compare hashes; what is wrong, in words."""
    if not (folder / _CARD).exists():
        return []
    try:
        return verify(folder, _read_card(folder).sums, _MARK, go_on)
    except (OSError, ValueError) as error:
        return [f"{folder / _CARD} cannot be read: {error}"]


@dataclass(frozen=True, slots=True)
class _Card:
    """What `hnsw.json` says: over how many vectors the graph is, and its file's sum (none in old ones)."""

    version: int
    count: Count
    size: Count
    sha256: Digest | None = None

    @property
    def sums(self) -> Sums:
        """The size of the graph's file, where it is known."""
        return {GRAPH: (self.size, self.sha256)} if self.sha256 is not None else {}


def _read_card(folder: Path) -> _Card:
    """Raises OSError, ValueError."""
    card = read_typed(_Card, read_json(folder / _CARD))
    if card.version != VERSION:
        raise ValueError(f"version {card.version}, not {VERSION}")
    if card.sha256 is None and (folder / GRAPH).stat().st_size != card.size:
        raise ValueError(f"{GRAPH} has not {card.size} bytes")
    return card


def build_graph(
    folder: Path,
    vectors: StoredVectors,
    scales: Floats,
    parameters: HnswParameters,
    go_on: Callable[[int], bool] = lambda done: True,
) -> bool:
    """Build a segment's graph and save it in its folder. Raises OSError.

    `go_on` is called with the number of vectors added so far, and ends the work by returning False; then nothing is
    saved and False is returned.
    """
    import hnswlib

    graph = hnswlib.Index(space="ip", dim=vectors.shape[1] + 1)
    graph.init_index(len(vectors), M=parameters.m, ef_construction=parameters.ef_construction, random_seed=1)
    graph.set_num_threads(1)
    for start in range(0, len(vectors), 4096):
        stop = min(start + 4096, len(vectors))
        block = vectors[start:stop].astype(np.float32) * scales[start:stop, None]
        graph.add_items(lengthened(block), np.arange(start, stop))
        if not go_on(stop):
            return False
    _save(graph, folder, len(vectors))
    return True


def lengthened(vectors: Floats) -> Floats:
    """float32[n, d + 1], rows of length 1: one more element than float32[n, d] takes up the rest."""
    rest = np.sqrt(np.maximum(0.0, 1.0 - np.einsum("nd,nd->n", vectors, vectors)))
    return np.concatenate([vectors, rest[:, None]], axis=1, dtype=np.float32)


def _save(graph: Any, folder: Path, count: int) -> None:
    temporary = folder / f".{GRAPH}.tmp"
    try:
        graph.save_index(str(temporary))
        [(size, digest)] = sums_of([temporary]).values()
        card = _Card(VERSION, count, size, digest)
        temporary.replace(folder / GRAPH)
    except RuntimeError as error:
        raise OSError(None, f"hnswlib could not save its graph: {error}") from error
    finally:
        temporary.unlink(missing_ok=True)
    write_json(folder / _CARD, asdict(card))


def load_graph(folder: Path, count: int, dimension: int) -> Any | None:
    """A segment's graph, or None where there is none that fits or no hnswlib to read it."""
    if not (has_graph(folder, count) and available()):
        return None
    import hnswlib

    graph = hnswlib.Index(space="ip", dim=dimension + 1)
    try:
        graph.load_index(str(folder / GRAPH), max_elements=count)
    except RuntimeError:
        return None  # as without one
    return graph


class HnswSearch:
    """Search over several segments, by graph where there is one.

    Args:
        parts: each segment's vectors, scales and graph (None: exact).
        ef: width of the search; the higher, the more exact and the slower.
    """

    def __init__(self, parts: Sequence[tuple[StoredVectors, Floats, Any | None]], ef: int) -> None:
        self.parts = parts
        self.bounds = np.cumsum([0, *(len(scales) for _, scales, _ in parts)])
        self.exact = ExactSearch([(vectors, scales) for vectors, scales, _ in parts])
        for _, _, graph in parts:
            if graph is not None:
                graph.set_ef(ef)
        self.ef = ef

    def __len__(self) -> int:
        return int(self.bounds[-1])

    def query(self, vector: Floats) -> NeighbourQuery:
        """Begin a query with float32[d]."""
        return _HnswQuery(self, vector)

    def queries(self, vectors: Floats) -> list[NeighbourQuery]:
        """Begin queries with float32[m, d]; a walk through a graph is each query's own."""
        return [self.query(vector) for vector in vectors]


class _HnswQuery:
    def __init__(self, search: HnswSearch, vector: Floats) -> None:
        self._search = search
        self._vector = vector
        self._asked = np.append(vector, np.float32(0))[None, :]

    @cached_property
    def _exact(self) -> NeighbourQuery:
        return self._search.exact.query(self._vector)

    def top(self, k: int, allowed: Bools | None = None) -> Ids:
        count = len(self._search)
        share = 1.0 if allowed is None else np.count_nonzero(allowed) / max(count, 1)
        wanted = int(1.5 * k / share) + 1 if share else count
        if wanted > self._search.ef:
            return self._exact.top(k, allowed)
        ids = np.concatenate([self._near(index, wanted) for index in range(len(self._search.parts))])
        if allowed is not None:
            ids = ids[allowed[ids]]
        if len(ids) < k:
            return self._exact.top(k, allowed)
        ids.sort()
        return np.asarray(ids[top(self.scores(ids), k)])

    def _near(self, part: int, k: int) -> Ids:
        vectors, scales, graph = self._search.parts[part]
        if graph is None:
            found = top(inner_products(vectors, scales, self._vector), k)
        else:
            labels, _ = graph.knn_query(self._asked, k=min(k, len(scales)), num_threads=1)
            found = labels[0].astype(np.int64)
        return np.asarray(found + self._search.bounds[part])

    def scores(self, ids: Ids) -> Floats:
        return products_of([part[:2] for part in self._search.parts], ids, self._vector)


def open_search(
    parts: Sequence[tuple[Path, StoredVectors, Floats]], ef: int = _DEFAULT_EF
) -> NearestNeighbours:
    """The search over these segments: by graph if any has one that can be read, else exact."""
    graphs = [load_graph(folder, len(scales), vectors.shape[1]) for folder, vectors, scales in parts]
    if not any(graph is not None for graph in graphs):
        return ExactSearch([(vectors, scales) for _, vectors, scales in parts])
    columns = [(vectors, scales) for _, vectors, scales in parts]
    return HnswSearch([(*column, graph) for column, graph in zip(columns, graphs, strict=True)], ef)
