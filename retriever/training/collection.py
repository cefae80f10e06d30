"""A backend's collection as arrays: token ids of every text, and who is answered by what."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from lean_extract.common.arrays import Int64s
from retriever.search.backend import Backend, Collection, Question
from retriever.search.splits import SPLITS, Split, split_of
from retriever.training.arrays import TrainingArrays, no_rows
from retriever.training.tokens import Ragged, encode_heads, encode_states, open_tokenizer, ragged


@dataclass(frozen=True, slots=True)
class CollectionArrays:
    """What a training step looks at. Documents and questions go by their number in the collection."""

    documents: Ragged
    """[documents] Tokens of their texts."""
    questions: Ragged
    """[questions]"""
    references: Ragged
    """[questions] Numbers of documents, in order, repeated as they are."""
    splits: Int64s
    """[questions] Index in `SPLITS`."""
    own: Int64s
    """[questions] The document that the question is; -1 if it is none."""
    held: NDArray[np.bool_]
    """[questions] Whether the theorem's name holds it out of all training (`retriever.search.splits`)."""
    pools: dict[Split, Int64s]
    """Documents that are ranked for a split."""
    vocabulary: int
    digest: str
    """Of the collection."""

    def rows(self, split: Split) -> Int64s:
        """The questions of a split."""
        return np.flatnonzero(self.splits == SPLITS.index(split))


def _held_of(questions: Sequence[Question]) -> NDArray[np.bool_]:
    """[questions] See `CollectionArrays.held`."""
    held = [bool(one.name) and split_of(one.name) != "train" for one in questions]
    return np.array(held, dtype=np.bool_)


def arrays_of_collection(
    collection: Collection, tokenizer: Tokenizer, *, query: int, document: int
) -> CollectionArrays:
    """Tokenise; of a long text the beginning is kept, `query` or `document` tokens with [CLS] and [SEP]."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    questions = collection.questions
    return CollectionArrays(
        documents=encode_heads(tokenizer, (one.text for one in collection.documents), document),
        questions=encode_heads(tokenizer, (one.text for one in questions), query),
        references=ragged([one.references for one in questions]),
        splits=np.array([SPLITS.index(one.split) for one in questions], dtype=np.int64),
        own=np.array([-1 if one.own is None else one.own for one in questions], dtype=np.int64),
        held=_held_of(questions),
        pools={split: np.array(pool, dtype=np.int64) for split, pool in collection.pools.items()},
        vocabulary=tokenizer.get_vocab_size(),
        digest=collection.digest,
    )


def pair_arrays(collection: Collection, tokenizer: Tokenizer) -> TrainingArrays:
    """Documents as premises without context, questions as states; `rerank_data.pair_texts` cuts them.

    The tokenizer's truncation and padding are switched off. Training questions that the hash split holds out
    (`retriever.search.splits`) count as the test split's: nothing is trained on them. A question's gold is
    what answers it besides itself.
    """
    tokenizer.no_truncation()
    tokenizer.no_padding()
    questions = collection.questions
    documents = encode_heads(tokenizer, (one.text for one in collection.documents), sys.maxsize)
    splits = np.array([SPLITS.index(one.split) for one in questions], dtype=np.int64)
    gold = [[number for number in one.gold if number != one.own] for one in questions]
    unused = np.array([not one for one in gold], dtype=np.bool_)
    unused |= _held_of(questions) & (splits == SPLITS.index("train"))
    return TrainingArrays(
        contexts=documents,
        goals=documents,
        families=np.arange(len(collection.documents)),
        states=encode_states(tokenizer, (one.text for one in questions)),
        gold=ragged(gold),
        splits=np.where(unused, SPLITS.index("test"), splits),
        later=no_rows(len(questions)),
        earlier=no_rows(len(questions)),
        origins=np.zeros(len(questions), dtype=np.int64),
        theorems=np.arange(len(questions)),
        query_families=np.array([-1 if one.own is None else one.own for one in questions], dtype=np.int64),
        ranks=np.zeros(len(questions)),
    )


def load_collection(
    backend: Backend, source: Path, tokenizer: Path, *, query: int, document: int
) -> CollectionArrays:
    """The arrays of what a backend reads from `source`. Raises UserError, BadRecords, ModelError."""
    opened = open_tokenizer(tokenizer)
    return arrays_of_collection(backend.read(source), opened, query=query, document=document)
