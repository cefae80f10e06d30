"""Vectors in two bits a number, to be shipped; decoding gives the same int8 rows on every machine.

Rows are turned to their principal axes. There each is predicted from a similar row at most 255 places before it,
times a factor; what is left is rounded to multiples of the row's step and Huffman-coded, rows of similar size
together, two numbers to a byte. Mathlib's premises, in the order of its files, take a third less with the prediction
than without it. Decoded rows are made as long as they were: rounding changes lengths, and so inner products, more than
directions (`python -m scripts.benchmarks quantisation`).

Numbers on the axes are whole, in `UNIT`, and so are axes and mean, in units of their own. A sum of products of a row
with an axis, and any part of it, is below 2^24 (the product of their lengths): float32 holds it exactly, in whatever
order a machine adds.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bytes, Doubles, Floats, Ids, Int8s, UInt16s
from retriever.models.quantise import quantise

UNIT = 2.0**-10
"""What steps are multiples of; vectors are about 1 long."""
_AXIS_UNIT = 2.0**-12
_LENGTHS_PER_UNIT = 128
_LONGEST = 4032
"""A row's length on the axes, in `UNIT`, so that sums stay below 2^24."""
_BLOCK = 1 << 16
"""Rows that are decoded at once, which bounds the memory; none is predicted from another block's."""
_REACH = 255
_SIXTEENTHS = 16
"""The largest factor of a prediction is 1."""
_NEGLIGIBLE = 1e-6
"""The variance of an axis on which nothing is kept."""
_ESCAPE = 15
"""A half byte for this and every larger number; the rest of it is in `large`."""
_TURNED = 2048
"""Rows that are turned back at once."""
_SEARCHED = 512
"""Rows whose predecessors are searched for at once."""

Arrays = Mapping[str, npt.NDArray[Any]]


def encode(vectors: Floats, steps: npt.NDArray[np.integer]) -> dict[str, npt.NDArray[Any]]:
    """Vectors float32[n, d], about 1 long, as arrays by name.

    Args:
        steps: [n], 1 to 255: what a row's numbers are rounded to multiples of, in `UNIT`.

    Raises ValueError where a vector is nearly 2 long.
    """
    lengths = np.rint(np.linalg.norm(vectors, axis=1) * _LENGTHS_PER_UNIT)
    if lengths.max(initial=0) > np.iinfo(np.uint8).max:
        raise ValueError("vectors are too long to be coded")
    steps = steps.astype(np.int64)
    mean, axes = _principal_axes(vectors)
    turned = ((vectors - mean) @ axes / UNIT).astype(np.float32)
    starts = range(0, max(len(turned), 1), _BLOCK)
    blocks = [_encode_block(turned[at : at + _BLOCK], steps[at : at + _BLOCK]) for at in starts]
    rows = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    coder = zlib.compressobj(9, strategy=zlib.Z_RLE)
    codes = coder.compress(rows.pop("pairs").tobytes()) + coder.flush()
    return {
        "mean": np.rint(mean / (UNIT * _AXIS_UNIT)).astype(np.int32),
        "axes": np.rint(axes.T / _AXIS_UNIT).astype(np.int16),
        "steps": steps.astype(np.uint8),
        "lengths": lengths.astype(np.uint8),
        "codes": np.frombuffer(codes, dtype=np.uint8),
        **rows,
    }


def decode(arrays: Arrays) -> tuple[Int8s, Floats]:
    """(int8[n, d], scales float32[n]): the vectors of `encode`, rounded. Raises ValueError, KeyError, zlib.error.

    The arrays are:

        mean     int32[d]      in UNIT / 2^12
        axes     int16[k, d]   in 1 / 2^12; k is even
        steps    uint8[n]
        lengths  uint8[n]      of the vectors, in 1 / 128
        back     uint8[n]      how far before a row the one is from which it is predicted; 0: from none
        factors  uint8[n]      in sixteenths: a number is this times the other row's, plus its code by the step
        groups   uint8[n]      the rows of a block whose codes come together
        codes    uint8[..]     zlib: two codes a byte; of each block, of each group, of each pair of axes, of each row
        large    uint16[..]    what the codes above 14 are more than 15, row after row
    """
    axes, mean = arrays["axes"].astype(np.float32), arrays["mean"].astype(np.float32)
    count, (kept, dimension) = len(arrays["steps"]), axes.shape
    pairs = _inflated(arrays["codes"].tobytes(), count * kept // 2)
    large = arrays["large"]
    rows, scales = np.empty((count, dimension), dtype=np.int8), np.empty(count, dtype=np.float32)
    for start in range(0, count, _BLOCK):
        block = slice(start, start + _BLOCK)
        steps, back, factors, groups = (
            arrays[name][block] for name in ("steps", "back", "factors", "groups")
        )
        of_block = pairs[start * kept // 2 : (start + len(steps)) * kept // 2]
        codes, large = _codes_of(of_block, groups, kept, large)
        values = codes * steps.astype(np.int16)[:, None]
        for those, others in _by_depth(back):
            values[those] += _predicted(values[others], factors[those])
        for first in range(0, len(values), _TURNED):
            part = slice(start + first, start + min(first + _TURNED, len(values)))
            found = values[first : first + _TURNED].astype(np.float32) @ axes
            rows[part], _ = quantise((found + mean) * np.float32(UNIT * _AXIS_UNIT))
            found_lengths = np.sqrt(np.square(rows[part], dtype=np.int32).sum(axis=1))
            scales[part] = arrays["lengths"][part] / (_LENGTHS_PER_UNIT * np.maximum(found_lengths, 1))
    return rows, scales


def _principal_axes(vectors: Floats) -> tuple[Doubles, Doubles]:
    """(mean [d], axes [d, k] as columns): those with more than a negligible variance, and one more if k is odd."""
    mean = vectors.mean(axis=0, dtype=np.float64) if len(vectors) else np.zeros(vectors.shape[1])
    centred = vectors - mean
    variances, axes = np.linalg.eigh(centred.T @ centred / max(len(vectors), 1))
    kept = int((variances > _NEGLIGIBLE).sum())
    axes = axes[:, ::-1][:, : kept + kept % 2]
    return mean, np.pad(axes, ((0, 0), (0, axes.shape[1] % 2)))


def _encode_block(turned: Floats, steps: npt.NDArray[np.integer]) -> dict[str, npt.NDArray[Any]]:
    """The columns of a block, its `pairs` not yet Huffman-coded."""
    back = _similar(turned)
    others = turned[np.arange(len(turned)) - back]
    products, squares = (others * turned).sum(axis=1), np.maximum((others * others).sum(axis=1), 1e-9)
    factors = np.clip(np.rint(products / squares * _SIXTEENTHS), 0, _SIXTEENTHS).astype(np.uint8)
    codes = np.rint(turned / steps[:, None]).astype(np.int32)
    values = codes * steps[:, None]
    for those, found in _by_depth(back):
        predicted = _predicted(values[found], factors[those])
        codes[those] = np.rint((turned[those] - predicted) / steps[those][:, None])
        values[those] = predicted + codes[those] * steps[those][:, None]
    if np.linalg.norm(values, axis=1).max(initial=0) > _LONGEST:
        raise ValueError("vectors are too far from their mean to be coded")
    numbers = np.where(codes < 0, -2 * codes - 1, 2 * codes)
    groups = np.rint(2 * np.log2((codes * codes).mean(axis=1) + 1 / 32) + 10) if codes.size else steps * 0
    short = np.minimum(numbers, _ESCAPE)
    pairs = (short[:, 0::2] * 16 + short[:, 1::2]).astype(np.uint8)
    ordered = [pairs[rows].T.ravel() for rows in _grouped(groups)]
    return {
        "back": back.astype(np.uint8),
        "factors": factors,
        "groups": groups.astype(np.uint8),
        "pairs": np.concatenate([np.zeros(0, dtype=np.uint8), *ordered]),
        "large": (numbers[numbers >= _ESCAPE] - _ESCAPE).astype(np.uint16),
    }


def _similar(turned: Floats) -> Ids:
    """int64[n]: how far before each row the one is that is most similar to it; 0 where none is at all."""
    back = np.zeros(len(turned), dtype=np.int64)
    squares = (turned * turned).sum(axis=1)
    for start in range(0, len(turned), _SEARCHED):
        stop, first = min(start + _SEARCHED, len(turned)), max(start - _REACH, 0)
        # Most of a row is found again in a similar one, but not all: predicted is four fifths of that.
        left = 0.64 * squares[first:stop] - 1.6 * (turned[start:stop] @ turned[first:stop].T)
        distances = np.arange(start, stop)[:, None] - np.arange(first, stop)
        left[(distances < 1) | (distances > _REACH)] = 0
        best = left.argmin(axis=1)
        is_better = left[np.arange(stop - start), best] < 0
        back[start:stop] = np.where(is_better, distances[np.arange(stop - start), best], 0)
    return back


def _by_depth(back: npt.NDArray[np.integer]) -> Iterator[tuple[Ids, Ids]]:
    """(rows, the rows from which they are predicted), so that the latter are known by then. Raises ValueError."""
    parents = np.arange(len(back)) - back
    if (parents < 0).any():
        raise ValueError("a row is predicted from one before the first")
    depths, ancestors = (back > 0).astype(np.int64), parents
    while (depths[ancestors] > 0).any():
        depths, ancestors = depths + depths[ancestors], ancestors[ancestors]
    order = np.argsort(depths, kind="stable")
    bounds = np.cumsum(np.bincount(depths)).tolist()
    for start, stop in itertools.pairwise(bounds):
        yield order[start:stop], parents[order[start:stop]]


def _predicted(values: npt.NDArray[Any], factors: Bytes) -> npt.NDArray[Any]:
    return (values * factors.astype(np.int32)[:, None] + _SIXTEENTHS // 2 >> 4).astype(np.int16)


def _grouped(groups: npt.NDArray[Any]) -> Iterator[Ids]:
    """The rows of each group, from the first group on."""
    return (np.flatnonzero(groups == group) for group in np.unique(groups))


def _inflated(codes: bytes, size: int) -> Bytes:
    """The pairs, of which there have to be `size`. Raises ValueError, zlib.error."""
    inflater = zlib.decompressobj()
    pairs = inflater.decompress(codes, size + 1)
    if len(pairs) != size:
        raise ValueError("its codes are not as many as its vectors need")
    return np.frombuffer(pairs, dtype=np.uint8)


def _codes_of(
    pairs: Bytes, groups: Bytes, kept: int, large: UInt16s
) -> tuple[npt.NDArray[np.int16], UInt16s]:
    """(int16[m, k]: the codes of a block, what is left of `large`)."""
    both = np.empty((len(groups), kept // 2), dtype=np.uint8)
    at = 0
    for rows in _grouped(groups):
        both[rows] = pairs[at : at + len(rows) * (kept // 2)].reshape(kept // 2, len(rows)).T
        at += len(rows) * (kept // 2)
    short = _CODES[both].view(np.int8).reshape(len(groups), kept)
    codes = short.astype(np.int16)
    is_large = short == _CODE_OF_ESCAPE
    count = int(is_large.sum())
    codes[is_large] = _signed(large[:count].astype(np.int16) + _ESCAPE)
    return codes, large[count:]


def _signed(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """0, -1, 1, -2, ... of 0, 1, 2, 3, ..."""
    return (numbers >> 1) ^ -(numbers & 1)


_CODE_OF_ESCAPE = -8
_CODES = (
    np.stack([_signed(np.arange(256) >> 4), _signed(np.arange(256) & 15)], axis=1)
    .astype(np.int8)
    .view(np.int16)
)
"""int16[256, 1]: the two codes of a byte, each a byte."""
