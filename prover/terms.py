"""Printed propositions as trees, by Lean's binding powers.

What cannot be read (`if`, `match`, notation of a project's own) becomes one opaque leaf, so every text has a
tree. Reading takes time linear in the tokens; brackets deeper than `_DEEPEST` make the whole text opaque.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from prover.shapes import RELATIONS, Argument, binder_arguments, binder_end

Kind = Literal["name", "operator", "numeral", "variable", "bound", "binder", "opaque"]

_DEEPEST = 60
_MOST_TOKENS = 600
_LONGEST_CHAIN = 120
"""So many operators, projections and the like may nest to the left, all together."""
_BINDERS = frozenset({"∀", "∃", "∃!", "fun", "λ", "∑", "∏", "⨆", "⨅", "⋃", "⋂"})
_OPAQUE = frozenset({"let", "have", "if", "match", "show", "do", "by"})
_SAME = {"<->": "↔", "->": "→", "<=": "≤", ">=": "≥", "!=": "≠", "λ": "fun"}
_PREFIX = {"¬": 40, "-": 75, "↑": 1000, "⇑": 1000, "↥": 1000, "√": 100}
_FENCES = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⦃": "⦄", "⟦": "⟧", "⌊": "⌋", "⌈": "⌉", "|": "|", "‖": "‖"}
_LEFT_OPEN = frozenset("([{⟨⦃⟦⌊⌈‖|")
_CLOSERS = frozenset(")]}⟩⦄⟧⌋⌉,;:|‖") | {"=>", ":=", "↦"}
_UNKNOWN = 65
"""The binding power given to an infix operator that is not in the table."""


def _powers() -> dict[str, tuple[int, int]]:
    """Binding powers to the left and to the right of each infix operator."""
    left = {
        "+": 65,
        "-": 65,
        "++": 65,
        "∪": 65,
        "*": 70,
        "/": 70,
        "%": 70,
        "∩": 70,
        "\\": 70,
        "⊔": 68,
        "⊓": 69,
    }
    right = {"→": 25, "∨": 30, "∧": 35, "×": 35, "⊕": 30, "::": 67, "•": 73, "^": 75, "∘": 90, "<|": 10}
    return (
        {operator: (power, power + 1) for operator, power in left.items()}
        | {operator: (power + 1, power) for operator, power in right.items()}
        | dict.fromkeys((*RELATIONS, "="), (51, 51))
        | {"↔": (21, 21), "|>": (10, 11), "|>.": (10, 11)}
    )


_POWERS = _powers()


@dataclass(frozen=True, slots=True)
class Term:
    """A node: its head and its arguments.

    A `variable` stands for any term and may have arguments itself; `instance` keeps the variables of two uses
    of one statement apart. A `bound` name is told by how many binders lie between (its head is that number);
    a `binder` has one argument, its body, and binds one name. `is_dotted`: written behind its first argument.
    """

    head: str
    args: tuple[Term, ...] = ()
    kind: Kind = "name"
    instance: int = 0
    is_dotted: bool = False

    @property
    def size(self) -> int:
        """How many nodes it has."""
        return 1 + sum(argument.size for argument in self.args)


TRUE, FALSE = Term("True"), Term("False")


def operator(head: str, *args: Term) -> Term:
    """The node of an operator or connective."""
    return Term(head, args, "operator")


def parse(
    tokens: Sequence[str], variables: frozenset[str] = frozenset(), local: frozenset[str] = frozenset()
) -> Term:
    """The tree of printed tokens (`prover.shapes.tokens`).

    Args:
        tokens: of one proposition or term.
        variables: names that stand for any term.
        local: names of hypotheses: `n.succ` is `succ n` where `n` is one of those or a variable.
    """
    if len(tokens) > _MOST_TOKENS:
        return _opaque(tokens[:_MOST_TOKENS])
    try:
        reader = _Reader(tokens, variables, local)
        found = reader.term(0)
        return found if reader.at_end else _opaque(tokens)
    except _UnreadableError:
        return _opaque(tokens)


def _opaque(tokens: Sequence[str]) -> Term:
    return Term(" ".join(tokens), kind="opaque")


class _UnreadableError(Exception):
    """The tokens are no term that we know how to read."""


class _Reader:
    def __init__(self, tokens: Sequence[str], variables: frozenset[str], local: frozenset[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._variables = variables
        self._local = local
        self._bound: list[str] = []
        self._depth = 0
        self._chained = 0

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._tokens)

    def _peek(self) -> str:
        token = self._tokens[self._at] if self._at < len(self._tokens) else ""
        return _SAME.get(token, token)

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def term(self, power: int) -> Term:
        """A term whose operators bind at least as strongly as `power`."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _UnreadableError
        found = self._prefix()
        while (token := self._peek()) and token not in _CLOSERS:
            left, right = _POWERS.get(token, (_UNKNOWN, _UNKNOWN + 1))
            if left < power or _is_word(token):
                break
            self._at += 1
            found = self._longer(operator(token, found, self.term(right)))
        self._depth -= 1
        return found

    def _longer(self, found: Term) -> Term:
        self._chained += 1
        if self._chained > _LONGEST_CHAIN:
            raise _UnreadableError
        return found

    def _prefix(self) -> Term:
        token = self._peek()
        if token in _BINDERS:
            return self._binder(self._next())
        if token in _PREFIX:
            self._at += 1
            return operator(f"{token}_" if token == "-" else token, self.term(_PREFIX[token]))
        return self._application()

    def _application(self) -> Term:
        function = self._atom()
        args: list[Term] = []
        while self._begins_atom():
            args.append(self._atom())
        if self._peek() in ("fun", "λ") and not self.at_end:
            args.append(self._binder(self._next()))
        return apply(function, args)

    def _begins_atom(self) -> bool:
        token = self._peek()
        is_open = token in _LEFT_OPEN and token not in ("|", "‖")
        is_word = bool(token) and _is_word(token) and token not in _OPAQUE and token not in _BINDERS
        return is_open or is_word or token in ("↑", "⇑", "↥")

    def _atom(self) -> Term:
        token = self._next()
        if token in ("↑", "⇑", "↥"):
            self._depth += 1
            if self._depth > _DEEPEST:
                raise _UnreadableError
            found = operator(token, self._atom())
            self._depth -= 1
            return found
        if token in _FENCES:
            found = self._fenced(token)
        elif token and _is_word(token) and token not in _OPAQUE:
            found = self._named(token)
        else:
            raise _UnreadableError
        while self._peek() in (".", "⁻"):
            found = self._postfix(found, self._next())
        return found

    def _postfix(self, found: Term, token: str) -> Term:
        name = self._next()
        if not name or not (_is_word(name) or name == "¹"):
            raise _UnreadableError
        return self._longer(operator("⁻¹", found) if token == "⁻" else Term(name, (found,), is_dotted=True))

    def _fenced(self, opener: str) -> Term:
        closer, parts = _FENCES[opener], list[Term]()
        while self._peek() != closer:
            parts.append(self.term(0))
            if self._peek() == ":" and opener == "(":
                self._at += 1
                self.term(0)
            if self._peek() == ",":
                self._at += 1
            elif self._peek() != closer:
                raise _UnreadableError
        self._at += 1
        if opener == "(" and len(parts) == 1:
            return parts[0]
        return operator(opener + closer, *parts)

    def _named(self, token: str) -> Term:
        if token[0].isdigit():
            return Term(token, kind="numeral")
        first, *rest = token.split(".")
        if not rest or not self._stands_alone(first):
            return self._name(token)
        found = self._name(first)
        for part in rest:
            found = self._longer(Term(part, (found,), is_dotted=True))
        return found

    def _stands_alone(self, name: str) -> bool:
        return name in self._bound or name in self._variables or name in self._local

    def _name(self, name: str) -> Term:
        for distance, bound in enumerate(reversed(self._bound)):
            if bound == name:
                return Term(str(distance), kind="bound")
        if name in self._variables:
            return Term(name, kind="variable", instance=1)
        return Term(name)

    def _binder(self, token: str) -> Term:
        ends = (",",) if token not in ("fun", "λ") else ("=>", "↦")
        comma = binder_end(self._tokens, self._at, ends)
        arguments = binder_arguments(self._tokens[self._at : comma])
        if comma >= len(self._tokens) or not arguments:
            raise _UnreadableError
        guards: list[Term | None] = [self._guard(argument) for argument in arguments]
        self._at = comma + 1
        body = self._body(arguments)
        return _bind(token, guards, body)

    def _guard(self, argument: Argument) -> Term | None:
        """The condition of a bounded binder: `∀ x ∈ s`; other arguments are bound by their names."""
        if not (argument.is_proof and argument.name == "h" and len(argument.type) > 2):
            self._bound.append(argument.name or "_")
            return None
        inner = _Reader(argument.type, self._variables, self._local)
        inner._bound = self._bound
        return inner.term(0)

    def _body(self, arguments: Sequence[Argument]) -> Term:
        before = len(self._bound)
        body = self.term(0)
        bound = sum(1 for argument in arguments if not self._is_guard(argument))
        del self._bound[before - bound :]
        return body

    @staticmethod
    def _is_guard(argument: Argument) -> bool:
        return argument.is_proof and argument.name == "h" and len(argument.type) > 2


def _bind(token: str, guards: Sequence[Term | None], body: Term) -> Term:
    joined = "∧" if token.startswith("∃") else "→"
    for guard in reversed(guards):
        body = Term(token, (body,), "binder") if guard is None else operator(joined, guard, body)
    return body


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] in "_«?"


def apply(function: Term, args: Sequence[Term]) -> Term:
    """The application of a term to further arguments."""
    if not args:
        return function
    if function.kind in ("name", "variable"):
        whole = (*function.args, *args)
        return Term(function.head, whole, function.kind, function.instance, function.is_dotted)
    return operator("app", function, *args)


def instantiate(body: Term, value: Term, depth: int = 0) -> Term:
    """The body of a binder with the value in place of the bound name; the value has no bound names."""
    if body.kind == "bound":
        index = int(body.head)
        return value if index == depth else Term(str(index - 1), kind="bound") if index > depth else body
    below = depth + (body.kind == "binder")
    args = tuple(instantiate(argument, value, below) for argument in body.args)
    if body.head == "app" and args and args[0].kind in ("name", "variable"):
        return apply(args[0], args[1:])
    return Term(body.head, args, body.kind, body.instance, body.is_dotted)


def renamed(term: Term, instance: int) -> Term:
    """The term with its variables marked as those of one use of its statement."""
    args = tuple(renamed(argument, instance) for argument in term.args)
    number = instance if term.kind == "variable" else 0
    return Term(term.head, args, term.kind, number, term.is_dotted)


def subterms(term: Term) -> Iterator[Term]:
    """The term and all its parts, the outermost first; of a function with arguments also its beginnings."""
    yield term
    for number in range(len(term.args) - 1, 0, -1):
        if term.kind == "name":
            yield Term(term.head, term.args[:number], is_dotted=term.is_dotted)
    for argument in term.args:
        yield from subterms(argument)
