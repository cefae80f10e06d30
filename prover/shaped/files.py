"""The networks of a generator of shapes, evaluated with numpy, and its folder: what it holds, reading and writing it.

generator.json   {"format": "premise-suggest-shapes", "version": 1,
                  "shapes": ["", "simp", "rw [⟪P⟫]", ...],   the first means any other
                  "max_premises": 16,                        that are read of a goal's
                  ...}                                       further keys are for the reader
shapes.npz       the arrays of `sizes` as float16, save for `words`, which is int8 with a scale a row;
                 `premises`: the names of premises, one a line in UTF-8, and `uses` (uint8, a row a name)
README.md        the model card

There are three small networks: a classifier of shapes, and two kinds of pointers. `c` is the number of shapes.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.errors import ModelError
from lean_extract.common.files.atomic import replacing, replacing_bytes
from lean_extract.common.files.json_text import read_json
from prover.generator.files import CONFIG, REINSTALL
from prover.limits import MAX_MODEL_ARRAY_BYTES, MAX_MODEL_PREMISES, MAX_MODEL_SHAPES
from prover.shaped.pointing import HEAD_BUCKETS, LOCAL_FEATURES, PREMISE_FEATURES, TYPE_BUCKETS, Uses
from prover.shaped.shape import GROUPS, Shape
from prover.shaped.situation import BUCKETS, FIELDS

FORMAT = "premise-suggest-shapes"
VERSION = 1
ARRAYS = "shapes.npz"
_MOST_USES = 255


@dataclass(frozen=True, slots=True)
class Contents:
    """A folder's content."""

    shapes: tuple[Shape, ...]
    """The first means any other shape, and is never written."""
    networks: Networks
    uses: Uses
    max_premises: int
    fingerprint: str


def is_shapes(folder: Path) -> bool:
    """Whether a folder holds a generator of this kind. Raises OSError, ValueError: its configuration is unreadable."""
    values = read_json(folder / CONFIG)
    return isinstance(values, dict) and values.get("format") == FORMAT


def read(folder: Path) -> Contents:
    """The content of a folder. Raises ModelError."""
    try:
        values = read_json(folder / CONFIG)
        if (values["format"], values["version"]) != (FORMAT, VERSION):
            raise ValueError(f"format {values['format']} {values['version']}, not {FORMAT} {VERSION}")
        shapes, most = values["shapes"], values["max_premises"]
        if not isinstance(shapes, list) or not 2 <= len(shapes) <= MAX_MODEL_SHAPES:
            raise ValueError("shapes is not a list of at least two")
        if not all(isinstance(shape, str) for shape in shapes):
            raise ValueError("a shape is not a text")
        if not isinstance(most, int) or not 0 <= most <= 1000:
            raise ValueError(f"max_premises {most!r} is not an integer from 0 to 1,000")
        arrays, uses = _arrays(folder / ARRAYS, len(shapes))
        digest = hashlib.sha256((folder / CONFIG).read_bytes())
        digest.update(hashlib.sha256((folder / ARRAYS).read_bytes()).digest())
    except OSError as error:
        raise ModelError(f"The generator in {folder} cannot be read: {error}.", REINSTALL) from error
    except (ValueError, KeyError, TypeError, zipfile.BadZipFile, EOFError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise ModelError(f"The generator in {folder} is damaged: {reason}.", REINSTALL) from error
    found = tuple(Shape.of(shape) for shape in shapes)
    return Contents(found, Networks(arrays), uses, most, digest.hexdigest()[:16])


def _arrays(path: Path, shapes: int) -> tuple[dict[str, NDArray[np.float32]], Uses]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.file_size > MAX_MODEL_ARRAY_BYTES:
                raise ValueError(f"{member.filename} has {member.file_size:,} bytes")
    found: dict[str, NDArray[np.float32]] = {}
    with np.load(path, allow_pickle=False) as values:
        for name, wanted in sizes(shapes).items():
            array = values[name].astype(np.float32)
            if array.shape != wanted or not np.isfinite(array).all():
                raise ValueError(f"{name} is not {wanted} finite numbers")
            found[name] = array * values["scales"][:, None] if name == "words" else array
        names = values["premises"].tobytes().decode("utf-8").split("\n")
        counts = values["uses"]
    if counts.shape != (len(names), len(GROUPS)) or len(names) > MAX_MODEL_PREMISES:
        raise ValueError("uses does not fit premises")
    return found, dict(zip(names, counts.tolist(), strict=True))


def write(
    folder: Path,
    shapes: Sequence[str],
    arrays: Mapping[str, NDArray[np.float32]],
    uses: Uses,
    about: Mapping[str, Any],
) -> None:
    """Write a folder; the configuration comes last. `about`: further keys, `max_premises` among them."""
    (folder / CONFIG).unlink(missing_ok=True)
    scales = np.maximum(np.abs(arrays["words"]).max(axis=1), 1e-8).astype(np.float32) / 127
    stored: dict[str, NDArray[Any]] = {
        name: array.astype(np.float16) for name, array in arrays.items() if name != "words"
    }
    stored["words"] = np.round(arrays["words"] / scales[:, None]).astype(np.int8)
    stored["scales"] = scales
    stored["premises"] = np.frombuffer("\n".join(uses).encode(), dtype=np.uint8)
    counts = np.array(list(uses.values()), dtype=np.int64).reshape(len(uses), len(GROUPS))
    stored["uses"] = np.minimum(counts, _MOST_USES).astype(np.uint8)
    with replacing_bytes(folder / ARRAYS) as stream:
        np.savez_compressed(stream, allow_pickle=False, **stored)
    values = {"format": FORMAT, "version": VERSION, **about, "shapes": list(shapes)}
    with replacing(folder / CONFIG) as text:
        text.write(json.dumps(values, ensure_ascii=False, indent=1) + "\n")


WORD, HIDDEN, POINTER, TYPE, HEAD = 48, 192, 48, 8, 8
"""The sizes of the layers."""


def sizes(shapes: int) -> dict[str, tuple[int, ...]]:
    """The arrays of a model with this many shapes, by name."""
    width = len(FIELDS) * WORD
    premise = len(PREMISE_FEATURES) + len(GROUPS) + HEAD
    local = len(LOCAL_FEATURES) + len(GROUPS) + TYPE + HEAD
    return {
        "words": (BUCKETS, WORD),
        "hidden.weight": (HIDDEN, width),
        "hidden.bias": (HIDDEN,),
        "shapes.weight": (shapes, HIDDEN),
        "shapes.bias": (shapes,),
        "local.types": (TYPE_BUCKETS, TYPE),
        "premise.heads": (HEAD_BUCKETS, HEAD),
        "local.heads": (HEAD_BUCKETS, HEAD),
        "premise.weight": (POINTER, premise),
        "premise.bias": (POINTER,),
        "premise.out": (POINTER,),
        "local.weight": (POINTER, local),
        "local.bias": (POINTER,),
        "local.out": (POINTER,),
    }


@dataclass(frozen=True, slots=True)
class Networks:
    """The arrays, by the names in `sizes`."""

    arrays: Mapping[str, Floats]

    def shapes(self, bags: Sequence[Int64s]) -> Floats:
        """float32[c]: the log-probability of each shape, given the words of each field."""
        parts = [self._mean(bag) for bag in bags]
        hidden = np.maximum(
            self.arrays["hidden.weight"] @ np.concatenate(parts) + self.arrays["hidden.bias"], 0
        )
        return log_softmax(self.arrays["shapes.weight"] @ hidden + self.arrays["shapes.bias"])

    def _mean(self, bag: Int64s) -> Floats:
        if not len(bag):
            return np.zeros(WORD, dtype=np.float32)
        return np.asarray(self.arrays["words"][bag].sum(axis=0) / np.sqrt(len(bag)), dtype=np.float32)

    def premises(self, table: Floats, group: int, head: int) -> Floats:
        """float32[n]: the score of each premise (float32[n, PREMISE_FEATURES]) for a slot."""
        return self._pointed("premise", table, group, head)

    def locals(self, table: Floats, types: Int64s, group: int, head: int) -> Floats:
        """float32[n]: the score of each local (float32[n, LOCAL_FEATURES], its type's bucket int64[n])."""
        rows = np.concatenate([table, self.arrays["local.types"][types]], axis=1)
        return self._pointed("local", rows, group, head)

    def _pointed(self, kind: str, rows: Floats, group: int, head: int) -> Floats:
        slot = np.concatenate([_one_hot(group), self.arrays[f"{kind}.heads"][head]])
        weight, width = self.arrays[f"{kind}.weight"], rows.shape[1]
        bias = weight[:, width:] @ slot + self.arrays[f"{kind}.bias"]
        hidden = np.maximum(rows @ weight[:, :width].T + bias, 0)
        return np.asarray(hidden @ self.arrays[f"{kind}.out"], dtype=np.float32)


def log_softmax(scores: Floats) -> Floats:
    """The logarithms of probabilities that are proportional to the exponentials of scores."""
    highest = scores.max()
    return np.asarray(scores - highest - np.log(np.exp(scores - highest).sum()), dtype=np.float32)


def _one_hot(group: int) -> Floats:
    found = np.zeros(len(GROUPS), dtype=np.float32)
    found[group] = 1
    return found
