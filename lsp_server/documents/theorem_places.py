"""Where a source file proves the theorem of a name. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from lean_extract.common.errors import UserError
from lean_extract.common.nearest import nearest, question
from lean_extract.common.terminal_text import shown
from lean_extract.records import Position, Premise, Span
from lean_extract.session.document import LeanDocument
from lean_extract.source.names.scopes import split_name
from lean_extract.source.reader import read_module
from lean_extract.syntax.lexer import Tokens, tokenize

_OPEN, _CLOSE = frozenset("([{⟨⦃"), frozenset(")]}⟩⦄")
_LISTED = 6
_MEMBERS = ("field", "constructor")


def proved(text: str) -> dict[str, Span]:
    """The declarations that the text writes out, by full name, with where they are; members of types left out."""
    module = read_module(LeanDocument(text).text, "", "")
    return {one.name: one.span for one in module.premises if one.span is not None and _is_written(one)}


def _is_written(premise: Premise) -> bool:
    return premise.generated_by is None and premise.kind not in _MEMBERS


def named_position(text: str, name: str, file: str, before: str = "") -> Position:
    """Where the declaration of a name, full or its end, is proved (`proof_position`).

    Args:
        file: the file, as errors name it.
        before: what the user writes before a name, such as `A.lean:`, for the hints.

    Raises UserError: the text has no declaration of this name, or several.
    """
    spans = proved(text)
    names = list(spans)
    found = _named(names, name)
    if len(found) == 1:
        return proof_position(text, spans[found[0]])
    written = shown(name, longest=100)
    if found:
        listed = [f"{before}{one}" for one in found[:_LISTED]]
        raise UserError(f"{file} has {len(found)} declarations {written}.", question(listed))
    near = nearest(name, names) or [
        full
        for last in nearest(name, {one.rpartition(".")[2]: None for one in names})
        for full in _named(names, last)
    ]
    hint = question([f"{before}{one}" for one in near[:_LISTED]]) or _declared(names)
    raise UserError(f"{file} declares no {written}.", hint)


def _declared(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return (
        f"It declares {', '.join(names[:_LISTED])}{more}."
        if names
        else "It declares nothing that has a name."
    )


def _named(names: Sequence[str], name: str) -> list[str]:
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
