"""The names that the tokens of a binder bind: `x y : T`, `(x : T) {y}`, `x ∈ s`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lean_extract.syntax.brackets import BINDER_PAIRS, DEPTH, close


class BoundNames(NamedTuple):
    """Names that are bound together.

    `mark` is the token after them: `:` before their type, a relation before a bound on them, or empty. `begin` and
    `end` are the tokens after the mark. `bracket` is the opening bracket around the group, or empty.
    """

    names: tuple[str, ...]
    mark: str = ""
    begin: int = 0
    end: int = 0
    bracket: str = ""


RELATIONS = frozenset("≠≤<≥>∣∈∉⊆⊂⊇⊃≃≅≈∼≡⊢∤∋⋖⟶") | {">=", "<=", "==", "!="}
"""Infix relations other than `=`."""


def bound_names(tokens: Sequence[str]) -> list[BoundNames]:
    """The groups of a binder, in order. An instance `[C a]` binds no names: its tokens are its type."""
    found: list[BoundNames] = []
    start = index = 0
    while index < len(tokens):
        token = tokens[index]
        if token in BINDER_PAIRS:
            if index > start:
                found.append(BoundNames(tuple(tokens[start:index])))
            after = close(tokens, index, len(tokens))
            found.append(_group(tokens, index + 1, after, token))
            start = after + 1
            index = start
        elif token == ":" or token in RELATIONS:
            return [*found, BoundNames(tuple(tokens[start:index]), token, index + 1, len(tokens))]
        else:
            index += 1
    return [*found, BoundNames(tuple(tokens[start:]))] if start < len(tokens) else found


def _group(tokens: Sequence[str], begin: int, end: int, bracket: str) -> BoundNames:
    for index in range(begin, end):
        token = tokens[index]
        if token == ":" or (token in RELATIONS and bracket != "["):
            return BoundNames(tuple(tokens[begin:index]), token, index + 1, end, bracket)
        if token in DEPTH:
            break
    return (
        BoundNames((), "", begin, end, bracket)
        if bracket == "["
        else BoundNames(tuple(tokens[begin:end]), bracket=bracket)
    )
