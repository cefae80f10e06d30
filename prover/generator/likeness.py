"""Which words of a premise's name occur in the state, so that the prompt can mark them. Pure.

`Finset.sum_add_distrib` has `sum` and `add` in common with a state that has `∑` and `+`: Mathlib's naming
convention gives each operator a word (`lean_extract.syntax.words`). A small byte-level model does not learn this
by itself in the time available on a CPU.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lean_extract.syntax.lexer import is_identifier, raw_tokens
from lean_extract.syntax.words import WORDS

_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SHORTEST = 2
"""The shortest word, in letters; shorter ones are variables."""


def words_of(text: str) -> frozenset[str]:
    """The words of a text in lower case: the parts of its identifiers, and the words of operators and numerals.

    >>> sorted(words_of("Nat.gcdA m n + 1 ∣ k"))
    ['add', 'dvd', 'gcd', 'nat', 'one']
    """
    found: set[str] = set()
    for raw in raw_tokens(text):
        token = raw.rstrip()
        if token in WORDS:
            found.add(WORDS[token])
        elif is_identifier(token):
            found.update(word.lower() for word, _ in humps(token))
    return frozenset(found)


def humps(name: str) -> Iterator[tuple[str, int]]:
    """The words of a name, split at dots, underscores and capitals, each with the offset of its end."""
    for match in _HUMP.finditer(name):
        if len(match[0]) >= _SHORTEST:
            yield match[0], match.end()
