"""Which texts masked language modelling reads, and which tokens it masks, as BERT does it.

Source: Devlin et al. 2019, section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import ModelError
from retriever.training.tokens import Ragged
from retriever.training.wordpiece import MASK, PAD, SPECIAL

IGNORED = -100
"""The label of a token that is not to be predicted."""
_AS_MASK, _AS_RANDOM = 0.8, 0.1


@dataclass(frozen=True, slots=True)
class MlmTexts:
    """What masked language modelling reads."""

    train: Ragged
    valid: Ragged
    """What its progress is measured on."""
    digest: str
    """Of the data."""


def sample_of(texts: Ragged, valid: Int64s, limit: int) -> Ragged:
    """A fixed sample of at most `limit` of the texts in the rows `valid`; of all texts where there are none."""
    rows: Int64s = valid if len(valid) else np.arange(len(texts))
    sample = np.random.default_rng(0).permutation(rows)[:limit]
    return texts.take(np.sort(sample))


@dataclass(frozen=True, slots=True)
class Masking:
    """What masking has to know of a tokenizer."""

    share: float
    """Of the words' tokens."""
    mask: int
    """Number of [MASK]."""
    pad: int
    """Number of [PAD]."""
    special: Int64s
    """Special tokens; they are never masked, and never replace a word."""
    vocabulary: int

    @classmethod
    def of(cls, tokenizer: Tokenizer, share: float) -> Masking:
        """Raises ModelError when the tokenizer has no [MASK]."""
        mask = tokenizer.token_to_id(MASK)
        if mask is None:
            hint = "Train one with `python -m retriever tokenizer DATASET OUT`."
            raise ModelError(f"The tokenizer has no {MASK}.", hint)
        found = [tokenizer.token_to_id(token) for token in SPECIAL]
        special = np.array(sorted(number for number in found if number is not None), dtype=np.int64)
        return cls(share, mask, tokenizer.token_to_id(PAD) or 0, special, tokenizer.get_vocab_size())

    def words(self) -> Int64s:
        """All tokens but the special ones."""
        return np.setdiff1d(np.arange(self.vocabulary), self.special)


def masked_texts(
    texts: Ragged, masking: Masking, generator: np.random.Generator
) -> tuple[Ragged, NDArray[np.int64]]:
    """(texts with tokens hidden, labels): a label is the token that was there, or IGNORED.

    Of the chosen tokens 80% become [MASK], 10% another token, and 10% stay. At least one is chosen,
    provided that any text has a word.
    """
    words = ~np.isin(texts.flat, masking.special)
    chosen = words & (generator.random(len(texts.flat)) < masking.share)
    if not chosen.any():
        chosen[np.flatnonzero(words)[:1]] = True
    labels = np.where(chosen, texts.flat, IGNORED).astype(np.int64)
    way = generator.random(len(texts.flat))
    others = generator.choice(masking.words(), len(texts.flat))
    hidden = np.where(chosen & (way < _AS_MASK), masking.mask, texts.flat)
    swapped = chosen & (way >= _AS_MASK) & (way < _AS_MASK + _AS_RANDOM)
    return Ragged(np.where(swapped, others, hidden).astype(np.int32), texts.offsets), labels
