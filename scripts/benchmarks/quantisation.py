"""What shipping embeddings in few bits costs: recall of dense search, and the size of the packed vectors.

The held-out statements of DATASET are queried over the whole corpus less the theorem and its twins, by the inner
product alone (eq. 3): with float32, with the 8 bits of an index, and with the vectors of the bundled index for each
pair of steps (`retriever.models.vector_code`). The loss is paired: the mean over statements of the difference to
float32, with its standard error. The size is that of the part `vectors` of the bundled index.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from lean_extract.common.arrays import Floats, Int8s
from retriever.lean.evaluation.session import by_file
from retriever.lean.index.bundle_parts import UNUSED_STEP, USED_STEP, compressed
from retriever.models import vector_code
from retriever.models.quantise import quantise
from retriever.search.splits import root_name
from retriever.search.top import top
from scripts.benchmarks.harness import write_json
from scripts.benchmarks.vectors import RealVectors, add_vector_arguments, real_vectors

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
    """Packed; None for what is never shipped."""


def widths(real: RealVectors, steps: Sequence[tuple[int, int]]) -> Iterator[Width]:
    """float32 first, then 8 bits, then each pair of steps, for used and unused premises."""
    exact = recalls(real, real.premises)
    yield Width("float32", means(exact), 0.0, 0.0, None)
    yield _width(real, exact, "8 bits", *quantise(real.premises), None)
    is_used, order = real.dataset.use_counts() > 0, by_file(real.dataset)
    for of_used, of_unused in steps:
        packed = vector_code.encode(real.premises[order], np.where(is_used, of_used, of_unused)[order])
        rows, scales = vector_code.decode(packed)
        back = np.argsort(order)
        shipped = ", as shipped" if (of_used, of_unused) == (USED_STEP, UNUSED_STEP) else ""
        megabytes = len(compressed(packed)) / 1e6
        yield _width(
            real, exact, f"steps {of_used}/{of_unused}{shipped}", rows[back], scales[back], megabytes
        )


def _width(
    real: RealVectors,
    exact: NDArray[np.float64],
    name: str,
    rows: Int8s,
    scales: Floats,
    megabytes: float | None,
) -> Width:
    found = recalls(real, rows.astype(np.float32) * scales[:, None])
    difference = 100 * (exact[:, KS.index(10)] - found[:, KS.index(10)])
    error = float(difference.std(ddof=1) / np.sqrt(len(difference)))
    return Width(name, means(found), float(difference.mean()), error, megabytes)


def recalls(real: RealVectors, vectors: Floats) -> NDArray[np.float64]:
    """float64[q, len(KS)]: the share of each statement's gold among the first k."""
    families = real.dataset.families()
    numbers = {
        name: family
        for premise, family in zip(real.dataset.corpus, families.tolist(), strict=True)
        for name in (premise.name, root_name(premise))
    }
    rows = []
    for start in tqdm(range(0, len(real.queries), _BATCH), desc="querying", leave=False):
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
    parser.add_argument(
        "--steps",
        type=_steps,
        nargs="+",
        default=[(15, 30), (20, 40), (25, 50), (30, 60)],
        metavar="USED/UNUSED",
        help="steps of premises that training proofs use, and of the others, in 1/1024",
    )


def _steps(text: str) -> tuple[int, int]:
    of_used, of_unused = map(int, text.split("/"))
    return of_used, of_unused


def run(options: argparse.Namespace) -> None:
    real = real_vectors(options, options.split)
    n, d = real.premises.shape
    digest = real.dataset.manifest.digest[:16]
    print(
        f"{len(real.queries):,} {options.split} statements, {n:,} premises, {d} dimensions; dataset {digest}"
    )
    print("\n| | R@1 | R@10 | R@32 | R@10 lost | packed |\n|---|---|---|---|---|---|")
    rows = []
    for row in widths(real, options.steps):
        rows.append(row)
        print(line(row), flush=True)
    rows_json = [asdict(row) for row in rows]
    write_json({"dataset": digest, "split": options.split, "widths": rows_json}, options.json)
