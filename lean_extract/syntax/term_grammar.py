"""Grammars for the parser of terms: operators with precedences, binders, brackets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from lean_extract.syntax.operators import UNKNOWN


class Powers(NamedTuple):
    """An infix operator's precedence, and the least precedence of operators in its right operand."""

    precedence: int
    right: int


def powers(precedence: int, *, is_right: bool) -> Powers:
    """The powers of a right-associative or left-associative operator."""
    return Powers(precedence, precedence if is_right else precedence + 1)


MEASURE = "∂ "
"""For the parser, the mark before the measure of an integral: `∂` has other meanings, too."""
UNKNOWN_POWERS = powers(UNKNOWN, is_right=False)


class BinderRule(NamedTuple):
    """The least precedence of operators in a binder's body, and the tokens that may precede the body.

    `measure` is the least precedence of operators after `MEASURE`, for binders that a measure may follow; otherwise 0.
    """

    least: int
    ends: frozenset[str]
    measure: int = 0


@dataclass(frozen=True, slots=True)
class Grammar:
    """What the parser of terms knows.

    Args:
        infix: infix operators; any other token between two operands is read as one of precedence `UNKNOWN`.
        prefix: prefix operators, with the least precedence of operators in the operand.
        binders: binders with their rules.
        last_arguments: the binders that may be the last argument of an application without brackets.
        pairs: opening brackets, with their closing brackets.
        no_arguments: opening brackets that do not begin an argument.
        ends: tokens that end an operand, besides the bracket that closes the one around it.
        postfix: postfix operators; True if the word after it belongs to the operator (`⁻` and `¹`).
        coercions: prefixes such as `↑` that bind tighter than application.
        is_atom: whether a token is a name or a number.
        separators: tokens between the items in a bracket.
        deepest: the most levels of nested terms.
        special: the dot, and all tokens that the other arguments name.
    """

    infix: Mapping[str, Powers]
    prefix: Mapping[str, int]
    binders: Mapping[str, BinderRule]
    last_arguments: Set[str]
    pairs: Mapping[str, str]
    no_arguments: Set[str]
    ends: Set[str]
    postfix: Mapping[str, bool]
    coercions: Set[str]
    is_atom: Callable[[str], bool]
    separators: Set[str]
    deepest: int
    special: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        pairs = (self.pairs, self.pairs.values())
        named = (self.ends, self.infix, self.prefix, self.binders, *pairs, self.postfix, self.coercions)
        object.__setattr__(self, "special", frozenset((".",)).union(*named))


def is_word(token: str) -> bool:
    """Whether a token is a name, a number, a hole or a metavariable."""
    return token[0].isalnum() or token[0] in "_«?"
