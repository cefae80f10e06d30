"""What is left of an English word without its ending: always a beginning of the word.

Names and queries go through the same function, so it only has to treat forms of one word alike (`continuous`,
`continuity`; `squares`, `squared`; `nonnegative`, `nonneg`), not to find their root.
"""

from __future__ import annotations

from functools import lru_cache

_ENDINGS = {
    4: "ation ative atively ativity ating ated able ably ability ible ibly ibility ion ive ively ivity "
    "iveness ous ously ity ness edness ing ed edly ely ly es ies e y ent ence ency",
    5: "al ally ic icity ically ism ment ement",
}
"""Endings by how many letters they have to leave; the others are often part of the root (`normal`)."""
_LEAVES = {ending: shortest for shortest, endings in _ENDINGS.items() for ending in endings.split()}
_LONGEST = max(map(len, _LEAVES))
_NO_PLURAL = ("ss", "us", "is")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of a word in lower case."""
    if word.endswith("s") and len(word) > 3 and not word.endswith(_NO_PLURAL):
        word = word[:-1]
    for length in range(_LONGEST, 0, -1):
        shortest = _LEAVES.get(word[-length:])
        if shortest is not None and len(word) - length >= shortest:
            bare = word[:-length]
            return bare[:-1] if bare.endswith("e") and len(bare) > shortest else bare
    return word
