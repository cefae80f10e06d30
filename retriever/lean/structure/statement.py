"""Parses signatures from text alone, and finds the positions in their terms (`lean_extract.syntax.symbol_terms`)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lean_extract.common.lru import kept_if_short
from lean_extract.syntax.symbol_terms import SymbolTerm, parse_term
from retriever.models.text import binder_parts

Path = tuple[int, ...]
"""A position in a term: the argument indices from the root."""
MOST_HYPOTHESES = 48
DEEPEST = 6
"""Positions deeper than this are ignored."""
_MOST_POSITIONS = 48
_MOST_PREMISES_OF_TARGET = 16
_MOST_SYMBOLS = 256
_LARGEST_KEY = 64
_PROPOSITIONS = frozenset(
    (
        *("eq", "ne", "le", "lt", "ge", "gt", "dvd", "modeq", "and", "or", "not", "iff", "exists", "forall"),
        *("→", "mem", "notmem", "subset", "ssubset", "∃!", "≈", "∼", "⋖", "covby"),
        *("∀ᶠ", "∃ᶠ", "∀ᵐ", "∃ᵐ", "=ᶠ", "≤ᶠ", "=ᵐ", "≤ᵐ"),
    )
)
_FACT = re.compile(r"_?h[\w'✝]*\Z|this|inst✝")
_PLAIN = frozenset(("Type*", "Sort*", "Prop", "→", "…", "λ", "_", "Type", "Sort"))


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """A parsed signature: its variables, hypotheses, the types of its other binders, and its conclusion."""

    variables: frozenset[str]
    hypotheses: tuple[SymbolTerm, ...]
    types: tuple[SymbolTerm, ...]
    conclusion: SymbolTerm


def statement_of(context: Sequence[str], conclusion: str) -> ParsedStatement:
    """Parse a signature. `∀ x, p x → q x` in the conclusion adds variables and hypotheses."""
    read = [_binder(binder) for binder in context]
    variables = {name for binder in read for name in binder.names}
    known = frozenset(variables)
    hypotheses = [binder.type for binder in read if binder.is_fact and binder.type is not None]
    rest = [binder.type for binder in read if not binder.is_fact and binder.type is not None]
    core = parse_term(conclusion, known)
    while len(hypotheses) < MOST_HYPOTHESES + _MOST_PREMISES_OF_TARGET:
        if core.symbol == "forall" and core.arguments:
            variables.update(core.binds)
            *domain, body = core.arguments
            hypotheses += [_membership(name, one) for name in core.binds for one in domain]
            core = body
        elif core.symbol == "→" and len(core.arguments) == 2:
            hypotheses.append(core.arguments[0])
            core = core.arguments[1]
        else:
            break
    return ParsedStatement(frozenset(variables), tuple(hypotheses), tuple(rest), core)


class _Binder(NamedTuple):
    """What a binder introduces. The type is None for an instance, and if none is written."""

    names: tuple[str, ...]
    type: SymbolTerm | None = None
    is_fact: bool = False


@kept_if_short(8192)
def _binder(binder: str) -> _Binder:
    names, kind = binder_parts(binder)
    if not names or not kind:
        return _Binder(names)
    term = parse_term(kind)
    return _Binder(names, term, bool(_FACT.match(names[0])) or term.symbol in _PROPOSITIONS)


def _membership(name: str, domain: SymbolTerm) -> SymbolTerm:
    """The hypothesis about x in `∀ x ∈ s`."""
    if domain.symbol in _PROPOSITIONS and len(domain.arguments) == 1:
        return SymbolTerm(domain.symbol, (SymbolTerm(name), domain.arguments[0]))
    return SymbolTerm("mem", (SymbolTerm(name), domain))


class TermNode(NamedTuple):
    """The node at a position of a term. There may be several readings of its symbol.

    `key` is equal for equal subterms.
    """

    path: Path
    symbols: tuple[str, ...]
    key: str
    """Empty if the subterm is too large to be compared."""


def nodes_of(
    term: SymbolTerm,
    variables: frozenset[str],
    *,
    is_goal: bool,
    deepest: int = DEEPEST,
    most: int = _MOST_POSITIONS,
) -> Iterator[TermNode]:
    """The positions of a term, those nearest to the root first; at most so many, none deeper.

    In a premise, a variable has no symbols, and neither has a variable applied to bound variables only. In a
    goal, all symbols are fixed, but an application can also match an applied variable.
    """
    waiting: list[tuple[Path, SymbolTerm, tuple[str, ...]]] = [((), term, ())]
    count = 0
    for path, here, bound in waiting:
        if count >= most:
            return
        count += 1
        here = _reduced(here, variables, bound)
        is_variable = here.symbol in variables and here.symbol not in bound
        if is_variable and not here.arguments:
            yield TermNode(path, (), here.symbol)
            continue
        if is_variable and not is_goal and all(a.symbol in bound and not a.arguments for a in here.arguments):
            yield TermNode(path, (), "")
            continue
        yield TermNode(path, _readings(here, bound, is_variable, is_goal), _key(here) if is_goal else "")
        if len(path) < deepest:
            inner = (*bound, *here.binds)
            waiting += [((*path, number), one, inner) for number, one in enumerate(here.arguments)]


def _readings(term: SymbolTerm, bound: tuple[str, ...], is_variable: bool, is_goal: bool) -> tuple[str, ...]:
    if term.symbol in bound:
        return (f"#{len(bound) - 1 - bound[::-1].index(term.symbol)}",)
    applied = f"@{len(term.arguments)}"
    if is_variable:
        return (applied,)
    symbol = f"{term.symbol}/{len(term.arguments)}"
    return (symbol, applied) if is_goal and term.arguments else (symbol,)


def _reduced(term: SymbolTerm, variables: frozenset[str], bound: tuple[str, ...]) -> SymbolTerm:
    """`f` for `fun x ↦ f x`."""
    while term.symbol == "λ" and len(term.arguments) == 1 and term.binds:
        body = term.arguments[0]
        count = len(term.binds)
        last = body.arguments[-count:]
        if len(last) < count or any(
            a.arguments or a.symbol != b for a, b in zip(last, term.binds, strict=True)
        ):
            break
        rest = body.arguments[:-count]
        if body.symbol in term.binds or any(_mentions(one, term.binds) for one in rest):
            break
        term = SymbolTerm(body.symbol, rest, body.binds)
    return term


def _mentions(term: SymbolTerm, names: Iterable[str]) -> bool:
    wanted = frozenset(names)
    waiting = [term]
    while waiting:
        here = waiting.pop()
        if here.symbol in wanted:
            return True
        waiting += here.arguments
    return False


def _key(term: SymbolTerm) -> str:
    """The term as text; empty for a large one."""
    parts: list[str] = []
    waiting = [term]
    while waiting:
        here = waiting.pop()
        parts.append(f"{here.symbol}/{len(here.arguments)}")
        if len(parts) > _LARGEST_KEY:
            return ""
        waiting += here.arguments
    return " ".join(parts) if len(parts) > 1 else term.symbol


def groups_of(nodes: Sequence[TermNode]) -> dict[str, list[Path]]:
    """The positions of equal subterms, by key."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for node in nodes:
        if node.key:
            groups[node.key].append(node.path)
    return groups


def symbols_of(terms: Iterable[SymbolTerm], variables: frozenset[str]) -> frozenset[str]:
    """The symbols in the terms that are not variables; the search stops at about `_MOST_SYMBOLS`."""
    found: set[str] = set()
    waiting = [(term, variables) for term in terms]
    while waiting and len(found) < _MOST_SYMBOLS:
        term, known = waiting.pop()
        if term.symbol not in known and term.symbol not in _PLAIN:
            found.add(term.symbol)
        waiting += [(one, known.union(term.binds)) for one in term.arguments]
    return frozenset(found)
