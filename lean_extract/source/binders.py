"""Binder groups: `(x y : T)`, `{x : T}`, `⦃x⦄`, `[Group G]`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lean_extract.source.lexer import Tokens, is_identifier
from lean_extract.source.syntax import (
    BINDER_OPENERS,
    CONTEXT_WORDS,
    DECLARATION_WORDS,
    DEPTH,
    SCOPE_WORDS,
    close,
)

_CLOSING = {"(": ")", "{": "}", "[": "]", "⦃": "⦄"}
_CLOSERS = frozenset(_CLOSING.values())


@dataclass(frozen=True, slots=True)
class Binder:
    """One group of bound names.

    `bracket` is the opening bracket; empty for a bare name. `text` is the group as written, white
    space folded. `mentions` holds the first component of every name in its type and default.
    """

    names: tuple[str, ...]
    bracket: str
    type: str
    text: str
    mentions: frozenset[str] = frozenset()
    head: str = ""
    """The constant or operator that its type is an application of, where that is plain."""

    @property
    def is_instance(self) -> bool:
        """Whether it is instance-implicit."""
        return self.bracket == "["

    def only(self, names: Iterable[str]) -> Binder:
        """The group with some of its names, in their order."""
        wanted = set(names)
        kept = tuple(name for name in self.names if name in wanted)
        if kept == self.names:
            return self
        return replace(self, names=kept, text=written(kept, self.bracket, self.type))

    def with_bracket(self, bracket: str) -> Binder:
        """The same names bound in another way."""
        return replace(self, bracket=bracket, text=written(self.names, bracket, self.type))


def written(names: tuple[str, ...], bracket: str, binder_type: str) -> str:
    """A group as Lean text."""
    inside = " ".join(names)
    if binder_type:
        inside = f"{inside} : {binder_type}" if inside else binder_type
    return f"{bracket}{inside}{_CLOSING.get(bracket, '')}"


def heads(texts: Iterable[str]) -> frozenset[str]:
    """The first components of the tokens (with some that are no names, which do no harm)."""
    return frozenset([text.partition(".")[0] for text in texts])


def parse_binder(tokens: Tokens, begin: int, end: int, with_mentions: bool = False) -> Binder:
    """The group whose brackets are the tokens `begin` and `end - 1`.

    `with_mentions` gathers the names in its type, which only section variables need.
    """
    texts = tokens.texts
    bracket = texts[begin]
    inner_end = end - 1 if texts[end - 1] in _CLOSERS else end
    colon = _colon(texts, begin + 1, inner_end)
    text = tokens.source(begin, end)
    if colon is None and bracket != "[":
        return Binder(_names(texts, begin + 1, inner_end), bracket, "", text)
    names = () if colon is None else _names(texts, begin + 1, colon)
    type_begin = begin + 1 if colon is None else colon + 1
    return Binder(
        names,
        bracket,
        tokens.source(type_begin, inner_end),
        text,
        heads(texts[type_begin:inner_end]) if with_mentions else frozenset(),
        type_head(texts, type_begin, _default(texts, type_begin, inner_end)),
    )


def _names(texts: list[str], begin: int, end: int) -> tuple[str, ...]:
    return tuple([name for name in texts[begin:end] if is_identifier(name)])


def _colon(texts: list[str], begin: int, end: int) -> int | None:
    for index in range(begin, end):
        text = texts[index]
        if text == ":":
            return index
        if text in DEPTH or text == ":=":
            return None
    return None


def _default(texts: list[str], begin: int, end: int) -> int:
    depth = 0
    for index in range(begin, end):
        text = texts[index]
        depth += DEPTH.get(text, 0)
        if text == ":=" and depth == 0:
            return index
    return end


def parse_binders(
    tokens: Tokens, begin: int, end: int, with_mentions: bool = False
) -> tuple[list[Binder], int]:
    """The groups and bare names from `begin` on, and the index behind them."""
    texts = tokens.texts
    binders: list[Binder] = []
    index = begin
    while index < end:
        text = texts[index]
        if text in BINDER_OPENERS:
            behind = close(texts, index, end) + 1
            binders.append(parse_binder(tokens, index, behind, with_mentions))
            index = behind
        elif is_identifier(text) and text not in _NOT_BARE:
            binders.append(Binder((text,), "", "", text))
            index += 1
        else:
            break
    return binders, index


_NOT_BARE = (
    frozenset(("where", "extends", "deriving", "in", "with", "by", "from", "termination_by", "fun"))
    | DECLARATION_WORDS
    | SCOPE_WORDS
    | CONTEXT_WORDS
)

_BINDING = {"∀": "→", "Π": "→", "fun": "fun", "λ": "fun", "∃": "∃", "∃!": "∃!"}
_PRECEDENCE = {
    "↔": 20, "<->": 20, "→": 25, "->": 25, "∨": 30, "\\/": 30, "∧": 35, "/\\": 35,
    "=": 50, "≠": 50, "≤": 50, "<": 50, "≥": 50, ">": 50, "∣": 50, "∈": 50, "∉": 50, "⊆": 50, "⊂": 50,
    "≃": 50, "≅": 50, "≡": 50, "⊇": 50, "⊃": 50, "∋": 50, "<=": 50, ">=": 50, "!=": 50, "==": 50,
    "×": 35, "⊕": 30, "≃*": 25, "≃+": 25,
}  # fmt: skip
"""Operators by how loosely they bind; only where a term has one at depth 0 is it the head."""


def type_head(texts: list[str], begin: int, end: int) -> str:
    """What a type is an application of: an operator (`=`, `↔`) or a name; empty if not plain.

    >>> type_head(["a", "=", "b"], 0, 3)
    '='
    """
    while end - begin >= 2 and texts[begin] == "(" and close(texts, begin, end) == end - 1:
        begin, end = begin + 1, end - 1
    if begin >= end:
        return ""
    first = texts[begin]
    if first in _BINDING:
        return _BINDING[first]
    best, best_level = "", 1000
    depth = 0
    for index in range(begin, end):
        text = texts[index]
        step = DEPTH.get(text)
        if step is not None:
            depth += step
        elif depth == 0:
            if text in _BINDING:
                break
            level = _PRECEDENCE.get(text)
            if level is not None and level < best_level:
                best, best_level = text, level
    if best:
        return best
    if first == "¬" or first == "Not":
        return "¬"
    if first == "@" and begin + 1 < end:
        first = texts[begin + 1]
    return first if is_identifier(first) else ""


def result_head(texts: list[str]) -> str:
    """The head of what a statement concludes: `∀ x, p x → a = b` gives `=`."""
    begin, end = 0, len(texts)
    while begin < end:
        head = type_head(texts, begin, end)
        while end - begin >= 2 and texts[begin] == "(" and close(texts, begin, end) == end - 1:
            begin, end = begin + 1, end - 1
        if head != "→":
            return head
        begin = _behind_arrow(texts, begin, end)
    return ""


def _behind_arrow(texts: list[str], begin: int, end: int) -> int:
    """Behind the first quantifier's comma or the first arrow at depth 0."""
    stop = (",",) if texts[begin] in _BINDING else ("→", "->")
    depth = 0
    for index in range(begin, end):
        depth += DEPTH.get(texts[index], 0)
        if depth == 0 and texts[index] in stop:
            return index + 1
    return end
