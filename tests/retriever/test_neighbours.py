from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.common.arrays import Floats
from retriever.models.quantise import quantise
from retriever.search.index.exact import ExactSearch, inner_products
from retriever.search.index.hnsw import (
    HnswParameters,
    HnswSearch,
    build_graph,
    has_graph,
    lengthened,
    load_graph,
    open_search,
)
from retriever.search.index.segment import JoinedSearch
from retriever.search.top import top


def embedding_like(count: int, dimension: int = 32, seed: int = 0) -> Floats:
    """Vectors in clusters, as sentence embeddings are; uniform noise has no neighbours to speak of."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(count // 40, 1), dimension))
    vectors = centres[random.integers(len(centres), size=count)] + 0.5 * random.normal(
        size=(count, dimension)
    )
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


@given(st.integers(0, 5000), st.integers(0, 3))
@settings(max_examples=25)
def test_quantised_products_are_near_the_true_ones(count: int, seed: int) -> None:
    vectors = embedding_like(count, 16, seed) if count else np.zeros((0, 16), dtype=np.float32)
    query = embedding_like(1, 16, seed + 9)[0]
    found = inner_products(*quantise(vectors), query)
    assert np.abs(found - vectors @ query).max(initial=0.0) < 0.02


@given(
    st.lists(st.tuples(st.sampled_from([-np.inf, 0.0, 0.5, 1.0]), st.booleans()), max_size=30),
    st.integers(0, 35),
)
def test_top_is_a_stable_sort_cut_short(items: list[tuple[float, bool]], k: int) -> None:
    scores = np.array([score for score, _ in items], dtype=np.float32)
    allowed = np.array([allows for _, allows in items], dtype=np.bool_)
    finite = [index for index, (score, _) in enumerate(items) if score > -np.inf]
    order = sorted(finite, key=lambda index: -items[index][0])
    assert top(scores, k).tolist() == order[:k]
    assert top(scores, k, allowed).tolist() == [index for index in order if items[index][1]][:k]


@given(st.integers(0, 2), st.integers(1, 40), st.lists(st.integers(0, 60), max_size=3), st.data())
@settings(max_examples=40)
def test_exact_search_equals_a_naive_argsort(
    seed: int, k: int, sizes: list[int], data: st.DataObject
) -> None:
    parts = [quantise(embedding_like(size, 8, seed + i)) for i, size in enumerate(sizes) if size]
    whole = np.concatenate([np.zeros((0, 8)), *(v * s[:, None] for v, s in parts)]).astype(np.float32)
    allowed = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(whole), max_size=len(whole))), dtype=bool
    )
    vectors = embedding_like(3, 8, 99)
    search = ExactSearch(parts)
    asked = [(vectors[0], search.query(vectors[0])), *zip(vectors, search.queries(vectors), strict=True)]
    for vector, query in asked:
        products = whole @ vector
        some = np.flatnonzero(allowed)
        assert query.scores(some) == pytest.approx(products[some], abs=1e-5)
        found = query.top(k, allowed)
        best = np.sort(products[allowed])[::-1][:k]
        assert allowed[found].all()
        assert products[found] == pytest.approx(best, abs=1e-5)
        assert query.scores(some) == pytest.approx(products[some], abs=1e-5)


def test_lengthened_vectors_are_of_length_one_and_keep_their_products() -> None:
    vectors = embedding_like(50) * np.linspace(0, 1, 50, dtype=np.float32)[:, None]
    longer = lengthened(vectors)
    assert np.linalg.norm(longer, axis=1) == pytest.approx(1.0, abs=1e-5)
    query = embedding_like(1, seed=3)[0]
    assert longer @ np.append(query, 0) == pytest.approx(vectors @ query, abs=1e-6)


def test_graphs_find_what_exact_search_finds(tmp_path: Path) -> None:
    pytest.importorskip("hnswlib", reason="hnswlib is not installed")
    folders = [tmp_path / "a", tmp_path / "b"]
    parts = [quantise(embedding_like(3000, seed=1)), quantise(embedding_like(500, seed=2))]
    for folder, (vectors, scales) in zip(folders, parts, strict=True):
        folder.mkdir()
        assert build_graph(folder, vectors, scales, HnswParameters())
    search = open_search([(f, v, s) for f, (v, s) in zip(folders, parts, strict=True)], ef=400)
    assert isinstance(search, HnswSearch)
    exact = ExactSearch(parts)
    hits = 0
    asked = embedding_like(50, seed=1)
    for query, answer in zip(asked, search.queries(asked), strict=True):
        expected = set(exact.query(query).top(10).tolist())
        found = answer.top(10)
        hits += len(expected & set(found.tolist()))
        assert answer.scores(found) == pytest.approx(exact.query(query).scores(found), abs=1e-5)
    assert hits / 500 > 0.95


def test_a_narrow_filter_is_answered_exactly(tmp_path: Path) -> None:
    pytest.importorskip("hnswlib", reason="hnswlib is not installed")
    vectors, scales = quantise(embedding_like(2000))
    build_graph(tmp_path, vectors, scales, HnswParameters())
    allowed = np.zeros(2000, dtype=np.bool_)
    allowed[[3, 500, 1999]] = True
    query = embedding_like(1, seed=5)[0]
    search = open_search([(tmp_path, vectors, scales)])
    found = search.query(query).top(10, allowed)
    assert found.tolist() == ExactSearch([(vectors, scales)]).query(query).top(10, allowed).tolist()
    assert len(found) == 3


def test_a_damaged_or_foreign_graph_is_not_used(tmp_path: Path) -> None:
    pytest.importorskip("hnswlib", reason="hnswlib is not installed")
    vectors, scales = quantise(embedding_like(300))
    assert not build_graph(tmp_path, vectors, scales, HnswParameters(), lambda done: False)
    assert not has_graph(tmp_path, 300)
    build_graph(tmp_path, vectors, scales, HnswParameters())
    assert load_graph(tmp_path, 299, 32) is None
    (tmp_path / "hnsw.bin").write_bytes((tmp_path / "hnsw.bin").read_bytes()[:-100])
    assert isinstance(open_search([(tmp_path, vectors, scales)]), ExactSearch)


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=4),
    st.integers(1, 12),
    st.integers(0, 2**31),
    st.booleans(),
)
def test_several_searches_joined_are_one(sizes: list[int], k: int, seed: int, is_filtered: bool) -> None:
    generator = np.random.default_rng(seed)
    parts = [
        (generator.integers(-127, 128, size=(size, 8), dtype=np.int8), np.full(size, 0.01, dtype=np.float32))
        for size in sizes
    ]
    one = ExactSearch(parts)
    joined = JoinedSearch([ExactSearch([part]) for part in parts])
    assert len(joined) == len(one)
    allowed = generator.random(len(one)) < 0.5 if is_filtered else None
    vectors = generator.normal(size=(2, 8)).astype(np.float32)
    ids = np.flatnonzero(generator.random(len(one)) < 0.5)
    for here, there in zip(joined.queries(vectors), one.queries(vectors), strict=True):
        assert here.top(k, allowed).tolist() == there.top(k, allowed).tolist()
        assert here.scores(ids) == pytest.approx(there.scores(ids))
