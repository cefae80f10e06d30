"""Whether words are English, by the small words that every text has.

The thesis asks the package polyglot, whose models have to be downloaded. This rule needs none: each language
scores by the share of the words that are among its most frequent ones, and English has to be first. Single
letters count for nothing, as mathematics uses them everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from retriever.proof_matching.tokens import listed

_ENOUGH = 10
"""Fewer words than this are not judged."""
_SHARE = 0.05
"""Of words that have to be among the English ones."""
_LATIN = 0.7
"""Of words that have to be of ASCII letters."""
_ENGLISH = listed(
    """the of and is that we be for it this with by are which have has from let then there where if such as
    any if not hence thus since follows proof given some all every exists"""
)
_OTHERS = tuple(
    listed(words)
    for words in (
        # French
        """le les des une est et que qui dans pour par sur nous avec il existe sont soit soient alors si donc
        tout toute du au aux ce cette""",
        # German
        """der die das und ist ein eine von mit den dem des zu für auf sei wir nicht sind daß dass gilt es so
        aus durch jede""",
        # Italian
        """il della che di è per una con sono dei delle nel allora sia non se gli questo esiste""",
        # Spanish
        """el los las del que una es para con por entonces sea como se su si existe en lo tiene""",
        # Portuguese
        """os as dos das que uma é para com por então seja como se não em existe do da temos""",
        # Dutch
        """het een van dat voor met zijn niet als dan op zij laat er bij wordt deze""",
    )
)


def is_english(words: Sequence[str]) -> bool:
    """Whether these words, in lower case, are of an English text; True where they are too few to tell."""
    spoken = [word for word in words if word.isalpha() and len(word) > 1]
    if len(spoken) < _ENOUGH:
        return True
    if sum(map(str.isascii, spoken)) < _LATIN * len(spoken):
        return False
    own = _score(spoken, _ENGLISH)
    return own >= _SHARE and own > max(_score(spoken, other) for other in _OTHERS)


def _score(words: Sequence[str], frequent: frozenset[str]) -> float:
    return sum(word in frequent for word in words) / len(words)
