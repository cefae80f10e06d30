"""Mined candidates on disk: what a retriever ranks first for each query of a dataset."""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Int32s
from lean_extract.common.errors import ModelError
from lean_extract.common.files.atomic import replacing_bytes

VERSION = 1
SPLITS_TO_MINE = ("train", "valid")


@dataclass(frozen=True, slots=True)
class Mined:
    """The first candidates of some of a dataset's queries, never the theorem itself or its twins."""

    queries: NDArray[np.int64]
    """[q] Numbers of the queries, ascending."""
    candidates: Int32s
    """[q, m] Numbers of corpus premises, best first; -1 where there were fewer than m."""
    data: str
    """The dataset's digest."""
    fingerprint: str
    """The model's."""
    has_gold: bool
    """Whether gold premises are among them (a ranking to measure), or were left out (hard negatives)."""

    def of(self, queries: NDArray[np.int64]) -> Int32s:
        """int32[b, m]: the candidates of these queries; a row of -1 for one that was not mined."""
        rows = np.searchsorted(self.queries, queries).clip(max=max(len(self.queries) - 1, 0))
        if not len(self.queries):
            return np.full((len(queries), self.candidates.shape[1]), -1, dtype=np.int32)
        known = self.queries[rows] == queries
        return np.where(known[:, None], self.candidates[rows], np.int32(-1))


def save_mined(path: Path, mined: Mined) -> None:
    """Write the file, whole or not at all."""
    about = {
        "version": VERSION,
        "data": mined.data,
        "fingerprint": mined.fingerprint,
        "has_gold": mined.has_gold,
    }
    with replacing_bytes(path) as stream:
        np.savez(
            stream, queries=mined.queries, candidates=mined.candidates, about=np.array(json.dumps(about))
        )


def load_mined(path: Path, data_digest: str, miner: str, *, with_gold: bool = False) -> Mined:
    """The candidates of a file; `with_gold` says which of the two kinds is wanted, `miner` which command made it.

    Raises ModelError when there is no such file, when it is damaged, of another dataset or the other kind.
    """
    hint = f"Mine it again with python -m {miner}" + (" --queries valid." if with_gold else ".")
    try:
        with np.load(path) as values:
            about = json.loads(str(values["about"]))
            mined = Mined(
                values["queries"],
                values["candidates"],
                about["data"],
                about["fingerprint"],
                about["has_gold"],
            )
    except FileNotFoundError as error:
        raise ModelError(f"There are no mined candidates in {path}.", hint) from error
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ModelError(f"The mined candidates in {path} are damaged: {error}.", hint) from error
    if about.get("version") != VERSION:
        raise ModelError(f"{path} has version {about.get('version')}, not {VERSION}.", hint)
    if mined.data != data_digest:
        raise ModelError(f"The candidates in {path} were mined in another dataset.", hint)
    if mined.has_gold != with_gold:
        kind = "holds gold premises too" if mined.has_gold else "holds no gold premises"
        raise ModelError(f"{path} {kind}.", hint)
    return mined
