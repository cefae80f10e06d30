"""The folder of a generator of shapes: what it holds, reading and writing it.

generator.json   {"format": "premise-suggest-shapes", "version": 1,
                  "shapes": ["", "simp", "rw [⟪P⟫]", ...],   the first stands for all others
                  "max_premises": 16,                        that are read of a goal's
                  ...}                                       further keys are for the reader
shapes.npz       the arrays of `networks.sizes` as float16, save for `words`, which is int8 with a scale a row;
                 `premises`: the names of premises, one a line in UTF-8, and `uses` (uint8, a row a name)
README.md        the model card
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

from lean_extract.common.errors import ModelError
from lean_extract.common.files.atomic import replacing, replacing_bytes
from lean_extract.common.files.json_text import read_json
from prover.generator.files import CONFIG, REINSTALL
from prover.shaped.networks import Networks, sizes
from prover.shaped.pointing import Uses
from prover.shaped.shape import GROUPS, Shape

FORMAT = "premise-suggest-shapes"
VERSION = 1
ARRAYS = "shapes.npz"
_MOST_SHAPES = 20_000
_MOST_PREMISES = 500_000
_MOST_BYTES = 256 << 20
"""The largest array in the file, in bytes."""
_MOST_USES = 255


@dataclass(frozen=True, slots=True)
class Contents:
    """A folder's content."""

    shapes: tuple[Shape, ...]
    """The first stands for all others, and is never written."""
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
        if not isinstance(shapes, list) or not 2 <= len(shapes) <= _MOST_SHAPES:
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
            if member.file_size > _MOST_BYTES:
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
    if counts.shape != (len(names), len(GROUPS)) or len(names) > _MOST_PREMISES:
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
