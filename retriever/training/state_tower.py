"""A state tower: layers that read a state in addition to a bag of words, over fixed premise vectors.

The paper's CFR (section 3.2.1) with one tower frozen: premises are embedded by a bag of words, once; states by

    bag(state) + delta(state)

where bag is the weighted mean of the same word vectors, and weights and delta come of BERT's last hidden states.
Both begin as nothing (equal weights, no delta), so the tower begins as the bag of words. Token types mark what
stands in the target.
"""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import BertModel

from retriever.models.bag import Terms
from retriever.models.text import GOAL
from retriever.training.model import build_bert, by_length, padded
from retriever.training.references.pairwise_model import Bag, ReadTerms
from retriever.training.running.config import ModelConfig
from retriever.training.tokens import Ragged, mark_of
from retriever.training.tower_config import encoder_of
from retriever.training.weights import fill, saved_run
from retriever.training.wordpiece import SEP


class StateTower(nn.Module):
    """States in, vectors in the space of the premises out."""

    def __init__(self, bert: BertModel, words: Tensor, goal: int, bag: Bag | None = None) -> None:
        """Begins as the bag of words.

        Args:
            bert: the layers, with word embeddings of their own.
            words: [vocabulary, d] what the bag of words has of each token.
            goal: the token that a state's target begins with.
            bag: what embeds premises, of d dimensions; None: they are fixed.
        """
        super().__init__()
        hidden = int(bert.config.hidden_size)
        self.bert, self.goal, self.bag = bert, goal, bag
        self.words = nn.Embedding(len(words), words.shape[1], _weight=words.clone())
        self.attention = nn.Linear(hidden, 1)
        self.delta = nn.Linear(hidden, words.shape[1])
        for layer in (self.attention, self.delta):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, texts: Ragged, *others: Ragged | ReadTerms) -> tuple[Tensor, ...]:
        """[rows, d] The vector of every text, then what the bag gives for each of `others`; not normalised."""
        assert self.bag is not None or not others
        read = by_length(texts, self.words.weight.device, self._run)
        return (read, *(self.bag(other) for other in others if self.bag is not None))

    def _run(self, texts: Ragged) -> Tensor:
        ids, mask = padded(texts, self.bert.config.pad_token_id or 0)
        return self.vectors(ids.to(self.words.weight.device), mask.to(self.words.weight.device))

    def vectors(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """[n, d] float32 of int64 [n, longest] inputs."""
        in_target = torch.cumsum((input_ids == self.goal).to(torch.int64), dim=1).clamp(max=1)
        hidden = self.bert(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=in_target * attention_mask
        ).last_hidden_state
        logits = self.attention(hidden).squeeze(2).float()
        weights = torch.softmax(logits.masked_fill(attention_mask == 0, float("-inf")), dim=1)
        mask = attention_mask.float()
        mean = mask / mask.sum(dim=1, keepdim=True).clamp(min=1.0)
        bag: Tensor = (weights.unsqueeze(2) * self.words(input_ids)).sum(dim=1)
        delta: Tensor = (mean.unsqueeze(2) * self.delta(hidden).float()).sum(dim=1)
        return bag + delta


def load_tower(run: Path, tokenizer: Tokenizer) -> tuple[StateTower, str]:
    """The model of a run's last checkpoint, and the fingerprint of the encoder that it was trained with.

    Raises ModelError when there is none, or of another tokenizer.
    """
    saved = saved_run(run)
    words = torch.zeros_like(saved.model["words.weight"])
    bert = build_bert(ModelConfig(**saved.config["model"]), tokenizer.get_vocab_size())
    bag = None
    if saved.config.get("terms"):
        mark = mark_of(tokenizer, SEP)
        bag = Bag(Terms(tokenizer.get_vocab_size(), mark, saved.config["terms"]["pairs"]), words.shape[1])
    model = StateTower(bert, words, mark_of(tokenizer, GOAL), bag)
    fill(model, saved.model, run)
    return model, encoder_of(saved.data)
