"""What shipping embeddings in few bits costs: recall of dense search, and the size of the packed vectors.

The held-out statements of DATASET are asked over the whole corpus less the theorem itself and its twins, by the inner
product alone (eq. 3), once with float32 and once for each width. The loss is paired: the mean over statements of the
difference to float32, with its standard error. The size is that of the vectors, compressed as `build_bundled.py`
packs them.
"""

from __future__ import annotations

import argparse
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from lean_extract.common.arrays import Floats
from retriever.models.quantise import quantise
from retriever.search.splits import root_name
from retriever.search.top import top
from scripts.benchmarks.harness import write_json
from scripts.benchmarks.vectors import RealVectors, add_vector_arguments, real_vectors
from scripts.build_bundled import LARGEST_VALUE

KS = (1, 10, 32)
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Width:
    """One way to keep the vectors."""

    name: str
    recall: dict[int, float]
    """R@k in per cent."""
    loss: float
    """Points of R@10 below float32."""
    error: float
    """Standard error of that."""
    megabytes: float | None
    """Packed; None for float32, which is never shipped."""


def widths(real: RealVectors, bits: Sequence[int]) -> Iterator[Width]:
    """float32 first, then every width in bits."""
    exact = recalls(real, real.premises)
    yield Width("float32", means(exact), 0.0, 0.0, None)
    for number in bits:
        vectors, scales = quantise(real.premises, largest_value(number))
        found = recalls(real, vectors.astype(np.float32) * scales[:, None])
        difference = 100 * (exact[:, KS.index(10)] - found[:, KS.index(10)])
        error = float(difference.std(ddof=1) / np.sqrt(len(difference)))
        packed = len(lzma.compress(vectors.tobytes(), preset=6)) / 1e6
        shipped = ", as shipped" if largest_value(number) == LARGEST_VALUE else ""
        yield Width(f"{number} bits{shipped}", means(found), float(difference.mean()), error, packed)


def largest_value(bits: int) -> int:
    """The largest whole number of that many bits, one of them the sign."""
    return int(2 ** (bits - 1) - 1)


def recalls(real: RealVectors, vectors: Floats) -> NDArray[np.float64]:
    """float64[q, len(KS)]: the share of each statement's gold among the first k."""
    families = real.dataset.families()
    numbers = {
        name: family
        for premise, family in zip(real.dataset.corpus, families.tolist(), strict=True)
        for name in (premise.name, root_name(premise))
    }
    rows = []
    for start in tqdm(range(0, len(real.queries), _BATCH), desc="asking", leave=False):
        batch = real.queries[start : start + _BATCH]
        for query, scores in zip(batch, real.states[start : start + _BATCH] @ vectors.T, strict=True):
            scores[families == numbers.get(query.theorem, -1)] = -np.inf
            order = top(scores, max(KS)).tolist()
            gold = set(query.gold)
            rows.append([len(gold & set(order[:k])) / len(gold) for k in KS])
    return np.array(rows)


def means(rows: NDArray[np.float64]) -> dict[int, float]:
    """R@k in per cent."""
    return {k: float(100 * rows[:, place].mean()) for place, k in enumerate(KS)}


def line(row: Width) -> str:
    """A row of the Markdown table."""
    size = f"{row.megabytes:.1f} MB" if row.megabytes is not None else ""
    shares = " | ".join(f"{row.recall[k]:.2f}" for k in KS)
    return f"| {row.name} | {shares} | {row.loss:.2f} ± {row.error:.2f} | {size} |"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_vector_arguments(parser)
    parser.add_argument("--split", choices=("valid", "test"), default="valid")
    parser.add_argument("--bits", type=int, nargs="+", default=[8, 7, 6, 5, 4], choices=range(2, 9))


def run(options: argparse.Namespace) -> None:
    real = real_vectors(options, options.split)
    n, d = real.premises.shape
    digest = real.dataset.manifest.digest[:16]
    print(
        f"{len(real.queries):,} {options.split} statements, {n:,} premises, {d} dimensions; dataset {digest}"
    )
    print("\n| | R@1 | R@10 | R@32 | R@10 lost | packed |\n|---|---|---|---|---|---|")
    rows = []
    for row in widths(real, options.bits):
        rows.append(row)
        print(line(row), flush=True)
    rows_json = [asdict(row) for row in rows]
    write_json({"dataset": digest, "split": options.split, "widths": rows_json}, options.json)
