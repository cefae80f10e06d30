"""Word embeddings for our tokenizer, made from those of another encoder: a token's row is the mean of its pieces'."""

from __future__ import annotations

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor

from retriever.training.wordpiece import CLS, MASK, PAD, SEP, UNKNOWN

_SHARED = (PAD, UNKNOWN, CLS, SEP, MASK)
_CONTINUED = "##"
_SEED = 0


def rows_for(ours: Tokenizer, theirs: Tokenizer, rows: Tensor) -> Tensor:
    """[our vocabulary, h] A row for each of our tokens.

    Special tokens of the same name keep their row. Any other token is read by the other tokenizer as a text of its
    own; its row is the mean of the pieces' rows. What that one does not know at all gets a random row of the same
    mean and deviation.

    Args:
        ours: the tokenizer that the rows are for.
        theirs: the tokenizer of `rows`.
        rows: [their vocabulary, h]
    """
    unknown = theirs.token_to_id(UNKNOWN)
    vocabulary = ours.get_vocab()
    tokens = sorted(vocabulary, key=lambda token: vocabulary[token])
    texts = [token.removeprefix(_CONTINUED) or token for token in tokens]
    read = theirs.encode_batch_fast(texts, add_special_tokens=False)
    generator = torch.Generator().manual_seed(_SEED)
    noise = torch.randn(len(tokens), rows.shape[1], generator=generator)
    result = rows.mean(dim=0) + rows.std(dim=0) * noise
    for number, (token, encoding) in enumerate(zip(tokens, read, strict=True)):
        pieces = [piece for piece in encoding.ids if piece != unknown]
        shared = theirs.token_to_id(token) if token in _SHARED else None
        if shared is not None:
            pieces = [shared]
        if pieces:
            result[number] = rows[torch.from_numpy(np.array(pieces, dtype=np.int64))].mean(dim=0)
    return result
