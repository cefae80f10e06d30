"""What a premise or hypothesis proves, and how: a table of uses by the statement's outermost connective.

A fact `X : ∀ a, P a → (Q a ↔ R a)` proves `Q a ↔ R a` as `X _ h`, `Q a → R a` as `(X _ h).mp`, `R a` as
`(X _ h).mp k`, and so on. Each of these is a `Way`: the pieces of its text, some of them holes, and the
proposition that it proves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lean_extract.syntax.brackets import TERM_DEPTH
from prover.limits import MAX_ARGUMENTS_OF_A_TYPE, MAX_FACT_PROJECTIONS, MAX_WAYS_OF_A_FACT
from prover.shapes import Argument, binder_arguments, shape, strip_brackets, tokens
from prover.terms import FALSE, Term, instantiate, operator, parse, renamed


@dataclass(frozen=True, slots=True)
class Hole:
    """An explicit argument. If it is a proof, `term` is what it proves; if it is data, `term` is its variable."""

    term: Term
    is_proof: bool


Piece = Hole | str


@dataclass(frozen=True, slots=True)
class Way:
    """A text with holes, and what it proves. `rank` is the premise's, from 0."""

    pieces: tuple[Piece, ...]
    proves: Term
    rank: int = 0
    is_local: bool = False

    @property
    def cost(self) -> int:
        """How many premises it uses."""
        return 0 if self.is_local else 1

    @property
    def holes(self) -> tuple[Hole, ...]:
        """The explicit arguments, in their order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Hole))

    @property
    def proofs(self) -> tuple[Hole, ...]:
        """The explicit arguments that are proofs."""
        return tuple(hole for hole in self.holes if hole.is_proof)

    @property
    def is_projected(self) -> bool:
        """Whether more than the fact and its arguments is written."""
        return any(isinstance(piece, str) for piece in self.pieces[1:])

    @property
    def unapplied(self) -> Way:
        """The same way without the proofs at its end."""
        end = len(self.pieces)
        while isinstance(piece := self.pieces[end - 1], Hole) and piece.is_proof:
            end -= 1
        if end == len(self.pieces):
            return self
        return Way(self.pieces[:end], self.proves, self.rank, self.is_local)

    def text(self, arguments: Sequence[str]) -> str:
        """The text, with these arguments in the holes."""
        given = iter(arguments)
        found, is_applied = "", False
        for piece in self.pieces:
            if isinstance(piece, Hole):
                found, is_applied = f"{found} {bracketed(next(given))}", True
            else:
                found = f"({found}){piece}" if is_applied else f"{found}{piece}"
                is_applied = False
        return found

    def renamed(self, instance: int) -> Way:
        """The same way with fresh variables."""
        pieces = tuple(
            Hole(renamed(piece.term, instance), piece.is_proof) if isinstance(piece, Hole) else piece
            for piece in self.pieces
        )
        return Way(pieces, renamed(self.proves, instance), self.rank, self.is_local)


def bracketed(text: str) -> str:
    """A term as an argument: in brackets if it needs them."""
    depth = 0
    for character in text:
        depth += TERM_DEPTH.get(character, 0)
        if character == " " and depth == 0:
            return f"({text})"
    return text


_Step = tuple[Piece, Term]
_Row = Callable[[Term], list[_Step]]


def _sides(first: str, second: str) -> _Row:
    return lambda term: [(first, term.args[0]), (second, term.args[1])]


def _turned(relation: str) -> Callable[[Term], _Step]:
    return lambda term: (".symm", operator(relation, term.args[1], term.args[0]))


def _weaker(term: Term) -> list[_Step]:
    left, right = term.args
    return [
        _turned("=")(term),
        (".le", operator("≤", left, right)),
        (".ge", operator("≤", right, left)),
    ]


def _strict(term: Term) -> list[_Step]:
    left, right = term.args if term.head == "<" else term.args[::-1]
    return [
        (".le", operator("≤", left, right)),
        (".ne", operator("≠", left, right)),
        (".ne'", operator("≠", right, left)),
    ]


def _refuted(positive: str) -> Callable[[Term], _Step]:
    return lambda term: (Hole(operator(positive, *term.args), is_proof=True), FALSE)


_TABLE: dict[str, _Row] = {
    "∧": _sides(".1", ".2"),
    "↔": lambda term: [
        (".mp", operator("→", term.args[0], term.args[1])),
        (".mpr", operator("→", term.args[1], term.args[0])),
        _turned("↔")(term),
    ],
    "=": _weaker,
    "≠": lambda term: [_turned("≠")(term), _refuted("=")(term)],
    "∉": lambda term: [_refuted("∈")(term)],
    "∤": lambda term: [_refuted("∣")(term)],
    "¬": lambda term: [(Hole(term.args[0], is_proof=True), FALSE)],
    "<": _strict,
    ">": _strict,
    "→": lambda term: [(Hole(term.args[0], is_proof=True), term.args[1])],
}
"""By the outermost connective: the pieces that can be appended, each with what is then proved."""


def _steps(term: Term, depth: int) -> list[_Step]:
    if term.kind == "binder" and term.head == "∀":
        variable = Term(f"?{depth}", kind="variable", instance=1)
        return [(Hole(variable, is_proof=False), instantiate(term.args[0], variable))]
    row = _TABLE.get(term.head) if term.kind == "operator" else None
    return row(term) if row is not None and term.args else []


def ways_of_premise(
    name: str, explicit: Sequence[Argument], core: Term, variables: frozenset[str], rank: int
) -> list[Way]:
    """Every way to use a theorem, given its explicit arguments and the conclusion after them."""
    holes = [_hole(argument, variables) for argument in explicit]
    return _ways((name, *holes), core, rank, is_local=False)


def _hole(argument: Argument, variables: frozenset[str]) -> Hole:
    if argument.is_proof:
        return Hole(parse(argument.type, variables), is_proof=True)
    return Hole(Term(argument.name, kind="variable", instance=1), is_proof=False)


def ways_of_hypothesis(name: str, proves: Term) -> list[Way]:
    """Every way to use a hypothesis, whether the goal's or one that a proof introduces."""
    return _ways((name,), proves, 0, is_local=True)


def _ways(pieces: tuple[Piece, ...], proves: Term, rank: int, *, is_local: bool) -> list[Way]:
    found = list(_unapplied(pieces, proves, rank))
    layer: list[tuple[tuple[Piece, ...], Term]] = [(pieces, proves)]
    for depth in range(MAX_FACT_PROJECTIONS):
        found += [Way(written, term, rank, is_local) for written, term in layer]
        layer = [
            ((*written, piece), after)
            for written, term in layer
            for piece, after in _steps(term, depth)
            if written[-1] != ".symm"
        ][: MAX_WAYS_OF_A_FACT - len(found)]
    return found


def _unapplied(pieces: tuple[Piece, ...], proves: Term, rank: int) -> Iterator[Way]:
    """The fact without its last proofs, which proves an implication."""
    for cut in range(len(pieces) - 1, 0, -1):
        piece = pieces[cut]
        if not isinstance(piece, Hole) or not piece.is_proof:
            return
        proves = operator("→", piece.term, proves)
        yield Way(pieces[:cut], proves, rank)


Scope = Mapping[str, tuple[str, ...]]
"""Names with the tokens of their types."""
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
    while len(arguments) < MAX_ARGUMENTS_OF_A_TYPE:
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
