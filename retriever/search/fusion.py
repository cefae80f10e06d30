"""Several scores in, one ranking out: a linear score over a few features that can be read and checked.

Candidates are the union of several top lists (`Lists`). Each candidate has one number for each feature that its
backend names, and the score is their weighted sum. The weights live in the model folder as `fusion.json`, written
by training:

    {"format": "premise-suggest-fusion", "version": 3,
     "weights": {"dense": 8.1, "lexical": 2.2, ...},            one number for each feature
     "candidates": {"dense": 256, "lexical": 256, "neighbours": 128, "nearby": 64, "structure": 64},
                                                                length of each top list
     "bm25": {"k1": 1.2, "b": 0.75},
     "trained_on": "what the weights were fitted on, in words"}
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import ModelError
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import read_json
from retriever.models.runtime import REINSTALL
from retriever.search.bm25 import Bm25Parameters

FORMAT = "premise-suggest-fusion"
_VERSION = 3
FILE = "fusion.json"


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

    features: tuple[str, ...]
    """The names of the features, in the order of the columns that are scored."""
    weights: tuple[float, ...]
    """In the order of `features`."""
    lists: Lists = field(default_factory=Lists)
    bm25: Bm25Parameters = field(default_factory=Bm25Parameters)
    trained_on: str = ""

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.features):
            raise ValueError(f"{len(self.weights)} weights for {len(self.features)} features")
        if not all(np.isfinite(self.weights)):
            raise ValueError("a weight is not a finite number")

    def score(self, matrix: Floats) -> Floats:
        """float32[n]: the weighted sum of each row of float32[n, len(features)]."""
        return np.asarray(matrix @ np.asarray(self.weights, dtype=np.float32), dtype=np.float32)

    def save(self, folder: Path) -> None:
        """Write `fusion.json` into a model folder."""
        document = {
            "format": FORMAT,
            "version": _VERSION,
            "weights": dict(zip(self.features, self.weights, strict=True)),
            "candidates": asdict(self.lists),
            "bm25": {"k1": self.bm25.k1, "b": self.bm25.b},
            "trained_on": self.trained_on,
        }
        with replacing(folder / FILE) as stream:
            json.dump(document, stream, indent=2, ensure_ascii=False)
            stream.write("\n")

    @classmethod
    def load(cls, folder: Path, features: tuple[str, ...], fit_command: str) -> Fusion:
        """Read `fusion.json` of a model folder. Raises ModelError.

        Args:
            folder: the model's folder.
            features: the names that the file must give a weight, no more and no fewer.
            fit_command: the command that fits the weights of `folder`, for error messages.
        """
        path = folder / FILE
        try:
            document = read_json(path)
            if document["format"] == FORMAT and document["version"] in range(1, _VERSION):
                found = document["version"]
                message = f"The ranking weights {path} are of version {found}, this version reads {_VERSION}."
                raise ModelError(message, f"Fit them again: {fit_command}")
            return _from_json(document, features)
        except FileNotFoundError as error:
            raise ModelError(f"There are no ranking weights {path}.", f"Fit them: {fit_command}") from error
        except OSError as error:
            raise ModelError(
                f"The ranking weights {path} cannot be read: {error.strerror}.", REINSTALL
            ) from error
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise ModelError(f"{path} is damaged: {error}.", REINSTALL) from error


def _from_json(document: Any, features: tuple[str, ...]) -> Fusion:
    """Raises ValueError, KeyError, TypeError, AttributeError, OverflowError."""
    if (document["format"], document["version"]) != (FORMAT, _VERSION):
        raise ValueError(f"format {document['format']} {document['version']}")
    weights = document["weights"]
    unknown = set(weights) ^ set(features)
    if unknown:
        raise ValueError(f"feature {sorted(unknown)[0]!r} is unknown or has no weight")
    return Fusion(
        features,
        tuple(float(weights[name]) for name in features),
        Lists(*(int(document["candidates"][item.name]) for item in fields(Lists))),
        Bm25Parameters(float(document["bm25"]["k1"]), float(document["bm25"]["b"])),
        str(document.get("trained_on", "")),
    )
