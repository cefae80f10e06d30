"""Times global decoding of a corpus (MATcH, section 7.1): from scores of pairs to the best proofs of each statement.

The scores are inner products of random vectors in which a statement is near its proof, with some proofs that
score high everywhere, as a model's do.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
from numpy.typing import NDArray

from retriever.proof_matching.decoding import UNASSIGNED, best_candidates, local_decoding, sparse_decoding


def scores_like_a_models(pairs: int, width: int = 32) -> NDArray[np.float32]:
    draw = np.random.default_rng(0)
    statements = draw.normal(size=(pairs, width)).astype(np.float32)
    proofs = 0.5 * statements + draw.normal(size=(pairs, width)).astype(np.float32)
    return np.asarray(statements @ proofs.T + 2 * draw.normal(size=pairs).astype(np.float32))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--candidates", type=int, default=500)


def run(options: argparse.Namespace) -> None:
    scores = scores_like_a_models(options.pairs)
    began = time.monotonic()
    candidates = best_candidates(scores, options.candidates)
    sorted_at = time.monotonic()
    found = sparse_decoding(candidates)
    ended = time.monotonic()
    gold = np.arange(options.pairs)
    print(f"candidates: {sorted_at - began:.1f} s; assignment: {ended - sorted_at:.1f} s")
    print(f"without a candidate of their own: {int((found == UNASSIGNED).sum()):,}")
    print(f"right: {np.mean(found == gold):.1%}, one by one {np.mean(local_decoding(scores) == gold):.1%}")
    print(f"most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB, scores included")
