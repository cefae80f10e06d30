"""Which premises fit a goal: the one door that the server and the command line use.

A goal is embedded (eq. 2) and searched among the premises' vectors (eq. 3) and by BM25; theorems near it
vote for what their proofs use. The best of all lists are ranked by the model's trees, or by the weighted sum
(`retriever.search.fusion`) of a model without trees, and the first of those by its re-ranker (eq. 5), if it has
one. The declarations of the open file take part as they are in the editor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Ids
from lean_extract.common.cancellation import check_cancelled
from lean_extract.common.devices import Device, Place
from lean_extract.common.lru import Cache
from lean_extract.records import Goal, NearStep
from retriever.lean.eligibility import (
    Kinds,
    RankedPremise,
    RankRequest,
    internal_premises,
    offered_premises,
    own_premises,
    ranked_indexed_premise,
    ranked_premise,
    scope_of,
)
from retriever.lean.explanation import ScoredTable, explanations, with_reranker
from retriever.lean.features import CandidateColumns, features, load_fusion
from retriever.lean.freshness import Freshness, freshness_of
from retriever.lean.goal_context import (
    GoalContext,
    NearbyCounts,
    declared_before,
    notation_tokens,
    place_of,
    texts_of,
    used_nearby,
    voters,
    ways_to_write,
)
from retriever.lean.index.content import Flag
from retriever.lean.listing import SPARE, listed, with_proved_first
from retriever.lean.local import Local, LocalVectors, local_columns, local_ranker_columns, tokens_of
from retriever.lean.near_steps import NEAREST, NearSteps
from retriever.lean.ranker.model import TreeRanker
from retriever.lean.ranking import (
    GoalQuery,
    GoalText,
    GoalVector,
    Ranker,
    RankingQuestion,
    Surroundings,
    best,
    candidates,
    columns_of,
    feature_table,
    question_of,
    ranker_columns_of,
)
from retriever.lean.snapshot import Snapshot
from retriever.lean.tokens import goal_tokens, target_tokens
from retriever.limits import CACHED_GOALS
from retriever.models.encoder import Encoder, PremiseEncoder
from retriever.models.reranker import DEPTH, Reranker, blend
from retriever.models.state_tower import StateTower
from retriever.models.text import readable
from retriever.search.fusion import Fusion
from retriever.search.index.store import IndexStore
from retriever.search.reading import SnapshotReader
from retriever.search.reranking import reranked

if TYPE_CHECKING:
    from retriever.lean.index.corpus import ListedSource

_ANOTHER_WAY = 0.5
_SORTS = frozenset(("prop", "type", "sort"))
"""Tokens of no symbol that a premise could be about."""


@dataclass(frozen=True, slots=True)
class _Scored:
    """Candidates with their scores."""

    ids: Ids
    """Of those that are indexed; candidates of the open file come before them."""
    columns: CandidateColumns
    scores: Floats
    tables: tuple[ScoredTable, ...]

    @classmethod
    def by(cls, ranker: Ranker, ids: Ids, columns: CandidateColumns, table: Floats) -> _Scored:
        """The candidates as a ranker scores their features."""
        return cls(ids, columns, ranker.score(table), (ScoredTable(ranker, table),))

    def followed_by(self, tail: _Scored) -> _Scored:
        """These candidates, and after them others whose scores are on another scale."""
        lower = self.scores.min(initial=0.0) - 1.0 + tail.scores - tail.scores.max(initial=0.0)
        return _Scored(
            np.concatenate([self.ids, tail.ids]),
            self.columns.then(tail.columns),
            np.concatenate([self.scores, lower]),
            (*self.tables, *tail.tables),
        )


class PremiseService:
    """Ranks premises of several stores; safe to use from several threads."""

    def __init__(
        self,
        stores: Sequence[IndexStore],
        encoder: PremiseEncoder,
        fusion: Fusion,
        reranker: Reranker | None = None,
        rerank: int = DEPTH,
        ranker: TreeRanker | None = None,
        tower: StateTower | None = None,
        place: Place = "cpu",
    ) -> None:
        self.place: Place = place
        """Where the encoder runs."""
        self._encoder, self._tower = encoder, tower
        self._fusion = fusion
        self._ranker: Ranker = fusion if ranker is None else ranker
        self._reranker, self._rerank = reranker, rerank
        self._vectors = LocalVectors(encoder)
        self._goals: Cache[Floats] = Cache(CACHED_GOALS)
        self._read: Cache[Floats] = Cache(CACHED_GOALS)
        self._steps = NearSteps(encoder)
        known = tuple(stores)
        self._reader = SnapshotReader(lambda: Snapshot.open(known, encoder.fingerprint, fusion))
        self._reader.current()

    @classmethod
    def open(
        cls,
        stores: Sequence[IndexStore],
        model_folder: Path,
        *,
        threads: int = 1,
        rerank: int = DEPTH,
        device: Device = "cpu",
    ) -> PremiseService:
        """Open stores with a model; where two hold the same module the earlier one counts.

        Args:
            stores: the indexes.
            model_folder: the encoder's; its re-ranker, if it has one, is in it.
            threads: what an operator of a model may use.
            rerank: how many of the best theorems are re-ranked; 0: the re-ranker is not even loaded.
            device: where encoder, state tower and re-ranker run. The ranker's trees are not: CUDA has none.

        Raises ModelError, IndexMissing, IndexDamaged.
        """
        encoder, fusion = (
            Encoder.load(model_folder, threads=threads, device=device),
            load_fusion(model_folder),
        )
        reranker = Reranker.of_model(model_folder, threads=threads, device=device) if rerank else None
        ranker = TreeRanker.of_model(model_folder, threads=threads)
        tower = None
        if ranker is not None:
            tower = StateTower.of_model(model_folder, encoder, threads=threads, device=device)
        return cls(stores, encoder, fusion, reranker, rerank, ranker, tower, encoder.place)

    @property
    def encoder(self) -> PremiseEncoder:
        """The model in use."""
        return self._encoder

    def snapshot(self) -> Snapshot:
        """What the stores hold now; an answer is read from it in `reading`. Raises what `open` raises."""
        return self._reader.current()

    def reading(self) -> AbstractContextManager[Snapshot]:
        """What the stores hold now, for a block that reads it (`SnapshotReader`). Raises what `open` raises."""
        return self._reader.reading()

    @property
    def opened(self) -> Snapshot | None:
        """What was opened last, whether or not the stores have changed since."""
        return self._reader.opened

    def rank(self, request: RankRequest) -> list[RankedPremise]:
        """The premises that fit a goal best, best first; of theorems where the request names no kinds.

        Raises IndexDamaged, what `open` raises when the index was replaced by one that cannot be used, and
        Cancelled.
        """
        if request.k <= 0:
            return []
        with self.reading() as snapshot:
            return self._ranked(
                snapshot, replace(request, goal=readable(request.goal)), request.kinds or "theorems"
            )

    def _ranked(self, snapshot: Snapshot, request: RankRequest, kinds: Kinds) -> list[RankedPremise]:
        where = request.where
        query = self._query(snapshot, request)
        check_cancelled()
        local = self._vectors.local(snapshot, where, own_premises(where, kinds, request.allowed))
        used = used_nearby(snapshot, where)
        offered = offered_premises(snapshot, where, kinds, len(local.premises), request.allowed)
        offered &= ~internal_premises(snapshot, where, texts_of(request.goal), request.allowed)
        if where is not None and where.module is not None:
            offered &= ~snapshot.view.in_modules(snapshot.importers(where.module))
        question = question_of(snapshot, query, _surroundings(snapshot, where, used, offered))
        check_cancelled()
        scored = self._scored(snapshot, question, local, used)
        if request.k > len(scored.scores):
            scored = scored.followed_by(self._tail(snapshot, question, request.k, scored.ids))
        ids, names = scored.ids, scored.columns.names
        depth = self._rerank if self._reranker is not None and kinds == "theorems" else 0
        scores = with_proved_first(names, scored.scores, _unproved(snapshot, local, ids))
        chosen = best(names, scores, max(request.k, depth) + SPARE)
        indexed = chosen[chosen >= len(local.premises)] - len(local.premises)
        snapshot.view.prefetch(ids[indexed].tolist())
        knows_scope = question.there.scope is not None
        found = [
            _shown(snapshot, where, local, ids, int(position), float(scores[position]), in_scope)
            for position in chosen
            for in_scope in [bool(scored.columns.in_scope[position] == 1.0) if knows_scope else None]
        ]
        if request.explain:
            check_cancelled()
            reasons = explanations(scored.tables, chosen)
            found = [replace(one, explanation=why) for one, why in zip(found, reasons, strict=True)]
        return listed(self._reranked(request.goal, found, depth), where)[: request.k]

    def _scored(
        self, snapshot: Snapshot, question: RankingQuestion, local: Local, used: NearbyCounts
    ) -> _Scored:
        """The open file's premises, then the indexed candidates. `used`: what the proofs above use."""
        ids = candidates(question, self._fusion.lists, self._ranker.features)
        columns = local_columns(snapshot, local, question, used).then(columns_of(snapshot, question, ids))
        own = local_ranker_columns(snapshot, local, question, used)
        further = [own, ranker_columns_of(snapshot, question, ids)]
        table = feature_table(snapshot, question, np.concatenate([local.indexed, ids]), columns, further)
        return _Scored.by(self._ranker, ids, columns, table[:, : len(self._ranker.features)])

    def _tail(self, snapshot: Snapshot, question: RankingQuestion, k: int, ids: Ids) -> _Scored:
        """As many more candidates as `k` requires, by the weighted sum.

        Features compare a premise with the other candidates, so the first ones have to be the same for every k.
        """
        more = np.setdiff1d(candidates(question, self._fusion.lists, self._fusion.features, k), ids)
        columns = columns_of(snapshot, question, more)
        return _Scored.by(self._fusion, more, columns, features(question.context, columns))

    def _query(self, snapshot: Snapshot, request: RankRequest) -> GoalQuery:
        """The goal in all ways to write it, each of its vectors a joint one of these."""
        goal, where = request.goal, request.where
        ways = ways_to_write(snapshot, where, goal)
        texts = texts_of(goal)
        tokens = notation_tokens(snapshot, where, texts)
        text = GoalText.of(ways, tokens, notation_tokens(snapshot, where, texts[:1]))
        vector = _joint(map(self._vector, ways))
        target = _joint([self._vector(Goal((), way.target)) for way in ways])
        of_target = GoalVector(target, snapshot.search.query(target))
        if self._tower is None:
            dense = GoalVector(vector, snapshot.search.query(vector))
            return GoalQuery(text, dense, of_target, dense, request.caller)
        read = _joint(map(partial(self._tower_vector, self._tower), ways))
        words, tower = map(GoalVector, (vector, read), snapshot.search.queries(np.stack([vector, read])))
        return GoalQuery(text, words, of_target, tower, request.caller)

    def relates_to(self, goal: Goal, where: GoalContext | None = None) -> bool:
        """Whether any premise has a symbol of the goal's target, or, where that has none, of its hypotheses.

        If none has, a ranking of the premises says nothing. Raises what `rank` raises.
        """
        goal = readable(goal)
        tokens = frozenset(target_tokens(goal)) - _SORTS or frozenset(goal_tokens(goal)) - _SORTS
        with self.reading() as snapshot:
            tokens = tokens.union(notation_tokens(snapshot, where, [goal.target]))
            own = declared_before(where) if where is not None else ()
            return bool(
                (snapshot.bm25.scores(tokens) > 0).any()
                or any(not tokens.isdisjoint(tokens_of(premise)) for premise in own)
            )

    def near_steps(self, goal: Goal, where: GoalContext | None = None, k: int = NEAREST) -> list[NearStep]:
        """The k steps of known proofs whose states are nearest to the goal, nearest first.

        Raises what `rank` raises.
        """
        with self.reading() as snapshot:
            return self._steps.near(snapshot, where, readable(goal), k)

    def embed(self, goals: Sequence[Goal]) -> Floats:
        """float32[n, d], each row of norm 1: the goals' embeddings, eq. (2). Raises Cancelled."""
        rows = np.empty((len(goals), self._encoder.dimension), dtype=np.float32)
        for row, goal in zip(rows, goals, strict=True):
            check_cancelled()
            row[:] = self._vector(readable(goal))
        return rows

    def _vector(self, goal: Goal) -> Floats:
        """float32[d]: the goal's embedding, kept for the next request."""
        return self._goals.get_or_make(goal, lambda: self._encoder.encode_state(goal))

    def _tower_vector(self, tower: StateTower, goal: Goal) -> Floats:
        """float32[d]: the goal's embedding by the state tower."""
        return self._read.get_or_make(goal, lambda: tower.encode_states([goal])[0])

    def _reranked(self, goal: Goal, ranked: list[RankedPremise], depth: int) -> list[RankedPremise]:
        """The first `depth` in the re-ranker's order, followed by the others.

        Premises whose statement is not known (the bundled index has none) count as of average fit.
        """
        if self._reranker is None or not self._reranker.weight or depth < 2:
            return ranked
        head, tail = ranked[:depth], ranked[depth:]
        logits = self._reranker.scores(goal, [one.premise for one in head])
        fused = np.array([one.score for one in head], dtype=np.float32)
        floor = tail[0].score if tail else None  # scores fall from the first premise to the last
        order, scores = reranked(fused, logits, self._reranker.weight, floor)
        added = blend(fused, logits, self._reranker.weight) - fused
        whys = [with_reranker(one.explanation, by) for one, by in zip(head, added.tolist(), strict=True)]
        first = [replace(head[i], score=float(scores[i]), explanation=whys[i]) for i in order.tolist()]
        return [*first, *tail]

    def settled_packages(self) -> frozenset[tuple[str, str]]:
        """The packages, by (name, revision), of which every file is indexed and none can have changed."""
        with self.reading() as snapshot:
            return snapshot.coverage.settled_packages

    def freshness(self, listed: Iterable[ListedSource] = ()) -> Freshness:
        """What the index covers, when it was built, and which files have changed since.

        Args:
            listed: the sources that there are; packages in `settled_packages` may be left out.
        """
        with self.reading() as snapshot:
            return freshness_of(snapshot, listed)


def _joint(vectors: Iterable[Floats]) -> Floats:
    """float32[d]: the vector of a goal by those of the ways to write it; the first counts most."""
    first, *others = vectors
    if not others:
        return first
    total = first + _ANOTHER_WAY * np.sum(others, axis=0)
    length = np.linalg.norm(first) / max(float(np.linalg.norm(total)), 1e-9)
    return np.asarray(total * length, dtype=np.float32)


def _surroundings(
    snapshot: Snapshot, where: GoalContext | None, used: NearbyCounts, offered: Bools
) -> Surroundings:
    """What is known of the goal's place in the open file."""
    uses, scope = snapshot.view.uses, scope_of(snapshot, where)
    known = Surroundings(voters(snapshot, where), offered, uses, used.of_indexed, scope)
    if where is None:
        return known
    place = place_of(snapshot, where, used)
    return replace(known, place=place, module=where.module, theorem=where.theorem, line=where.line)


def _unproved(snapshot: Snapshot, local: Local, ids: Ids) -> Bools:
    """bool[n]: the candidates whose own text has a `sorry`, the open file's first."""
    own = np.array([premise.has_sorry for premise in local.premises], dtype=np.bool_)
    return np.concatenate([own, (snapshot.view.flags[ids] & Flag.SORRY) != 0])


def _shown(
    snapshot: Snapshot,
    where: GoalContext | None,
    local: Local,
    ids: Ids,
    position: int,
    score: float,
    in_scope: bool | None,
) -> RankedPremise:
    """A candidate: the open file's come first, then those of the index."""
    own = len(local.premises)
    if position < own:
        return ranked_premise(local.premises[position], "", score, in_scope)
    return ranked_indexed_premise(snapshot, where, int(ids[position - own]), score, in_scope)
