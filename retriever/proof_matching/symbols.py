"""Which tokens are variables, whose names can be changed (section 4.3).

A variable is a single letter: Latin of either case, or lower-case Greek. Its *letter* is that letter in
lower case, whatever its font: a rule `a` to `t` is also one of `A` to `T` and of bold `a` to bold `t`. No
variables, and never changed, are

- double-struck letters, which usually stand for fields, and the constants: π; `d`, `e` and `i` where they
  are upright; bold N, Z, Q, R and C, the sets of numbers where a book has no double-struck letters;
- capital Greek letters: Figure 4.3 leaves its Ω, and most of them look like Latin ones;
- names of several letters (`Hom`), also spelled letter by letter (`protected_positions`);
- numbers, operators, and letters of other alphabets.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence

from retriever.documents.latex_names import listed
from retriever.proof_matching.schema import Token

LATIN = string.ascii_lowercase
_GREEK = "αβγδεζηθικλμνξορστυφχψω"
"""Without π. New names are chosen among these and the Latin ones."""
_VARIANTS = "ϵϑϕϱςϰϖ"
"""Greek letters in a second shape, each a letter of its own."""
_LETTERS = frozenset(LATIN + _GREEK + _VARIANTS)
_CONSTANTS = frozenset((*((letter, "normal") for letter in "dei"), *((letter, "bold") for letter in "NZQRC")))
_SHORTEST = 3
_WORDS = listed(
    """abs adj adjoint adjunction alg and ann arc arccos arcsin arctan area arg argmax argmin ass aut
    bad ball bar base bias bound card case cat cell char circ class closed codim coeff coker colim comp
    compact cond cone conj const constant conv convex corank core cos cosh cot coth count cov crit csc
    curl cycle deg degree denom density depth der det diag diam diff dim dir disc discrete dist div dom
    domain edge eff else end erf ess etale eval even exact exp ext fib fin finite first fix flat for
    forget fppf fpqc frac free gal gcd gen genus glob good grad graph grp hcf head height hess hom ideal
    image inclusion ind index inf infinite injective inn inside int inv irr iso ker kernel last lcm left
    len length lim liminf limsup lin link local log loss lower map mass max mean meas median min mod mor
    mult multiply nil norm not null num odd open opp opt orb ord order out outside path perf perm pic
    pod point pol poly pos pre pred prestable prim prime prob proj proper rad ran range rank real red
    reg regular rel rep res resp rest restrict restriction right ring root rot row sat sec sep sets sgn
    sheaf sign signature simple sin sing singular sinh size smooth soc solution source span spec spin
    split stab stable star state step sub succ such sum sup supp support surjective sym tail tan tanh
    target term that then top tor tors torsion total trace tran trans trdeg tree triv true type unit
    univ upper val value var vec vert vertex vol volume weak weight where width with zero"""
)
_LONGEST = max(map(len, _WORDS))


def letter_of(token: Token) -> str:
    """The letter of a token that is one, in lower case, whether variable or not; otherwise ""."""
    if token.kind != "identifier" or len(token.text) != 1:
        return ""
    letter = token.text.lower() if token.text.isascii() else token.text
    return letter if letter in _LETTERS else ""


def is_variable(token: Token) -> bool:
    """Whether its name can be changed, judging by the token alone."""
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
    return LATIN if letter in LATIN else _GREEK


def with_letter(token: Token, letter: str) -> Token:
    """The variable of another letter in the same case and font."""
    return Token(letter.upper() if token.text.isupper() else letter, token.kind, token.font)


def protected_positions(tokens: Sequence[Token]) -> frozenset[int]:
    """The positions of letters that spell a name.

    A name begins where a row of single Latin letters of one font does, or right after another name, so that
    `d i m k e r f` is dim, ker and f. It may begin with a capital; the rest is in lower case.

    The thesis uses a spellchecker for rows of more than two letters. A dictionary also has words for products
    (`a c t`), so a list is used here: names of operators, and words that formulas have.
    """
    return frozenset(
        position
        for start, stop in _rows(tokens)
        for position in range(start, start + _spelled("".join(token.text for token in tokens[start:stop])))
    )


def _rows(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where single letters of one font follow each other, as start and stop, of those that are long enough."""
    start = 0
    while start < len(tokens):
        stop = start
        while stop < len(tokens) and _is_letter(tokens[stop]) and tokens[stop].font == tokens[start].font:
            stop += 1
        if stop - start >= _SHORTEST:
            yield start, stop
        start = max(stop, start + 1)


def _is_letter(token: Token) -> bool:
    return (
        token.kind == "identifier" and len(token.text) == 1 and token.text.isascii() and token.text.isalpha()
    )


def _spelled(row: str) -> int:
    """How many letters from the start of a row belong to names; the longest name first."""
    read = 0
    while True:
        for length in range(min(_LONGEST, len(row) - read), _SHORTEST - 1, -1):
            name = row[read : read + length]
            if name[1:].islower() and name.lower() in _WORDS:
                read += length
                break
        else:
            return read
