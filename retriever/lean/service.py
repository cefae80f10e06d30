"""Which premises fit a goal: the one door that the server and the command line use.

A goal is embedded (eq. 2) and searched among the premises' vectors (eq. 3) and by BM25; theorems near it
vote for what their proofs use. The best of all lists are ranked by `retriever.search.fusion`, and the first of
those by the model's re-ranker (eq. 5), if it has one. The declarations of the open file take part as they
stand in the editor.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lean_extract.errors import IndexDamaged, PremiseIndexError, PremiseSuggestError
from lean_extract.records import Goal, Premise
from lean_extract.wanted import Unwanted, check_wanted
from retriever.lean.allowed import Allowed
from retriever.lean.features import CandidateColumns, RankingContext, features, load_fusion
from retriever.lean.freshness import Freshness, freshness_of
from retriever.lean.goal_context import GoalContext, used_nearby, voters
from retriever.lean.index.corpus import ListedSource
from retriever.lean.index.proofs import NEIGHBOURS
from retriever.lean.local import LocalVectors, structure_of, tokens_of
from retriever.lean.offer import (
    Kinds,
    RankedPremise,
    offered_premises,
    own_premises,
    ranked_indexed_premise,
    ranked_premise,
    scope_of,
)
from retriever.lean.snapshot import Snapshot
from retriever.lean.structure.hashes import of_goal
from retriever.lean.tokens import goal_tokens
from retriever.models.encoder import Encoder, Floats, PremiseEncoder
from retriever.models.reranker import DEPTH, Reranker, blend
from retriever.models.text import readable
from retriever.search.fusion import Fusion
from retriever.search.index.neighbours import Bools, Ids, NeighbourQuery
from retriever.search.index.store import IndexStore
from retriever.search.top import top
from retriever.search.votes import by_rank

_LOOK_AGAIN_SECONDS = 60.0
"""After an answer failed for another reason, the index's files are not read again for so long."""
_MANY = 256
"""From so many premises on the list by vectors is as long as what was asked for."""


@dataclass(frozen=True, slots=True)
class _Signals:
    """What is known of all n indexed premises before candidates are drawn."""

    lexical: Floats
    votes: Floats
    """Of the theorems nearest to the goal."""
    nearby: Floats
    """In how many proofs above the goal in the open file."""
    overlap: Floats
    """How much of each one's tokens the goal has."""
    instances: Ids
    """The premises that the goal is an instance of by its structure."""
    promise: Floats
    """float32[len(instances)]: how promising each is."""


class PremiseService:
    """Ranks premises of several stores; safe to use from several threads."""

    def __init__(
        self,
        stores: Sequence[IndexStore],
        encoder: PremiseEncoder,
        fusion: Fusion,
        reranker: Reranker | None = None,
        rerank: int = DEPTH,
    ) -> None:
        self._stores = tuple(stores)
        self._encoder = encoder
        self._fusion = fusion
        self._reranker, self._rerank = reranker, rerank
        self._lock = threading.Lock()
        self._vectors = LocalVectors(encoder)
        self._snapshot: Snapshot | None = None
        self._looking = threading.Lock()
        self._found_whole: tuple[Snapshot | None, float] = None, 0.0
        """A snapshot whose files were read again after a failure, and when."""
        self._current()

    @classmethod
    def open(
        cls, stores: Sequence[IndexStore], model_folder: Path, *, threads: int = 1, rerank: int = DEPTH
    ) -> PremiseService:
        """Open stores with a model; where two hold the same module the earlier one counts.

        Args:
            stores: the indexes.
            model_folder: the encoder's; its re-ranker, if it has one, lies in it.
            threads: what an operator of a model may use.
            rerank: how many of the best theorems the re-ranker reads again; 0: it is not even loaded.

        Raises ModelError, IndexMissing, IndexDamaged.
        """
        encoder, fusion = Encoder.load(model_folder, threads=threads), load_fusion(model_folder)
        reranker = Reranker.beside(model_folder, threads=threads) if rerank else None
        return cls(stores, encoder, fusion, reranker, rerank)

    @property
    def encoder(self) -> PremiseEncoder:
        """The model in use."""
        return self._encoder

    def snapshot(self) -> Snapshot:
        """What the stores hold now; an answer is read from it in `reading`. Raises what `open` raises."""
        return self._current()

    @contextmanager
    def reading(self) -> Iterator[Snapshot]:
        """What the stores hold now, for a block that reads it. Raises what `open` raises.

        Where anything fails in the block because a file was altered while it was open, that is IndexDamaged,
        which names it; what fails in files that are as they were written is not theirs, and is raised as it
        is. After a damage the stores are opened again.
        """
        snapshot = self._current()
        try:
            yield snapshot
        except PremiseIndexError:
            self._forget(snapshot)
            raise
        except (PremiseSuggestError, Unwanted):
            raise
        except Exception as error:
            damage = self._damage(snapshot)
            if damage is None:
                raise
            self._forget(snapshot)
            raise damage from error

    def _damage(self, snapshot: Snapshot) -> IndexDamaged | None:
        """What is amiss in the files of a snapshot; those that were just found whole are not read again."""
        with self._looking:
            seen, since = self._found_whole
            if seen is snapshot and time.monotonic() - since < _LOOK_AGAIN_SECONDS:
                return None
            damage = snapshot.view.damage()
            self._found_whole = snapshot, time.monotonic()
            return damage

    @property
    def opened(self) -> Snapshot | None:
        """What was opened last, whether or not the stores have changed since."""
        return self._snapshot

    def rank(
        self,
        goal: Goal,
        where: GoalContext | None = None,
        k: int = 32,
        *,
        kinds: Kinds = "theorems",
        allowed: Allowed | None = None,
    ) -> list[RankedPremise]:
        """The k premises that fit a goal best, best first.

        Without `where` nothing is known about imports. With it, private premises of other files and what
        follows `where.line` are left out. `allowed` restricts what is looked at before the best are chosen.
        Raises IndexDamaged, what `open` raises when the index was replaced by one that cannot be used, and
        Unwanted.
        """
        if k <= 0:
            return []
        with self.reading() as snapshot:
            return self._ranked(snapshot, readable(goal), where, k, kinds, allowed)

    def _ranked(
        self,
        snapshot: Snapshot,
        goal: Goal,
        where: GoalContext | None,
        k: int,
        kinds: Kinds,
        allowed: Allowed | None,
    ) -> list[RankedPremise]:
        tokens = goal_tokens(goal)
        vector = self._encoder.encode_state(goal)
        check_wanted()
        scope = scope_of(snapshot, where)
        local = self._vectors.local(snapshot, where, own_premises(where, kinds, allowed))
        offered = offered_premises(snapshot, where, kinds, len(local.premises), allowed)
        query = snapshot.search.query(vector)
        used = used_nearby(snapshot, where)
        structure = of_goal(goal)
        instances = snapshot.structure.instances(structure)
        nearest = query.top(NEIGHBOURS, voters(snapshot, where))
        signals = _Signals(
            snapshot.bm25.scores(tokens),
            snapshot.proofs.votes(nearest, by_rank(len(nearest))),
            used.of_indexed,
            snapshot.overlap.scores(tokens),
            instances,
            snapshot.structure.fit(structure, instances).promise,
        )
        check_wanted()
        own_tokens = [tokens_of(premise) for premise in local.premises]
        ids = self._candidates(query, signals, offered, scope, k)
        view = snapshot.view
        candidates = CandidateColumns(
            names=[*(p.name for p in local.premises), *(view.name(i) for i in ids.tolist())],
            modules=[*(p.module for p in local.premises), *(view.module(i) for i in ids.tolist())],
            lines=np.array([*map(_line, local.premises), *view.lines[ids].tolist()], dtype=np.int64),
            dense=np.concatenate([local.vectors @ vector, query.scores(ids)]).astype(np.float32),
            lexical=np.concatenate([snapshot.bm25.score_texts(tokens, own_tokens), signals.lexical[ids]]),
            neighbours=np.concatenate([local.of_indexed(signals.votes), signals.votes[ids]]),
            symbol_overlap=np.concatenate(
                [snapshot.overlap.score_texts(tokens, own_tokens), signals.overlap[ids]]
            ),
            fit=snapshot.structure.fit_rows(
                structure, [structure_of(premise) for premise in local.premises]
            ).then(snapshot.structure.fit(structure, ids)),
            use_count=np.concatenate([local.of_indexed(view.uses), view.uses[ids]]),
            used_nearby=np.concatenate(
                [used.of_names([p.name for p in local.premises]), signals.nearby[ids]]
            ),
            in_scope=_scope_feature(scope, ids, len(local.premises)),
        )
        module = where.module if where else None
        theorem, line = (where.theorem, where.line) if where else (None, None)
        place = RankingContext(frozenset(tokens), module, theorem, line)
        scores = self._fusion.score(features(place, candidates))
        depth = self._rerank if self._reranker is not None and kinds == "theorems" else 0
        most = max(k, depth)
        ranked = _first(snapshot, local.premises, ids, candidates, scores, most, scope is not None)
        return self._reranked(goal, ranked, depth)[:k]

    def _reranked(self, goal: Goal, ranked: list[RankedPremise], depth: int) -> list[RankedPremise]:
        """The first `depth` in the re-ranker's order, the others behind them.

        Premises whose statement is not known (the bundled index has none) count as of average fit.
        """
        if self._reranker is None or not self._reranker.weight or depth < 2:
            return ranked
        head, tail = ranked[:depth], ranked[depth:]
        logits = self._reranker.scores(goal, [one.premise for one in head])
        fused = np.array([one.score for one in head], dtype=np.float32)
        scores = blend(fused, logits, self._reranker.weight)
        if tail:  # scores fall from the first premise to the last
            scores = scores + max(0.0, tail[0].score - float(scores.min()))
        order = np.argsort(-scores, kind="stable").tolist()
        return [*(replace(head[place], score=float(scores[place])) for place in order), *tail]

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

    def _current(self) -> Snapshot:
        """The snapshot, opened again if a store has changed."""
        snapshot = self._snapshot
        if snapshot is not None and snapshot.is_current():
            return snapshot
        with self._lock:
            snapshot = self._snapshot
            if snapshot is None or not snapshot.is_current():
                snapshot = Snapshot.open(self._stores, self._encoder.fingerprint, self._fusion)
                self._snapshot = snapshot
            return snapshot

    def _forget(self, snapshot: Snapshot) -> None:
        """Open the stores again for the next answer."""
        with self._lock:
            if self._snapshot is snapshot:
                self._snapshot = None

    def _candidates(
        self, query: NeighbourQuery, signals: _Signals, offered: Bools, scope: Bools | None, k: int
    ) -> Ids:
        """The best of each list among all that is offered, and among what is in scope if that is known.

        Where many are asked for, k at least, if so many are offered: each has a place by its vector.
        """
        lists = self._fusion.lists
        nearest = max(lists.dense, k) if k > _MANY else lists.dense
        filters = [offered] if scope is None else [offered & scope, offered]
        found = [top(signals.nearby, lists.nearby, offered & (signals.nearby > 0))]
        for allowed in filters:
            found.append(query.top(nearest, allowed))
            found.append(top(signals.lexical, lists.lexical, allowed & (signals.lexical > 0)))
            found.append(top(signals.votes, lists.neighbours, allowed & (signals.votes > 0)))
            there = signals.instances[allowed[signals.instances]]
            found.append(there[top(signals.promise[allowed[signals.instances]], lists.structure)])
        return np.unique(np.concatenate(found))


def _line(premise: Premise) -> int:
    return premise.span.start.line if premise.span else -1


def _scope_feature(scope: Bools | None, ids: Ids, local: int) -> Floats:
    indexed = np.full(len(ids), 0.5) if scope is None else scope[ids]
    return np.concatenate([np.ones(local), indexed]).astype(np.float32)


def _first(
    snapshot: Snapshot,
    local: Sequence[Premise],
    ids: Ids,
    candidates: CandidateColumns,
    scores: Floats,
    k: int,
    knows_scope: bool,
) -> list[RankedPremise]:
    """The k best candidates of different names."""
    ranked: list[RankedPremise] = []
    seen: set[str] = set()
    for position in np.argsort(-scores, kind="stable").tolist():
        name = candidates.names[position]
        if name in seen:
            continue
        seen.add(name)
        in_scope = bool(candidates.in_scope[position] == 1.0) if knows_scope else None
        score = float(scores[position])
        if position < len(local):
            ranked.append(ranked_premise(local[position], "", score, in_scope))
        else:
            ranked.append(ranked_indexed_premise(snapshot, int(ids[position - len(local)]), score, in_scope))
        if len(ranked) == k:
            break
    return ranked
