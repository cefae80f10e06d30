"""Terms from Lean's text: applications, operators by their binding powers, binders; no elaboration.

A term is a symbol and its arguments. Notation and functions share symbols (`lean_extract.syntax.words`): `a + b`
and `HAdd.hAdd a b` are both `add a b`. Names lose their namespaces, coercions and type ascriptions go,
`h.symm` is `symm h`. What cannot be read becomes an atom of its own: reading never fails, looks at each token
a bounded number of times, and goes no deeper than a fixed depth.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from lean_extract.syntax.words import WORDS

MOST_TOKENS = 600
"""What stands behind these is not read."""
_DEEPEST = 40

_CLOSERS = dict(zip("([{⟨⦃‖|⌊⌈⟦⟪", ")]}⟩⦄‖|⌋⌉⟧⟫", strict=True))
_ENDS = frozenset([*_CLOSERS.values(), ",", ":", ":=", "↦", ";", "then", "else", "with", "from"])
_BRACKETS = {
    "‖": "norm",
    "|": "abs",
    "⌊": "floor",
    "⌈": "ceil",
    "⟦": "mk",
    "⟪": "inner",
    "[": "[]",
    "⟨": "⟨⟩",
    "{": "{}",
}
_BINDERS = {
    **dict.fromkeys(("∀", "∃", "∃!", "fun", "λ", "Π", "Σ"), 0),
    **dict.fromkeys(("∑", "∏", "∐", "∑'"), 67),
    **dict.fromkeys(("∫", "∫⁻", "⨆", "⨅", "⋃", "⋂"), 60),
}
"""What binds variables, and how tightly its body holds together."""
_LEVELS: tuple[tuple[tuple[int, int], str], ...] = (
    ((10, 9), "<| $ ⟶ ≅ ⥤ ⟹"),
    ((20, 21), "↔"),
    ((25, 24), "→ ≃ →+ →* →+* →ₗ →ₐ ≃+ ≃* ≃+* ≃ₗ ≃ₐ ≃ₜ"),
    ((30, 29), "∨ ⊕"),
    ((35, 34), "∧ ×"),
    ((50, 51), "= ≠ ≤ < ≥ > ∈ ∉ ∋ ⊆ ⊂ ⊇ ⊃ ∣ ≡ ≈ ∼ ⋖ ≪ ∥ ⟂ ≍"),
    ((65, 66), "+ - ++ ∪ ⊻ +ᵥ ∆ :: ⊕ₜ"),
    ((68, 69), "⊔ ⊓"),
    ((70, 71), "* / % ∩ \\ ⧸ ⊗ ⊗ₜ ⊗ₖ"),
    ((73, 72), "•"),
    ((76, 75), "^"),
    ((80, 81), "'' ⁻¹' ≫ ×ˢ ∘ₗ ◁ ▷"),
    ((91, 90), "∘"),
    ((9, 10), "|>"),
)
"""Lean's and Mathlib's binding powers, to the left and to the right."""
_INFIX = {operator: powers for powers, operators in _LEVELS for operator in operators.split()}
_UNKNOWN = (65, 66)
"""An operator of a library's own."""
_POSTFIX = {
    "⁻¹": "inv",
    "ᶜ": "compl",
    "!": "factorial",
    "ᵒᵖ": "op",
    "ˣ": "units",
    "⁺": "posPart",
    "⁻": "negPart",
}
_SYMMETRIC = frozenset("|‖")
_COERCIONS = frozenset("↑⇑↥@")
_PREFIX = {"¬": 40, "-": 75, "√": 100}
_WORD = re.compile(r"[^\W\d]|«|\d")


@dataclass(frozen=True, slots=True)
class Term:
    """A symbol applied to arguments; `binds` are the variables that it binds in its last argument."""

    symbol: str
    arguments: tuple[Term, ...] = ()
    binds: tuple[str, ...] = ()


def parse_term(tokens: Sequence[str], variables: Set[str] = frozenset()) -> Term:
    """The term that the tokens are, as far as it can be read.

    Args:
        tokens: in one spelling (`lean_extract.syntax.canonical`), names with their dots in one piece.
        variables: whose fields stand behind a dot: `h` in `h.symm`.
    """
    return _Reader(tokens[:MOST_TOKENS], variables).expression(0, 0)


class _Reader:
    """One pass from left to right; every step takes a token or ends."""

    def __init__(self, tokens: Sequence[str], variables: Set[str]) -> None:
        self._tokens = tokens
        self._variables = variables
        self._place = 0
        self._ends: list[str] = []

    def expression(self, power: int, depth: int) -> Term:
        """What binds more tightly than `power` from here on."""
        if depth > _DEEPEST:
            self._skip()
            return Term("…")
        left = self._prefixed(depth)
        while (token := self._next()) and not self._is_end(token):
            binding = _INFIX.get(token, _UNKNOWN)
            if binding[0] <= power:
                break
            self._place += 1
            right = self.expression(binding[1], depth + 1)
            left = _infix(token, left, right)
        return left

    def _next(self) -> str:
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def _is_end(self, token: str) -> bool:
        if token in _SYMMETRIC:  # closes what it has opened, and opens what it has not
            return bool(self._ends) and self._ends[-1] == token
        return token in _ENDS

    def _take(self) -> str:
        token = self._next()
        self._place += 1
        return token

    def _skip(self) -> None:
        """To the end of the brackets around, or of the text."""
        depth = 0
        while token := self._next():
            if token in "([{⟨⦃":
                depth += 1
            elif token in ")]}⟩⦄":
                if depth == 0:
                    return
                depth -= 1
            self._place += 1

    def _prefixed(self, depth: int) -> Term:
        token = self._next()
        if token in _BINDERS:
            return self._binder(depth)
        if token in _PREFIX:
            self._place += 1
            inner = self.expression(_PREFIX[token], depth + 1)
            return Term({"¬": "not", "-": "neg", "√": "sqrt"}[token], (inner,))
        return self._application(depth)

    def _application(self, depth: int) -> Term:
        head = self._atom(depth)
        arguments = []
        while self._begins_argument():
            if self._next() in _BINDERS:
                arguments.append(self._binder(depth + 1))
                break
            arguments.append(self._atom(depth + 1))
        return Term(head.symbol, (*head.arguments, *arguments)) if arguments else head

    def _begins_argument(self) -> bool:
        token = self._next()
        if not token or self._is_end(token) or token in _INFIX or token in _PREFIX:
            return False
        if token == "|":
            return False  # `f |x|` is rare, `{x | p x}` is not
        return token in _CLOSERS or token in _COERCIONS or token in _BINDERS or not _is_operator(token)

    def _atom(self, depth: int) -> Term:
        token = self._next()
        while token in _COERCIONS and token:
            self._place += 1
            token = self._next()
        if not token or self._is_end(token):
            return Term("…")
        if token in _CLOSERS and depth <= _DEEPEST:
            found = self._bracketed(token, depth)
        else:
            self._place += 1
            found = self._name(token)
        return self._postfixed(found)

    def _postfixed(self, found: Term) -> Term:
        while (token := self._next()) in _POSTFIX or token == ".":
            self._place += 1
            if token == ".":
                name = self._take()
                found = Term(f".{name}" if name.isdigit() else symbol_of(name), (found,))
            else:
                found = Term(_POSTFIX[token], (found,))
        return found

    def _name(self, token: str) -> Term:
        head, dot, rest = token.partition(".")
        if dot and token not in WORDS and "«" not in token and (head in self._variables or _is_local(head)):
            found = Term(head)
            for part in rest.split("."):
                found = Term(f".{part}" if part.isdigit() else symbol_of(part), (found,))
            return found
        return Term(token if not dot and token in self._variables else symbol_of(token))

    def _bracketed(self, opener: str, depth: int) -> Term:
        self._place += 1
        closer = _CLOSERS[opener]
        self._ends.append(closer)
        items = self._items(opener, depth)
        self._ends.pop()
        if self._next() == closer:
            self._place += 1
        if opener == "(":
            return items[0] if len(items) == 1 else Term("(,)", tuple(items))
        if opener == "{" and items and items[0].symbol == "setOf":
            return items[0]
        return Term(_BRACKETS.get(opener, opener), tuple(items))

    def _items(self, opener: str, depth: int) -> list[Term]:
        items: list[Term] = []
        while (token := self._next()) and token != _CLOSERS[opener]:
            if token in (",", ";"):
                self._place += 1
                continue
            before = self._place
            if opener == "{" and (comprehension := self._comprehension(depth)) is not None:
                return [comprehension]
            items.append(self.expression(0, depth + 1))
            behind = self._next()
            if behind != _CLOSERS[opener] and behind not in (",", ";"):
                self._skip()
            if self._place == before:
                self._place += 1
        return items

    def _comprehension(self, depth: int) -> Term | None:
        """`x | p`, `x ∈ s | p`, `x : T | p` behind an opened brace."""
        end = self._find("|")
        if end is None:
            return None
        names, domain = self._bound(self._tokens[self._place : end])
        self._place = end + 1
        body = self.expression(0, depth + 1)
        return Term("setOf", (*domain, body), names)

    def _find(self, wanted: str) -> int | None:
        depth = 0
        for place in range(self._place, min(len(self._tokens), self._place + 24)):
            token = self._tokens[place]
            if token == wanted and depth == 0:
                return place
            if token in "([{⟨⦃":
                depth += 1
            elif token in ")]}⟩⦄":
                if depth == 0:
                    return None
                depth -= 1
        return None

    def _binder(self, depth: int) -> Term:
        token = self._take()
        start = self._place
        level = 0
        while (here := self._next()) and not (level == 0 and here in (",", "↦")):
            if here in ")]}⟩⦄" and level == 0:
                break
            level += (here in "([{⟨⦃") - (here in ")]}⟩⦄")
            self._place += 1
        names, domain = self._bound(self._tokens[start : self._place])
        if self._next() in (",", "↦"):
            self._place += 1
        body = self.expression(_BINDERS[token], depth + 1) if depth <= _DEEPEST else Term("…")
        symbol = {"fun": "λ"}.get(token, symbol_of(token))
        return Term(symbol, (*domain, body), names)

    def _bound(self, tokens: Sequence[str]) -> tuple[tuple[str, ...], tuple[Term, ...]]:
        """The variables of a binder, and the set or bound that they are taken from, if one is named."""
        plain = [token for token in tokens if token not in ("(", ")", "{", "}", "⦃", "⦄")]
        for place, token in enumerate(plain):
            if token in (":", "in"):
                return tuple(plain[:place]), ()
            if token in ("∈", "⊆", "<", "≤", "∉", "≠"):
                domain = _Reader(plain[place + 1 :][:24], self._variables).expression(50, _DEEPEST // 2)
                is_plain = token == "∈"
                return tuple(plain[:place]), (domain if is_plain else Term(symbol_of(token), (domain,)),)
        return tuple(plain), ()


def symbol_of(token: str) -> str:
    """A name without its namespace, an operator by the word that names have for it."""
    word = WORDS.get(token)
    if word is not None:
        return word
    last = token.rpartition(".")[2] if "«" not in token else token
    return WORDS.get(last, last) or token


def _infix(token: str, left: Term, right: Term) -> Term:
    if token in ("<|", "$"):
        return Term(left.symbol, (*left.arguments, right))
    if token == "|>":
        return Term(right.symbol, (*right.arguments, left))
    return Term("→" if token == "→" else symbol_of(token), (left, right))


def _is_operator(token: str) -> bool:
    return not _WORD.match(token) and token not in "∅⊤⊥∞π𝓝𝓤ℵ∂‹·_?✝⁅"


def _is_local(head: str) -> bool:
    """Whether a name that begins so is likely a hypothesis: namespaces begin with capitals."""
    return head[:1].islower() or len(head) == 1
