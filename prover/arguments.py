"""The arguments of a statement: their names, how they are passed, and which of them are proofs. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from prover.shapes import Argument, binder_arguments, shape, strip_brackets, tokens
from prover.terms import Term, parse

Scope = Mapping[str, tuple[str, ...]]
"""Names with the tokens of their types."""
_MOST_ARGUMENTS = 64
_OF_PROOF = re.compile(r"h[A-Z₀-₉_a-z]?['₀-₉]*\Z")
_FUNCTIONS = frozenset({("operator", "→"), ("binder", "∀")})


def telescope(
    context: Iterable[str], conclusion: str, known: Scope | None = None
) -> tuple[tuple[Argument, ...], tuple[str, ...]]:
    """The arguments of a signature, and its conclusion without leading `∀` and `→`.

    `known`: the hypotheses and variables around it.
    """
    arguments = [argument for binder in context for argument in binder_arguments(tokens(binder))]
    core = strip_brackets(tokens(conclusion))
    while len(arguments) < _MOST_ARGUMENTS:
        outer = shape(core)
        if outer.kind == "forall":
            arguments += binder_arguments(outer.left)
        elif outer.kind == "imp":
            arguments.append(Argument("h", outer.left, True))
        else:
            break
        core = strip_brackets(outer.right)
    scope = {**(known or {}), **{one.name: one.type for one in arguments if one.name}}
    judged = [replace(one, is_proof=is_proof(one.name, one.type, scope)) for one in arguments]
    return tuple(judged), core


def is_proof(name: str, type_: tuple[str, ...], scope: Scope) -> bool:
    """Whether what has this name and type is probably a proof.

    Its type's shape decides; if that is an application, its function (`p n`, where `p : ℕ → Prop`), else its name.
    """
    kind = shape(type_).kind
    if kind != "other":
        # `α → β` is the type of a function unless it is named like a hypothesis.
        return kind not in {"imp", "forall"} or name.startswith("h") or not name
    function = next(iter(strip_brackets(type_)), "")
    if function in scope and _is_proposition(parse(scope[function])):
        return True
    return bool(_OF_PROOF.match(name)) and bool(parse(type_, frozenset(), frozenset(scope)).args)


def _is_proposition(term: Term) -> bool:
    """Whether a type is `Prop`, or that of functions to it."""
    while (term.kind, term.head) in _FUNCTIONS and term.args:
        term = term.args[-1]
    return term == Term("Prop")
