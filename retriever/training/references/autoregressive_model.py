"""The autoregressive model (NaturalProofs, section 5, appendix B.2): reference ids, one after the other.

    p(r_t | r_<t, x) = softmax((h(x) / temperature + D(x, r_<t)) R^T + b)

R holds the references and an end mark. D is a Transformer decoder over the embeddings of what came before,
that attends to the encoder's states. h(x), the encoder's pooled state, is added at every step; the paper's
model has D alone. As D begins at zero, training begins with what the pairwise model knows.

It writes greedily for rankings, and in a beam for generation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lean_extract.common.arrays import Floats, Int64s
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
    """(int64[n, longest] references, -1 after the last; int64[n] their number, at most `longest`)."""
    chosen = references.take(rows)
    counts = np.minimum(chosen.lengths, longest)
    found = np.full((len(rows), int(counts.max(initial=1))), -1, dtype=np.int64)
    for row, count in enumerate(counts.tolist()):
        found[row, :count] = chosen[row][:count]
    return found, counts


@dataclass(frozen=True, slots=True)
class Beam:
    """How a sequence is looked for."""

    width: int = 20
    length_penalty: float = 1.0
    """The power of its length, the end mark counted, that a sequence's log-probability is divided by."""
    longest: int = 24
    shortest: int = 1


@torch.no_grad()
def greedy(
    model: SequenceModel, questions: Ragged, pool: Int64s, barred: Int64s | None = None
) -> tuple[Floats, list[list[int]]]:
    """(float32[questions, pool] logits of the first step, the columns that each question's sequence has).

    A document is written once at most, up to the end mark. `barred` [questions] are columns that are not
    written; -1: none.
    """
    read = model.read(questions)
    numbers = torch.from_numpy(pool).to(read.pooled.device)
    before = torch.zeros(len(questions), 0, dtype=torch.int64, device=numbers.device)
    used = torch.zeros(len(questions), len(pool) + 1, dtype=torch.bool, device=numbers.device)
    if barred is not None:
        some = np.flatnonzero(barred >= 0)
        used[torch.from_numpy(some), torch.from_numpy(barred[some])] = True
    written: list[list[int]] = [[] for _ in range(len(questions))]
    open_rows = torch.ones(len(questions), dtype=torch.bool, device=numbers.device)
    first: Tensor | None = None
    for _ in range(min(model.longest, len(pool))):
        logits = model.logits(model.decode(read, before)[:, -1], numbers)
        first = logits[:, :-1] if first is None else first
        best = logits.masked_fill(used, float("-inf")).argmax(dim=1)
        open_rows &= best < len(pool)
        if not bool(open_rows.any()):
            break
        for row in torch.nonzero(open_rows).flatten().tolist():
            written[row].append(int(best[row]))
        used[torch.arange(len(used)), best] |= open_rows
        before = torch.cat([before, numbers[best.clamp(max=len(pool) - 1)][:, None]], dim=1)
    assert first is not None
    return np.asarray(first.cpu().numpy(), dtype=np.float32).copy(), written


@torch.no_grad()
def beam_search(
    model: SequenceModel, questions: Ragged, pool: Int64s, beam: Beam, own: int = -1
) -> list[int]:
    """The documents of the best sequence that is found for one question.

    Args:
        model: in evaluation mode.
        questions: one row.
        pool: documents that may be written.
        beam: how to look.
        own: a document that is not written; -1: none.
    """
    read = model.read(questions)
    numbers = torch.from_numpy(pool).to(read.pooled.device)
    end = len(pool)
    sequences: list[list[int]] = [[]]
    scores = torch.zeros(1, device=numbers.device)
    finished: list[tuple[float, list[int]]] = []
    for length in range(1, min(beam.longest, model.longest) + 2):
        logs = _next(model, read, numbers, sequences, own)
        if length <= beam.shortest:
            logs[:, end] = float("-inf")
        if length > min(beam.longest, model.longest):
            logs[:, :end] = float("-inf")
        found = (scores[:, None] + logs).flatten()
        top = found.topk(min(2 * beam.width, len(found)))
        kept: list[tuple[float, list[int]]] = []
        for score, index in zip(top.values.tolist(), top.indices.tolist(), strict=True):
            row, column = divmod(index, end + 1)
            if score == float("-inf"):
                continue
            if column == end:
                finished.append((score / length**beam.length_penalty, sequences[row]))
            elif len(kept) < beam.width:
                kept.append((score, [*sequences[row], column]))
        finished = sorted(finished, key=lambda one: -one[0])[: beam.width]
        if not kept or _settled(finished, kept[0][0], length, beam):
            break
        sequences = [sequence for _, sequence in kept]
        scores = torch.tensor([score for score, _ in kept], device=numbers.device)
    best = finished[0][1] if finished else sequences[0]
    return [int(pool[column]) for column in best]


def _settled(finished: list[tuple[float, list[int]]], open_score: float, length: int, beam: Beam) -> bool:
    """Whether as many as the beam is wide are finished, and none open can beat the worst of them now."""
    if len(finished) < beam.width:
        return False
    return bool(finished[-1][0] >= open_score / length**beam.length_penalty)


def _next(model: SequenceModel, read: Read, numbers: Tensor, sequences: list[list[int]], own: int) -> Tensor:
    """float32[sequences, pool + 1] log-probabilities of what comes next."""
    columns = torch.tensor(sequences, dtype=torch.int64, device=numbers.device).reshape(len(sequences), -1)
    several = read.take(torch.zeros(len(sequences), dtype=torch.int64, device=numbers.device))
    logits = model.logits(model.decode(several, numbers[columns])[:, -1], numbers)
    if own >= 0:
        logits[:, :-1] = logits[:, :-1].masked_fill(numbers == own, float("-inf"))
    return logits.log_softmax(dim=1)
