"""What our encoders need at run time: a tokenizer, and batches of texts of like length."""

from __future__ import annotations

import hashlib
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import ModelError
from lean_extract.common.files.json_text import read_json
from retriever.models import text as texts

REINSTALL = "Install premise-suggest again, or name another model folder in the settings."


@contextmanager
def reading_model(what: str, folder: Path, hint: str = REINSTALL) -> Iterator[None]:
    """Turns what reading a model's files raises into a ModelError that says which `what` cannot be read."""
    try:
        yield
    except ModelError:  # of onnxruntime, not of this model
        raise
    except OSError as error:
        raise ModelError(f"The {what} in {folder} cannot be read: {error}.", hint) from error
    except Exception as error:  # onnxruntime, tokenizers and damaged archives raise exceptions of many kinds
        reason = str(error).rstrip(".")
        raise ModelError(f"The {what} in {folder} is damaged: {reason}.", hint) from error


@contextmanager
def reading_settings(what: str, path: Path, hint: str = REINSTALL) -> Iterator[None]:
    """The same for the file of a model's settings, without which there is no `what` in its folder."""
    try:
        yield
    except OSError as error:
        message = f"There is no {what} in {path.parent}: {path.name}: {error.strerror}."
        raise ModelError(message, hint) from error
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ModelError(f"{path} does not fit this version: {error}.", hint) from error


def digest_of(folder: Path, names: Iterable[str], settings: str = "") -> str:
    """16 hexadecimal digits over settings, where there are any, and files. Raises OSError."""
    digest = hashlib.sha256(settings.encode())
    for name in names:
        digest.update(hashlib.sha256((folder / name).read_bytes()).digest())
    return digest.hexdigest()[:16]


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
