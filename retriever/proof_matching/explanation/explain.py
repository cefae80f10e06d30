"""Which tokens a match rests on: LIME over the tokens of one side (section 7.3).

LIME (Ribeiro et al. 2016) leaves tokens out, runs the model again, and fits a linear function to the answers
nearest to the text as it is. As in the thesis' pictures a token counts wherever it occurs: it is left out at
all its positions at once, and has one weight.

The answers are log-odds of the match, in nats: `log_odds` makes them of a row of scores. A probability would
say the same, but is 1.000 for a sure match whatever is left out; log-odds are not bounded, and a linear
function suits them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from lean_extract.common.errors import BadSettings, ModelError, UserError
from lean_extract.common.terminal_text import import_extra
from retriever.proof_matching.schema import StatementProof, Token
from retriever.proof_matching.tfidf import tfidf_scores

Side = Literal["statement", "proof"]
Text = tuple[Token, ...]
Scorer = Callable[[Sequence[Text]], NDArray[np.floating]]
"""The log-odds of the match for variants of one side, the other side fixed; a variant is never empty."""

_BATCH = 64
_KERNEL = 25.0
"""The width of LIME's kernel over 100 times the cosine distance, as it is for texts in the package."""


class PairScorer(Protocol):
    """What a model computes."""

    def __call__(self, side: Side, variants: Sequence[Text], other: Text) -> NDArray[np.floating]:
        """The log-odds of the match for variants of a side, float[variants], the other side as it is."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """A token of the explained side."""

    token: Token
    count: int
    """How often it occurs."""
    weight: float
    """By how many nats it supports the match; against it where negative."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the match of a statement and a proof rests on."""

    side: Side
    """The one whose tokens were left out."""
    statement: Text
    proof: Text
    tokens: tuple[Weighted, ...]
    """The distinct tokens of the side, those that matter most first."""
    score: float
    """Log-odds of the match as it is."""
    base: float
    """What the linear function gives where all tokens are left out."""
    fit: float
    """R² of the linear function over the variants, near ones counting more; 1 is perfect."""
    samples: int
    """Variants that the model scored, the original text among them."""

    @property
    def probability(self) -> float:
        """Of the match as it is, in [0, 1]."""
        return 1 / (1 + math.exp(-self.score)) if self.score > -700 else 0.0

    @property
    def weights(self) -> dict[Token, float]:
        """The weight of each distinct token."""
        return {one.token: one.weight for one in self.tokens}

    @property
    def explained(self) -> Text:
        """The tokens of the explained side."""
        return self.statement if self.side == "statement" else self.proof

    def total(self, *, math: bool, supports: bool) -> float:
        """The summed weights of symbols, or of words, that support the match, or that speak against it."""
        chosen = [one.weight for one in self.tokens if one.token.is_math == math]
        return sum((weight for weight in chosen if (weight > 0) == supports), 0.0)


def log_odds(scores: NDArray[np.floating], match: int) -> NDArray[np.float64]:
    """The log-odds of one candidate against the rest of a pool.

    Takes scores float[variants, pool] and the index of the match in the pool; its probability is that of the
    softmax over the pool, as in local training. Returns float64[variants]. Raises BadSettings when there is
    no other candidate.
    """
    if scores.shape[1] < 2:
        raise BadSettings("A match is judged against other candidates, and the pool has none.")
    others = np.delete(scores.astype(np.float64), match, axis=1)
    most = others.max(axis=1)
    rest = most + np.log(np.exp(others - most[:, None]).sum(axis=1))
    return np.asarray(scores[:, match] - rest, np.float64)


def explain_pair(
    scorer: PairScorer, pair: StatementProof, *, side: Side = "proof", samples: int = 1000, seed: int = 0
) -> Explanation:
    """Which tokens of a side the match of a pair rests on; see `explain`."""
    other = pair.proof if side == "statement" else pair.statement

    def varied(variants: Sequence[Text]) -> NDArray[np.floating]:
        return scorer(side, variants, other)

    return explain(varied, pair.statement, pair.proof, side=side, samples=samples, seed=seed)


def explain(
    scorer: Scorer, statement: Text, proof: Text, *, side: Side = "proof", samples: int = 1000, seed: int = 0
) -> Explanation:
    """Which tokens of a side the match rests on, from `samples` variants of it.

    The model gets batches of 64 variants; a bar on a terminal shows how far it is. The same for the same
    model and seed. Raises UserError when `lime` is not installed or the side has fewer than two distinct
    tokens, BadSettings when there are fewer than two samples, ModelError when a score is not a finite number.
    """
    lime_base = import_extra("lime.lime_base", "match", "An explanation")
    tokens = statement if side == "statement" else proof
    counts = Counter(tokens)
    names = list(counts)
    if len(names) < 2:
        raise UserError(f"The {side} has fewer than two distinct tokens: there is nothing to weigh.")
    if samples < 2:
        raise BadSettings(f"An explanation takes more than {samples} samples.", "A thousand are usual.")
    kept = _variants(len(names), samples, np.random.default_rng(seed))
    scores = _scores(scorer, tokens, names, kept)
    model = lime_base.LimeBase(kernel_fn=_nearness, random_state=seed)
    base, found, fit, _ = model.explain_instance_with_data(
        kept.astype(np.float64),
        scores[:, None],
        _distances(kept),
        label=0,
        num_features=len(names),
        feature_selection="none",
    )
    weighted = [
        Weighted(names[index], counts[names[index]], float(weight))
        for index, weight in sorted(found, key=lambda pair: (-abs(pair[1]), pair[0]))
    ]
    return Explanation(
        side, statement, proof, tuple(weighted), float(scores[0]), float(base), float(fit), samples
    )


def _variants(names: int, samples: int, random: np.random.Generator) -> NDArray[np.bool_]:
    """Which distinct tokens are kept, bool[samples, names]: all, then any number of them but none.

    LIME also scores the empty text, which encoders have no vector for, and not the whole one again,
    without which the weights of two tokens could not be distinguished from the base.
    """
    kept = np.ones((samples, names), np.bool_)
    for row in kept[1:]:
        row[random.choice(names, random.integers(names), replace=False)] = False
    return kept


def _scores(
    scorer: Scorer, tokens: Text, names: Sequence[Token], kept: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The scorer's answers, float64[samples]. Raises ModelError; ValueError for another shape."""
    number_of = {name: number for number, name in enumerate(names)}
    indices = [number_of[token] for token in tokens]
    scores = np.empty(len(kept))
    with tqdm(total=len(kept), desc="explaining", unit=" variants", disable=None) as bar:
        for start in range(0, len(kept), _BATCH):
            rows = kept[start : start + _BATCH]
            variants = [
                tuple(token for token, number in zip(tokens, indices, strict=True) if row[number])
                for row in rows
            ]
            answers = np.asarray(scorer(variants), np.float64)
            if answers.shape != (len(rows),):
                raise ValueError(f"a scorer gave {answers.shape} for {len(rows)} variants")
            if not np.isfinite(answers).all():
                raise ModelError("The model's scores are not all finite numbers: it cannot be explained.")
            scores[start : start + len(rows)] = answers
            bar.update(len(rows))
    return scores


def _distances(kept: NDArray[np.bool_]) -> NDArray[np.float64]:
    """100 times the cosine distance of each row to the first, which keeps all."""
    return np.asarray(100 * (1 - np.sqrt(kept.mean(axis=1))), np.float64)


def _nearness(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much a variant counts: LIME's exponential kernel."""
    return np.asarray(np.sqrt(np.exp(-((distances / _KERNEL) ** 2))), np.float64)


class ScoreMatrix(Protocol):
    """What a matcher gives; `retriever.proof_matching.training.matcher.OpenMatcher` is one."""

    def scores(self, statements: Sequence[Text], proofs: Sequence[Text]) -> NDArray[np.float32]:
        """float32[statements, proofs] of any texts."""


@dataclass(frozen=True, slots=True)
class AgainstPool:
    """A trained matcher as `explain_pair` calls it: a proof's log-odds against those of a pool."""

    model: ScoreMatrix
    pool: Sequence[Text]
    """Proofs of other statements, at least one."""

    def __call__(self, side: Side, variants: Sequence[Text], other: Text) -> NDArray[np.float64]:
        """float64[variants] In nats. Raises BadSettings without a pool."""
        if side == "statement":
            return log_odds(self.model.scores(variants, [other, *self.pool]), 0)
        row = self.model.scores([other], [*variants, *self.pool])[0]
        others = np.broadcast_to(row[len(variants) :], (len(variants), len(self.pool)))
        return log_odds(np.column_stack([row[: len(variants)], others]), 0)


class TfIdfAgainstPool:
    """A proof's log-odds by TF-IDF against those of a pool; cosines times a hundred, to spread them."""

    def __init__(self, pool: Sequence[Text]) -> None:
        self._pool = list(pool)

    def __call__(self, side: Side, variants: Sequence[Text], other: Text) -> NDArray[np.float64]:
        """float64[variants] In nats."""
        if side == "statement":
            return log_odds(100 * tfidf_scores(list(variants), [other, *self._pool]), 0)
        # one by one: together they would count in each other's document frequencies
        rows = [tfidf_scores([other], [variant, *self._pool])[0] for variant in variants]
        return log_odds(100 * np.stack(rows), 0)
