"""The words of texts: a first version."""

from __future__ import annotations

import re

from retriever.lean.words.splitting import SMALL_WORDS, stem

_WORD = re.compile(r"[^\W_]+")


def word_tokens(text: str) -> list[str]:
    """The words of a text, in order, without those that carry no information."""
    return [stem(word) for word in _WORD.findall(text.lower()) if word not in SMALL_WORDS]
