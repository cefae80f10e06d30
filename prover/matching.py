"""First-order unification of a premise's statement with a goal's, on the trees of their texts.

Notation, dot notation and open namespaces allow Lean to print one term in two ways. So only a clash of operators
or numerals counts as a mismatch; a clash of names leaves the question open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lean_extract.syntax.operators import MIRRORED, NEGATED
from prover.limits import MAX_BOUND_TERM_NODES
from prover.terms import FALSE, Term, apply, operator, subterms

Verdict = Literal["yes", "no", "open"]
Bindings = Mapping[tuple[str, int], Term]
"""The values of variables, by name and instance; the terms may contain further variables."""


@dataclass(frozen=True, slots=True)
class Unification:
    """`yes` with the values of the variables, `no`, or `open` if the texts do not decide it."""

    verdict: Verdict
    bindings: Bindings


_OPEN = Unification("open", {})
_NO = Unification("no", {})


def unify(one: Term, other: Term, known: Bindings | None = None) -> Unification:
    """Whether two statements are equal for some values of their variables. `known`: bindings to keep."""
    bindings = dict(known or {})
    verdict = _unify(one, other, bindings)
    if verdict == "open" and _is_plain(one):
        return _NO
    return Unification("yes", bindings) if verdict == "yes" else _NO if verdict == "no" else _OPEN


def occurs(pattern: Term, text: Term) -> Unification:
    """Whether the pattern unifies with any part of the text."""
    if pattern.kind in ("variable", "opaque") or text.kind == "opaque":
        return _OPEN
    verdicts = set[Verdict]()
    for number, part in enumerate(subterms(text)):
        if number > MAX_BOUND_TERM_NODES:
            return _OPEN
        found = unify(pattern, part)
        if found.verdict == "yes":
            return found
        verdicts.add(found.verdict)
    return _NO if verdicts == {"no"} else _OPEN


def _is_plain(term: Term) -> bool:
    """Whether a pattern has only variables, operators and numerals, so that it is printed in one way only."""
    if term.kind == "variable":
        return not term.args
    return term.kind in ("operator", "numeral") and all(map(_is_plain, term.args))


def resolved(term: Term, bindings: Bindings) -> Term:
    """The term with the known values of its variables substituted."""
    args = tuple(resolved(argument, bindings) for argument in term.args)
    if term.kind == "variable":
        value = bindings.get((term.head, term.instance))
        if value is not None:
            return apply(resolved(value, bindings), args)
    return Term(term.head, args, term.kind, term.instance, term.is_dotted)


def is_closed(term: Term) -> bool:
    """Whether a term contains no variable."""
    return term.kind != "variable" and all(map(is_closed, term.args))


def unfolded(term: Term) -> Term:
    """The term with an outermost `≠`, `∉`, `≥`, `>` or the like unfolded, and `p → False` as `¬p`."""
    if len(term.args) == 2 and term.kind == "operator":
        left, right = term.args
        if term.head in NEGATED:
            return operator("¬", operator(NEGATED[term.head], left, right))
        if term.head in MIRRORED:
            return operator(MIRRORED[term.head], right, left)
        if term.head == "→" and right == FALSE:
            return operator("¬", left)
    return term


def _unify(one: Term, other: Term, bindings: dict[tuple[str, int], Term]) -> Verdict:
    one, other = _looked_up(one, bindings), _looked_up(other, bindings)
    if one.kind == "variable" or other.kind == "variable":
        return _bind(one, other, bindings) if one.kind == "variable" else _bind(other, one, bindings)
    if "opaque" in (one.kind, other.kind):
        return "yes" if one == other else "open"
    if (one.head, one.kind) != (other.head, other.kind):
        one, other = unfolded(one), unfolded(other)
    if not _same_head(one, other) or len(one.args) != len(other.args):
        return "no" if _clash(one, other) else "open"
    verdict: Verdict = "yes"
    for left, right in zip(one.args, other.args, strict=True):
        found = _unify(left, right, bindings)
        if found == "no":
            return "open" if one.is_dotted or other.is_dotted else "no"
        verdict = found if found != "yes" else verdict
    return verdict


def _looked_up(term: Term, bindings: Bindings) -> Term:
    while term.kind == "variable" and (value := bindings.get((term.head, term.instance))) is not None:
        term = apply(value, term.args)
    return term


def _bind(variable: Term, value: Term, bindings: dict[tuple[str, int], Term]) -> Verdict:
    """Bind a variable, or one that is a function (`p a` to `Even n`: `p` is `Even`, `a` is `n`)."""
    if variable == value:
        return "yes"
    cut = len(value.args) - len(variable.args)
    if variable.args:
        if cut < 0 or value.kind not in ("name", "variable"):
            return "open"
        for left, right in zip(variable.args, value.args[cut:], strict=True):
            if _unify(left, right, bindings) != "yes":
                return "open"
        value = Term(value.head, value.args[:cut], value.kind, value.instance)
    value = resolved(value, bindings)
    name = (variable.head, variable.instance)
    if (
        name in bindings
        or value.size > MAX_BOUND_TERM_NODES
        or _has_loose(value, 0)
        or _mentions(value, name)
    ):
        return "open"
    bindings[name] = value
    return "yes"


def _has_loose(term: Term, depth: int) -> bool:
    """Whether a term contains a bound name whose binder is outside it."""
    if term.kind == "bound":
        return int(term.head) >= depth
    below = depth + (term.kind == "binder")
    return any(_has_loose(argument, below) for argument in term.args)


def _mentions(term: Term, name: tuple[str, int]) -> bool:
    is_it = term.kind == "variable" and (term.head, term.instance) == name
    return is_it or any(_mentions(argument, name) for argument in term.args)


def _same_head(one: Term, other: Term) -> bool:
    """Whether two heads are equal; names are compared without their namespaces."""
    if one.kind != other.kind:
        return False
    return one.head == other.head or (
        one.kind == "name" and one.head.rpartition(".")[2] == other.head.rpartition(".")[2]
    )


def _clash(one: Term, other: Term) -> bool:
    """Whether neither head can be notation for the other."""
    printed = {one.kind, other.kind}
    return printed <= {"operator", "binder"} or printed == {"numeral"}
