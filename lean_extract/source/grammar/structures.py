"""Parses what a structure, class or inductive type declares besides itself: fields and constructors."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from lean_extract.source.grammar.declarations import Declaration, Prefix, parse_prefix
from lean_extract.source.names.binders import Binder, parse_binders
from lean_extract.source.names.scopes import split_name
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.tactic_words import LETS


@dataclass(slots=True)
class Member:
    """A field, a constructor or a local declaration.

    `name` is relative to the declaration that it belongs to. The integers are token indices.
    """

    name: str
    kind: str
    prefix: Prefix
    binders: list[Binder]
    type_begin: int
    type_end: int
    begin: int
    end: int


@dataclass(slots=True)
class Members:
    """The members of a type, and the types that it extends, as written."""

    members: list[Member] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)


def parse_members(tokens: Tokens, declaration: Declaration) -> Members:
    """The fields and parents of a structure or class, or the constructors of an inductive type."""
    keyword = declaration.keyword
    if keyword in ("structure", "class"):
        return _structure(tokens, declaration)
    if keyword in ("inductive", "class inductive", "coinductive"):
        return Members(_constructors(tokens, declaration.value_begin, _deriving(tokens, declaration)))
    return Members()


def structure_itself(keyword: str, name: str, parameters: list[Binder]) -> str:
    """The binder of a field for the structure that it belongs to: `(self : Foo α)`."""
    explicit = [name for binder in parameters if binder.bracket in ("(", "") for name in binder.names]
    applied = " ".join([split_name(name)[-1], *explicit])
    return f"[self : {applied}]" if keyword == "class" else f"(self : {applied})"


def _deriving(tokens: Tokens, declaration: Declaration) -> int:
    """The index of a type's `deriving` clause, or the end of the type."""
    depth = 0
    for index in range(declaration.value_begin, declaration.end):
        text = tokens.texts[index]
        depth += DEPTH.get(text, 0)
        if text == "deriving" and depth == 0:
            return index
    return declaration.end


def _structure(tokens: Tokens, declaration: Declaration) -> Members:
    texts = tokens.texts
    end = _deriving(tokens, declaration)
    index = declaration.value_begin
    result = Members()
    if index < end and texts[index] == "extends":
        index = _parents(tokens, index + 1, end, result.parents)
    while index < end and texts[index] not in ("where", ":="):
        index += 1
    index += 1
    if index >= end:
        return result
    index = _named_constructor(tokens, index, end, result.members)
    result.members += _fields(tokens, index, end)
    return result


def _parents(tokens: Tokens, begin: int, end: int, parents: list[str]) -> int:
    """Append what `extends` names to `parents`. Returns the index of the `where`, `:=` or `:` after it."""
    texts = tokens.texts
    depth = 0
    expecting = True
    for index in range(begin, end):
        text = texts[index]
        if depth == 0 and text in ("where", ":="):
            return index
        if depth == 0 and text == ":" and not (index and _names_parent(texts, index, begin)):
            return index
        if expecting and is_identifier(text):
            parents.append(text)
            expecting = False
        depth += DEPTH.get(text, 0)
        if depth == 0 and text == ",":
            expecting = True
        elif depth == 0 and text == ":":
            parents.pop()
            expecting = True
    return end


def _names_parent(texts: list[str], colon: int, begin: int) -> bool:
    """Whether the colon belongs to `extends toFoo : Foo`."""
    return colon - 1 == begin or texts[colon - 2] == ","


def _named_constructor(tokens: Tokens, index: int, end: int, members: list[Member]) -> int:
    """Append the constructor to `members` if it is named with `mk ::`. Returns the index after that."""
    prefix, first = parse_prefix(tokens, index, end)
    if first + 1 < end and is_identifier(tokens.texts[first]) and tokens.texts[first + 1] == "::":
        members.append(Member(tokens.texts[first], "constructor", prefix, [], first, first, index, first + 2))
        return first + 2
    return index


def _fields(tokens: Tokens, begin: int, end: int) -> list[Member]:
    texts = tokens.texts
    fields: list[Member] = []
    if begin >= end:
        return fields
    margin = tokens.column(begin)
    index = begin
    while index < end:
        prefix, first = parse_prefix(tokens, index, end)
        if first >= end:
            break
        if texts[first] in ("(", "{", "[", "⦃"):
            after = tokens.brackets.close(first, end) + 1
            fields += _bracketed(tokens, prefix, index, first, after)
        else:
            after = tokens.lines.next_within(first + 1, end, margin)
            fields += _plain(tokens, prefix, index, first, after)
        index = after
    return fields


def _bracketed(tokens: Tokens, prefix: Prefix, begin: int, opener: int, after: int) -> list[Member]:
    """The fields of `(x y : T)`."""
    texts = tokens.texts
    colon = opener + 1
    while colon < after - 1 and is_identifier(texts[colon]):
        colon += 1
    if texts[colon : colon + 1] != [":"]:
        return []
    return [
        Member(name, "field", prefix, [], colon + 1, after - 1, begin, after)
        for name in texts[opener + 1 : colon]
    ]


def _plain(tokens: Tokens, prefix: Prefix, begin: int, first: int, after: int) -> list[Member]:
    """The fields of `x y (binders) : T := default`. A bare `x := value` declares nothing."""
    texts = tokens.texts
    names_end = first
    while names_end < after and is_identifier(texts[names_end]):
        names_end += 1
    binders, colon = parse_binders(tokens, names_end, after)
    if names_end == first or colon >= after or texts[colon] != ":":
        return []
    type_end = _default(texts, colon + 1, after)
    return [
        Member(name, "field", prefix, binders, colon + 1, type_end, begin, after)
        for name in texts[first:names_end]
    ]


def _default(texts: list[str], begin: int, end: int) -> int:
    depth = 0
    lets = 0
    for index in range(begin, end):
        text = texts[index]
        depth += DEPTH.get(text, 0)
        if depth == 0 and text in LETS:
            lets += 1
        elif depth == 0 and text in (":=", "deriving"):
            if not lets:
                return index
            lets -= 1
    return end


def _constructors(tokens: Tokens, begin: int, end: int) -> list[Member]:
    texts = tokens.texts
    bars = _bars(texts, begin, end)
    members: list[Member] = []
    for bar, limit in pairwise([*bars, end]):
        start = bar - 1 if bar > begin and texts[bar - 1][:3] == "/--" else bar
        stop = limit - 1 if limit < end and texts[limit - 1][:3] == "/--" else limit
        prefix, name_index = parse_prefix(tokens, bar + 1, stop)
        if start < bar:
            outer, _ = parse_prefix(tokens, start, bar)
            prefix.doc = prefix.doc or outer.doc
        if name_index >= stop or not is_identifier(texts[name_index]):
            continue
        binders, colon = parse_binders(tokens, name_index + 1, stop)
        type_begin = colon + 1 if colon < stop and texts[colon] == ":" else stop
        members.append(
            Member(texts[name_index], "constructor", prefix, binders, type_begin, stop, start, stop)
        )
    return members


def _bars(texts: list[str], begin: int, end: int) -> list[int]:
    bars: list[int] = []
    depth = 0
    for index in range(begin, end):
        text = texts[index]
        depth += DEPTH.get(text, 0)
        if text == "|" and depth == 0:
            bars.append(index)
    return bars


def local_declarations(tokens: Tokens, declaration: Declaration) -> list[Member]:
    """The declarations in the `where` after a declaration's value: `def f := go 0 where go n := ...`."""
    texts = tokens.texts
    depth = 0
    for index in range(declaration.value_begin + 1, declaration.end):
        text = texts[index]
        depth += DEPTH.get(text, 0)
        if text == "where" and depth == 0 and index + 1 < declaration.end:
            return _local(tokens, index + 1, declaration.end)
    return []


def _local(tokens: Tokens, begin: int, end: int) -> list[Member]:
    texts = tokens.texts
    margin = tokens.column(begin)
    starts = [index for index in tokens.firsts(begin, end) if tokens.column(index) == margin]
    if not starts or starts[0] != begin:
        starts.insert(0, begin)
    members: list[Member] = []
    for start, limit in pairwise([*starts, end]):
        prefix, name_index = parse_prefix(tokens, start, limit)
        if (
            name_index >= limit
            or not is_identifier(texts[name_index])
            or texts[name_index] in _NO_LOCAL_NAMES
        ):
            continue
        binders, colon = parse_binders(tokens, name_index + 1, limit)
        if colon >= limit or texts[colon] not in (":", ":=", "|"):
            continue
        type_begin = colon + 1 if texts[colon] == ":" else colon
        type_end = _type_end(texts, type_begin, limit) if texts[colon] == ":" else colon
        members.append(Member(texts[name_index], "def", prefix, binders, type_begin, type_end, start, limit))
    return members


_NO_LOCAL_NAMES = frozenset(("termination_by", "decreasing_by", "finally", "rec"))


def _type_end(texts: list[str], begin: int, end: int) -> int:
    depth = 0
    for index in range(begin, end):
        depth += DEPTH.get(texts[index], 0)
        if depth == 0 and texts[index] in (":=", "|", "termination_by", "decreasing_by"):
            return index
    return end
