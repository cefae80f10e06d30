"""What is known of each candidate, as columns of numbers that the weighted sum (`retriever.search.fusion`) reads."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats
from retriever.lean.structure.index import Fit
from retriever.lean.tokens import name_parts
from retriever.search.fusion import Fusion

FEATURES = (
    "dense",  # cosine of the state with the premise, eq. (2) or (3) as the model has it
    "lexical",  # BM25, divided by the best BM25 score among the candidates
    "dense_rank",  # 1 / (1 + rank) by dense score among the candidates, counted from 0
    "lexical_rank",  # the same for BM25; 0 when no token is shared
    "neighbours",  # ln(1 + votes of the nearest theorems, whose proofs use it): `retriever.search.votes`
    "symbol_overlap",  # MePo's: share of its tokens that the goal has, weighed by rarity: `retriever.lean.symbols`
    "instance",  # how much of the goal the conclusion says that it is an instance of: `retriever.lean.structure`
    "exact_match",  # how surely the premise, given all that it assumes, states the goal
    "assumed",  # how much the context has of what an instance assumes
    "structure_overlap",  # how much of the conclusion the goal has
    "foreign_types",  # how much of the types in its binders the goal does not mention
    "name_overlap",  # share of the name's parts that are among the goal's tokens
    "theorem_name",  # share of the name's parts that are in the name of the theorem being proved
    "use_count",  # ln(1 + how many training proofs use it)
    "used_nearby",  # ln(1 + how many proofs above the goal in the open file use it)
    "in_scope",  # 1 importable through the open file's imports, 0 not, 0.5 not known
    "same_namespace",  # share of the theorem's namespace that the premise's name begins with
    "same_module",  # 1 if it is declared in the open file
    "same_directory",  # share of the open module's path that the premise's module begins with
    "line_distance",  # 1 / (1 + lines between / 20) above the goal in the open file, else 0
)
_LINES = 20.0


def load_fusion(folder: Path) -> Fusion:
    """The weights of FEATURES in a model folder. Raises ModelError."""
    command = f"python -m retriever fit-fusion {folder} DATASET"
    return Fusion.load(folder, FEATURES, command)


@dataclass(frozen=True, slots=True)
class RankingContext:
    """The question, as far as the features need it; what is not known is None."""

    tokens: Set[str]
    """The goal's lexical tokens."""
    module: str | None = None
    theorem: str | None = None
    """The full name of the theorem being proved."""
    line: int | None = None
    """The goal's line in the open file, from 0."""


@dataclass(frozen=True, slots=True)
class CandidateColumns:
    """Parallel columns over n candidates."""

    names: Sequence[str]
    modules: Sequence[str]
    lines: npt.NDArray[np.integer]
    """int[n]: where each is declared, from 0; -1 where that is not known."""
    dense: Floats
    """float32[n], cosine."""
    lexical: Floats
    """float32[n], BM25 as computed."""
    neighbours: Floats
    """float32[n]: the votes as counted."""
    symbol_overlap: Floats
    """float32[n], from 0 to 1."""
    fit: Fit
    """How each fits the goal by its structure."""
    use_count: npt.NDArray[np.int32]
    used_nearby: Floats
    """float32[n]: in how many proofs above."""
    in_scope: Floats
    """float32[n]: 1 yes, 0 no, 0.5 not known."""

    def then(self, other: CandidateColumns) -> CandidateColumns:
        """The candidates of both, concatenated."""
        return CandidateColumns(
            names=[*self.names, *other.names],
            modules=[*self.modules, *other.modules],
            lines=np.concatenate([self.lines, other.lines]),
            dense=np.concatenate([self.dense, other.dense]),
            lexical=np.concatenate([self.lexical, other.lexical]),
            neighbours=np.concatenate([self.neighbours, other.neighbours]),
            symbol_overlap=np.concatenate([self.symbol_overlap, other.symbol_overlap]),
            fit=self.fit.then(other.fit),
            use_count=np.concatenate([self.use_count, other.use_count]),
            used_nearby=np.concatenate([self.used_nearby, other.used_nearby]),
            in_scope=np.concatenate([self.in_scope, other.in_scope]),
        )


def features(context: RankingContext, candidates: CandidateColumns) -> Floats:
    """float32[n, len(FEATURES)], columns in the order of FEATURES; 0 where the context is not known."""
    best = float(candidates.lexical.max(initial=0.0))
    lexical = candidates.lexical / best if best > 0 else np.zeros_like(candidates.lexical)
    same_module = np.array([module == context.module for module in candidates.modules], dtype=np.bool_)
    proved = frozenset(name_parts(context.theorem)) if context.theorem else frozenset()
    parts = [name_parts(name) for name in candidates.names]
    columns = {
        "dense": candidates.dense,
        "lexical": lexical,
        "dense_rank": 1.0 / (1.0 + ranks(candidates.dense)),
        "lexical_rank": np.where(candidates.lexical > 0, 1.0 / (1.0 + ranks(candidates.lexical)), 0.0),
        "neighbours": np.log1p(candidates.neighbours),
        "symbol_overlap": candidates.symbol_overlap,
        **_structural(candidates.fit),
        "name_overlap": shares_among(parts, context.tokens),
        "theorem_name": shares_among(parts, proved),
        "use_count": np.log1p(candidates.use_count),
        "used_nearby": np.log1p(candidates.used_nearby),
        "in_scope": candidates.in_scope,
        "same_namespace": [_shared(_parent(context.theorem), name) for name in candidates.names],
        "same_module": same_module,
        "same_directory": _of_distinct(_parent(context.module), candidates.modules),
        "line_distance": _line_distance(context.line, candidates.lines, same_module),
    }
    return np.stack([np.asarray(columns[name], dtype=np.float32) for name in FEATURES], axis=1)


def _structural(fit: Fit) -> dict[str, Floats]:
    is_instance = fit.instance > 0
    return {
        "instance": fit.instance,
        "exact_match": fit.exact,
        "assumed": (is_instance * fit.hypotheses * fit.assumed).astype(np.float32),
        "structure_overlap": fit.overlap,
        "foreign_types": 1.0 - fit.types,
    }


def shares_among(parts: Sequence[Sequence[str]], wanted: Set[str]) -> list[float]:
    """The share of each list's parts that are among those wanted."""
    if not wanted:
        return [0.0] * len(parts)
    return [len([part for part in one if part in wanted]) / max(len(one), 1) for one in parts]


def _shared(prefix: str | None, name: str) -> float:
    """How much of a dotted prefix the name begins with, from 0 to 1; 0 without a prefix."""
    if not prefix:
        return 0.0
    wanted = prefix.split(".")
    shared = 0
    for left, right in zip(wanted, name.split("."), strict=False):
        if left != right:
            break
        shared += 1
    return shared / len(wanted)


def _of_distinct(prefix: str | None, names: Sequence[str]) -> list[float]:
    """`_shared` of each name, worked out once for names that repeat."""
    known = {name: _shared(prefix, name) for name in set(names)}
    return [known[name] for name in names]


def _parent(name: str | None) -> str | None:
    return name.rpartition(".")[0] if name else None


def _line_distance(
    line: int | None, lines: npt.NDArray[np.integer], same_module: npt.NDArray[np.bool_]
) -> Floats:
    if line is None:
        return np.zeros(len(lines), dtype=np.float32)
    above = same_module & (lines >= 0) & (lines < line)
    return np.where(above, 1.0 / (1.0 + np.abs(line - lines) / _LINES), 0.0).astype(np.float32)


def ranks(scores: Floats) -> npt.NDArray[np.int64]:
    """int64[n]: the rank of each score from 0, best first; ties in order of position."""
    order = np.argsort(-scores, kind="stable")
    result = np.empty(len(scores), dtype=np.int64)
    result[order] = np.arange(len(scores))
    return result
