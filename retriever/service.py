"""Which premises fit a goal: the one door that the server and the command line use.

A goal is embedded (eq. 2) and searched among the premises' vectors (eq. 3) and by BM25; theorems near it
vote for what their proofs use. The best of all lists are ranked by `retriever.fusion`, and the first of
those by the model's re-ranker (eq. 5), if it has one. The declarations of the open file take part as they
stand in the editor.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from lean_extract.records import Goal, Premise
from retriever.encoder import Encoder, Floats, PremiseEncoder
from retriever.features import Candidates, Place, features
from retriever.fusion import Fusion, top
from retriever.index.content import is_theorem
from retriever.index.neighbours import Bools, Ids, Query
from retriever.index.plan import Source as SourceFile
from retriever.index.store import IndexStore
from retriever.index.view import IndexView, Source
from retriever.lexical import goal_tokens, premise_tokens
from retriever.place import Where, declared_before, proved, used_nearby, voters
from retriever.proofs import NEIGHBOURS
from retriever.reranker import DEPTH, Reranker, blend
from retriever.snapshot import Snapshot, stamps_of
from retriever.text import premise_texts

Kinds = Literal["theorems", "definitions", "all"]

DOCUMENTATION = "https://leanprover-community.github.io/mathlib4_docs/"
_DOCUMENTED = frozenset(
    (
        "mathlib",
        "batteries",
        "std",
        "aesop",
        "qq",
        "proofwidgets",
        "plausible",
        "importgraph",
        "leansearchclient",
    )
)
_MOST_LOCAL = 512
_CACHED_VECTORS = 4096
_MOST_PROBED = 64


@dataclass(frozen=True, slots=True)
class RankedPremise:
    """A premise, how well it fits, and whether it can be used there."""

    premise: Premise
    """Without statement where it comes from the bundled index."""
    score: float
    in_scope: bool | None
    """None where it is not known what is imported."""
    import_line: str | None
    """What would bring it into scope, where it is not."""
    doc_url: str | None


@dataclass(frozen=True, slots=True)
class Freshness:
    """What the index covers and how old it is."""

    sources: tuple[Source, ...]
    built_at: str
    """ISO 8601, UTC: when the first store, or one that it includes, was last written."""
    stale_files: tuple[str, ...]
    """Files that changed or went since they were indexed."""
    unindexed_files: tuple[str, ...] = ()
    """Sources that were listed, can be read, and are in no store that was made on this machine."""


@dataclass(frozen=True, slots=True)
class _Local:
    """The open file's premises that may be offered, with their vectors."""

    premises: tuple[Premise, ...]
    vectors: Floats
    indexed: Ids
    """int64[k]: the premise of the same name in the index, -1 where there is none."""

    def of_indexed(self, column: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What a column over the index holds of them; 0 for what is not indexed."""
        values = np.zeros(len(self.indexed), dtype=column.dtype)
        values[self.indexed >= 0] = column[self.indexed[self.indexed >= 0]]
        return values


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
        self._vectors: OrderedDict[tuple[str, str], Floats] = OrderedDict()
        self._snapshot = Snapshot.open(self._stores, encoder.fingerprint, fusion)

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
        encoder, fusion = Encoder.load(model_folder, threads=threads), Fusion.load(model_folder)
        reranker = Reranker.beside(model_folder, threads=threads) if rerank else None
        return cls(stores, encoder, fusion, reranker, rerank)

    @property
    def encoder(self) -> PremiseEncoder:
        """The model in use."""
        return self._encoder

    def rank(
        self, goal: Goal, where: Where | None = None, k: int = 32, *, kinds: Kinds = "theorems"
    ) -> list[RankedPremise]:
        """The k premises that fit a goal best, best first.

        Without `where` nothing is known about imports. With it, private premises of other files and what
        follows `where.line` are left out. Raises IndexDamaged, and what `open` raises when the index was
        replaced by one that cannot be used.
        """
        if k <= 0:
            return []
        snapshot = self._current()
        tokens = goal_tokens(goal)
        vector = self._encoder.encode_state(goal)
        local = self._local(snapshot, where, kinds)
        offered = _offered(snapshot, where, kinds, {premise.name for premise in local.premises})
        scope = _scope(snapshot, where)
        query = snapshot.search.query(vector)
        used = used_nearby(snapshot, where)
        signals = _Signals(
            snapshot.bm25.scores(tokens),
            snapshot.proofs.votes(query.top(NEIGHBOURS, voters(snapshot, where))),
            used.of_indexed,
            snapshot.overlap.scores(tokens),
        )
        own_tokens = [_tokens_of(premise) for premise in local.premises]
        ids = self._candidates(query, signals, offered, scope)
        view = snapshot.view
        candidates = Candidates(
            names=[*(p.name for p in local.premises), *(view.name(i) for i in ids.tolist())],
            modules=[*(p.module for p in local.premises), *(view.module(i) for i in ids.tolist())],
            lines=np.array([*map(_line, local.premises), *view.lines[ids].tolist()], dtype=np.int64),
            dense=np.concatenate([local.vectors @ vector, query.scores(ids)]).astype(np.float32),
            lexical=np.concatenate([snapshot.bm25.score_texts(tokens, own_tokens), signals.lexical[ids]]),
            neighbours=np.concatenate([local.of_indexed(signals.votes), signals.votes[ids]]),
            symbol_overlap=np.concatenate(
                [snapshot.overlap.score_texts(tokens, own_tokens), signals.overlap[ids]]
            ),
            use_count=np.concatenate([local.of_indexed(view.uses), view.uses[ids]]),
            used_nearby=np.concatenate(
                [used.of_names([p.name for p in local.premises]), signals.nearby[ids]]
            ),
            in_scope=_scope_feature(scope, ids, len(local.premises)),
        )
        module = where.module if where else None
        theorem, line = (where.theorem, where.line) if where else (None, None)
        place = Place(frozenset(tokens), module, theorem, line)
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
        return self._current().view.settled_packages

    def freshness(self, listed: Iterable[SourceFile] = ()) -> Freshness:
        """What the index covers, when it was built, and which files have changed since.

        Args:
            listed: the sources that there are; packages in `settled_packages` may be left out.
        """
        snapshot = self._current()
        view = snapshot.view
        read = [part.manifest for part in view.parts if not part.is_bundled]
        built = max(manifest.built_at for manifest in (snapshot.manifests[0], *read))
        return Freshness(view.sources, built, view.stale_files(), _unindexed(view, listed))

    def _current(self) -> Snapshot:
        """The snapshot, opened again if a store has changed."""
        snapshot = self._snapshot
        if stamps_of(self._stores) == snapshot.stamps:
            return snapshot
        with self._lock:
            if stamps_of(self._stores) != self._snapshot.stamps:
                self._snapshot = Snapshot.open(self._stores, self._encoder.fingerprint, self._fusion)
            return self._snapshot

    def _candidates(self, query: Query, signals: _Signals, offered: Bools, scope: Bools | None) -> Ids:
        """The best of each list among all that is offered, and among what is in scope if that is known."""
        lists = self._fusion.lists
        filters = [offered] if scope is None else [offered & scope, offered]
        found = [top(signals.nearby, lists.nearby, offered & (signals.nearby > 0))]
        for allowed in filters:
            found.append(query.top(lists.dense, allowed))
            found.append(top(signals.lexical, lists.lexical, allowed & (signals.lexical > 0)))
            found.append(top(signals.votes, lists.neighbours, allowed & (signals.votes > 0)))
        return np.unique(np.concatenate(found))

    def _local(self, snapshot: Snapshot, where: Where | None, kinds: Kinds) -> _Local:
        if where is None or not where.local:
            nothing = np.zeros((0, self._encoder.dimension), dtype=np.float32)
            return _Local((), nothing, np.zeros(0, dtype=np.int64))
        before = declared_before(where)
        chosen = tuple(p for p in before if kinds == "all" or is_theorem(p) == (kinds == "theorems"))
        chosen = chosen[-_MOST_LOCAL:]
        indexed = snapshot.names.find_names(premise.name for premise in chosen)
        return _Local(chosen, self._embedded(snapshot, chosen, where.module), indexed)

    def _embedded(self, snapshot: Snapshot, premises: Sequence[Premise], module: str | None) -> Floats:
        """float32[n, d]: from the index where the text is unchanged, from the cache, else embedded now."""
        texts = [_texts_of(premise) for premise in premises]
        known = snapshot.module_vectors(module) if module else {}
        with self._lock:
            found = {text: self._vectors[text] for text in texts if text in self._vectors}
        missing = [i for i, text in enumerate(texts) if text not in known and text not in found]
        if missing:
            fresh = self._encoder.encode_premises([premises[i] for i in missing])
            found.update({texts[i]: fresh[row] for row, i in enumerate(missing)})
            with self._lock:
                self._vectors.update(found)
                while len(self._vectors) > _CACHED_VECTORS:
                    self._vectors.popitem(last=False)
        rows = [known[text] if text in known else found[text] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self._encoder.dimension), dtype=np.float32)


def _unindexed(view: IndexView, listed: Iterable[SourceFile]) -> tuple[str, ...]:
    """The listed files that were never read; what cannot be read never will be, and does not count."""
    missing = [
        source.path
        for source in listed
        if (source.module, source.package or "", source.revision or "") not in view.files_read
    ]
    if len(missing) <= _MOST_PROBED:  # more than that is a run that was stopped, not a few odd files
        missing = [path for path in missing if _is_text(path)]
    return tuple(sorted(map(str, missing)))


def _is_text(path: Path) -> bool:
    try:
        path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return True


def _offered(snapshot: Snapshot, where: Where | None, kinds: Kinds, local_names: set[str]) -> Bools:
    """bool[n]: the indexed premises that may be offered at all."""
    allowed = snapshot.view.alive.copy()
    if kinds != "all":
        allowed &= snapshot.is_theorem if kinds == "theorems" else ~snapshot.is_theorem
    if where is None:
        return np.asarray(allowed & ~snapshot.is_private)
    own = snapshot.in_module(where.module) if where.module else np.zeros(len(allowed), dtype=np.bool_)
    allowed &= own | ~snapshot.is_private
    allowed[proved(snapshot, where)] = False
    if where.shows_file and len(local_names) < _MOST_LOCAL:
        allowed &= ~own  # What the editor shows takes the place of what was indexed.
    elif where.line is not None:
        allowed &= ~own | (snapshot.view.lines < where.line)
    return np.asarray(allowed)


def _line(premise: Premise) -> int:
    return premise.span.start.line if premise.span else -1


def _scope(snapshot: Snapshot, where: Where | None) -> Bools | None:
    if where is None:
        return None
    reached = snapshot.in_scope(where.imports)
    return np.asarray(reached | snapshot.in_module(where.module)) if where.module else reached


def _scope_feature(scope: Bools | None, ids: Ids, local: int) -> Floats:
    indexed = np.full(len(ids), 0.5) if scope is None else scope[ids]
    return np.concatenate([np.ones(local), indexed]).astype(np.float32)


def _first(
    snapshot: Snapshot,
    local: Sequence[Premise],
    ids: Ids,
    candidates: Candidates,
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
        package = ""
        if position < len(local):
            premise = local[position]
        else:
            number = int(ids[position - len(local)])
            premise, package = snapshot.view.premise(number), snapshot.view.package(number)
        import_line = f"import {premise.module}" if in_scope is False else None
        url = doc_url(premise, package)
        ranked.append(RankedPremise(premise, float(scores[position]), in_scope, import_line, url))
        if len(ranked) == k:
            break
    return ranked


def doc_url(premise: Premise, package: str) -> str | None:
    """The premise's page in Mathlib's online documentation, for the packages that it covers."""
    if package.lower() not in _DOCUMENTED or premise.is_private:
        return None
    page = "/".join(quote(part.strip("«»")) for part in premise.module.split("."))
    return f"{DOCUMENTATION}{page}.html#{quote(premise.name)}"


@lru_cache(maxsize=_CACHED_VECTORS)
def _texts_of(premise: Premise) -> tuple[str, str]:
    return premise_texts(premise)


@lru_cache(maxsize=_CACHED_VECTORS)
def _tokens_of(premise: Premise) -> tuple[str, ...]:
    return tuple(premise_tokens(premise))
