"""The joint model (NaturalProofs, eq. 7): one pass scores every reference, each by its own embedding."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from retriever.training.references.pairwise_model import Tower
from retriever.training.tokens import Ragged


class ReferenceTable(nn.Module):
    """The embedding matrix R and the biases b of all references.

    R is kept as what it began as, and what was learned on top: weight decay then draws a reference back to
    its beginning, and one that training never saw stays there.
    """

    def __init__(self, references: int, hidden: int) -> None:
        super().__init__()
        self.register_buffer("start", torch.randn(references, hidden) * hidden**-0.5)
        self.start: Tensor
        self.learned = nn.Parameter(torch.zeros(references, hidden))
        self.bias = nn.Parameter(torch.zeros(references))

    def begin_as(self, embeddings: Tensor) -> None:
        """Take over float32[references, hidden]."""
        self.start.copy_(embeddings)

    def rows(self, numbers: Tensor) -> Tensor:
        """[n, hidden] The embeddings of some references, int64 [n]."""
        return self.start[numbers] + self.learned[numbers]


class JointModel(nn.Module):
    """An encoder h of questions, and R: the logits of p(. | x) are h(x) R^T / temperature + b."""

    def __init__(self, tower: Tower, table: ReferenceTable, *, normalised: bool, temperature: float) -> None:
        super().__init__()
        self.question, self.table = tower, table
        self.normalised, self.temperature = normalised, temperature

    def encode(self, questions: Ragged) -> Tensor:
        """float32[n, hidden]"""
        pooled = self.question(questions).float()
        return functional.normalize(pooled, dim=1) if self.normalised else pooled

    def forward(self, questions: Ragged, references: Tensor) -> Tensor:
        """float32[questions, references] The logits of some references, int64 [references]."""
        rows, bias = self.table.rows(references), self.table.bias[references]
        return product(self.encode(questions) / self.temperature, rows) + bias


def product(left: Tensor, right: Tensor) -> Tensor:
    """float32[..., n]: [..., d] times [n, d] transposed, in full precision also where layers have less."""
    with torch.autocast(left.device.type, enabled=False):
        return left.float() @ right.float().T


def reference_loss(logits: Tensor, wanted: Tensor, left_out: Tensor) -> Tensor:
    """The mean KL divergence from the uniform distribution over each question's references; a scalar.

    Args:
        logits: [b, n]
        wanted: bool [b, n], a question's references; at least one.
        left_out: bool [b, n], what has no part in a question's softmax; none of `wanted`.
    """
    logs = functional.log_softmax(logits.float().masked_fill(left_out, float("-inf")), dim=1)
    share = wanted.float() / wanted.sum(dim=1, keepdim=True)
    cross = -(share * logs.masked_fill(~wanted, 0.0)).sum(dim=1)
    entropy = wanted.sum(dim=1).float().log()
    return (cross - entropy).mean()
