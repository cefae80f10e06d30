"""What a reader of terms knows of Lean's notation: operators by precedence, binders, brackets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import NamedTuple

from lean_extract.syntax.operators import OPERATORS, UNKNOWN


class Powers(NamedTuple):
    """An infix operator's precedence, and the least precedence of operators in its right operand."""

    precedence: int
    right: int


def powers(precedence: int, *, is_right: bool) -> Powers:
    """The powers of an operator that associates to the right, or to the left."""
    return Powers(precedence, precedence if is_right else precedence + 1)


def infix_powers(symbols: str, others: Mapping[str, Powers]) -> dict[str, Powers]:
    """The powers of some operators (symbols separated by spaces) as the table has them, and those of others."""
    known = ((symbol, OPERATORS[symbol]) for symbol in symbols.split())
    found = {symbol: powers(one.precedence, is_right=one.is_right) for symbol, one in known}
    return {**found, **others}


def all_powers(symbols: Iterable[str], precedence: int, *, is_right: bool) -> dict[str, Powers]:
    """The same powers for each of the symbols."""
    return dict.fromkeys(symbols, powers(precedence, is_right=is_right))


UNKNOWN_POWERS = powers(UNKNOWN, is_right=False)


class BinderRule(NamedTuple):
    """The least precedence of operators in a binder's body, and the tokens that may stand before it."""

    least: int
    ends: frozenset[str]


@dataclass(frozen=True, slots=True)
class Grammar:
    """What a reader of terms knows.

    Args:
        infix: operators; any other token between two operands is read as one of precedence `UNKNOWN`.
        prefix: the least precedence of operators in the operand.
        binders: those of `last_arguments` may be the last argument of an application without brackets.
        pairs: opening brackets and what closes them; those in `no_arguments` begin no argument.
        ends: what ends an operand, beside what closes the bracket around it.
        postfix: operators behind their operand; whether the word behind it belongs to the operator (`⁻` and `¹`).
        is_atom: whether a token stands for a name or a number.
        separators: what stands between the items of a bracket.
        is_strict: whether a text that is not wholly understood is unreadable.
        longest_chain: how many operators behind one another a strict grammar takes.
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
    is_strict: bool
    deepest: int
    longest_chain: int = 0


def is_word(token: str) -> bool:
    """Whether a token is a name, a number, a hole or a metavariable."""
    return token[0].isalnum() or token[0] in "_«?"
