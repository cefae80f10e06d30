"""A backend's collection in the form that the re-ranker's training reads."""

from __future__ import annotations

import sys

import numpy as np
from tokenizers import Tokenizer

from retriever.search.backend import Collection
from retriever.search.splits import SPLITS
from retriever.training.references.collection import held_of
from retriever.training.tokens import TrainingArrays, encode_heads, encode_states, ragged


def pair_arrays(collection: Collection, tokenizer: Tokenizer) -> TrainingArrays:
    """Documents as premises without context, questions as states; `rerank_data.pair_texts` cuts them.

    The tokenizer's truncation and padding are switched off. Training questions that the rule of names holds
    out (`retriever.search.splits`) count as the test split's: nothing is trained on them. What a question
    is answered by besides itself is its gold.
    """
    tokenizer.no_truncation()
    tokenizer.no_padding()
    questions = collection.questions
    documents = encode_heads(tokenizer, (one.text for one in collection.documents), sys.maxsize)
    splits = np.array([SPLITS.index(one.split) for one in questions], dtype=np.int64)
    gold = [[number for number in one.gold if number != one.own] for one in questions]
    unused = np.array([not one for one in gold], dtype=np.bool_)
    unused |= held_of(questions) & (splits == SPLITS.index("train"))
    return TrainingArrays(
        contexts=documents,
        goals=documents,
        families=np.arange(len(collection.documents)),
        states=encode_states(tokenizer, (one.text for one in questions)),
        gold=ragged(gold),
        splits=np.where(unused, SPLITS.index("test"), splits),
        inner=np.zeros(len(questions), dtype=np.bool_),
        query_families=np.array([-1 if one.own is None else one.own for one in questions], dtype=np.int64),
        ranks=np.zeros(len(questions)),
    )
