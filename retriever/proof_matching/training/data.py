"""Pairs as token ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer

from lean_extract.common.arrays import Int64s
from retriever.proof_matching.pairs import of_modality
from retriever.proof_matching.schema import Modality, StatementProof, Token
from retriever.proof_matching.tokens import encode
from retriever.proof_matching.training.config import MatchLengths
from retriever.training.tokens import Ragged, encode_heads


@dataclass(frozen=True, slots=True)
class PairArrays:
    """Row i of one belongs to row i of the other."""

    statements: Ragged
    proofs: Ragged

    def __len__(self) -> int:
        return len(self.statements)

    def take(self, rows: Int64s) -> PairArrays:
        """The given pairs, in the given order."""
        return PairArrays(self.statements.take(rows), self.proofs.take(rows))


def thinned(texts: Ragged, share: float, generator: np.random.Generator) -> Ragged:
    """The texts without a random share of their tokens; the first and the last, [CLS] and [SEP], stay."""
    kept = generator.random(len(texts.flat)) >= share
    kept[texts.offsets[:-1]] = kept[texts.offsets[1:] - 1] = True
    counts = np.concatenate([[0], np.cumsum(kept)])
    return Ragged(texts.flat[kept], counts[texts.offsets])


def pair_arrays(
    pairs: Sequence[StatementProof], tokenizer: Tokenizer, lengths: MatchLengths, modality: Modality
) -> PairArrays:
    """The pairs of a part; a text without tokens of the modality is [CLS] [SEP]."""
    return PairArrays(
        texts_of([pair.statement for pair in pairs], tokenizer, lengths.statement, modality),
        texts_of([pair.proof for pair in pairs], tokenizer, lengths.proof, modality),
    )


def texts_of(
    texts: Sequence[Sequence[Token]], tokenizer: Tokenizer, limit: int, modality: Modality
) -> Ragged:
    """The first `limit` ids of every text, [CLS] and [SEP] counted."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return encode_heads(tokenizer, (encode(of_modality(text, modality)) for text in texts), limit)
