from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.models import vector_code
from retriever.models.vector_code import UNIT, decode, encode
from retriever.search.index.packed_lists import pack_lists, read_varints, unpack_lists, varints
from retriever.search.index.table import starts_of


@given(
    st.integers(0, 2**32),
    st.integers(0, 60),
    st.integers(1, 24),
    st.integers(1, 255),
    st.booleans(),
    st.floats(0.5, 1.9),
)
def test_decoded_vectors_are_a_step_away(
    seed: int, count: int, dimension: int, step: int, is_similar: bool, long: float
) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(count, dimension))
    vectors += 3 * np.repeat(vectors[:1], count, axis=0) * is_similar
    vectors *= long / np.linalg.norm(vectors, axis=1, keepdims=True)
    steps = random.integers(1, step + 1, size=count)
    rows, scales = decode(encode(vectors.astype(np.float32), steps))
    assert rows.dtype == np.int8 and rows.shape == vectors.shape
    left = np.linalg.norm(rows * scales[:, None].astype(np.float64) - vectors, axis=1)
    # On each axis half a step, half a unit in the prediction, a thousandth left out, half of an int8 step; and as much
    # again, as they are made as long as they were, to a 256th.
    bound = np.sqrt(dimension) * (steps * UNIT + 1 / 60 + 2e-3) + 6e-3
    assert (left <= bound).all()
    lengths = np.linalg.norm(rows * scales[:, None], axis=1)
    assert ((lengths < 1e-6) | (np.abs(lengths - long) < 1 / 255)).all()


def test_similar_vectors_take_less_and_blocks_are_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    groups = np.repeat(random.normal(size=(40, 32)), 16, axis=0) + random.normal(size=(640, 32)) / 10
    vectors = (groups / np.linalg.norm(groups, axis=1, keepdims=True)).astype(np.float32)
    steps = np.full(640, 20)
    monkeypatch.setattr(vector_code, "_REACH", 8)
    alike, apart = (encode(vectors[order], steps) for order in (np.arange(640), random.permutation(640)))
    assert len(alike["codes"]) < 0.8 * len(apart["codes"])
    monkeypatch.setattr(vector_code, "_BLOCK", 100)
    rows, scales = decode(encode(vectors, steps))
    assert np.abs(rows * scales[:, None] - vectors).max() < 40 * UNIT


def test_decoding_is_exact_however_products_are_summed(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = np.random.default_rng(0).normal(size=(300, 100))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    coded = encode(vectors.astype(np.float32), np.full(300, 1))
    whole = decode(coded)
    monkeypatch.setattr(vector_code, "_TURNED", 1)
    for one, other in zip(whole, decode(coded), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_cannot_be_coded_or_decoded_is_refused() -> None:
    vectors = np.eye(4, dtype=np.float32)
    with pytest.raises(ValueError, match="too long"):
        encode(5 * vectors, np.full(4, 20))
    coded = encode(vectors, np.full(4, 20))
    with pytest.raises(ValueError, match="not as many"):
        decode(coded | {"steps": coded["steps"][:2]})
    with pytest.raises(ValueError, match="before the first"):
        decode(coded | {"back": np.full(4, 9, dtype=np.uint8)})


@given(st.lists(st.integers(0, 2**40)))
def test_whole_numbers_come_back(values: list[int]) -> None:
    assert read_varints(varints(np.array(values, dtype=np.int64))).tolist() == values


@given(st.lists(st.sets(st.integers(0, 2**31 - 1))))
def test_ascending_lists_come_back(rows: list[set[int]]) -> None:
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    numbers = np.array([one for row in rows for one in sorted(row)], dtype=np.int64)
    starts, found = unpack_lists(*pack_lists(starts_of(lengths), numbers))
    assert (starts.tolist(), found.tolist()) == (starts_of(lengths).tolist(), numbers.tolist())


def test_lists_that_are_cut_off_are_refused() -> None:
    counts, gaps = pack_lists(np.array([0, 2]), np.array([300, 70_000]))
    with pytest.raises(ValueError, match="cut off"):
        unpack_lists(counts, gaps[:-1])
    with pytest.raises(ValueError, match="not as long"):
        unpack_lists(counts, gaps[:2])
