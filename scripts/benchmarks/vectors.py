"""Real embeddings to measure with: a dataset's corpus and its held-out statements, under a model.

The benchmarks `hnsw` and `quantisation` work on them; no training stack is imported.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lean_extract.common.arrays import Floats
from retriever.lean.dataset.dataset import Dataset, load_dataset
from retriever.lean.dataset.queries import DatasetQuery
from retriever.models.encoder import Encoder
from retriever.search.splits import Split
from scripts.benchmarks.harness import ENCODER, add_json

_CHUNK = 8192


@dataclass(frozen=True, slots=True)
class RealVectors:
    """The corpus, the statements to search for, and their embeddings."""

    dataset: Dataset
    premises: Floats
    """float32[n, d], eq. (3)."""
    queries: tuple[DatasetQuery, ...]
    states: Floats
    """float32[q, d], eq. (2)."""


def add_vector_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `real_vectors` reads."""
    about = "a folder of `python -m retriever dataset`"
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=about)
    parser.add_argument("--model", type=Path, default=ENCODER, metavar="FOLDER")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where the corpus's vectors are kept")
    parser.add_argument("--queries", type=int, default=1000, metavar="N")
    add_json(parser)


def real_vectors(options: argparse.Namespace, split: Split = "valid") -> RealVectors:
    """Embed, or take the corpus from the cache; at most `--queries` statements, always the same ones.

    Raises ModelError, BadRecords.
    """
    limit = options.queries
    loaded = load_dataset(options.dataset)
    encoder = Encoder.load(options.model)
    queries = [
        query
        for query in loaded.queries
        if query.split == split and query.origin == "statement" and query.gold
    ]
    if len(queries) > limit:
        queries = [queries[i] for i in np.sort(np.random.default_rng(0).permutation(len(queries))[:limit])]
    states = encoder.encode_states([query.goal for query in queries])
    return RealVectors(loaded, _premises(loaded, encoder, options.cache), tuple(queries), states)


def _premises(dataset: Dataset, encoder: Encoder, cache: Path | None) -> Floats:
    """float32[n, d]: from `cache`, where a file for this dataset and this model lies there."""
    path = cache / f"vectors-{dataset.manifest.digest[:16]}-{encoder.fingerprint}.npy" if cache else None
    if path is not None and path.is_file():
        return np.asarray(np.load(path, allow_pickle=False), dtype=np.float32)
    started = time.perf_counter()
    starts = range(0, len(dataset.corpus), _CHUNK)
    parts = [
        encoder.encode_premises(dataset.corpus[at : at + _CHUNK])
        for at in tqdm(starts, desc="embedding", mininterval=1)
    ]
    vectors = np.concatenate(parts)
    pace = len(vectors) / (time.perf_counter() - started)
    print(f"{len(vectors):,} premises embedded, {pace:,.0f} a second")
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp.npy")
        np.save(temporary, vectors)
        temporary.replace(path)
    return vectors
