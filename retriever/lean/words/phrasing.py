"""Clauses and noun phrases as parts of longer ones."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from lean_extract.syntax.statement_syntax import Word
from lean_extract.syntax.terms import SyntaxNode

WRITTEN, FORMULA, WORDED = range(3)
"""How a phrase is made: as a name or an application is written, as a formula, or in words."""
_MAPS = ("→", "⟶", "≃", "≅", "↪", "⥤", "⇒", "⟹", "×", "⊕")
"""How the operators between types begin."""
_PIPES = ("<|", "$")
_UNSHOWN = str.maketrans("", "", "⇑↥")


class Phrase(NamedTuple):
    """A term in words, and how it is made: as a name or an application is written, as a formula, or in words."""

    text: str
    form: int = WRITTEN

    @property
    def inner(self) -> str:
        """As a part of a longer phrase."""
        return self.text if self.form == WRITTEN else f"({self.text})"


class Clause(NamedTuple):
    """A proposition in words; without text if there is none."""

    text: str
    is_simple: bool = True

    @property
    def inner(self) -> str:
        """As a part of a longer clause."""
        return self.text if self.is_simple else f"({self.text})"


NO_CLAUSE = Clause("")


class Call(NamedTuple):
    """A function and its arguments; an argument is text where it is the x of a name `x.name`.

    `has_receiver`: x is the first argument.
    """

    name: str
    arguments: tuple[SyntaxNode | str, ...]
    has_receiver: bool = False

    def at(self, receiver: int) -> Sequence[SyntaxNode | str]:
        """The arguments in the order of the function, of which the receiver is another than the first."""
        if not self.has_receiver:
            return self.arguments
        first, *rest = self.arguments
        return [*rest[:receiver], first, *rest[receiver:]]


def conditional(hypotheses: Sequence[Clause], conclusion: str) -> str:
    """`if p and q, then r`."""
    if not hypotheses:
        return conclusion
    only = len(hypotheses) == 1
    return f"if {listing([one.text if only else one.inner for one in hypotheses])}, then {conclusion}"


def listing(items: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, (", ".join(items[:-1]), items[-1]))) if items else ""


def is_type(node: SyntaxNode, variables: Mapping[str, bool]) -> bool:
    """Whether the form of a term shows that it is a type, or a type of maps. `variables`: as in `Reader`."""
    node = bare(node)
    while node.text in ("∀", "→") and node.parts:
        node = bare(node.parts[-1])
    if node.kind == "infix":
        return node.text.startswith(_MAPS)
    return node.kind == "name" and "." not in node.text and not variables.get(node.text, False)


def operands(node: SyntaxNode) -> list[SyntaxNode]:
    """The operands of `a op b op c`, without those inside brackets."""
    found: list[SyntaxNode] = []
    waiting = [node]
    while waiting:
        here = waiting.pop()
        if here.kind == "infix" and here.text == node.text:
            waiting += [here.parts[1], here.parts[0]]
        else:
            found.append(here)
    return found


def arrows(node: SyntaxNode) -> list[SyntaxNode]:
    """The hypotheses of `p → q → r`, and r."""
    found: list[SyntaxNode] = []
    while node.kind == "infix" and node.text == "→":
        found.append(node.parts[0])
        node = node.parts[1]
    return [*found, node]


def _named_call(text: str, variables: Container[str]) -> Call:
    """A name without arguments, or with the x of `x.name`."""
    receiver, dot, name = text.rpartition(".")
    head = receiver.partition(".")[0]
    if dot and head and (head in variables or head[0].islower() or len(head) == 1):
        return Call(f".{name}", (receiver,), has_receiver=True)
    return Call(text, ())


def call_of(words: Sequence[Word], variables: Container[str], node: SyntaxNode) -> Call | None:
    """A function and its arguments; None if there is no function, or an argument is given by its name."""
    kind, text, parts, _, start, end = node
    if kind == "applied" or (kind == "infix" and text in _PIPES):
        if any(word.text in (":=", "@") for word in words[start:end]):
            return None
        head = call_of(words, variables, parts[0])
        return head and head._replace(arguments=(*head.arguments, *parts[1:]))
    if kind in ("postfix", "prefix", "infix") or (kind == "coerced" and text == "#"):
        return Call(text, parts)
    if kind == "field" and "." not in text:
        return Call(f".{text}", parts, has_receiver=True)
    return _named_call(words[start].text, variables) if kind == "name" else None


def bare(node: SyntaxNode) -> SyntaxNode:
    """The term without brackets around it."""
    while node.kind == "brackets" and node.text == "(" and len(node.parts) == 1:
        node = node.parts[0]
    return node


def text_of(words: Sequence[Word]) -> str:
    """What is written, without marks of coercion to functions and types."""
    return "".join(text + space for text, space in words).strip().translate(_UNSHOWN)
