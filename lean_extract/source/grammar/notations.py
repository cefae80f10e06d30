"""Parses notations for a single constant: `infixr:25 " →* " => MonoidHom`, `notation "ℕ" => Nat`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from lean_extract.source.names.scopes import Scope
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.operators import MAX, UNKNOWN

Form = Literal["infix", "infixl", "infixr", "prefix", "postfix", "constant"]
FORMS: tuple[Form, ...] = get_args(Form)
NOTATION_WORDS = frozenset(("notation", "notation3", "infix", "infixl", "infixr", "prefix", "postfix"))
_BY_SIDES: dict[tuple[bool, bool], Form] = {
    (True, True): "infix",
    (False, True): "prefix",
    (True, False): "postfix",
    (False, False): "constant",
}
"""By whether there are operands before and after the symbol."""
_LONGEST_NUMBER = 6


@dataclass(frozen=True, slots=True)
class Notation:
    """A symbol and the constant that its expansion applies, as written in `scope`."""

    symbol: str
    target: str
    scope: Scope
    form: Form = "constant"
    precedence: int = MAX
    is_local: bool = False
    """Whether no other file has it."""


def parse_notation(
    tokens: Tokens, begin: int, end: int, scope: Scope, *, is_local: bool = False
) -> Notation | None:
    """The notation declared by the tokens [begin, end), if it has one symbol, for one constant."""
    texts = tokens.texts
    arrow = _arrow(texts, begin, end)
    if arrow is None:
        return None
    target = arrow + 2 if texts[arrow + 1 : arrow + 2] == ["@"] else arrow + 1
    if target >= end or not is_identifier(texts[target]) or texts[target] in ("fun", "by"):
        return None
    head = texts[begin + 1 : arrow]
    places = [index for index, text in enumerate(head) if text[:1] == '"']
    if len(places) != 1:
        return None
    symbol = head[places[0]].strip('"').strip().replace("\\\\", "\\")
    form = _form(texts[begin], head, places[0])
    return Notation(symbol, texts[target], scope, form, _precedence(head), is_local)


def _arrow(texts: list[str], begin: int, end: int) -> int | None:
    depth = 0
    for index in range(begin, end):
        depth += DEPTH.get(texts[index], 0)
        if depth == 0 and texts[index] == "=>":
            return index
    return None


def _form(word: str, head: Sequence[str], place: int) -> Form:
    named = next((form for form in FORMS if form == word), None)
    return named or _BY_SIDES[_has_operand(head[:place]), _has_operand(head[place + 1 :])]


def _has_operand(texts: Sequence[str]) -> bool:
    depth = 0
    for before, text in zip(("", *texts), texts, strict=False):
        depth += DEPTH.get(text, 0)
        if depth == 0 and before != ":" and is_identifier(text):
            return True
    return False


def _precedence(head: Sequence[str]) -> int:
    """The precedence written after the command's word."""
    if len(head) < 2 or head[0] != ":":
        return UNKNOWN
    number = head[1]
    return int(number) if number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER else MAX
