"""The declarations of the open file as they are in the editor: their vectors, and what the index knows of
them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats, Ids
from lean_extract.common.lru import Cache
from lean_extract.records import Premise
from retriever.lean.features import CandidateColumns
from retriever.lean.goal_context import GoalContext, NearbyCounts
from retriever.lean.ranker.features import RankerColumns
from retriever.lean.ranker.kinds import group_of, kind_columns
from retriever.lean.ranker.matches import match_columns
from retriever.lean.ranker.patterns import pattern_columns
from retriever.lean.ranker.place import PLACE
from retriever.lean.ranking import RankingQuestion, hash_rows
from retriever.lean.snapshot import Snapshot
from retriever.lean.structure.hashes import of_premise
from retriever.lean.theorems import is_theorem
from retriever.lean.tokens import premise_tokens
from retriever.limits import CACHED_PREMISES
from retriever.models.encoder import PremiseEncoder
from retriever.models.text import named_texts


@dataclass(frozen=True, slots=True)
class Local:
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


class LocalVectors:
    """Embeds what is not embedded yet; safe to use from several threads."""

    def __init__(self, encoder: PremiseEncoder) -> None:
        self._encoder = encoder
        self._vectors: Cache[Floats] = Cache(CACHED_PREMISES)

    def local(self, snapshot: Snapshot, where: GoalContext | None, premises: tuple[Premise, ...]) -> Local:
        """These premises of the open file at `where`, with what is known of them."""
        if where is None or not premises:
            nothing = np.zeros((0, self._encoder.dimension), dtype=np.float32)
            return Local((), nothing, np.zeros(0, dtype=np.int64))
        indexed = snapshot.names.find_names(premise.name for premise in premises)
        return Local(premises, self._embedded(snapshot, premises, where.module), indexed)

    def _embedded(self, snapshot: Snapshot, premises: Sequence[Premise], module: str | None) -> Floats:
        """float32[n, d]: from the index where the text is unchanged, from the cache, else embedded now."""
        texts = [_texts_of(premise) for premise in premises]
        known = snapshot.module_vectors(module) if module else {}
        found = {text: vector for text in texts if (vector := self._vectors.get(text)) is not None}
        missing = [i for i, text in enumerate(texts) if text not in known and text not in found]
        if missing:
            fresh = self._encoder.encode_premises([premises[i] for i in missing])
            for row, i in enumerate(missing):
                found[texts[i]] = fresh[row]
                self._vectors.put(texts[i], fresh[row])
        rows = [known[text] if text in known else found[text] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self._encoder.dimension), dtype=np.float32)


def local_columns(
    snapshot: Snapshot, local: Local, question: RankingQuestion, used: NearbyCounts
) -> CandidateColumns:
    """The columns of the open file's premises, by the statistics of the index. `used`: what the proofs above use."""
    premises, text = local.premises, question.query.text
    own_tokens = [tokens_of(premise) for premise in premises]
    hashes = [_structure_of(premise) for premise in premises]
    names = [premise.name for premise in premises]
    return CandidateColumns(
        names=names,
        modules=[premise.module for premise in premises],
        lines=np.array([_line(premise) for premise in premises], dtype=np.int64),
        dense=np.asarray(local.vectors @ question.query.dense.vector, dtype=np.float32),
        lexical=snapshot.bm25.score_texts(text.tokens, own_tokens),
        neighbours=local.of_indexed(question.signals.votes),
        symbol_overlap=snapshot.overlap.score_texts(text.tokens, own_tokens),
        fit=snapshot.structure.fit_rows(text.structure, hashes),
        use_count=local.of_indexed(question.there.uses),
        used_nearby=used.of_names(names),
        in_scope=np.ones(len(premises), dtype=np.float32),
    )


def local_ranker_columns(
    snapshot: Snapshot, local: Local, question: RankingQuestion, used: NearbyCounts
) -> RankerColumns:
    """The further columns of the open file's premises, which trees read. As `local_columns`."""
    query, signals = question.query, question.signals
    own_tokens = [tokens_of(premise) for premise in local.premises]
    place = signals.place.of(local.indexed)
    recent = used.last_of_names([premise.name for premise in local.premises])
    place[:, PLACE.index("last_use")] = np.maximum(place[:, PLACE.index("last_use")], recent)
    groups = [group_of(premise.kind, is_theorem=is_theorem(premise)) for premise in local.premises]
    rows = hash_rows([_structure_of(premise) for premise in local.premises])
    return RankerColumns(
        votes=signals.voted.of(local.indexed),
        patterns=pattern_columns(snapshot.structure, query.text.patterns, *rows),
        matches=match_columns(snapshot.structure, query.text.subterms, *rows),
        place=place,
        kinds=kind_columns(np.array(groups, dtype=np.int8)),
        dense_target=np.asarray(local.vectors @ query.target.vector, dtype=np.float32),
        tower=np.asarray(local.vectors @ query.tower.vector, dtype=np.float32),
        target_lexical=snapshot.bm25.score_texts(query.text.target_tokens, own_tokens),
        target_overlap=snapshot.overlap.score_texts(query.text.target_tokens, own_tokens),
        rarest_shared=snapshot.overlap.rarest_of_texts(query.text.tokens, own_tokens),
    )


def _line(premise: Premise) -> int:
    return premise.span.start.line if premise.span else -1


@lru_cache(maxsize=CACHED_PREMISES)
def _texts_of(premise: Premise) -> tuple[str, str, str]:
    return named_texts(premise)


@lru_cache(maxsize=CACHED_PREMISES)
def tokens_of(premise: Premise) -> tuple[str, ...]:
    """A premise's tokens for BM25, kept while it stays as it is."""
    return tuple(premise_tokens(premise))


@lru_cache(maxsize=CACHED_PREMISES)
def _structure_of(premise: Premise) -> frozenset[int]:
    """A premise's hashes of structure, kept while it stays as it is."""
    return of_premise(premise)
