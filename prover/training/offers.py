"""The files of `python -m prover retrieve`: the retriever's premises for each step of a split."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from lean_extract.errors import BadRecords
from prover.training.data import EncodedPairs
from prover.training.pairs import TacticPair

FORMAT = "premise-suggest-retrieved"


def tactic_steps(known: EncodedPairs) -> list[TacticPair]:
    """The tactic steps of a split; goals that terms prove are not asked."""
    return [pair for pair in known.pairs if pair.kind != "term"]


def sample(steps: int, limit: int) -> list[int]:
    """Which of so many steps are in the sample of a size: always the same, ascending."""
    return [int(row) for row in np.sort(np.random.default_rng(0).permutation(steps)[:limit])]


def read_retrieved(path: Path, known: EncodedPairs) -> list[list[str] | None]:
    """The names for each of `tactic_steps`, None where it was not asked about.

    Raises BadRecords when the file is of other pairs or another split, or damaged.
    """
    hint = "Write it with `python -m prover retrieve`."
    try:
        with path.open(encoding="utf-8") as stream:
            header, *rows = map(json.loads, stream)
        if header["format"] != FORMAT or header["pairs"] != known.manifest.digest:
            raise BadRecords(f"{path} is of other pairs.", hint)
        if header["part"] != known.split:
            raise BadRecords(f"{path} is of the {header['part']} split, not of {known.split}.", hint)
        if len(rows) != len(tactic_steps(known)):
            raise BadRecords(f"{path} has {len(rows)} of {len(tactic_steps(known))} rows.", hint)
        return [None if row is None else [str(name) for name in row] for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecords(f"{path} cannot be read: {error}.", hint) from error


def retrieved_pairs(path: Path, known: EncodedPairs) -> dict[int, list[str]]:
    """The names by the index in `known.pairs`, for the steps known from text where the retriever was asked.

    Traced steps are of another library than the retriever's dataset. Raises as `read_retrieved`.
    """
    lists = iter(read_retrieved(path, known))
    indices = (index for index, pair in enumerate(known.pairs) if pair.kind != "term")
    found = zip(indices, lists, strict=True)
    return {
        index: names for index, names in found if names is not None and known.pairs[index].kind == "tactic"
    }
