"""What our encoders need at run time: a tokenizer, and batches of texts of like length."""

from __future__ import annotations

import reprlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from lean_extract.common.arrays import Int64s
from lean_extract.common.files.json_text import read_json
from lean_extract.common.files.reading import read_regular_text
from retriever.limits import MAX_TOKENIZER_BYTES
from retriever.models import text as texts

REINSTALL = "Install premise-suggest again, or name another model folder in the settings."
DAMAGE = (EOFError, ValueError, KeyError, TypeError, RuntimeError, MemoryError, BadZipFile, zlib.error)
"""What reading a damaged .json or .npz file raises, besides OSError. A flipped bit may ask for encryption, for an
unknown method of compression, or for a huge array."""


def check_form(values: Mapping[str, Any], form: str, version: int) -> None:
    """That a config.json is of this form and of the text form read today. Raises ValueError, KeyError."""
    check_header(values, form, version)
    if values["text_version"] != texts.VERSION:
        raise ValueError(f"trained on text form {values['text_version']}, this is {texts.VERSION}")


def check_header(values: Mapping[str, Any], form: str, version: int) -> None:
    """That a file says it is of this form. Raises ValueError, KeyError."""
    if (values["format"], values["version"]) != (form, version):
        raise ValueError(f"format {values['format']} {values['version']}, not {form} {version}")


def read_settings(path: Path) -> dict[str, Any]:
    """The object in a model folder's JSON file. Raises OSError, and ValueError: it holds none."""
    values = read_json(path)
    if type(values) is not dict:
        raise ValueError("it holds no object")
    return values


def whole(values: Mapping[str, Any], name: str, least: int, most: int = 1_000_000) -> int:
    """A number of things that a file names. Raises KeyError, and ValueError where the number is impossible."""
    value = values[name]
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name} {reprlib.repr(value)} is not a number from {least} to {most}")
    return value


def open_tokenizer(path: Path) -> Any:
    """The tokenizer of a file, neither cutting nor padding. Raises OSError and what `tokenizers` raises."""
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_str(read_regular_text(path, MAX_TOKENIZER_BYTES))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def packed(rows: Sequence[Sequence[int]], tokens: int) -> Iterator[list[int]]:
    """Places of rows, shortest first, in runs whose padded size stays within `tokens`; no run is empty."""
    batch: list[int] = []
    for index in sorted(range(len(rows)), key=lambda index: len(rows[index])):
        if batch and (len(batch) + 1) * len(rows[index]) > tokens:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def padded(rows: Sequence[Sequence[int]], fill: int) -> tuple[Int64s, Int64s]:
    """(values, mask), both int64[rows, longest]."""
    width = max(len(row) for row in rows)
    values = np.full((len(rows), width), fill, dtype=np.int64)
    mask = np.zeros((len(rows), width), dtype=np.int64)
    for index, row in enumerate(rows):
        values[index, : len(row)] = row
        mask[index, : len(row)] = 1
    return values, mask
