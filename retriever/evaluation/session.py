"""A model folder and a dataset, made ready for ranking: pool, vectors, questions."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from retriever.encoder import Encoder
from retriever.evaluation.pool import Floats, Pool, Question, pool_of, questions_of
from retriever.lexical import Bm25Parameters
from retriever.training.dataset_files import Dataset, load_dataset

Part = Literal["tune", "valid", "test"]
PARTS: tuple[Part, ...] = ("tune", "valid", "test")
"""The valid split has two halves, by hash: weights are fitted on `tune`, figures reported on `valid`."""
_CHUNK = 16_384


@dataclass(frozen=True, slots=True)
class Session:
    """What every command of this package works on."""

    dataset: Dataset
    encoder: Encoder
    pool: Pool
    vectors: Floats
    """[pool, d]"""


def open_session(
    model: Path, dataset: Path, cache: Path | None = None, parameters: Bm25Parameters | None = None
) -> Session:
    """Load both and embed the corpus, or take its vectors from the cache. Raises ModelError, BadRecords."""
    loaded = load_dataset(dataset)
    encoder = Encoder.load(model)
    vectors = _vectors(loaded, encoder, cache)
    return Session(loaded, encoder, pool_of(loaded, parameters or Bm25Parameters()), vectors)


def part_questions(dataset: Dataset, part: Part, limit: int) -> list[Question]:
    """The statements of one part of the held-out theorems; a fixed sample of at most `limit`."""
    if part == "test":
        return questions_of(dataset, "test", limit)
    found = questions_of(dataset, "valid", len(dataset.queries) + 1)
    half = [question for question in found if is_tuned_on(question.theorem) == (part == "tune")]
    if len(half) <= limit:
        return half
    return [half[place] for place in np.sort(np.random.default_rng(0).permutation(len(half))[:limit])]


def is_tuned_on(theorem: str) -> bool:
    """Which half of the valid split a theorem lies in: the parity of its hash's quotient by 50."""
    return int(hashlib.sha256(theorem.encode()).hexdigest(), 16) // 50 % 2 == 0


def encode_states(encoder: Encoder, questions: Sequence[Question]) -> Floats:
    """[q, d] The questions' states, cut to what the encoder reads as the service cuts them."""
    return encoder.encode([encoder.fit(question.goal).text for question in questions])


def _vectors(dataset: Dataset, encoder: Encoder, cache: Path | None) -> Floats:
    path = cache / f"vectors-{dataset.manifest.digest[:16]}-{encoder.fingerprint}.npy" if cache else None
    if path is not None and path.exists():
        return np.asarray(np.load(path), dtype=np.float32)
    corpus = dataset.corpus
    parts = [encoder.encode_premises(corpus[at : at + _CHUNK]) for at in range(0, len(corpus), _CHUNK)]
    vectors = np.concatenate(parts)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as stream:
            np.save(stream, vectors)
        Path(stream.name).replace(path)
    return vectors
