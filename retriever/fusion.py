"""Several scores in, one ranking out: a linear score over a few features that can be read and checked.

Candidates are the union of the dense and the lexical top lists; each gets the `FEATURES` below, and the
score is their weighted sum. The weights live in the model folder as `fusion.json`, written by training:

    {"format": "premise-suggest-fusion", "version": 1,
     "weights": {"dense": 8.1, "lexical": 2.2, ...},            one number for each of FEATURES
     "candidates": {"dense": 256, "lexical": 256},              length of each top list
     "bm25": {"k1": 1.2, "b": 0.75},
     "trained_on": "what the weights were fitted on, in words"}
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lean_extract.atomic import replacing
from lean_extract.errors import ModelError
from retriever.lexical import Bm25Parameters, name_parts

FORMAT = "premise-suggest-fusion"
VERSION = 1
FILE = "fusion.json"

FEATURES = (
    "dense",  # eq. (3): cosine of the state with the mean of the premise's two vectors
    "lexical",  # BM25, divided by the best BM25 score among the candidates
    "dense_rank",  # 1 / (1 + rank) by dense score among the candidates, counted from 0
    "lexical_rank",  # the same for BM25; 0 when no token is shared
    "name_overlap",  # share of the name's parts that stand among the goal's tokens
    "use_count",  # ln(1 + how many training proofs use it)
    "in_scope",  # 1 importable through the open file's imports, 0 not, 0.5 not known
    "same_namespace",  # share of the theorem's namespace that the premise's name begins with
    "same_module",  # 1 if it is declared in the open file
    "same_directory",  # share of the open module's path that the premise's module begins with
)

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Place:
    """What is asked, as far as the features need it. `namespace` is `""` at the top level."""

    tokens: frozenset[str]
    """The goal's lexical tokens."""
    module: str | None = None
    namespace: str | None = None


@dataclass(frozen=True, slots=True)
class Candidates:
    """Parallel columns over n candidates."""

    names: Sequence[str]
    modules: Sequence[str]
    dense: Floats
    """float32[n], cosine."""
    lexical: Floats
    """float32[n], BM25 as computed."""
    use_count: npt.NDArray[np.int32]
    in_scope: Floats
    """float32[n]: 1 yes, 0 no, 0.5 not known."""


def features(place: Place, candidates: Candidates) -> Floats:
    """float32[n, len(FEATURES)], columns in the order of FEATURES."""
    best = float(candidates.lexical.max(initial=0.0))
    lexical = candidates.lexical / best if best > 0 else np.zeros_like(candidates.lexical)
    columns = [
        candidates.dense,
        lexical,
        1.0 / (1.0 + ranks(candidates.dense)),
        np.where(candidates.lexical > 0, 1.0 / (1.0 + ranks(candidates.lexical)), 0.0),
        [_overlap(name, place.tokens) for name in candidates.names],
        np.log1p(candidates.use_count),
        candidates.in_scope,
        [_shared(place.namespace, name) for name in candidates.names],
        [float(module == place.module) for module in candidates.modules],
        [_shared(_parent(place.module), module) for module in candidates.modules],
    ]
    return np.stack([np.asarray(column, dtype=np.float32) for column in columns], axis=1)


def _overlap(name: str, tokens: frozenset[str]) -> float:
    parts = name_parts(name)
    return sum(part in tokens for part in parts) / len(parts) if parts else 0.0


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


def _parent(module: str | None) -> str | None:
    return module.rpartition(".")[0] if module else None


def ranks(scores: Floats) -> npt.NDArray[np.int64]:
    """int64[n]: the rank of each score from 0, best first; ties in order of position."""
    order = np.argsort(-scores, kind="stable")
    result = np.empty(len(scores), dtype=np.int64)
    result[order] = np.arange(len(scores))
    return result


def top(scores: Floats, k: int, allowed: npt.NDArray[np.bool_] | None = None) -> npt.NDArray[np.int64]:
    """The positions of the k best finite scores among `allowed` (bool[n]; None: all), best first.

    Ties are in order of position.
    """
    if allowed is not None:
        places = np.flatnonzero(allowed)
        return places[top(scores[places], k)]
    if k <= 0:
        return np.zeros(0, dtype=np.int64)
    if k < len(scores):
        # Everything that ties with the k-th is sorted too, so that ties break by position.
        border = np.partition(scores, len(scores) - k)[len(scores) - k]
        chosen = np.flatnonzero(scores >= border)
    else:
        chosen = np.arange(len(scores))
    chosen = chosen[np.isfinite(scores[chosen])]
    return chosen[np.argsort(-scores[chosen], kind="stable")][:k]


@dataclass(frozen=True, slots=True)
class Fusion:
    """The weights, and how many candidates each list gives."""

    weights: tuple[float, ...]
    """In the order of FEATURES."""
    dense_candidates: int = 256
    lexical_candidates: int = 256
    bm25: Bm25Parameters = field(default_factory=Bm25Parameters)
    trained_on: str = ""

    def __post_init__(self) -> None:
        if len(self.weights) != len(FEATURES):
            raise ValueError(f"{len(self.weights)} weights for {len(FEATURES)} features")
        if not all(np.isfinite(self.weights)):
            raise ValueError("a weight is not a finite number")
        if self.dense_candidates < 1 or self.lexical_candidates < 1:
            raise ValueError("a candidate list needs a positive length")

    def score(self, matrix: Floats) -> Floats:
        """float32[n]: the weighted sum of each row of float32[n, len(FEATURES)]."""
        return np.asarray(matrix @ np.asarray(self.weights, dtype=np.float32), dtype=np.float32)

    def save(self, folder: Path) -> None:
        """Write `fusion.json` into a model folder."""
        document = {
            "format": FORMAT,
            "version": VERSION,
            "weights": dict(zip(FEATURES, self.weights, strict=True)),
            "candidates": {"dense": self.dense_candidates, "lexical": self.lexical_candidates},
            "bm25": {"k1": self.bm25.k1, "b": self.bm25.b},
            "trained_on": self.trained_on,
        }
        with replacing(folder / FILE) as stream:
            json.dump(document, stream, indent=2, ensure_ascii=False)
            stream.write("\n")

    @classmethod
    def load(cls, folder: Path) -> Fusion:
        """Read `fusion.json` of a model folder. Raises ModelError."""
        path = folder / FILE
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if (document["format"], document["version"]) != (FORMAT, VERSION):
                raise ValueError(f"format {document['format']} {document['version']}")
            weights = document["weights"]
            unknown = set(weights) ^ set(FEATURES)
            if unknown:
                raise ValueError(f"feature {sorted(unknown)[0]!r} is unknown or has no weight")
            return cls(
                tuple(float(weights[name]) for name in FEATURES),
                int(document["candidates"]["dense"]),
                int(document["candidates"]["lexical"]),
                Bm25Parameters(float(document["bm25"]["k1"]), float(document["bm25"]["b"])),
                str(document.get("trained_on", "")),
            )
        except OSError as error:
            raise ModelError(
                f"The ranking weights {path} cannot be read: {error.strerror}.", REINSTALL
            ) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path} is damaged: {error}.", REINSTALL) from error


REINSTALL = "Install premise-suggest again, or name another model folder in the settings."
