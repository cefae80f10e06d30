"""Lean's dataset as training reads it: states of statements and inside proofs, premises in two parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Regex, Tokenizer, normalizers

from retriever.lean.dataset.dataset import Dataset, load_dataset, read_manifest
from retriever.lean.training.arrays import load_arrays
from retriever.models.text import premise_texts, state_text
from retriever.search.splits import SPLITS
from retriever.training.arrays import TrainingArrays
from retriever.training.corpora import PairData
from retriever.training.masking import MlmTexts, sample_of
from retriever.training.running.config import LengthConfig
from retriever.training.tokens import Ragged, concatenate
from retriever.training.wordpiece import untrained


@dataclass(frozen=True, slots=True)
class _LeanCorpus:
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
        return MlmTexts(_training_texts(arrays), sample_of(arrays.states, valid, limit), digest)

    def pairs(self, source: Path, tokenizer: Path) -> PairData:
        """The arrays of the dataset, from its cache where they are there."""
        return PairData(load_arrays(source, tokenizer), read_manifest(source).digest)


def _training_texts(arrays: TrainingArrays) -> Ragged:
    """States of the training split, then all premises' goals, then their contexts where they have any."""
    train = arrays.states.take(np.flatnonzero(arrays.splits == SPLITS.index("train")))
    own = [
        number
        for number in range(len(arrays.goals))
        if not np.array_equal(arrays.contexts[number], arrays.goals[number])
    ]
    return concatenate([train, arrays.goals, arrays.contexts.take(np.array(own, dtype=np.int64))])


TRAINING_CORPUS = _LeanCorpus()


_SUBSCRIPTS = "₀-₉ₐ-ₜᵢ-ᵪⱼ"
_LETTER = r"[\p{Lu}\p{Ll}\p{Lt}\p{Lo}]"
_WORD = rf"{_LETTER}(?:{_LETTER}|[\p{{M}}\p{{Nd}}{_SUBSCRIPTS}'!?])*"
_OPERATORS = r"⁻¹|:=|::|\+\+|==|!=|<\|>|<\||\|>|\|\||&&|>>=|<;>|∃!|\.\.\.?"
_PIECE = rf"{_WORD}|[{_SUBSCRIPTS}]+|\p{{Lm}}+|\p{{Nd}}+|{_OPERATORS}|\S"
_JOINT = r"(?<=[\p{L}\p{N}'!?»])[._](?=[\p{L}\p{N}«])"


def untrained_for_lean() -> Tokenizer:
    """The tokenizer without its vocabulary (section 3.3).

    Words are what is between white space, dots and underscores of a name (`Nat.add_comm` is three), with superscripts
    (`ᶜ`, `ᵒᵖ`) and operators split off.
    """
    return untrained(_PIECE, normalizers.Replace(Regex(_JOINT), " "))


def texts_of(dataset: Dataset) -> Iterator[str]:
    """Section 4.1.2's corpus: every premise's context and goal, and the states of the training split."""
    for premise in dataset.corpus:
        yield " ".join(premise_texts(premise))
    for query in dataset.queries:
        if query.split == "train":
            yield state_text(query.goal)
