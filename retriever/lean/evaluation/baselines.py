"""The methods of others: MePo, keywords, nearest neighbours, TF-IDF, and another encoder's embeddings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Bools, Floats, Int64s
from lean_extract.common.errors import BadSettings
from lean_extract.records import Goal, Premise
from retriever.lean.evaluation.pool import HeldOutGoal
from retriever.lean.evaluation.rankers import DEPTH, ScoredQuestion, only
from retriever.lean.evaluation.session import EvaluationSession
from retriever.lean.symbols import goal_symbols, premise_symbols, target_symbols
from retriever.lean.tokens import goal_tokens
from retriever.lean.training.vectors import corpus_vectors
from retriever.models.encoder import Encoder, PremiseEncoder
from retriever.models.text import premise_texts, state_text
from retriever.search.index.postings import Postings, build_postings
from retriever.search.tfidf import TfIdfIndex
from retriever.search.top import top
from retriever.search.votes import ProofGraph


@dataclass(frozen=True, slots=True)
class SymbolFacts:
    """Which facts hold which symbols, both by number, in both directions."""

    symbols: dict[str, int]
    holders: Postings
    """Symbol to facts."""
    flat: NDArray[np.int32]
    """The symbols of all facts; those of fact i are `flat[starts[i]:starts[i + 1]]`."""
    starts: Int64s

    @property
    def sizes(self) -> Int64s:
        """[facts] How many symbols each has."""
        return np.diff(self.starts)

    def symbols_of(self, facts: Int64s) -> Int64s:
        """The distinct symbols of some facts."""
        parts = [self.flat[self.starts[fact] : self.starts[fact + 1]] for fact in facts]
        return np.unique(np.concatenate(parts)).astype(np.int64)

    def holders_of(self, symbol: int) -> NDArray[np.int32]:
        """The facts that hold a symbol."""
        return self.holders.documents[self.holders.starts[symbol] : self.holders.starts[symbol + 1]]


def facts_of(statements: Iterable[Iterable[str]]) -> SymbolFacts:
    """The index over the symbols of statements."""
    holders = build_postings([sorted(set(symbols)) for symbols in statements])
    rows = np.repeat(np.arange(len(holders.terms), dtype=np.int32), np.diff(holders.starts))
    order = np.argsort(holders.documents, kind="stable")
    starts = np.zeros(len(holders.lengths) + 1, dtype=np.int64)
    np.cumsum(holders.lengths, out=starts[1:])
    return SymbolFacts(
        {symbol: row for row, symbol in enumerate(holders.terms)}, holders, rows[order], starts
    )


def rarity(facts: SymbolFacts) -> Floats:
    """float32[symbols]: Meng and Paulson's weights."""
    counts = np.diff(facts.holders.starts)
    return (1 + 2 / (np.floor(np.log2(counts)) + 1)).astype(np.float32)


def select(
    facts: SymbolFacts,
    weights: Floats,
    goal: Iterable[str],
    allowed: Bools,
    *,
    limit: int,
    p: float = 0.6,
    c: float = 2.4,
) -> Int64s:
    """The accepted facts among `allowed` (bool[n]), at most `limit`, in the order of Lean's suggestions."""
    count = len(facts.sizes)
    mass, shared = np.zeros(count, dtype=np.float32), np.zeros(count, dtype=np.int32)
    waiting = allowed & (facts.sizes > 0)
    relevant = np.zeros(len(facts.symbols), dtype=np.bool_)
    fresh = np.array(
        [facts.symbols[symbol] for symbol in set(goal) if symbol in facts.symbols], dtype=np.int64
    )
    accepted = np.zeros(0, dtype=np.int64)
    while len(accepted) < limit:
        relevant[fresh] = True
        for symbol in np.sort(fresh):
            holders = facts.holders_of(symbol)
            mass[holders] += weights[symbol]
            shared[holders] += 1
        indices = np.flatnonzero(waiting & (shared > 0))
        scores = mass[indices] / (mass[indices] + facts.sizes[indices] - shared[indices])
        reached = scores >= p
        new = indices[reached]
        if not len(new):
            break
        accepted = np.concatenate([accepted, new[np.lexsort((-shared[new], -scores[reached]))]])
        waiting[new] = False
        found = facts.symbols_of(new)
        fresh = found[~relevant[found]]
        p += (1 - p) / c
    return accepted[:limit]


class MePo:
    """MePo, the relevance filter of Meng and Paulson (2009), as `Lean.LibrarySuggestions.mepoSelector` runs it.

    Symbols become relevant round by round, beginning with the goal's. A fact's score is

        m / (m + number of its symbols that are not relevant),  m = sum of weight(s) over its relevant symbols s
        weight(s) = 1 + 2 / (floor(log2(facts with s)) + 1), or 1 where rarity does not count

    A round accepts all facts whose score reaches `p`, best first (ties: more relevant symbols first), makes their
    symbols relevant and raises p by (1 - p) / c. It ends with a round that accepts nothing, or when enough are
    found; what is not accepted is not ranked. p = 0.6 and c = 2.4 are the paper's and Lean's.

    It sees only what is offered, as in Lean it sees only what is imported. One thing is not as in Lean: symbols are
    read from text (`retriever.lean.symbols`), not from elaborated types.
    """

    reads_position = False

    def __init__(self, name: str, facts: SymbolFacts, weights: Floats) -> None:
        self.name = name
        self._facts, self._weights = facts, weights

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """What a goal's symbols lead to, at most DEPTH."""
        symbols = goal_symbols(scored.question.goal)
        return select(self._facts, self._weights, symbols, scored.allowed, limit=DEPTH)


def with_rarity(session: EvaluationSession) -> MePo:
    """`mepo`: rare symbols count more, as in the paper."""
    facts = facts_of(map(premise_symbols, session.dataset.corpus))
    return MePo("mepo", facts, rarity(facts))


def without_rarity(session: EvaluationSession) -> MePo:
    """`mepo-plain`: all symbols count alike (`useRarity := false`)."""
    facts = facts_of(map(premise_symbols, session.dataset.corpus))
    return MePo("mepo-plain", facts, np.ones(len(facts.symbols), dtype=np.float32))


class Keyword:
    """Search by symbols, as in Loogle or Mathlib's search: every symbol of the target, shortest statement first.

    Where nothing has them all, the premises that have the most of them come first.
    """

    name = "keyword"

    def __init__(self, holders: Postings, lengths: Floats) -> None:
        self._holders = holders
        self._brevity = -lengths / (lengths.max(initial=0) + 1)

    def scores(self, question: HeldOutGoal) -> Floats:
        """float32[n]: how many symbols match, less a part of 1 that grows with the length, or -inf."""
        found = np.zeros(len(self._brevity), dtype=np.float32)
        for symbol in target_symbols(question.goal):
            found[self._holders.find(symbol)[0]] += 1
        return np.where(found > 0, found + self._brevity, -np.inf).astype(np.float32)


def keyword(session: EvaluationSession) -> Keyword:
    """`keyword`, over the symbols of all statements."""
    corpus = session.dataset.corpus
    lengths = [len(premise.conclusion) + sum(map(len, premise.context)) for premise in corpus]
    holders = build_postings(sorted(premise_symbols(premise)) for premise in corpus)
    return Keyword(holders, np.array(lengths, dtype=np.float32))


@dataclass(frozen=True, slots=True)
class Voting:
    """How votes are weighed: e, d and own of `Knn`. The values were chosen on 300 questions of the tune half."""

    neighbours: int = 100
    exponent: float = 16.0
    dilution: float = 0.5
    own: float = 1.0


def vote(similarity: Floats, proofs: ProofGraph, voting: Voting) -> Floats:
    """float32[n]: the votes for each premise, given the state's similarity [n]; -inf where there are none."""
    nearest = top(only(similarity, proofs.known & (similarity > 0)), voting.neighbours)
    result = np.zeros(len(similarity), dtype=np.float32)
    for number in nearest:
        weight = (similarity[number] / similarity[nearest[0]]) ** voting.exponent
        uses = proofs.uses[proofs.starts[number] : proofs.starts[number + 1]]
        result[uses] += weight / len(uses) ** voting.dilution
        result[number] += voting.own * weight
    return np.where(result > 0, result, -np.inf).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Knn:
    """Nearest neighbours among training theorems, after MaSh (Kühlwein et al. 2013).

    The statements most like the state vote for what their proofs use, and for themselves:

        score(p) = sum over neighbours t of sim(t)^e * ([p is used by t's proof] / uses(t)^d + own * [p is t])

    Similarity is the encoder's (`knn`) or BM25's (`knn-bm25`), both divided by the nearest neighbour's. Neighbours
    are drawn from what is offered. Proofs of held-out theorems have no vote. What nobody votes for is not ranked.
    """

    name: str
    column: Literal["dense", "lexical"]
    proofs: ProofGraph
    voting: Voting
    reads_position: bool = False

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """What has most votes, at most DEPTH."""
        similarity = scored.dense if self.column == "dense" else scored.lexical
        return top(only(vote(similarity, self.proofs, self.voting), scored.allowed), DEPTH)


def by_encoder(session: EvaluationSession) -> Knn:
    """`knn`: neighbours by the session's encoder."""
    return Knn("knn", "dense", session.pool.proofs, Voting())


def by_bm25(session: EvaluationSession) -> Knn:
    """`knn-bm25`: neighbours by BM25; learns from proofs without a trained encoder."""
    return Knn("knn-bm25", "lexical", session.pool.proofs, Voting(exponent=8.0))


_WORD = re.compile(r"\w\w+")


class TfIdfRanker:
    """TF-IDF cosine, as scikit-learn's `TfidfVectorizer` computes it with its default settings.

    `tfidf` reads the tokens that BM25 reads here. `tfidf-words` reads plain words, as the library does if it is given
    the texts as they are: runs of two or more word characters in lower case, so no operator and no `a`.
    """

    def __init__(self, name: str, postings: Postings, tokens: Callable[[Goal], list[str]]) -> None:
        self.name = name
        self._index, self._tokens = TfIdfIndex(postings), tokens

    def scores(self, question: HeldOutGoal) -> Floats:
        """The cosine of the goal with every premise."""
        return self._index.scores(self._tokens(question.goal))


def over_tokens(session: EvaluationSession) -> TfIdfRanker:
    """`tfidf`: over the tokens of `retriever.lean.tokens`."""
    [postings] = session.pool.bm25.segments
    return TfIdfRanker("tfidf", postings, goal_tokens)


def over_words(session: EvaluationSession) -> TfIdfRanker:
    """`tfidf-words`: over plain words of name and statement."""
    return TfIdfRanker("tfidf-words", build_postings(map(premise_words, session.dataset.corpus)), goal_words)


def premise_words(premise: Premise) -> list[str]:
    """The plain words of a premise, its name first."""
    return _words(" ".join((premise.name, *premise_texts(premise))))


def goal_words(goal: Goal) -> list[str]:
    """The plain words of a state."""
    return _words(state_text(goal))


def _words(text: str) -> list[str]:
    """Runs of at least two letters, digits or underscores, in lower case."""
    return _WORD.findall(text.lower())


@dataclass(frozen=True, slots=True)
class DenseRanker:
    """Embeddings alone, under another encoder than the session's: the inner product with premise vectors [n, d]."""

    name: str
    encoder: PremiseEncoder
    vectors: Floats

    def scores(self, question: HeldOutGoal) -> Floats:
        """float32[n]"""
        return np.asarray(self.vectors @ self.encoder.encode_state(question.goal))


def ranker(name: str, encoder: PremiseEncoder, session: EvaluationSession) -> DenseRanker:
    """The encoder over the session's pool; its vectors are kept in the session's cache."""
    return DenseRanker(name, encoder, corpus_vectors(session.dataset, encoder, session.cache))


def beside(session: EvaluationSession, text: str) -> DenseRanker:
    """Another model folder as a row of its own, given as NAME=FOLDER. Raises BadSettings, ModelError."""
    name, equals, folder = text.partition("=")
    if not (name and equals and folder):
        raise BadSettings(f"{text!r} is not NAME=FOLDER.", "Write minilm=work/mathlib/minilm-model, say.")
    return ranker(name, Encoder.load(Path(folder)), session)
