"""MATcH's training (chapter 6) as the loop runs it: local, global, or both in turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lean_extract.common.errors import BadRecords
from retriever.proof_matching.decoding import exact_decoding
from retriever.proof_matching.metrics import own_ranks
from retriever.proof_matching.pairs import load_pairs
from retriever.proof_matching.training.config import MatchConfig, parse_match
from retriever.proof_matching.training.data import PairArrays, pair_arrays, thinned
from retriever.proof_matching.training.matcher import matrix_of, start_from
from retriever.proof_matching.training.model import BertEncoder, Matcher, build_matcher
from retriever.training.model import fit_attention, groups_of
from retriever.training.running.config import RunConfig
from retriever.training.tokens import open_tokenizer
from retriever.training.wordpiece import PAD


def parse(values: Mapping[str, Any]) -> MatchConfig:
    """The run's configuration. Raises BadSettings."""
    return parse_match(values)


def make_objective(config: RunConfig, device: torch.device) -> MatchObjective:
    """The objective over the run's pairs. Raises ModelError, BadRecords."""
    own = cast(MatchConfig, config)
    tokenizer = open_tokenizer(own.tokenizer)
    loaded = load_pairs(own.dataset, own.replacement, ("train", "valid"))
    train, valid = (
        pair_arrays(loaded.pairs.part(part), tokenizer, own.lengths, own.modality)
        for part in ("train", "valid")
    )
    if len(train) < own.batch.pairs or not len(valid):
        message = f"{own.dataset} has {len(train):,} training and {len(valid):,} validation pairs."
        raise BadRecords(message, "Lower batch.pairs, or build a larger set.")
    model = build_matcher(own, tokenizer.get_vocab_size(), tokenizer.token_to_id(PAD) or 0)
    if own.start_from is not None:
        start_from(model, own.start_from, tokenizer.get_vocab_size())
    return MatchObjective(own, (train, valid), model, loaded.digest, device)


class MatchObjective:
    """Statements and proofs of a batch, classified against each other."""

    def __init__(
        self,
        config: MatchConfig,
        parts: tuple[PairArrays, PairArrays],
        model: Matcher,
        data: str,
        device: torch.device,
    ) -> None:
        self._config, self.data = config, data
        self._train, self._valid = parts
        self.model = model
        if isinstance(model.encoder, BertEncoder):
            fit_attention(model.encoder.bert, device)
        self.model.to(device)

    def parameter_groups(self) -> list[dict[str, Any]]:
        """Word embeddings have a rate of their own; they, layer norms and biases do not decay."""
        return groups_of(self.model, self._config.schedule)

    def loss(self, model: nn.Module, step: int, micro: int, rank: int) -> Tensor:
        """The loss of a batch, over its number of pairs; a scalar."""
        config = self._config
        generator = np.random.default_rng([config.seed, step, micro, rank])
        rows = generator.choice(len(self._train), config.batch.pairs, replace=False)
        batch = self._train.take(rows)
        if config.batch.dropped:
            batch = PairArrays(
                thinned(batch.statements, config.batch.dropped, generator),
                thinned(batch.proofs, config.batch.dropped, generator),
            )
        scores = model(batch.statements, batch.proofs)
        whole = config.objective == "global" or (config.objective == "hybrid" and step % 2 == 1)
        return global_loss(scores) if whole else local_loss(scores)

    def validate(self) -> dict[str, float]:
        """Percent over the valid part's first pairs: MRR and accuracy locally decoded, accuracy globally."""
        count = min(len(self._valid), self._config.schedule.evaluation_queries)
        valid = self._valid.take(np.arange(count))
        scores = matrix_of(self.model, valid.statements, valid.proofs, self._config.schedule.precision)
        ranks = own_ranks(scores)
        assigned = exact_decoding(scores).proofs == np.arange(count)
        return {
            "mrr": 100 * float((1 / ranks).mean()),
            "accuracy": 100 * float((ranks == 1).mean()),
            "global_accuracy": 100 * float(assigned.mean()),
        }


def local_loss(scores: Tensor) -> Tensor:
    """L'_LOC of section 6.1 over [b, b], a pair: -log P(p|s), the proofs of the batch being all there are."""
    return functional.cross_entropy(scores, torch.arange(len(scores), device=scores.device))


def global_loss(scores: Tensor) -> Tensor:
    """L_GLOBAL of section 6.2 over [b, b], a pair: a structured hinge, its margin one for every wrong proof.

    The assignment is the best one with the costs added (M' = M + 1 - I): no other violates the margin more.
    """
    count = len(scores)
    raised = scores.detach().float().cpu().numpy() + (1 - np.eye(count, dtype=np.float32))
    found = torch.from_numpy(exact_decoding(raised).proofs).to(scores.device)
    rows = torch.arange(count, device=scores.device)
    cost = (found != rows).sum()
    violated = cost + scores[rows, found].sum() - scores[rows, rows].sum()
    return torch.clamp(violated, min=0.0) / count
