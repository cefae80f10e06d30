"""Several scores in, one ranking out: a linear score over a few features that can be read and checked.

Candidates are the union of several top lists (`Lists`); each gets the `FEATURES` of `retriever.lean.features`, and
the score is their weighted sum. The weights live in the model folder as `fusion.json`, written by training:

    {"format": "premise-suggest-fusion", "version": 3,
     "weights": {"dense": 8.1, "lexical": 2.2, ...},            one number for each of FEATURES
     "candidates": {"dense": 256, "lexical": 256, "neighbours": 128, "nearby": 64, "structure": 64},
                                                                length of each top list
     "bm25": {"k1": 1.2, "b": 0.75},
     "trained_on": "what the weights were fitted on, in words"}
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lean_extract.atomic import replacing
from lean_extract.errors import ModelError
from lean_extract.json_text import read_json
from retriever.lean.features import FEATURES
from retriever.search.lexical import Bm25Parameters

FORMAT = "premise-suggest-fusion"
VERSION = 3
FILE = "fusion.json"

Floats = npt.NDArray[np.float32]


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
class Lists:
    """How many candidates each list gives."""

    dense: int = 256
    """Of the nearest by embedding, eq. (2) or (3)."""
    lexical: int = 256
    """Of the best by BM25."""
    neighbours: int = 128
    """Of those with most votes from the nearest theorems."""
    nearby: int = 64
    """Of what the proofs above the goal use most often."""

    structure: int = 64
    """Of those that the goal is best an instance of."""

    def __post_init__(self) -> None:
        if min(self.dense, self.lexical, self.neighbours, self.nearby, self.structure) < 1:
            raise ValueError("a candidate list needs a positive length")


@dataclass(frozen=True, slots=True)
class Fusion:
    """The weights, and how many candidates each list gives."""

    weights: tuple[float, ...]
    """In the order of FEATURES."""
    lists: Lists = field(default_factory=Lists)
    bm25: Bm25Parameters = field(default_factory=Bm25Parameters)
    trained_on: str = ""

    def __post_init__(self) -> None:
        if len(self.weights) != len(FEATURES):
            raise ValueError(f"{len(self.weights)} weights for {len(FEATURES)} features")
        if not all(np.isfinite(self.weights)):
            raise ValueError("a weight is not a finite number")

    def score(self, matrix: Floats) -> Floats:
        """float32[n]: the weighted sum of each row of float32[n, len(FEATURES)]."""
        return np.asarray(matrix @ np.asarray(self.weights, dtype=np.float32), dtype=np.float32)

    def save(self, folder: Path) -> None:
        """Write `fusion.json` into a model folder."""
        document = {
            "format": FORMAT,
            "version": VERSION,
            "weights": dict(zip(FEATURES, self.weights, strict=True)),
            "candidates": asdict(self.lists),
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
            document = read_json(path)
            if document["format"] == FORMAT and document["version"] in range(1, VERSION):
                found = document["version"]
                message = f"The ranking weights {path} are of version {found}, this version reads {VERSION}."
                raise ModelError(message, FIT_AGAIN.format(folder=folder))
            if (document["format"], document["version"]) != (FORMAT, VERSION):
                raise ValueError(f"format {document['format']} {document['version']}")
            weights = document["weights"]
            unknown = set(weights) ^ set(FEATURES)
            if unknown:
                raise ValueError(f"feature {sorted(unknown)[0]!r} is unknown or has no weight")
            return cls(
                tuple(float(weights[name]) for name in FEATURES),
                Lists(*(int(document["candidates"][item.name]) for item in fields(Lists))),
                Bm25Parameters(float(document["bm25"]["k1"]), float(document["bm25"]["b"])),
                str(document.get("trained_on", "")),
            )
        except FileNotFoundError as error:
            raise ModelError(f"There are no ranking weights {path}.", FIT.format(folder=folder)) from error
        except OSError as error:
            raise ModelError(
                f"The ranking weights {path} cannot be read: {error.strerror}.", REINSTALL
            ) from error
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ModelError(f"{path} is damaged: {error}.", REINSTALL) from error


FIT = "Fit them: python -m retriever fit-fusion {folder} DATASET"
FIT_AGAIN = "Fit them anew: python -m retriever fit-fusion {folder} DATASET"
REINSTALL = "Install premise-suggest again, or name another model folder in the settings."
