"""What training reads of a corpus: one interface for every backend.

A backend's collection is enough (`CollectionCorpus`). A package that trains on more than its collection
holds, as Lean's does on goals inside proofs, has a module `training_corpus` with `TRAINING_CORPUS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tokenizers import Tokenizer

from retriever.search.backend import Backend
from retriever.search.backends import find_backend, find_part
from retriever.training.arrays import TrainingArrays
from retriever.training.collection import load_collection, pair_arrays
from retriever.training.masking import MlmTexts, sample_of
from retriever.training.running.config import LengthConfig
from retriever.training.tokens import open_tokenizer
from retriever.training.wordpiece import untrained

COLLECTION_MINER = "retriever mine-collection"


@dataclass(frozen=True, slots=True)
class PairData:
    """What a re-ranker is trained on."""

    arrays: TrainingArrays
    digest: str
    """Of the data."""


class TrainingCorpus(Protocol):
    """A corpus as training reads it. `source` is a path that its backend reads."""

    @property
    def miner(self) -> str:
        """The arguments of `python -m` for the command that mines hard negatives for the questions of `pairs`."""

    def untrained_tokenizer(self) -> Tokenizer:
        """A WordPiece tokenizer without a vocabulary."""

    def tokenizer_texts(self, source: Path) -> Iterator[str]:
        """The texts that a vocabulary is learned from; none of a held-out question. Raises BadRecords."""

    def masked_texts(self, source: Path, tokenizer: Path, lengths: LengthConfig, limit: int) -> MlmTexts:
        """The texts of masked language modelling, cut; at most `limit` valid ones.

        Raises BadRecords, ModelError.
        """

    def pairs(self, source: Path, tokenizer: Path) -> PairData:
        """Questions and documents, not cut. Raises BadRecords, ModelError."""


@dataclass(frozen=True, slots=True)
class CollectionCorpus:
    """The collection of any backend."""

    backend: Backend
    miner: str = COLLECTION_MINER

    def untrained_tokenizer(self) -> Tokenizer:
        """Pieces as the backend says."""
        return untrained(self.backend.pieces)

    def tokenizer_texts(self, source: Path) -> Iterator[str]:
        """Every document, and the questions of the training split."""
        collection = self.backend.read(source)
        yield from (document.text for document in collection.documents)
        yield from (question.text for question in collection.of("train"))

    def masked_texts(self, source: Path, tokenizer: Path, lengths: LengthConfig, limit: int) -> MlmTexts:
        """All documents. A theorem's statement is one of them, so the questions would only repeat them."""
        arrays = load_collection(
            self.backend, source, tokenizer, query=lengths.state, document=lengths.premise
        )
        valid = sample_of(arrays.questions, arrays.rows("valid"), limit)
        return MlmTexts(arrays.documents, valid, arrays.digest)

    def pairs(self, source: Path, tokenizer: Path) -> PairData:
        """Documents as premises without context, questions as states."""
        opened = open_tokenizer(tokenizer)
        collection = self.backend.read(source)
        return PairData(pair_arrays(collection, opened), collection.digest)


def find_corpus(name: str) -> TrainingCorpus:
    """The corpus of a backend's name. Raises UserError when there is no such backend."""
    backend = find_backend(name)
    module = find_part(name, "training_corpus")
    if module is None:
        return CollectionCorpus(backend)
    corpus: TrainingCorpus = module.TRAINING_CORPUS
    return corpus
