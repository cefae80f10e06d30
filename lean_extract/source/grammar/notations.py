"""Parses notations for a single constant: `infixr:25 " →* " => MonoidHom`, `notation "ℕ" => Nat`."""

from __future__ import annotations

from dataclasses import dataclass

from lean_extract.source.names.scopes import Scope
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.lexer import Tokens, is_identifier

NOTATION_WORDS = frozenset(("notation", "notation3", "infix", "infixl", "infixr", "prefix", "postfix"))


@dataclass(frozen=True, slots=True)
class Notation:
    """A symbol and the constant that its expansion applies, as written in `scope`."""

    symbol: str
    target: str
    scope: Scope


def parse_notation(tokens: Tokens, begin: int, end: int, scope: Scope) -> Notation | None:
    """The notation declared by the tokens [begin, end), if it has one symbol, which stands for one constant."""
    texts = tokens.texts
    arrow = _arrow(texts, begin, end)
    if arrow is None or arrow + 1 >= end or not is_identifier(texts[arrow + 1]):
        return None
    symbols = [text.strip('"').strip() for text in texts[begin + 1 : arrow] if text[:1] == '"']
    if len(symbols) != 1 or texts[arrow + 1] in ("fun", "by"):
        return None
    return Notation(symbols[0], texts[arrow + 1], scope)


def _arrow(texts: list[str], begin: int, end: int) -> int | None:
    depth = 0
    for index in range(begin, end):
        depth += DEPTH.get(texts[index], 0)
        if depth == 0 and texts[index] == "=>":
            return index
    return None
