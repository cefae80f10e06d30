"""Parses binder groups: `(x y : T)`, `{x : T}`, `⦃x⦄`, `[Group G]`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lean_extract.syntax.brackets import BINDER_PAIRS, DEPTH, close, first_outside
from lean_extract.syntax.keywords import CONTEXT_WORDS, DECLARATION_WORDS, SCOPE_WORDS
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.token_grammar import NAME_STARTS

_CLOSERS = frozenset(BINDER_PAIRS.values())


@dataclass(frozen=True, slots=True)
class Binder:
    """One group of bound names.

    `bracket` is the opening bracket, empty for a bare name. `text` is the group as written, with each run of
    white space replaced by one space. `mentions` holds the first component of every name in its type and default.
    """

    names: tuple[str, ...]
    bracket: str
    type: str
    text: str
    mentions: frozenset[str] = frozenset()
    type_tokens: tuple[int, int] = (0, 0)
    """The tokens [begin, end) of its type, in the file that it was read from."""

    @property
    def is_instance(self) -> bool:
        """Whether it is instance-implicit."""
        return self.bracket == "["

    def only(self, names: Iterable[str]) -> Binder:
        """The group with only those of its names that are in `names`, in their order."""
        wanted = set(names)
        kept = tuple(name for name in self.names if name in wanted)
        if kept == self.names:
            return self
        return replace(self, names=kept, text=_written(kept, self.bracket, self.type))

    def with_bracket(self, bracket: str) -> Binder:
        """The same names with another kind of bracket."""
        return replace(self, bracket=bracket, text=_written(self.names, bracket, self.type))

    def implicit(self) -> Binder:
        """The same names as implicit binders; an instance binder stays as it is."""
        return self if self.is_instance or self.bracket == "{" else self.with_bracket("{")


def _written(names: tuple[str, ...], bracket: str, binder_type: str) -> str:
    """A group as Lean text."""
    inside = " ".join(names)
    if binder_type:
        inside = f"{inside} : {binder_type}" if inside else binder_type
    return f"{bracket}{inside}{BINDER_PAIRS.get(bracket, '')}"


def heads(texts: Iterable[str]) -> frozenset[str]:
    """The first components of the tokens. Some of them are not names, which does no harm."""
    return frozenset([text.partition(".")[0] for text in texts])


def _parse_binder(tokens: Tokens, begin: int, end: int, with_mentions: bool = False) -> Binder:
    """The group whose brackets are the tokens `begin` and `end - 1`.

    `with_mentions` collects the names in its type, which only section variables need.
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
        (type_begin, first_outside(texts, type_begin, inner_end, (":=",))),
    )


def _names(texts: list[str], begin: int, end: int) -> tuple[str, ...]:
    return tuple([name for name in texts[begin:end] if name[:1] in NAME_STARTS])


def _colon(texts: list[str], begin: int, end: int) -> int | None:
    for index in range(begin, end):
        text = texts[index]
        if text == ":":
            return index
        if text in DEPTH or text == ":=":
            return None
    return None


def parse_binders(
    tokens: Tokens, begin: int, end: int, with_mentions: bool = False
) -> tuple[list[Binder], int]:
    """The groups and bare names from `begin` on, and the index after them."""
    texts = tokens.texts
    binders: list[Binder] = []
    index = begin
    while index < end:
        text = texts[index]
        if text in BINDER_PAIRS:
            after = close(texts, index, end) + 1
            binders.append(_parse_binder(tokens, index, after, with_mentions))
            index = after
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
