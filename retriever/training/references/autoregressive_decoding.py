"""How the autoregressive model writes: greedily for rankings, in a beam for generation (appendix B.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lean_extract.common.arrays import Floats, Int64s
from retriever.training.references.autoregressive_model import Read, SequenceModel
from retriever.training.tokens import Ragged


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
