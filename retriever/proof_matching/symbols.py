"""Which tokens are variables, whose names can be changed (section 4.3).

A variable is a single letter: Latin of either case, or lower-case Greek. Its *letter* is that letter in
lower case, whatever its font: a rule `a` to `t` is also one of `A` to `T` and of bold `a` to bold `t`. No
variables, and never changed, are

- double-struck letters, which usually stand for fields, and the constants: π; `d`, `e` and `i` where they
  stand upright; bold N, Z, Q, R and C, the sets of numbers where a book has no double-struck letters;
- capital Greek letters: Figure 4.3 leaves its Ω, and most of them look like Latin ones;
- names of several letters (`Hom`), also spelled letter by letter (retriever/proof_matching/protected.py);
- numbers, operators, and letters of other alphabets.
"""

from __future__ import annotations

import string
from collections.abc import Sequence

from retriever.proof_matching.protected import protected_positions
from retriever.proof_matching.schema import Token

LATIN = string.ascii_lowercase
GREEK = "αβγδεζηθικλμνξορστυφχψω"
"""Without π. New names are chosen among these and the Latin ones."""
VARIANTS = "ϵϑϕϱςϰϖ"
"""Greek letters in a second shape, each a letter of its own."""
_LETTERS = frozenset(LATIN + GREEK + VARIANTS)
_CONSTANTS = frozenset((*((letter, "normal") for letter in "dei"), *((letter, "bold") for letter in "NZQRC")))


def letter_of(token: Token) -> str:
    """The letter of a token that stands for one, in lower case, whether variable or not; otherwise ""."""
    if token.kind != "identifier" or len(token.text) != 1:
        return ""
    letter = token.text.lower() if token.text.isascii() else token.text
    return letter if letter in _LETTERS else ""


def is_variable(token: Token) -> bool:
    """Whether its name can be changed, for all that the token itself tells."""
    if token.font == "double-struck" or (token.text, token.font) in _CONSTANTS:
        return False
    return bool(letter_of(token))


def variables(tokens: Sequence[Token]) -> frozenset[Token]:
    """The distinct variables of a text; a letter in two fonts or cases is two."""
    protected = protected_positions(tokens)
    return frozenset(
        token for position, token in enumerate(tokens) if position not in protected and is_variable(token)
    )


def fresh_letters(letter: str) -> str:
    """The letters among which a new name is chosen: Latin for Latin, Greek for Greek."""
    return LATIN if letter in LATIN else GREEK


def with_letter(token: Token, letter: str) -> Token:
    """The variable of another letter in the same case and font."""
    return Token(letter.upper() if token.text.isupper() else letter, token.kind, token.font)
