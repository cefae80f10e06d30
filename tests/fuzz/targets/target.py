"""A reader that is fuzzed, and what several of them share."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_extract.common.errors import PremiseSuggestError
from tests.hostile import shapes


@dataclass(frozen=True, slots=True)
class Target:
    """A reader."""

    run: Callable[[str], Any]
    seeds: tuple[str, ...]
    """Ordinary texts, and tokens that it looks for."""
    shapes: Mapping[str, shapes.Shape]
    allowed: tuple[type[Exception], ...] = (PremiseSuggestError,)


def text_of(data: bytes) -> str:
    """Any bytes as a text; what is no UTF-8 becomes lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """About the bytes of a text; a surrogate that no byte makes is written as JSON does."""
    return text.encode("utf-8", "surrogateescape" if _is_escaped(text) else "backslashreplace")


def _is_escaped(text: str) -> bool:
    return all("\udc80" <= letter <= "\udcff" for letter in text if "\ud800" <= letter <= "\udfff")


def in_file(name: str, read: Callable[[Path], Any], wrap: str = "{}") -> Callable[[str], Any]:
    """A reader of files as one of texts."""
    folder = tempfile.TemporaryDirectory(prefix="fuzz")

    def run(text: str) -> Any:
        path = Path(folder.name) / name
        path.write_bytes(bytes_of(wrap.replace("{}", text)))
        return read(path)

    run.folder = folder  # type: ignore[attr-defined]  # it is there as long as the reader is
    return run


def json_values(read: Callable[[Any], Any]) -> Callable[[str], Any]:
    """A reader of values that came as JSON."""

    def run(text: str) -> Any:
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            return None  # the reader of messages reports it
        return read(values)

    return run


JSON_SHAPES = {
    "lists": shapes.nested("[", "]"),
    "objects": shapes.nested('{"a":', "}", inside="1"),
    "digits": shapes.repeated("9"),
}
JSON_TEXTS = ("NaN", "1e400", "-1", "null", '"\\ud800"', '"a"', "{}", "[]", '{"a": 1}')
STATE = "α : Type u\ninst✝ : Group α\na b : α\nh : a * b = 1\n⊢ b * a = 1"
