"""Finds the types of the names that patterns bind: `⟨x, hx⟩`, `h | h'`, `(h : T)`."""

from __future__ import annotations

from lean_extract.limits import MAX_PARTS, MAX_TERM_DEPTH
from lean_extract.source.proofs.local_names import KnownType, LocalNames, TypedPart
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.types import Range

_BAR, _COLON, _COMMA = frozenset(("|",)), frozenset((":",)), frozenset((",",))


class Patterns:
    """Destructures types as patterns do. The result is in `types`.

    Args:
        tokens: the tokens of the file.
        end: the token after the proof.
        local: the local names.
    """

    def __init__(self, tokens: Tokens, end: int, local: LocalNames) -> None:
        self._texts, self._end = tokens.texts, end
        self._brackets = tokens.brackets
        self._local = local
        self.types: dict[int, KnownType] = {}
        """The type of a name, by the token that binds it."""

    def bind(self, begin: int, end: int, known: KnownType, depth: int = 0) -> None:
        """Bind the names in the pattern [begin, end), which matches a term of the given type."""
        if known is None or begin >= end or depth > MAX_TERM_DEPTH:
            return
        text = self._texts[begin]
        if text == "(" and self._brackets.close(begin, end) == end - 1:
            self._alternatives(begin + 1, end - 1, known, depth + 1)
        elif text == "⟨" and self._brackets.close(begin, end) == end - 1:
            self._destructure(begin, end, known, depth + 1)
        elif end == begin + 1 and is_identifier(text):
            self.types[begin] = known
        elif self._top_level(begin, end, _BAR):
            self._alternatives(begin, end, known, depth + 1)

    def alternatives(self, begin: int, end: int) -> list[tuple[int, int]]:
        """The alternatives of the pattern [begin, end); empty if it has no bar outside brackets."""
        if begin < end and self._texts[begin] == "(" and self._brackets.close(begin, end) == end - 1:
            begin, end = begin + 1, end - 1
        bars = self._top_level(begin, end, _BAR)
        return list(zip([begin, *[bar + 1 for bar in bars]], [*bars, end], strict=True)) if bars else []

    def named(self, begin: int, end: int) -> list[tuple[str, KnownType]]:
        """The names among the tokens [begin, end) whose types are known, with their types."""
        return [(self._texts[name], self.types[name]) for name in range(begin, end) if name in self.types]

    def _alternatives(self, begin: int, end: int, outer: Range | TypedPart, depth: int) -> None:
        """Bind the names in `h | h'`, or in `h : T` between parentheses."""
        bars = self._top_level(begin, end, _BAR)
        if not bars:
            colon = next(iter(self._top_level(begin, end, _COLON)), end)
            self.bind(begin, colon, outer if colon == end else (colon + 1, end), depth)
            return
        known = self._opened(outer)
        begins, ends = [begin, *[bar + 1 for bar in bars]], [*bars, end]
        for count, (first, last) in enumerate(zip(begins, ends, strict=True), start=1):
            if isinstance(known, TypedPart):
                part = known._replace(path=(*known.path, f"{count}|{len(begins)}"))
                self.bind(first, last, part, depth)
                continue
            parts = self._local.shape(known)
            if parts.connective != "∨":
                self.bind(first, last, known if count == len(begins) else None, depth)
            elif count == len(begins):
                self.bind(first, last, known, depth)
            elif parts.left and parts.right:
                self.bind(first, last, parts.left, depth)
                known = parts.right

    def _opened(self, known: Range | TypedPart) -> Range | TypedPart:
        """The type to destructure: one that is not a connective may be defined as one."""
        if isinstance(known, TypedPart) or self._local.shape(known).connective:
            return known
        constant = self._local.head(known)
        return TypedPart(constant) if is_identifier(constant) else known

    def _top_level(self, begin: int, end: int, wanted: frozenset[str]) -> list[int]:
        """The indices of the first `MAX_PARTS` marks outside brackets."""
        found: list[int] = []
        while begin < end and len(found) < MAX_PARTS:
            begin = self._brackets.stop(begin, end, wanted)
            if begin >= end or self._texts[begin] not in wanted:
                break
            found.append(begin)
            begin += 1
        return found

    def _destructure(self, opener: int, end: int, outer: Range | TypedPart, depth: int) -> None:
        commas = self._top_level(opener + 1, end - 1, _COMMA)
        begins, edges = [opener + 1, *[comma + 1 for comma in commas]], [*commas, end - 1]
        rest: KnownType = self._opened(outer)
        for count, (begin, edge) in enumerate(zip(begins, edges, strict=True), start=1):
            if rest is None:
                return
            if isinstance(rest, TypedPart):
                part = rest._replace(path=(*rest.path, f"{count}/{len(begins)}"))
                self.bind(begin, edge, part, depth)
                continue
            first, rest = (rest, None) if count == len(begins) else self._first(rest)
            self.bind(begin, edge, first, depth)

    def _first(self, whole: Range) -> tuple[KnownType, KnownType]:
        """The types of the first component and of the rest."""
        parts = self._local.shape(whole)
        if parts.connective in ("∧", "↔"):
            return parts.left, parts.right
        if parts.connective == "∃":
            return parts.names[0][1] if parts.names else None, parts.right if len(parts.names) <= 1 else None
        return None, None
