"""A dataset folder as arrays: tokens of every text, gold premises, families; made once and cached next to it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from lean_extract.common.files.atomic import replacing_bytes
from lean_extract.records import PRINTED, PRINTED_IN_PART
from retriever.lean.dataset.dataset import Dataset, load_dataset, read_manifest
from retriever.lean.dataset.queries import goal_to_read
from retriever.models import text as texts
from retriever.search.splits import SPLITS, family_roots
from retriever.training.arrays import ORIGINS, TrainingArrays
from retriever.training.tokens import LONGEST, Ragged, encode_states, encode_texts, open_tokenizer, ragged

_RAGGED = ("contexts", "goals", "states", "gold", "later", "earlier")
_PLAIN = ("families", "splits", "origins", "theorems", "query_families", "ranks")
_VERSION = 3
_ORIGIN = {PRINTED_IN_PART: PRINTED}
"""Origins of queries that count as another one's when a batch is drawn."""


def _arrays_of(dataset: Dataset, tokenizer: Tokenizer) -> TrainingArrays:
    """Tokenise a dataset."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    pairs = [texts.premise_texts(premise) for premise in dataset.corpus]
    families = dataset.families()
    roots = family_roots(dataset.corpus)
    by_root = {
        roots[premise.name]: int(family) for premise, family in zip(dataset.corpus, families, strict=True)
    }
    queries = dataset.queries
    own = [roots.get(query.theorem, query.theorem) for query in queries]
    numbers: dict[str, int] = {}
    return TrainingArrays(
        contexts=encode_texts(tokenizer, (context or goal for context, goal in pairs), "head"),
        goals=encode_texts(tokenizer, (goal for _, goal in pairs), "head"),
        families=families,
        states=encode_states(tokenizer, (texts.state_text(goal_to_read(query)) for query in queries)),
        gold=ragged([query.gold for query in queries]),
        later=ragged([query.later for query in queries]),
        earlier=ragged([query.earlier for query in queries]),
        splits=np.array([SPLITS.index(query.split) for query in queries], dtype=np.int64),
        origins=np.array([ORIGINS.index(_ORIGIN.get(query.origin, query.origin)) for query in queries]),
        theorems=np.array([numbers.setdefault(root, len(numbers)) for root in own], dtype=np.int64),
        query_families=np.array([by_root.get(root, -1) for root in own], dtype=np.int64),
        ranks=np.array([share_rank(root) for root in own], dtype=np.float64),
    )


def share_rank(name: str) -> float:
    """A number in [0, 1) from a theorem's name; those below `batch.share` are learned from.

    So a smaller share is a part of a larger one. A theorem's generated twins go by the name of their source.
    """
    digest = hashlib.sha256(f"share {name}".encode()).digest()  # apart from the hash that decides the split
    return int.from_bytes(digest[:6], "big") / 2**48


def load_arrays(dataset: Path, tokenizer: Path) -> TrainingArrays:
    """The arrays of a dataset folder under a tokenizer, from its cache or made now and kept there."""
    manifest = read_manifest(dataset)
    model = open_tokenizer(tokenizer)
    key = f"{_VERSION} {LONGEST} {manifest.digest} {texts.VERSION} {model.to_str()}"
    cache = dataset / f"tokens-{hashlib.sha256(key.encode()).hexdigest()[:16]}.npz"
    if cache.is_file():
        return _read(cache)
    arrays = _arrays_of(load_dataset(dataset), model)
    _write(cache, arrays)
    return arrays


def _write(path: Path, arrays: TrainingArrays) -> None:
    values: dict[str, NDArray[np.generic]] = {name: getattr(arrays, name) for name in _PLAIN}
    for name in _RAGGED:
        part: Ragged = getattr(arrays, name)
        values |= {f"{name}.flat": part.flat, f"{name}.offsets": part.offsets}
    with replacing_bytes(path) as stream:
        np.savez(stream, **values)  # type: ignore[arg-type]


def _read(path: Path) -> TrainingArrays:
    with np.load(path) as values:
        rows: dict[str, Any] = {
            name: Ragged(values[f"{name}.flat"], values[f"{name}.offsets"]) for name in _RAGGED
        }
        return TrainingArrays(**rows, **{name: values[name] for name in _PLAIN})
