"""What is fuzzed: each reader as a function of a text, the errors for people that it may raise, and seeds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.fuzz.targets import corpora, lean, server
from tests.fuzz.targets.target import Target, bytes_of, text_of

__all__ = ["CORPUS", "TARGETS", "Target", "bytes_of", "large_of", "seeds_of", "text_of"]

_LARGE = 1 << 15
CORPUS = Path(__file__).parents[1] / "corpus"
TARGETS: Mapping[str, Target] = {**lean.TARGETS, **server.TARGETS, **corpora.TARGETS}
"""By name."""


def seeds_of(name: str) -> list[bytes]:
    """What is kept of a target in the corpus, its seeds, and short texts of its shapes."""
    target = TARGETS[name]
    kept = [path.read_bytes() for path in sorted((CORPUS / name).glob("*"))]
    made = [shape(size) for shape in target.shapes.values() for size in (60, 600)]
    return kept + [bytes_of(text) for text in (*target.seeds, *made)]


def large_of(name: str) -> list[bytes]:
    """Its shapes, long enough to be slow where a reader is."""
    return [bytes_of(shape(_LARGE)) for shape in TARGETS[name].shapes.values()]
