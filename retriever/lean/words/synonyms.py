"""The table from words that people use to the words in Mathlib's names; the head of `synonyms.txt` describes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

_TABLE = Path(__file__).with_name("synonyms.txt")
_SAME = "="

Way = tuple[str, ...]
"""The words of a spelling or a phrase."""


def synonyms() -> Iterator[tuple[tuple[Way, ...], tuple[Way, ...]]]:
    """The lines of the table: the spellings in names, and the phrases in queries, each as words."""
    for spellings, meant in _rows():
        yield _phrases(spellings), _phrases(meant.replace(_SAME, ""))


@lru_cache(maxsize=1)
def same_words() -> Mapping[str, str]:
    """The words in names by the phrases that mean just them: `sup` for `supremum` and for `least upper bound`."""
    return {
        phrase.strip().removeprefix(_SAME): spellings.split(",")[0].strip()
        for spellings, meant in _rows()
        for phrase in meant.split(",")
        if phrase.strip().startswith(_SAME)
    }


def _rows() -> Iterator[list[str]]:
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("|")


def _phrases(text: str) -> tuple[Way, ...]:
    return tuple(tuple(phrase.split()) for phrase in text.split(","))
