"""Lean's dataset as training reads it: states of statements and inside proofs, premises in two parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from retriever.lean.dataset.files import load_dataset, read_manifest
from retriever.lean.training.arrays import load_arrays
from retriever.lean.training.tokenizer import texts_of, untrained_for_lean
from retriever.search.splits import SPLITS
from retriever.training.arrays import TrainingArrays
from retriever.training.corpora import PairData
from retriever.training.masking import MlmTexts, sample_of
from retriever.training.running.config import LengthConfig
from retriever.training.tokens import Ragged, concatenate


@dataclass(frozen=True, slots=True)
class LeanCorpus:
    """A dataset folder (`python -m retriever dataset`)."""

    miner: str = "retriever mine"

    def untrained_tokenizer(self) -> Tokenizer:
        """A WordPiece tokenizer without a vocabulary, with the cuts for Lean."""
        return untrained_for_lean()

    def tokenizer_texts(self, source: Path) -> Iterator[str]:
        """Every premise, and the states of the training split (section 4.1.2)."""
        return texts_of(load_dataset(source))

    def masked_texts(self, source: Path, tokenizer: Path, lengths: LengthConfig, limit: int) -> MlmTexts:
        """Training states and all premises' contexts and goals (section 4.1.1); valid states."""
        digest = read_manifest(source).digest
        arrays = load_arrays(source, tokenizer).cut(state=lengths.state, premise=lengths.premise)
        valid = np.flatnonzero(arrays.splits == SPLITS.index("valid"))
        return MlmTexts(training_texts(arrays), sample_of(arrays.states, valid, limit), digest)

    def pairs(self, source: Path, tokenizer: Path) -> PairData:
        """The arrays of the dataset, from its cache where they are there."""
        return PairData(load_arrays(source, tokenizer), read_manifest(source).digest)


def training_texts(arrays: TrainingArrays) -> Ragged:
    """States of the training split, then all premises' goals, then their contexts where they have any."""
    train = arrays.states.take(np.flatnonzero(arrays.splits == SPLITS.index("train")))
    own = [
        number
        for number in range(len(arrays.goals))
        if not np.array_equal(arrays.contexts[number], arrays.goals[number])
    ]
    return concatenate([train, arrays.goals, arrays.contexts.take(np.array(own, dtype=np.int64))])


TRAINING_CORPUS = LeanCorpus()
