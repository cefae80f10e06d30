"""The context-aware re-ranker (sections 3.2.2 and 3.3.2) as the loop trains it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from transformers import BertModel

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import ModelError
from retriever.metrics.ranking import recall_at, reciprocal_rank
from retriever.models.reranker import token_types
from retriever.training.arrays import figures_by_origin, validation_sample
from retriever.training.corpora import PairData, find_corpus
from retriever.training.losses import listwise_loss
from retriever.training.model import BertObjective, build_bert, by_length, padded
from retriever.training.reranking.mined import Mined, load_mined
from retriever.training.reranking.rerank_config import RerankConfig
from retriever.training.reranking.rerank_data import (
    Pairs,
    draw_candidates,
    first_known,
    minable_queries,
    pair_texts,
)
from retriever.training.running.config import ModelConfig, RunConfig
from retriever.training.running.config_io import from_plain
from retriever.training.running.kinds import with_backend
from retriever.training.tokens import open_tokenizer
from retriever.training.weights import fill, load_bert, saved_run, take_matching

_PAIRS_PER_CALL = 2048


class CrossEncoder(nn.Module):
    """Pairs in, logits out: a BERT over eq. (4)'s input, and eq. (5)'s affine projection of [CLS]."""

    def __init__(self, bert: BertModel) -> None:
        super().__init__()
        self.bert = bert
        self.dropout = nn.Dropout(bert.config.hidden_dropout_prob)
        self.head = nn.Linear(int(bert.config.hidden_size), 1)

    def forward(self, pairs: Pairs) -> Tensor:
        """[n] The logits, the sigmoid's arguments."""
        return by_length(pairs, self.head.weight.device, self._run)

    def _run(self, pairs: Pairs) -> Tensor:
        device = self.head.weight.device
        ids, mask = padded(pairs.ids, self.bert.config.pad_token_id or 0)
        types = token_types(ids.numpy(), mask.numpy(), pairs.states, self.bert.config.type_vocab_size)
        return self.logits(ids.to(device), mask.to(device), torch.from_numpy(types).to(device))

    def logits(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        """[n] of int64 [n, longest] inputs."""
        hidden = self.bert(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        result: Tensor = self.head(self.dropout(hidden[:, 0])).squeeze(1)
        return result


def build_crossencoder(config: ModelConfig, vocabulary: int, start_from: Path | None = None) -> CrossEncoder:
    """A cross-encoder with fresh weights, or with those of another run where the shapes agree.

    Positions and token types that are all zero (`build_bert` leaves them so, and a bag of words never trains
    them) get small random values: here the order of words counts, and which half a word is in.
    Raises ModelError when the other run has nothing that fits.
    """
    bert = build_bert(config, vocabulary)
    if start_from is not None:
        take_matching(bert, load_bert(start_from, vocabulary))
    embeddings = bert.embeddings
    deviation = float(embeddings.word_embeddings.weight.std().item())
    with torch.no_grad():
        for table in (embeddings.position_embeddings.weight, embeddings.token_type_embeddings.weight):
            untrained = table.abs().sum(dim=1) == 0
            table[untrained] = deviation * torch.randn(int(untrained.sum()), table.shape[1])
    return CrossEncoder(bert)


def load_crossencoder(run: Path, vocabulary: int) -> CrossEncoder:
    """The model of a run's last checkpoint. Raises ModelError when there is none, or of another tokenizer."""
    saved = saved_run(run)
    model = CrossEncoder(build_bert(ModelConfig(**saved.config["model"]), vocabulary))
    fill(model, saved.model, run)
    return model


def parse(values: Mapping[str, Any]) -> RerankConfig:
    """The run's configuration. Raises BadSettings."""
    return from_plain(RerankConfig, with_backend(values, "crossencoder"))


def make_objective(config: RunConfig, device: torch.device) -> CrossEncoderObjective:
    """The objective over the run's corpus and mined candidates. Raises ModelError, BadRecords."""
    own = cast(RerankConfig, config)
    tokenizer = open_tokenizer(own.tokenizer)
    corpus = find_corpus(own.backend)
    pairs = corpus.pairs(own.dataset, own.tokenizer)
    mined = load_mined(own.candidates, pairs.digest, corpus.miner)
    ranking = load_mined(own.validation, pairs.digest, corpus.miner, with_gold=True)
    return CrossEncoderObjective(own, pairs, tokenizer.get_vocab_size(), (mined, ranking), device)


class CrossEncoderObjective(BertObjective):
    """Gold premises against what a retriever took for them, over arrays in memory."""

    def __init__(
        self,
        config: RerankConfig,
        pairs: PairData,
        vocabulary: int,
        mined: tuple[Mined, Mined],
        device: torch.device,
    ) -> None:
        arrays = pairs.arrays
        self._config, self._arrays = config, arrays
        self._mined, self._ranking = mined
        self._texts = pair_texts(arrays, config.lengths)
        self._pools = minable_queries(arrays, self._mined, config.batch.negatives)
        if not validation_sample(arrays, 1, self._ranking.queries):
            hint = "Mine them with --queries valid."
            raise ModelError("No valid statement or step has mined candidates.", hint)
        model = build_crossencoder(config.model, vocabulary, config.start_from)
        super().__init__(model, config.schedule, pairs.digest, device)

    def loss(self, model: nn.Module, step: int, micro: int, rank: int) -> Tensor:
        """Equation (7) over a batch; a scalar."""
        config = self._config
        key = (config.seed, step, micro, rank)
        queries, premises = draw_candidates(self._arrays, self._pools, self._mined, config.batch, key)
        return listwise_loss(self._logits(model, queries, premises), config.objective)

    def _logits(self, model: nn.Module, queries: Int64s, premises: Int64s) -> Tensor:
        """[b, c] of queries [b] and premises [b, c]."""
        pairs = self._texts.pairs(np.repeat(queries, premises.shape[1]), premises.ravel())
        logits: Tensor = model(pairs)
        return logits.float().reshape(premises.shape)

    def validate(self) -> dict[str, float]:
        """R@10 and MRR over the first candidates of valid steps and statements, re-ranked and as they were."""
        limit = self._config.schedule.evaluation_queries
        sampled = validation_sample(self._arrays, limit, self._ranking.queries)
        return figures_by_origin({origin: self._figures(queries) for origin, queries in sampled.items()})

    def _figures(self, queries: Int64s) -> dict[str, float]:
        config, arrays = self._config, self._arrays
        before = first_known(self._ranking.of(queries), config.depth)
        step = max(1, _PAIRS_PER_CALL // before.shape[1])
        logits = [
            self._logits(self.model, queries[start : start + step], before[start : start + step])
            for start in range(0, len(queries), step)
        ]
        order = torch.cat(logits).sort(dim=1, descending=True, stable=True).indices.cpu().numpy()
        after = np.take_along_axis(before, order, axis=1)
        gold = [set(arrays.gold[query].tolist()) for query in queries]
        names = ("recall_at_10", "mrr", "recall_at_10_before", "mrr_before")
        return dict(zip(names, (*figures(after, gold), *figures(before, gold)), strict=True))


def figures(rankings: Int64s, gold: list[set[int]]) -> tuple[float, float]:
    """(mean R@10, mean reciprocal rank) of rankings [b, c]."""
    rows = [list(dict.fromkeys(row)) for row in rankings.tolist()]
    recalls = [recall_at(row, own, 10) for row, own in zip(rows, gold, strict=True)]
    ranks = [reciprocal_rank(row, own) for row, own in zip(rows, gold, strict=True)]
    return float(np.mean(recalls)), float(np.mean(ranks))
