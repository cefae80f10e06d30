"""Stems of English words: a word without its ending, always a prefix of the word.

Names and queries use the same function, so it only has to map the forms of a word to the same stem (`continuous`,
`continuity`; `squares`, `squared`; `nonnegative`, `nonneg`), not to find the linguistic root.
"""

from __future__ import annotations

from functools import lru_cache

_ENDINGS = {
    4: "ation ative atively ativity ating ated able ably ability ible ibly ibility ion ive ively ivity "
    "iveness ous ously ity ness edness ing ed edly ely ly es ies e y ent ence ency",
    5: "al ally ic icity ically ism ment ement",
}
"""Endings, by the number of letters that must remain. In shorter words they are often part of the root (`normal`)."""
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
