"""Makes the equations of `reassoc` and `elementwise` from an equation between morphisms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lean_extract.syntax.operators import OPERATORS
from lean_extract.syntax.statement_syntax import Word, read_words, words_of
from lean_extract.syntax.terms import SyntaxNode

_COMPOSITION = "≫"
_IDENTITY = "𝟙"
_SIMPLIFIED = "dsimp% "
_VARIABLES = ("h", "k", "w", "x")
_MOST_WORDS = 2000


def reassociated(conclusion: str, context: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """`f ≫ g ≫ h = k ≫ h` for `f ≫ g = k`, and the context with `h`; unchanged if it is not an equation."""
    sides = _sides(conclusion)
    if sides is None:
        return conclusion, tuple(context)
    following = _unused(_VARIABLES, conclusion, context)
    left, right = [_followed(side, following) for side in sides]
    return f"{left} = {right}", (*context, f"({following} : _ ⟶ _)")


def applied(conclusion: str, context: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """`g (f x) = h x` for `f ≫ g = h`, and the context with `x`; unchanged if it is not an equation."""
    sides = _sides(conclusion)
    if sides is None:
        return conclusion, tuple(context)
    element = _unused(_VARIABLES[::-1], conclusion, context)
    left, right = [_at(side, element) for side in sides]
    return f"{left} = {right}", (*context, f"({element} : _)")


def _unused(names: Sequence[str], conclusion: str, context: Sequence[str]) -> str:
    taken = {word.text for text in (conclusion, *context) for word in words_of(text)}
    return next((name for name in names if name not in taken), f"{names[0]}'")


def _sides(conclusion: str) -> list[Sequence[Word]] | None:
    """The words of the two sides of an equation, neither empty."""
    words = words_of(conclusion.removeprefix(_SIMPLIFIED))
    node = read_words(words) if len(words) <= _MOST_WORDS else None
    if node is None or (node.kind, node.text, node.end) != ("infix", "=", len(words)):
        return None
    sides: list[Sequence[Word]] = [words[part.start : part.end] for part in node.parts]
    return sides if all(sides) else None


def _followed(side: Sequence[Word], following: str) -> str:
    """The side composed with one more morphism, associated to the right, as `simp` leaves it."""
    factors = [_in_brackets(words, node, composes=True) for words, node in _factors(side, read_words(side))]
    return f" {_COMPOSITION} ".join([*factors, following])


def _at(side: Sequence[Word], element: str) -> str:
    """The value of the composition at an element."""
    value = element
    for words, node in _factors(side, read_words(side)):
        value = f"{_in_brackets(words, node, composes=False)} {f'({value})' if ' ' in value else value}"
    return value


def _factors(words: Sequence[Word], node: SyntaxNode) -> Iterator[tuple[Sequence[Word], SyntaxNode]]:
    """The morphisms that a term composes, the first applied first, without identities."""
    if node.kind == "infix" and node.text == _COMPOSITION:
        for part in node.parts:
            yield from _factors(words, part)
    elif node.kind == "brackets" and node.text == "(" and _is_composition(node.parts):
        yield from _factors(words, node.parts[0])
    elif node.start < node.end and words[node.start].text != _IDENTITY:
        yield words[node.start : node.end], node


def _is_composition(parts: Sequence[SyntaxNode]) -> bool:
    return len(parts) == 1 and parts[0].text == _COMPOSITION


def _in_brackets(words: Sequence[Word], node: SyntaxNode, *, composes: bool) -> str:
    """A morphism as an operand of a composition, or as a function."""
    text = "".join([word.text + word.space for word in words]).strip()
    if node.kind == "infix":
        found = OPERATORS.get(node.text)
        is_tight = composes and found is not None and found.precedence > OPERATORS[_COMPOSITION].precedence
    else:
        is_tight = node.kind not in ("prefix", "binder") and (composes or node.kind != "applied")
    return text if is_tight else f"({text})"
