"""The autoregressive model (NaturalProofs, section 5, appendix B.2): reference ids, one after the other.

    p(r_t | r_<t, x) = softmax((h(x) / temperature + D(x, r_<t)) R^T + b)

R holds the references and an end mark. D is a Transformer decoder over the embeddings of what came before,
that attends to the encoder's states. h(x), the encoder's pooled state, is added at every step; the paper's
model has D alone. As D begins at zero, training begins with what the pairwise model knows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lean_extract.common.arrays import Int64s
from retriever.training.model import mean_pool, padded
from retriever.training.references.joint_model import ReferenceTable, product
from retriever.training.references.pairwise_model import Bag, Tower
from retriever.training.tokens import Ragged


@dataclass(frozen=True, slots=True)
class Read:
    """What the encoder made of n questions."""

    pooled: Tensor
    """float32[n, hidden]"""
    states: Tensor
    """[n, s, hidden]"""
    hidden: Tensor
    """bool[n, s] Where there is no token."""

    def take(self, rows: Tensor) -> Read:
        """Some questions, int64 [n]; repeated where `rows` repeats."""
        return Read(self.pooled[rows], self.states[rows], self.hidden[rows])


class SequenceModel(nn.Module):
    """The encoder of questions, the decoder D, the references' table. The end mark is number `references`."""

    def __init__(
        self,
        tower: Tower,
        table: ReferenceTable,
        decoder: nn.TransformerDecoder,
        longest: int,
        *,
        normalised: bool,
        temperature: float,
    ) -> None:
        super().__init__()
        hidden = tower.hidden
        self.question, self.table, self.decoder = tower, table, decoder
        self.normalised, self.temperature, self.longest = normalised, temperature, longest
        self.begin = nn.Parameter(torch.zeros(hidden))
        self.end = nn.Parameter(torch.zeros(hidden + 1))
        """The end mark's embedding, and its bias."""
        self.positions = nn.Parameter(torch.zeros(longest + 1, hidden))
        self.output = nn.Linear(hidden, hidden)
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def read(self, questions: Ragged) -> Read:
        """Run the encoder."""
        device = self.begin.device
        pad = 0 if isinstance(self.question, Bag) else int(self.question.bert.config.pad_token_id or 0)
        ids, mask = padded(questions, pad)
        ids, mask = ids.to(device), mask.to(device)
        if isinstance(self.question, Bag):
            states = self.question.states(ids)
            pooled = self.question(questions)
        else:
            states = self.question.bert(input_ids=ids, attention_mask=mask).last_hidden_state
            pooled = mean_pool(states, mask)
        pooled = pooled.float()
        return Read(functional.normalize(pooled, dim=1) if self.normalised else pooled, states, mask == 0)

    def decode(self, read: Read, before: Tensor) -> Tensor:
        """float32[n, t + 1, hidden] What is compared with references, after none and after each of `before`.

        Args:
            read: n questions.
            before: int64[n, t] Numbers of references, t at most `longest`.
        """
        begin = self.begin.expand(len(before), 1, -1)
        inputs = torch.cat([begin, self.table.rows(before)], dim=1) + self.positions[: before.shape[1] + 1]
        ahead = nn.Transformer.generate_square_subsequent_mask(inputs.shape[1], device=inputs.device)
        found = self.decoder(
            inputs, read.states, tgt_mask=ahead, memory_key_padding_mask=read.hidden, tgt_is_causal=True
        )
        added: Tensor = self.output(found).float()
        return read.pooled[:, None, :] / self.temperature + added

    def logits(self, decoded: Tensor, references: Tensor) -> Tensor:
        """float32[..., n + 1] Of some references, int64 [n], and of the end mark."""
        rows = torch.cat([self.table.rows(references), self.end[None, :-1]])
        bias = torch.cat([self.table.bias[references], self.end[-1:]])
        return product(decoded, rows) + bias

    def forward(self, questions: Ragged, before: Tensor, references: Tensor, steps: Tensor) -> Tensor:
        """float32[m, n + 1] Logits at the m marked of all steps, bool [questions, t + 1], row by row."""
        return self.logits(self.decode(self.read(questions), before)[steps], references)


def build_decoder(
    hidden: int, layers: int, heads: int, intermediate: int, dropout: float
) -> nn.TransformerDecoder:
    """A Transformer decoder, normalised before each part and at the end, with fresh weights."""
    layer = nn.TransformerDecoderLayer(
        hidden, heads, intermediate, dropout, activation="gelu", batch_first=True, norm_first=True
    )
    return nn.TransformerDecoder(layer, layers, norm=nn.LayerNorm(hidden))


def sequences(references: Ragged, rows: Int64s, longest: int) -> tuple[Int64s, Int64s]:
    """(int64[n, longest] references, -1 behind the last; int64[n] their number, at most `longest`)."""
    chosen = references.take(rows)
    counts = np.minimum(chosen.lengths, longest)
    found = np.full((len(rows), int(counts.max(initial=1))), -1, dtype=np.int64)
    for row, count in enumerate(counts.tolist()):
        found[row, :count] = chosen[row][:count]
    return found, counts
