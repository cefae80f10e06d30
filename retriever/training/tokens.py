"""A dataset as arrays: token ids of every text, gold premises, families; made once and kept beside it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from lean_extract.errors import ModelError
from retriever.lean.dataset.files import Dataset, load_dataset, read_manifest
from retriever.models import text as texts
from retriever.search.splits import SPLITS, family_roots

Ints = NDArray[np.int64]
Keep = Literal["head", "tail"]
_BATCH = 8192
_KEPT = 1024
"""Longest text kept, in tokens; runs cut further."""


@dataclass(frozen=True, slots=True)
class Ragged:
    """n rows of numbers of unequal length: row i is `flat[offsets[i]:offsets[i + 1]]`."""

    flat: NDArray[np.int32]
    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[np.int32]:
        return self.flat[self.offsets[row] : self.offsets[row + 1]]

    @property
    def lengths(self) -> Ints:
        """[n] The length of each row."""
        return np.diff(self.offsets)

    def take(self, rows: Ints) -> Ragged:
        """The given rows, in the given order."""
        starts, lengths = self.offsets[rows], self.offsets[rows + 1] - self.offsets[rows]
        return _gather(self.flat, starts, lengths)

    def cut(self, limit: int, *, keep: Keep) -> Ragged:
        """Rows of at most `limit` tokens: the first and last token ([CLS], [SEP]) always stay.

        Of what lies between, `head` keeps the beginning and `tail` the end, where a state has its goal.
        """
        lengths = self.lengths
        kept = np.minimum(lengths, limit)
        offsets = np.zeros(len(self) + 1, dtype=np.int64)
        np.cumsum(kept, out=offsets[1:])
        place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], kept)
        lost = np.repeat(lengths - kept, kept)
        last = place == np.repeat(kept, kept) - 1
        moved = last if keep == "head" else place > 0
        return Ragged(self.flat[np.repeat(self.offsets[:-1], kept) + place + lost * moved], offsets)


def ragged(rows: Sequence[NDArray[np.int32] | Sequence[int]]) -> Ragged:
    """Rows laid end to end."""
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    flat = (
        np.concatenate([np.asarray(row, dtype=np.int32) for row in rows]) if rows else np.zeros(0, np.int32)
    )
    return Ragged(flat, offsets)


def concatenate(parts: Sequence[Ragged]) -> Ragged:
    """The rows of all parts, in order."""
    lengths = np.concatenate([part.lengths for part in parts])
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Ragged(np.concatenate([part.flat for part in parts]), offsets)


def joined(contexts: Ragged, goals: Ragged) -> Ragged:
    """Whole premises as one text each (eq. 2): [CLS] context goal [SEP]; a repeated goal counts once."""
    apart = contexts.flat[contexts.offsets[:-1] + 1] != goals.flat[goals.offsets[:-1] + 1]
    base = len(contexts.flat)
    starts = np.stack([contexts.offsets[:-1], base + goals.offsets[:-1] + apart], axis=1).ravel()
    lengths = np.stack([(contexts.lengths - 1) * apart, goals.lengths - apart], axis=1).ravel()
    halves = _gather(np.concatenate([contexts.flat, goals.flat]), starts, lengths)
    return Ragged(halves.flat, halves.offsets[::2])


def _gather(flat: NDArray[np.int32], starts: Ints, lengths: Ints) -> Ragged:
    offsets = np.zeros(len(starts) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    return Ragged(flat[places], offsets)


@dataclass(frozen=True, slots=True)
class TrainingArrays:
    """What a training step looks at. Premises and queries go by their number in the dataset."""

    contexts: Ragged
    """[corpus] Tokens of a premise's context; of its goal where it has none."""
    goals: Ragged
    """[corpus]"""
    families: Ints
    """[corpus] A number shared by a declaration and its generated twins."""
    states: Ragged
    """[queries]"""
    gold: Ragged
    """[queries] Gold premises."""
    splits: Ints
    """[queries] Place in `SPLITS`."""
    inner: NDArray[np.bool_]
    """[queries] Whether the state is a goal inside a proof."""
    query_families: Ints
    """[queries] The family of the query's theorem; -1 if it is not in the corpus."""
    ranks: NDArray[np.float64]
    """[queries] `rank_of` the query's theorem."""

    def cut(self, *, state: int, premise: int) -> TrainingArrays:
        """Texts of at most so many tokens; of a long state its end is kept, where the goal stands."""
        return replace(
            self,
            contexts=self.contexts.cut(premise, keep="head"),
            goals=self.goals.cut(premise, keep="head"),
            states=self.states.cut(state, keep="tail"),
        )


_RAGGED = ("contexts", "goals", "states", "gold")
_PLAIN = ("families", "splits", "inner", "query_families", "ranks")
_VERSION = 2


def arrays_of(dataset: Dataset, tokenizer: Tokenizer) -> TrainingArrays:
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
    return TrainingArrays(
        contexts=_encode(tokenizer, (context or goal for context, goal in pairs), "head"),
        goals=_encode(tokenizer, (goal for _, goal in pairs), "head"),
        families=families,
        states=encode_states(tokenizer, (texts.state_text(query.goal) for query in queries)),
        gold=ragged([query.gold for query in queries]),
        splits=np.array([SPLITS.index(query.split) for query in queries], dtype=np.int64),
        inner=np.array([query.origin == "inner" for query in queries], dtype=np.bool_),
        query_families=np.array([by_root.get(root, -1) for root in own], dtype=np.int64),
        ranks=np.array([rank_of(root) for root in own], dtype=np.float64),
    )


def rank_of(name: str) -> float:
    """A number in [0, 1) from a theorem's name; those below `batch.share` are learned from.

    So a smaller share lies in a larger one. A theorem's generated twins go by the name of their source.
    """
    digest = hashlib.sha256(f"share {name}".encode()).digest()  # apart from the hash that decides the split
    return int.from_bytes(digest[:6], "big") / 2**48


def encode_states(tokenizer: Tokenizer, sentences: Iterable[str]) -> Ragged:
    """The tokens of state texts; a long one loses its beginning, since a state ends in its goal."""
    return _encode(tokenizer, sentences, "tail")


def encode_heads(tokenizer: Tokenizer, sentences: Iterable[str], limit: int) -> Ragged:
    """The tokens of texts of which the beginning matters most: the first `limit`."""
    return _encode(tokenizer, sentences, "head").cut(limit, keep="head")


def _encode(tokenizer: Tokenizer, sentences: Iterable[str], keep: Keep) -> Ragged:
    parts = [Ragged(np.zeros(0, np.int32), np.zeros(1, np.int64))]
    for batch in _batched(sentences):
        encodings = tokenizer.encode_batch_fast(batch)
        parts.append(ragged([encoding.ids for encoding in encodings]).cut(_KEPT, keep=keep))
    return concatenate(parts)


def _batched(sentences: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for sentence in sentences:
        batch.append(sentence)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def open_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer of a file. Raises ModelError when there is none."""
    if not path.is_file():
        hint = "Train one with `python -m retriever tokenizer DATASET OUT`."
        raise ModelError(f"There is no tokenizer {path}.", hint)
    return Tokenizer.from_str(path.read_text(encoding="utf-8"))


def load_arrays(dataset: Path, tokenizer: Path) -> TrainingArrays:
    """The arrays of a dataset folder under a tokenizer, from its cache or made now and kept there."""
    manifest = read_manifest(dataset)
    model = open_tokenizer(tokenizer)
    key = f"{_VERSION} {_KEPT} {manifest.digest} {texts.VERSION} {model.to_str()}"
    cache = dataset / f"tokens-{hashlib.sha256(key.encode()).hexdigest()[:16]}.npz"
    if cache.is_file():
        return _read(cache)
    arrays = arrays_of(load_dataset(dataset), model)
    _write(cache, arrays)
    return arrays


def _write(path: Path, arrays: TrainingArrays) -> None:
    values: dict[str, NDArray[np.generic]] = {name: getattr(arrays, name) for name in _PLAIN}
    for name in _RAGGED:
        part: Ragged = getattr(arrays, name)
        values |= {f"{name}.flat": part.flat, f"{name}.offsets": part.offsets}
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as stream:
        np.savez(stream, **values)  # type: ignore[arg-type]
    Path(stream.name).replace(path)


def _read(path: Path) -> TrainingArrays:
    with np.load(path) as values:
        contexts, goals, states, gold = (
            Ragged(values[f"{name}.flat"], values[f"{name}.offsets"]) for name in _RAGGED
        )
        return TrainingArrays(
            contexts=contexts,
            goals=goals,
            states=states,
            gold=gold,
            **{name: values[name] for name in _PLAIN},
        )
