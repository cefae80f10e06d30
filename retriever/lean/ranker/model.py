"""The learned ranker: LambdaRank trees (Burges 2010) over `RANKER_FEATURES`, as an ONNX file in the model folder.

`ranker.onnx` has the input `features` (float32[n, columns]), the output `scores` (float32[n, 1]), and these metadata:

    format      premise-suggest-ranker
    version     1
    features    the names of the columns, in order, with spaces between: some of RANKER_FEATURES
    added       JSON: the weights of features that are added to the trees' score (`{"in_scope": 2.0}`)
    fitted_on   in words, with the data's hashes
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import ModelError
from lean_extract.common.onnx_runtime import open_session
from retriever.lean.ranker.features import RANKER_FEATURES
from retriever.models.runtime import REINSTALL

FILE = "ranker.onnx"
FORMAT = "premise-suggest-ranker"
VERSION = 1
INPUT, OUTPUT = "features", "scores"
_FIT = "Fit it again: python -m retriever fit-ranker {folder} EXAMPLES"


@dataclass(frozen=True, slots=True)
class TreeRanker:
    """A ranker loaded from its file; safe to use from several threads."""

    session: Any
    columns: npt.NDArray[np.int64]
    """int64[k]: which of RANKER_FEATURES the trees read, in their order."""
    added: Floats
    """float32[len(RANKER_FEATURES)]: weights of features that are added to the trees' score."""
    fitted_on: str = ""
    features: tuple[str, ...] = RANKER_FEATURES
    """The columns of the table that is scored."""

    def score(self, matrix: Floats) -> Floats:
        """float32[n]: the score of each row of float32[n, len(RANKER_FEATURES)]."""
        if not len(matrix):
            return np.zeros(0, dtype=np.float32)
        read = np.ascontiguousarray(matrix[:, self.columns], dtype=np.float32)
        [found] = self.session.run([OUTPUT], {INPUT: read})
        return np.asarray(found[:, 0] + matrix @ self.added, dtype=np.float32)

    @classmethod
    def of_model(cls, folder: Path, *, threads: int = 1) -> TreeRanker | None:
        """The ranker in a model folder; None if it has none. Raises ModelError."""
        path = folder / FILE
        if not path.exists():
            return None
        try:
            session = open_session(path, threads)
            about = dict(session.get_modelmeta().custom_metadata_map)
            if (about["format"], int(about["version"])) != (FORMAT, VERSION):
                raise ValueError(f"format {about['format']} {about['version']}")
            added = json.loads(about["added"])
            weights = np.array([float(added.get(name, 0.0)) for name in RANKER_FEATURES], dtype=np.float32)
        except ModelError:  # of onnxruntime, not of this model
            raise
        except OSError as error:
            raise ModelError(f"The ranker {path} cannot be read: {error.strerror}.", REINSTALL) from error
        except Exception as error:  # onnxruntime raises bare Exception subclasses of many kinds
            raise ModelError(f"The ranker {path} is damaged: {error}.", REINSTALL) from error
        read = about["features"].split()
        if not set(read) <= set(RANKER_FEATURES):
            raise ModelError(
                f"The ranker {path} reads other features than this version computes.",
                _FIT.format(folder=folder),
            )
        columns = np.array([RANKER_FEATURES.index(name) for name in read], dtype=np.int64)
        return cls(session, columns, weights, about.get("fitted_on", ""))
