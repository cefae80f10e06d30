"""Hard negatives of a backend's collection: what is ranked first for a question and does not answer it.

    python -m retriever mine-collection SOURCE OUT.npz --backend NAME [--model MODEL] [--top 100]
        [--queries train|valid]

Ranked is as `premise-suggest eval retrieval` ranks, by the weighted sum with MODEL's encoders or, without,
by terms and known proofs. For `train`, answers are left out of a question's candidates, for `valid` they are
kept: the one file gives negatives, the other a ranking to measure. The question itself is in neither.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lean_extract.common.errors import UserError
from lean_extract.common.option_types import positive
from retriever.metrics.ranking import best_columns
from retriever.models.towers import Towers
from retriever.search.backend import Backend, Collection
from retriever.search.backends import find_backend
from retriever.search.collections.index import fused_for_evaluation
from retriever.search.collections.measure import outside_of
from retriever.search.splits import Split
from retriever.training.corpora import COLLECTION_MINER, find_corpus
from retriever.training.reranking.mined import SPLITS_TO_MINE, Mined, save_mined
from retriever.training.running.kinds import add_backend_argument


def _mine_collection(
    backend: Backend,
    collection: Collection,
    towers: Towers | None,
    split: Split,
    top: int,
) -> Mined:
    """The first `top` candidates of every question of a split. Raises UserError when it has no question."""
    numbers = [number for number, one in enumerate(collection.questions) if one.split == split]
    if not numbers:
        raise UserError(f"The collection has no {split} question.", "Choose another split.")
    fused = fused_for_evaluation(backend, collection, towers)
    outside = outside_of(collection, split)
    found = np.empty((len(numbers), top), dtype=np.int32)
    for row, number in enumerate(tqdm(numbers, desc="mining", unit=" questions", disable=None)):
        question = collection.questions[number]
        scores = fused.scores(question.text, question.own)
        withheld = [] if question.own is None else [question.own]
        if split == "train":
            withheld += question.gold
        scores[outside] = -np.inf
        scores[withheld] = -np.inf
        found[row] = best_columns(scores[None], top)[0]
    return Mined(
        np.array(numbers, dtype=np.int64),
        found,
        collection.digest,
        towers.fingerprint if towers else "",
        has_gold=split != "train",
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("source", type=Path, help="what the backend reads")
    parser.add_argument("out", type=Path, help="the file to write (.npz)")
    add_backend_argument(parser, "mining")
    parser.add_argument("--model", type=Path, help="a folder that `export-towers` wrote")
    parser.add_argument("--top", type=positive, default=100, help="candidates of a question")
    parser.add_argument("--queries", choices=SPLITS_TO_MINE, default="train", help="whose candidates")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    backend = find_backend(options.backend)
    miner = find_corpus(options.backend).miner
    if miner != COLLECTION_MINER:
        raise UserError(f"The backend {backend.name} has a miner of its own.", f"Run python -m {miner}.")
    towers = Towers.load(options.model) if options.model else None
    mined = _mine_collection(backend, backend.read(options.source), towers, options.queries, options.top)
    save_mined(options.out, mined)
    print(f"{options.out}: {mined.candidates.shape[1]} candidates of each of {len(mined.queries)} questions")
