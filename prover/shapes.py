"""The outer shape of a printed proposition, read from its text alone.

Lean's binding powers decide what is outermost (`↔` 20, `→` 25, `∨` 30, `∧` 35, `¬` 40, relations 50). A binder
(`∀ x, …`) extends to the end of its bracket, so operators after it are not outermost. The result only orders
guesses, which Lean checks afterwards. It is read by a scan of the tokens, several times as fast as a parser: it runs
for every candidate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Literal

from lean_extract.common.lru import kept_if_short
from lean_extract.records import Goal, Hypothesis
from lean_extract.syntax.binders import RELATIONS, BoundNames, bound_names
from lean_extract.syntax.brackets import PAIRS, QUOTIENT_PAIRS, closing, depths, first_outside
from lean_extract.syntax.dotted import undotted
from lean_extract.syntax.inaccessible import DAGGER, SUPERSCRIPTS
from lean_extract.syntax.placed import PlacedToken

Kind = Literal["forall", "exists", "iff", "imp", "or", "and", "not", "eq", "rel", "true", "false", "other"]

_BRACKETS = depths(PAIRS | QUOTIENT_PAIRS)
_DEFAULTS = frozenset((":=", "optParam", "autoParam"))
"""Marks of arguments with default values, which need not be given."""
_BINDERS = {"∀", "∃", "∃!", "fun", "λ", "let", "have", "if", "match", "show"}
_NAME = r"(?:[^\W\d]|«[^«»]*»)(?:[\w'!?]|«[^«»]*»|[₀-₉])*"
_TOKEN = re.compile(
    rf"{_NAME}(?:\.(?:{_NAME}|\d+))*{DAGGER}?[{SUPERSCRIPTS}]*"  # a name, dotted, perhaps inaccessible
    r"|\d+(?:\.\d+)?"
    r"|[()\[\]{}⟨⟩⦃⦄⟦⟧,;]"
    r"|:=|=>|<->|->|<-|∃!|\|\||&&|\+\+|::|<\|>|\|>\.?|<\|(?!>)|==|!=|>=|<=|\.\.+"
    r"|[^\s\w]"
)
_MOST_TOKENS = 2000
_MANY_HYPOTHESES = 128
_MANY_NAMES = 256
_IFF, _IMP, _OR, _AND = {"↔", "<->"}, {"→", "->"}, {"∨"}, {"∧"}
_ARITHMETIC: tuple[set[str], ...] = (
    {"|>", "<|", "<|>"},
    {"×", "⊕"},
    {"∪", "+", "-", "++"},
    {"::", "⊔", "⊓"},
    {"*", "/", "%", "∩", "\\", "•", "∘"},
    {"^"},
)
_LEVELS: tuple[tuple[Kind, Set[str]], ...] = (
    ("iff", _IFF),
    ("imp", _IMP),
    ("or", _OR),
    ("and", _AND),
    ("eq", {"="}),
    ("rel", RELATIONS),
)


@kept_if_short(512)
def tokens(text: str) -> tuple[str, ...]:
    """The tokens of printed Lean: dotted names, numbers, operators, brackets; the first 2,000 of them."""
    return tuple(match[0] for match in islice(_TOKEN.finditer(text), _MOST_TOKENS))


def placed_tokens(text: str) -> list[PlacedToken]:
    """The tokens with their places; the first 2,000 of them."""
    found = islice(_TOKEN.finditer(text), _MOST_TOKENS)
    return [PlacedToken(match[0], match.start(), match.end()) for match in found]


def last_named(goal: Goal) -> list[Hypothesis]:
    """The last hypotheses, and of their names the last ones, up to fixed limits."""
    found: list[Hypothesis] = []
    room = _MANY_NAMES
    for hypothesis in reversed(goal.hypotheses[-_MANY_HYPOTHESES:]):
        names = hypothesis.names[-room:] if room else ()
        found.append(hypothesis if names == hypothesis.names else replace(hypothesis, names=names))
        room -= len(names)
    return found[::-1]


@dataclass(frozen=True, slots=True)
class GoalShape:
    """The outermost connective of a proposition, and its parts.

    `left` and `right` are the sides of a binary connective or relation; `operator` is its token.
    For `forall` and `exists`, `left` is the binder text and `right` the body; for `not`, `right`.
    """

    kind: Kind
    left: tuple[str, ...] = ()
    operator: str = ""
    right: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a premise: its name, the tokens of its type, and how it is passed."""

    name: str
    type: tuple[str, ...]
    is_explicit: bool
    is_instance: bool = False
    is_condition: bool = False
    """Whether it is the condition on `x` in `∀ x ∈ s`."""
    is_proof: bool = False
    """Whether it is probably a proof; `prover.facts` decides."""


def shape(text: str | Sequence[str]) -> GoalShape:
    """The outermost shape of a proposition. Brackets around the whole are removed first."""
    parts = tokens(text) if isinstance(text, str) else tuple(text)
    return _shape(strip_brackets(parts))


@lru_cache(maxsize=512)
def _shape(parts: tuple[str, ...]) -> GoalShape:
    if not parts:
        return GoalShape("other")
    reach = _outer_positions(parts)
    for kind, operators in _LEVELS[:4] if parts[0] == "¬" else _LEVELS:
        positions = [index for index in reach if parts[index] in operators]
        if positions:
            at = positions[0]
            return GoalShape(kind, parts[:at], parts[at], parts[at + 1 :])
    if parts[0] == "¬":
        return GoalShape("not", operator="¬", right=parts[1:])
    if parts[0] in ("∀", "∃", "∃!"):
        kind = "forall" if parts[0] == "∀" else "exists"
        comma = first_outside(parts, 1, len(parts), (",",), _BRACKETS)
        return GoalShape(kind, parts[1:comma], parts[0], parts[comma + 1 :])
    if parts in (("True",), ("False",)):
        return GoalShape("true" if parts[0] == "True" else "false")
    return GoalShape("other")


def is_of_order(equation: GoalShape) -> bool:
    """Whether both sides have the same names, as in commutativity, associativity and what follows from both."""
    left, right = (
        sorted(part for part in side if part[0].isalnum()) for side in (equation.left, equation.right)
    )
    return left == right


def _outer_positions(parts: Sequence[str]) -> list[int]:
    """The indices of the tokens outside all brackets, up to the first binder."""
    depth, found = 0, []
    for index, token in enumerate(parts):
        step = _BRACKETS.get(token)
        if step is not None:
            depth += step
        elif depth == 0:
            if token in _BINDERS:
                break
            found.append(index)
    return found


def strip_brackets(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens without round brackets that enclose them all."""
    while len(parts) > 2 and parts[0] == "(" and closing(parts, 0, _BRACKETS) == len(parts) - 1:
        parts = parts[1:-1]
    return parts


def binder_arguments(parts: Sequence[str]) -> list[Argument]:
    """The arguments of a binder text: `(a b : T) {x : U} [C a] ⦃y⦄`, `x y : T`, `x ∈ s`."""
    return [argument for group in bound_names(parts) for argument in _arguments(parts, group)]


def _arguments(parts: Sequence[str], group: BoundNames) -> list[Argument]:
    names, kind = group.names, tuple(parts[group.begin : group.end])
    if group.bracket and not _DEFAULTS.isdisjoint(kind):
        return []
    if group.bracket == "[":
        return [Argument(names[0] if names else "", kind, False, True)]
    is_explicit = group.bracket in ("", "(")
    if group.mark in ("", ":"):
        return [Argument(name, kind, is_explicit) for name in names]
    # `∀ x ∈ s, …` takes the element and the proof
    bounded = [Argument(name, (), is_explicit) for name in names]
    bounds = ((name, group.mark, *kind) for name in names)
    return [*bounded, *(Argument("h", bound, is_explicit, is_condition=True) for bound in bounds)]


def head(parts: Sequence[str], local: Set[str] = frozenset()) -> str:
    """The outermost symbol of a term or proposition: an operator, a binder or the applied function.

    `local`: names of hypotheses and variables; `n.Even` is an application of `Even`.
    """
    inner = undotted(strip_brackets(tuple(parts)), local)
    outer = _shape(inner)
    if outer.kind in ("true", "false"):
        return inner[0]
    if outer.kind != "other":
        return {"forall": "∀", "exists": "∃"}.get(outer.kind, outer.operator)
    reach = _outer_positions(inner)
    for operators in _ARITHMETIC:
        if any(inner[index] in operators and index for index in reach):
            return next(inner[index] for index in reach if inner[index] in operators and index)
    return inner[0] if inner else ""


def symbols(parts: Sequence[str], variables: frozenset[str] = frozenset()) -> frozenset[str]:
    """The names and operators in a text, without brackets, punctuation and the given variables."""
    plain = set(",;:") | set(_BRACKETS) | {":=", "=>", "fun", "λ", "_"}
    found = undotted(parts, variables)
    return frozenset(part for part in found if part not in plain and part not in variables)


def last_parts(names: Iterable[str]) -> frozenset[str]:
    """The symbols, each name without its namespaces: those are written, or left out where they are open."""
    return frozenset(name.rpartition(".")[2] or name for name in names)
