"""Where a source file proves the theorem of a name. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from lean_extract.records import Position, Premise, Span
from lean_extract.session.document import LeanDocument
from lean_extract.source.names.scopes import split_name
from lean_extract.source.reader import read_module
from lean_extract.syntax.lexer import Tokens, tokenize

_OPEN, _CLOSE = frozenset("([{⟨⦃"), frozenset(")]}⟩⦄")
_MEMBERS = ("field", "constructor")


def proved(text: str) -> dict[str, Span]:
    """The declarations that the text writes out, by full name, with where they are; members of types left out."""
    module = read_module(LeanDocument(text).text, "", "")
    return {one.name: one.span for one in module.premises if one.span is not None and _is_written(one)}


def _is_written(premise: Premise) -> bool:
    return premise.generated_by is None and premise.kind not in _MEMBERS


def named(names: Sequence[str], name: str) -> list[str]:
    """Which of these full names is meant by a full name, else by the last parts of one. Quotes may be left out."""
    wanted = _parts(name)
    ending = [one for one in names if _parts(one)[-len(wanted) :] == wanted]
    return [one for one in ending if _parts(one) == wanted] or ending


def _parts(name: str) -> list[str]:
    return [part.strip("«»") for part in split_name(name)]


def proof_position(text: str, span: Span) -> Position:
    """The first `sorry` of a declaration, else the first tactic of its proof, else its first character."""
    document = LeanDocument(text)
    tokens = tokenize(document.text)
    begin = bisect_left(tokens.starts, document.offset(span.start))
    end = bisect_left(tokens.starts, document.offset(span.end))
    sorry = bisect_left(tokens.sorries, begin)
    if sorry < len(tokens.sorries) and tokens.sorries[sorry] < end:
        return tokens.position(tokens.starts[tokens.sorries[sorry]])
    body = _body(tokens, begin, end)
    at = next((index for index in range(body, end) if tokens.texts[index] == "by"), None)
    if at is None:
        return span.start
    return tokens.position(tokens.starts[min(at + 1, end - 1)])


def _body(tokens: Tokens, begin: int, end: int) -> int:
    """The index of the declaration's `:=`, outside of all brackets; of its first token if it has none."""
    depth = 0
    for index in range(begin, end):
        token = tokens.texts[index]
        depth += (token in _OPEN) - (token in _CLOSE)
        if token == ":=" and depth == 0:
            return index
    return begin
