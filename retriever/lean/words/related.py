"""Words of names and statements that a word of English is often for: `related.txt`.

A line has a word, and others each with the chance that it is for them; `python -m retriever related-words` makes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

RELATED = Path(__file__).with_name("related.txt")


@lru_cache(maxsize=1)
def related_words() -> Mapping[str, Mapping[str, float]]:
    """The shipped table, by words as `vocabulary.word_tokens` gives them."""
    rows = (line.split() for line in RELATED.read_text(encoding="utf-8").splitlines() if line[0] != "#")
    return {word: dict(zip(rest[::2], map(float, rest[1::2]), strict=True)) for word, *rest in rows}
