"""Which premises fit a goal: the one door that the server and the command line use.

A goal is embedded (eq. 2) and searched among the premises' vectors (eq. 3) and by BM25; theorems near it
vote for what their proofs use. The best of all lists are ranked by `retriever.search.fusion`, and the first of
those by the model's re-ranker (eq. 5), if it has one. The declarations of the open file take part as they
stand in the editor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Ids
from lean_extract.common.cancellation import check_cancelled
from lean_extract.common.devices import Device, Place
from lean_extract.common.lru import Cache
from lean_extract.near_steps import NearStep
from lean_extract.records import Goal
from retriever.lean.allowed import Allowed
from retriever.lean.callers import Caller
from retriever.lean.explanation import ScoredTable, explanations, with_reranker
from retriever.lean.features import FEATURES, CandidateColumns, RankingContext, features, load_fusion
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
from retriever.lean.index.corpus import ListedSource
from retriever.lean.index.view import NEIGHBOURS
from retriever.lean.listing import SPARE, listed, with_proved_first
from retriever.lean.local import Local, LocalVectors, local_columns, local_ranker_columns, tokens_of
from retriever.lean.near_steps import NEAREST, NearSteps
from retriever.lean.offer import (
    Kinds,
    RankedPremise,
    internal_premises,
    offered_premises,
    own_premises,
    ranked_indexed_premise,
    ranked_premise,
    scope_of,
)
from retriever.lean.ranker.features import RANKER_FEATURES
from retriever.lean.ranker.model import TreeRanker
from retriever.lean.ranker.signals import TargetQuestion, indexed_columns, ranker_signals, ranker_table
from retriever.lean.ranking import RankingQuestion, Signals, best, candidates, columns_of
from retriever.lean.snapshot import Snapshot
from retriever.lean.structure.hashes import (
    GoalPatterns,
    GoalStructure,
    goal_statement,
    of_statement,
    patterns_of,
)
from retriever.lean.tokens import goal_tokens, target_tokens
from retriever.models.encoder import Encoder, PremiseEncoder
from retriever.models.reranker import DEPTH, Reranker, blend
from retriever.models.state_tower import StateTower
from retriever.models.text import readable
from retriever.search.fusion import Fusion
from retriever.search.index.exact import NearestNeighbours, NeighbourQuery
from retriever.search.index.store import IndexStore
from retriever.search.reading import SnapshotReader
from retriever.search.reranking import reranked
from retriever.search.votes import by_rank

_CACHED_GOALS = 64
_ANOTHER_WAY = 0.5
_SORTS = frozenset(("prop", "type", "sort"))
"""Tokens of no symbol that a premise could be about."""


@dataclass(frozen=True, slots=True)
class RankRequest:
    """What `PremiseService.rank` was asked."""

    goal: Goal
    where: GoalContext | None
    k: int
    kinds: Kinds
    allowed: Allowed | None
    caller: Caller = ""
    explain: bool = False


@dataclass(frozen=True, slots=True)
class GoalVectors:
    """A goal's embeddings, float32[d]; `target` and `tower` if the learned ranker is to be asked."""

    state: Floats
    target: Floats | None = None
    """Of its target alone."""
    tower: Floats | None = None
    """As the state tower reads it."""


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
        self._fusion, self._ranker = fusion, ranker
        self._reranker, self._rerank = reranker, rerank
        self._vectors = LocalVectors(encoder)
        self._goals: Cache[Floats] = Cache(_CACHED_GOALS)
        self._read: Cache[Floats] = Cache(_CACHED_GOALS)
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
            model_folder: the encoder's; its re-ranker, if it has one, lies in it.
            threads: what an operator of a model may use.
            rerank: how many of the best theorems are re-ranked; 0: the re-ranker is not even loaded.
            device: where encoder, state tower and re-ranker run. The ranker's trees are not: CUDA has none.

        Raises ModelError, IndexMissing, IndexDamaged.
        """
        encoder, fusion = (
            Encoder.load(model_folder, threads=threads, device=device),
            load_fusion(model_folder),
        )
        reranker = Reranker.beside(model_folder, threads=threads, device=device) if rerank else None
        ranker = TreeRanker.beside(model_folder, threads=threads)
        tower = None
        if ranker is not None:
            tower = StateTower.beside(model_folder, encoder, threads=threads, device=device)
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

    def rank(
        self,
        goal: Goal,
        where: GoalContext | None = None,
        k: int = 32,
        *,
        kinds: Kinds = "theorems",
        allowed: Allowed | None = None,
        caller: Caller = "",
        explain: bool = False,
    ) -> list[RankedPremise]:
        """The k premises that fit a goal best, best first.

        Without `where` nothing is known about imports. With it, private premises of other files and what
        follows `where.line` are left out. `allowed` restricts what is looked at before the best are chosen.
        `caller` is the tactic that the premises are for. `explain` gives each an explanation of its score.
        Raises IndexDamaged, what `open` raises when the index was replaced by one that cannot be used, and
        Cancelled.
        """
        if k <= 0:
            return []
        with self.reading() as snapshot:
            return self._ranked(
                snapshot, RankRequest(readable(goal), where, k, kinds, allowed, caller, explain)
            )

    def _ranked(self, snapshot: Snapshot, asked: RankRequest) -> list[RankedPremise]:
        goal, where = asked.goal, asked.where
        ranker = self._ranker
        ways = ways_to_write(snapshot, where, goal)
        vectors = GoalVectors(_joint(map(self._vector, ways)))
        if ranker is not None:
            targets = [Goal((), way.target) for way in ways]
            vectors = replace(
                vectors,
                target=_joint(map(self._vector, targets)),
                tower=_joint(map(self._tower_vector, ways)) if self._tower else vectors.state,
            )
        check_cancelled()
        local = self._vectors.local(snapshot, where, own_premises(where, asked.kinds, asked.allowed))
        used = used_nearby(snapshot, where)
        question = _question(snapshot, asked, ways, vectors, used, len(local.premises))
        check_cancelled()
        ids = candidates(question, self._fusion.lists, asked.k if ranker is None else 0)
        own = local_columns(snapshot, local, question, vectors.state, used)
        columns = own.then(columns_of(question, snapshot.view, snapshot.structure, ids))
        table = features(question.context, columns)
        if ranker is None:
            scores = self._fusion.score(table)
            tables = [ScoredTable(self._fusion, FEATURES, table)]
        else:
            table = _ranker_table(snapshot, question, local, used, ids, columns, table)
            scores = ranker.score(table)
            tables = [ScoredTable(ranker, RANKER_FEATURES, table)]
            if asked.k > len(scores):
                ids, columns, scores, more = self._lengthened(
                    snapshot, question, asked.k, ids, columns, scores
                )
                tables.append(more)
        depth = self._rerank if self._reranker is not None and asked.kinds == "theorems" else 0
        scores = with_proved_first(columns.names, scores, _unproved(snapshot, local, ids))
        chosen = best(columns.names, scores, max(asked.k, depth) + SPARE)
        knows_scope = question.scope is not None
        indexed = chosen[chosen >= len(local.premises)] - len(local.premises)
        snapshot.view.read_ahead(ids[indexed].tolist())
        found = [
            _shown(snapshot, local, ids, int(position), float(scores[position]), in_scope)
            for position in chosen
            for in_scope in [bool(columns.in_scope[position] == 1.0) if knows_scope else None]
        ]
        if asked.explain:
            check_cancelled()
            reasons = explanations(tables, chosen)
            found = [replace(one, explanation=why) for one, why in zip(found, reasons, strict=True)]
        return listed(self._reranked(goal, found, depth), where)[: asked.k]

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

    def _vector(self, goal: Goal) -> Floats:
        """float32[d]: the goal's embedding, kept for whoever asks next."""
        return self._goals.get_or_make(goal, lambda: self._encoder.encode_state(goal))

    def _tower_vector(self, goal: Goal) -> Floats:
        """float32[d]: the goal's embedding by the state tower, or by the encoder where there is none."""
        tower = self._tower
        if tower is None:
            return self._vector(goal)
        return self._read.get_or_make(goal, lambda: tower.encode_states([goal])[0])

    def _lengthened(
        self,
        snapshot: Snapshot,
        question: RankingQuestion,
        k: int,
        ids: Ids,
        columns: CandidateColumns,
        scores: Floats,
    ) -> tuple[Ids, CandidateColumns, Floats, ScoredTable]:
        """The candidates and, behind them, as many more as k asks for, by the fusion; last what scored those.

        The ranker's features compare a premise with the other candidates, so these have to be the same for
        every k.
        """
        more = np.setdiff1d(candidates(question, self._fusion.lists, k), ids)
        further = columns_of(question, snapshot.view, snapshot.structure, more)
        scored = ScoredTable(self._fusion, FEATURES, features(question.context, further))
        fused = self._fusion.score(scored.rows)
        behind = scores.min(initial=0.0) - 1.0 + fused - fused.max(initial=0.0)
        return np.concatenate([ids, more]), columns.then(further), np.concatenate([scores, behind]), scored

    def _reranked(self, goal: Goal, ranked: list[RankedPremise], depth: int) -> list[RankedPremise]:
        """The first `depth` in the re-ranker's order, the others behind them.

        Premises whose statement is not known (the bundled index has none) count as of average fit.
        """
        if self._reranker is None or not self._reranker.weight or depth < 2:
            return ranked
        head, tail = ranked[:depth], ranked[depth:]
        logits = self._reranker.scores(goal, [one.premise for one in head])
        fused = np.array([one.score for one in head], dtype=np.float32)
        behind = tail[0].score if tail else None  # scores fall from the first premise to the last
        order, scores = reranked(fused, logits, self._reranker.weight, behind)
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


def _ranker_table(
    snapshot: Snapshot,
    question: RankingQuestion,
    local: Local,
    used: NearbyCounts,
    ids: Ids,
    columns: CandidateColumns,
    table: Floats,
) -> Floats:
    """float32[n, len(RANKER_FEATURES)]: of the open file's premises, then of the indexed candidates."""
    signals, tokens = question.signals.further, question.context.tokens
    assert signals is not None
    own = local_ranker_columns(snapshot, local, signals, tokens, used)
    parts = [(local.indexed, own), (ids, indexed_columns(snapshot, signals, ids))]
    return ranker_table(snapshot, signals, parts, columns, table, tokens)


def _state_queries(search: NearestNeighbours, vectors: GoalVectors) -> tuple[NeighbourQuery, NeighbourQuery]:
    """Of the bag of words and of the state tower; the same one without a tower."""
    if vectors.tower is None or vectors.tower is vectors.state:
        query = search.query(vectors.state)
        return query, query
    words, tower = search.queries(np.stack([vectors.state, vectors.tower]))
    return words, tower


def _question(
    snapshot: Snapshot,
    asked: RankRequest,
    ways: Sequence[Goal],
    vectors: GoalVectors,
    used: NearbyCounts,
    local: int,
) -> RankingQuestion:
    """What is known of the indexed premises.

    Args:
        snapshot: the index.
        asked: the request.
        ways: its goal, and the goal as it is written without declared notations, if it has any.
        vectors: the goal's.
        used: what the proofs above use.
        local: how many premises of the open file are offered beside the indexed ones.
    """
    goal, where = asked.goal, asked.where
    statements = list(map(goal_statement, ways))
    texts = texts_of(goal)
    tokens = [token for way in ways for token in goal_tokens(way)]
    tokens += notation_tokens(snapshot, where, texts)
    structure = reduce(GoalStructure.also, map(of_statement, statements))
    query, of_tower = _state_queries(snapshot.search, vectors)
    allowed = voters(snapshot, where)
    nearest = query.top(NEIGHBOURS, allowed)
    lexical = snapshot.bm25.scores(tokens)
    further = None
    if vectors.target is not None and vectors.tower is not None:
        of_target = TargetQuestion(
            snapshot.search.query(vectors.target),
            vectors.target,
            of_tower,
            vectors.tower,
            frozenset(notation_tokens(snapshot, where, texts[:1])).union(*map(target_tokens, ways)),
            reduce(GoalPatterns.also, map(patterns_of, statements)),
            asked.caller,
        )
        place = place_of(snapshot, where, used)
        further = ranker_signals(snapshot, of_target, query, lexical, frozenset(tokens), allowed, place)
    instances = snapshot.structure.instances(structure)
    signals = Signals(
        dense=query,
        lexical=lexical,
        votes=snapshot.proofs.votes(nearest, by_rank(len(nearest))),
        nearby=used.of_indexed,
        overlap=snapshot.overlap.scores(tokens),
        instances=instances,
        promise=snapshot.structure.fit(structure, instances).promise,
        uses=snapshot.view.uses,
        further=further,
    )
    context = RankingContext(frozenset(tokens))
    if where is not None:
        context = RankingContext(frozenset(tokens), where.module, where.theorem, where.line)
    offered = offered_premises(snapshot, where, asked.kinds, local, asked.allowed)
    offered &= ~internal_premises(snapshot, where, texts, asked.allowed)
    return RankingQuestion(context, structure, signals, offered, scope_of(snapshot, where))


def _unproved(snapshot: Snapshot, local: Local, ids: Ids) -> Bools:
    """bool[n]: the candidates whose own text has a `sorry`, the open file's first."""
    own = np.array([premise.has_sorry for premise in local.premises], dtype=np.bool_)
    return np.concatenate([own, (snapshot.view.flags[ids] & Flag.SORRY) != 0])


def _shown(
    snapshot: Snapshot, local: Local, ids: Ids, position: int, score: float, in_scope: bool | None
) -> RankedPremise:
    """A candidate: the open file's first, those of the index behind them."""
    own = len(local.premises)
    if position < own:
        return ranked_premise(local.premises[position], "", score, in_scope)
    return ranked_indexed_premise(snapshot, int(ids[position - own]), score, in_scope)
