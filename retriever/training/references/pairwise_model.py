"""The pairwise model (NaturalProofs, section 5): an encoder of questions and one of references."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from tqdm import tqdm

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import ModelError
from retriever.models.bag import Terms
from retriever.training.model import BiEncoder, build_bert
from retriever.training.running.config import ModelConfig
from retriever.training.tokens import Ragged, open_tokenizer
from retriever.training.wordpiece import SEP

_SMALLEST = 0.1
"""Added to an inverse document frequency, so that no term begins without weight."""


def read_terms(tokenizer: Path, pairs: int) -> Terms:
    """The terms of texts that a tokenizer cuts. Raises ModelError when it has no mark between parts."""
    opened = open_tokenizer(tokenizer)
    mark = opened.token_to_id(SEP)
    if mark is None:
        hint = "Train one with `python -m retriever tokenizer`."
        raise ModelError(f"The tokenizer {tokenizer} has no {SEP}.", hint)
    return Terms(opened.get_vocab_size(), int(mark), pairs)


@dataclass(frozen=True, slots=True)
class ReadTerms:
    """The terms of some texts, one text after the other."""

    terms: Tensor
    """int64[entries]"""
    starts: Tensor
    """int64[texts] Where each text's terms begin."""
    counts: Tensor
    """float32[entries] 1 + ln of how often a term occurs in its text."""


class Bag(nn.Module):
    """Texts in, sums of their terms' vectors out.

    Terms are the tokens, those of a title (before the first `mark`, where text follows it) apart from the
    others, and, where `pairs` is positive, every two tokens that follow each other, hashed into so many
    buckets. A term that occurs n times in a text counts 1 + ln(n) times its learned weight.

    BERT's embedding layer (what `BiEncoder` has without layers) gives all tokens one length; here a comma
    need not count as much as a name.
    """

    def __init__(self, terms: Terms, hidden: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.terms, self.dropout = terms, dropout
        self.word_embeddings = nn.Embedding(terms.size, hidden)
        nn.init.normal_(self.word_embeddings.weight, std=hidden**-0.5)
        self.log_weights = nn.Parameter(torch.zeros(terms.size))
        words = self.word_embeddings.weight.data[: 2 * terms.vocabulary]
        words[terms.vocabulary :] = words[: terms.vocabulary]  # a title's words begin as they are elsewhere

    @property
    def hidden(self) -> int:
        """The length of a pooled vector."""
        return int(self.word_embeddings.embedding_dim)

    def weigh(self, texts: Ragged) -> None:
        """Begin with inverse document frequencies as weights."""
        terms, _, _ = self.terms.of(texts.flat, texts.offsets)
        seen = np.bincount(terms, minlength=self.terms.size)
        weights = np.log((1 + len(texts)) / (1 + seen)) + _SMALLEST
        with torch.no_grad():
            self.log_weights.copy_(torch.from_numpy(np.log(weights)))

    def read(self, texts: Ragged) -> ReadTerms:
        """The texts' terms on the model's device, for texts that are embedded again and again."""
        terms, starts, counts = self.terms.of(texts.flat, texts.offsets)
        parts = (terms, starts[:-1], 1 + np.log(counts))
        return ReadTerms(*(torch.from_numpy(part).to(self.log_weights.device) for part in parts))

    def forward(self, texts: Ragged | ReadTerms) -> Tensor:
        """[rows, hidden] float32; not normalised. In training a term is left out by chance."""
        read = self.read(texts) if isinstance(texts, Ragged) else texts
        weights = self.log_weights.exp()[read.terms] * read.counts
        weights = functional.dropout(weights, self.dropout, self.training)
        table = self.word_embeddings.weight
        return functional.embedding_bag(
            read.terms, table, read.starts, mode="sum", per_sample_weights=weights
        )

    def table(self) -> Tensor:
        """[terms, hidden] Each term's vector by its weight: what is exported."""
        return self.word_embeddings.weight * self.log_weights.exp()[:, None]

    def states(self, ids: Tensor) -> Tensor:
        """[n, s, hidden] The weighed vectors of tokens, int64 [n, s], one by one."""
        found: Tensor = self.word_embeddings(ids) * self.log_weights.exp()[ids][..., None]
        return found


Tower = Bag | BiEncoder


def build_tower(config: ModelConfig, terms: Terms, dropout: float) -> Tower:
    """An encoder of this shape with fresh weights: a bag of terms where there are no layers."""
    if config.layers:
        return BiEncoder(build_bert(config, terms.vocabulary))
    return Bag(terms, config.hidden, dropout)


class TwoTowers(nn.Module):
    """f of questions and g of references. They begin alike, so that before training like texts are near.

    The score of a pair is the inner product, of vectors of length 1 where `normalised`.
    """

    def __init__(self, tower: Tower, *, normalised: bool) -> None:
        super().__init__()
        self.question, self.reference = tower, copy.deepcopy(tower)
        self.normalised = normalised

    def forward(self, questions: Ragged, references: Ragged) -> tuple[Tensor, Tensor]:
        """([questions, hidden], [references, hidden]) float32."""
        return self.finish(self.question(questions)), self.finish(self.reference(references))

    def finish(self, pooled: Tensor) -> Tensor:
        """What a tower gives, made what is compared."""
        pooled = pooled.float()
        return functional.normalize(pooled, dim=1) if self.normalised else pooled

    def of_questions(self, texts: Ragged, chunk: int = 1024) -> Tensor:
        """[n, hidden] All texts, a chunk at a time, on the CPU; no gradient."""
        return self._all(self.question, texts, chunk)

    def of_references(self, texts: Ragged, chunk: int = 1024) -> Tensor:
        """[n, hidden] As `of_questions`."""
        return self._all(self.reference, texts, chunk)

    def _all(self, tower: nn.Module, texts: Ragged, chunk: int) -> Tensor:
        parts = []
        quiet = len(texts) <= chunk or None
        with torch.no_grad():
            for start in tqdm(range(0, len(texts), chunk), desc="texts", leave=False, disable=quiet):
                rows: Int64s = np.arange(start, min(start + chunk, len(texts)))
                parts.append(self.finish(tower(texts.take(rows))).cpu())
        return torch.cat(parts)
