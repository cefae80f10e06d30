"""Beam search over a step function: which sequences of symbols are most probable. Pure numpy.

The same search as `generate` of transformers makes with `num_beams`, so that a checkpoint answers here as it
does there. With the length penalty 0 a sequence's score is the sum of its log-probabilities, which is what
best-first proof search adds up (LeanDojo, Yang et al., 2023).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Int64s = npt.NDArray[np.int64]

Step = Callable[[Int64s, Int64s], Floats]
"""(symbols int64[n], parents int64[n]) -> log-probabilities float32[n, symbols] of what comes next.

Row i of the answer goes on from the sequence that was row `parents[i]` in the call before, with `symbols[i]`
put behind it. The first call has one row and parent 0.
"""


@dataclass(frozen=True, slots=True)
class BeamSettings:
    """How wide and how far to search."""

    beams: int
    """How many sequences are followed at once, and how many finished ones are kept."""
    max_symbols: int
    """The most symbols of a sequence, `end` included."""
    end: int = 1
    start: int = 0
    length_penalty: float = 0.0
    """A score is the sum of log-probabilities over (symbols ** this)."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """A finished sequence."""

    symbols: tuple[int, ...]
    """Without `start`, and without `end`."""
    log_probability: float
    """The sum over its symbols, `end` included."""
    score: float
    """The log-probability with the length penalty."""
    ended: bool
    """Whether it came to its end; otherwise `max_symbols` cut it off."""


def search(step: Step, settings: BeamSettings) -> list[Sequence]:
    """At most `beams` finished sequences, best first; among equals the one found first.

    Ends when no running sequence can become better than the worst of `beams` finished ones (with a length
    penalty that is judged by the present length, as transformers does), or at `max_symbols`.
    """
    running: list[tuple[int, ...]] = [()]
    scores = np.zeros(1)
    symbols, parents = np.array([settings.start]), np.array([0])
    finished: list[Sequence] = []
    for length in range(1, settings.max_symbols + 1):
        log_probabilities = step(symbols, parents)
        totals = scores[:, None] + log_probabilities.astype(np.float64)
        totals[np.isnan(totals)] = -np.inf
        width = totals.shape[1]
        going: list[int] = []
        for place, index in enumerate(_best(totals.ravel(), 2 * settings.beams)):
            row, symbol = divmod(index, width)
            ended = symbol == settings.end
            if not ended and length < settings.max_symbols:
                going.append(index)
            elif place < settings.beams:  # the others are there only so that enough sequences go on
                text = running[row] if ended else (*running[row], symbol)
                total = float(totals[row, symbol])
                finished.append(Sequence(text, total, total / length**settings.length_penalty, ended))
        finished = sorted(finished, key=lambda sequence: -sequence.score)[: settings.beams]
        chosen = np.array(going[: settings.beams], dtype=np.int64)
        if not len(chosen):
            break
        parents, symbols = np.divmod(chosen, width)
        scores = totals[parents, symbols]
        full = len(finished) == settings.beams
        if full and scores[0] / length**settings.length_penalty <= finished[-1].score:
            break
        running = [(*running[row], symbol) for row, symbol in zip(parents, symbols.tolist(), strict=True)]
    return finished


def _best(values: npt.NDArray[np.float64], count: int) -> list[int]:
    """Places of the `count` largest finite values, largest first; among equals the first place first."""
    if count < len(values):
        least = np.partition(values, -count)[-count]
        places = np.flatnonzero((values >= least) & (values > -np.inf))
    else:
        places = np.flatnonzero(values > -np.inf)
    order = np.argsort(-values[places], kind="stable")[:count]
    found: list[int] = places[order].tolist()
    return found
