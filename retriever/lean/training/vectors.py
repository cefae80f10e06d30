"""Embeddings of a dataset's premises and states, made once for each model and kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from lean_extract.common.arrays import Floats
from lean_extract.common.files.atomic import replacing_bytes
from lean_extract.records import Goal
from retriever.lean.dataset.dataset import Dataset, load_dataset, read_manifest
from retriever.models.encoder import Encoder, PremiseEncoder

_CHUNK = 8192


def corpus_vectors(dataset: Dataset, encoder: PremiseEncoder, cache: Path | None) -> Floats:
    """float32[corpus, d]: eq. (3) of every premise, from the cache folder or embedded now and kept there.

    Finished chunks are kept as they come, so a run that was stopped goes on with what is missing.
    """
    path = _path(cache, dataset.manifest.digest, encoder) if cache else None
    if path is not None and path.exists():
        return np.asarray(np.load(path), dtype=np.float32)
    pieces = path.with_suffix(".pieces") if path else None
    parts = []
    for start in _chunks(len(dataset.corpus), "premises"):
        piece = pieces / f"{start}.npy" if pieces else None
        if piece is not None and piece.exists():
            parts.append(np.load(piece))
            continue
        parts.append(encoder.encode_premises(dataset.corpus[start : start + _CHUNK]))
        if piece is not None:
            save_array(piece, parts[-1])
    vectors = np.concatenate(parts)
    if path is not None and pieces is not None:
        save_array(path, vectors)
        for piece in pieces.iterdir():
            piece.unlink()
        pieces.rmdir()
    return np.asarray(vectors, dtype=np.float32)


def dataset_vectors(folder: Path, encoder: PremiseEncoder) -> Floats:
    """float32[corpus, d]: `corpus_vectors` of a dataset folder, cached next to it. Raises BadRecords."""
    path = _path(folder, read_manifest(folder).digest, encoder)
    if path.exists():
        return np.asarray(np.load(path), dtype=np.float32)
    return corpus_vectors(load_dataset(folder), encoder, folder)


def _path(cache: Path, digest: str, encoder: PremiseEncoder) -> Path:
    return cache / f"vectors-{digest[:16]}-{encoder.fingerprint}.npy"


def state_vectors(encoder: Encoder, goals: Sequence[Goal]) -> Floats:
    """float32[q, d]: the states' side of eq. (2), cut to what the encoder reads as the service cuts them."""
    result = np.empty((len(goals), encoder.dimension), dtype=np.float32)
    for start in _chunks(len(goals), "states"):
        part = goals[start : start + _CHUNK]
        result[start : start + len(part)] = encoder.encode_states(part)
    return result


def _chunks(total: int, what: str) -> Iterator[int]:
    """Where each chunk begins, under a bar (on a terminal) that counts what is done."""
    with tqdm(total=total, desc=what, unit=f" {what}", disable=None) as bar:
        for start in range(0, total, _CHUNK):
            yield start
            bar.update(min(_CHUNK, total - start))


def save_array(path: Path, values: npt.NDArray[np.generic]) -> None:
    """Write a `.npy` file, whole or not at all."""
    with replacing_bytes(path) as stream:
        np.save(stream, values)
