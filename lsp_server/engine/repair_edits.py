"""Other ways to write a failing tactic or term: arguments, forms, lists of lemmas. Pure; Lean judges each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from lean_extract.session.tactic_spans import Change, WrittenTactic
from lean_extract.syntax.brackets import DEPTH, OPENERS, close, first_outside
from lean_extract.syntax.keywords import KEYWORDS
from lean_extract.syntax.lexer import Tokens, is_identifier, tokenize
from lean_extract.syntax.tactic_words import FUNCTIONS, GIVING, INTRODUCING

_REWRITES = frozenset(("rw", "rwa", "erw", "rewrite", "simp_rw"))
_SIMPLIFIES = frozenset(("simp", "simp_all", "simpa", "dsimp"))
_HEADS = (
    GIVING
    | INTRODUCING
    | _REWRITES
    | _SIMPLIFIES
    | KEYWORDS
    | {"apply", "exacts", "use", "exists", "cases", "rcases", "obtain", "induction", "constructor", "rfl"}
)
"""Words that are applied to nothing, though terms follow them."""
_ENDS = frozenset((",", ";", "<;>"))
"""What ends a function that is the last argument, outside of brackets."""
_IS_FIELD = re.compile(r"\.[\w«]")
_MOST_ARGUMENTS, _MOST_IMPLICIT = 6, 5


@dataclass(frozen=True, slots=True)
class _Application:
    """The offsets of a function and of its arguments."""

    head: WrittenTactic
    arguments: tuple[WrittenTactic, ...]

    @property
    def end(self) -> int:
        return (self.arguments[-1] if self.arguments else self.head).end


class Rewritten:
    """The ways to write a part of a document.

    Args:
        text: the document.
        part: a tactic, or the term that is a declaration's value.
        offset: where Lean's error is.
        names: the names of the goal's hypotheses, the nearest last.
    """

    def __init__(self, text: str, part: WrittenTactic, offset: int, names: Sequence[str]) -> None:
        self._text, self._part, self._offset = text, part, offset
        self._names = names
        self._tokens: Tokens = tokenize(text[part.start : part.end])

    @property
    def word(self) -> str:
        """Its first word."""
        return next(iter(self._tokens.texts), "")

    def arguments(self) -> Iterator[Change]:
        """Dropped, swapped, added and unknown arguments, those nearest to the error first."""
        found = sorted(self._applications(), key=self._distance)
        for one in found:
            yield from self._reordered(one)
        for one in found:
            yield from self._added(one)
        for one in found:
            for atom in one.arguments or (one.head,):
                if self._of(atom) not in self._names:
                    yield from self._explicit(atom, is_argument=bool(one.arguments))

    def _distance(self, one: _Application) -> tuple[bool, int, int]:
        is_around = one.head.start <= self._offset < one.end
        return not is_around, 0 if is_around else abs(one.head.start - self._offset), one.end - one.head.start

    def _reordered(self, one: _Application) -> Iterator[Change]:
        given = one.arguments
        before = [one.head, *given]
        for number, argument in enumerate(given):
            yield Change(before[number].end, argument.end, "")
        for first, second in sorted(combinations(given, 2), key=lambda pair: pair[1].start - pair[0].end):
            between = self._text[first.end : second.start]
            moved = self._of(second)
            is_function = moved.split(maxsplit=1)[0] in FUNCTIONS
            swapped = f"{f'({moved})' if is_function else moved}{between}{self._of(first)}"
            yield Change(first.start, second.end, swapped)
        for place in before:
            yield Change(place.end, place.end, " _")
        for argument in given:
            if self._of(argument) != "_":
                yield Change(argument.start, argument.end, "_")
        if len(given) > 1:
            yield Change(one.head.end, one.end, "")
        for place in before[:-1]:
            rest = self._text[place.end : one.end]
            yield Change(one.head.start, one.end, f"({self._text[one.head.start : place.end]} ·{rest})")
        if given:
            yield from self._explicit(one.head)
        yield Change(one.head.start, one.end, f"({self._text[one.head.start : one.end]}).symm")

    def _explicit(self, function: WrittenTactic, *, is_argument: bool = False) -> Iterator[Change]:
        """A function with `@`, and its first arguments left to Lean: those that have become implicit."""
        name = self._of(function)
        for count in range(1, _MOST_IMPLICIT + 1) if is_identifier(name) else ():
            written = f"@{name}{' _' * count}"
            yield Change(*function, f"({written})" if is_argument else written)

    def _added(self, one: _Application) -> Iterator[Change]:
        """The application with a hypothesis as a further argument, or in place of one."""
        for written in [*reversed(self._names[-_MOST_ARGUMENTS:]), "(by assumption)"]:
            for place in reversed((one.head, *one.arguments)):
                yield Change(place.end, place.end, f" {written}")
            for argument in one.arguments:
                if self._of(argument) != written:
                    yield Change(argument.start, argument.end, written)

    def forms(self) -> Iterator[str]:
        """The same with another tactic, or with another direction of a lemma."""
        text = self._text[self._part.start : self._part.end]
        word, rest = self.word, text[len(self.word) :].strip()
        if word == "exact":
            yield from (f"apply {rest}", f"refine {rest} ?_", f"refine {rest} ?_ ?_")
            yield from (
                f"exact ({rest}).symm",
                f"simpa using {rest}",
                f"exact ({rest}).1",
                f"exact ({rest}).2",
            )
        elif word in ("apply", "refine", "refine'"):
            yield from (f"exact {rest}", f"apply {rest}", f"refine {rest} ?_", f"apply ({rest}).symm")
        elif word in _REWRITES | _SIMPLIFIES:
            yield from self._of_list(word, text)
        elif word in INTRODUCING:
            yield "intros"
        elif word not in _HEADS and not text.startswith("by"):
            yield from (f"({text}).symm", f"fun _ => {text}", f"fun _ _ => {text}", f"by simpa using {text}")

    def _of_list(self, word: str, text: str) -> Iterator[str]:
        opened, items, closed = self._items()
        listed = text[opened:closed]
        if listed:
            for number, (start, end) in enumerate(items):
                item = text[start:end]
                flipped = item[1:].lstrip() if item[:1] == "←" else f"← {item}"
                yield f"{text[:start]}{flipped}{text[end:]}"
                others = [text[slice(*one)] for place, one in enumerate(items) if place != number]
                yield f"{text[:opened]}[{', '.join(others)}]{text[closed:]}" if others else word
            after = text[closed:]
            for other in ("simp", "simp only", "rw", "erw", "simp_all"):
                if not text[:opened].startswith(f"{other} ["):
                    yield f"{other} {listed}{after}"

    def _items(self) -> tuple[int, list[tuple[int, int]], int]:
        """Where the list of lemmas begins in the part, its items, and where it ends; no items if there is none."""
        texts = self._tokens.texts
        opening = next((number for number, one in enumerate(texts) if one == "["), None)
        if opening is None:
            return 0, [], 0
        closing, depth = close(texts, opening, len(texts)), 0
        commas = [opening]
        for number in range(opening, closing):
            depth += DEPTH.get(texts[number], 0)
            commas += [number] * (depth == 1 and texts[number] == ",")
        starts, tokens = [*commas, closing], self._tokens
        items = [
            (tokens.starts[one + 1], tokens.end(other - 1))
            for one, other in pairwise(starts)
            if other > one + 1
        ]
        return tokens.starts[opening], items, tokens.end(closing)

    def with_lemmas(self, lemmas: Iterable[str]) -> Iterator[str]:
        """A rewriting or simplifying tactic with each of these lemmas in its list."""
        text = self._text[self._part.start : self._part.end]
        if self.word not in _REWRITES | _SIMPLIFIES:
            return
        opened, items, closed = self._items()
        listed = [text[slice(*one)] for one in items]
        head, after = (text[:opened], text[closed:]) if listed else (f"{text} ", "")
        if not listed and (" using " in text or " at " in text):
            place = min(text.find(mark) for mark in (" using ", " at ") if mark in text)
            head, after = f"{text[:place]} ", text[place:]
        for lemma in lemmas:
            yield f"{head}[{', '.join([*listed, lemma])}]{after}"
            if self.word in _REWRITES:
                yield f"{head}[{', '.join([lemma, *listed])}]{after}"
                yield f"{head}[{', '.join([*listed, f'← {lemma}'])}]{after}"
        if self.word == "simp":
            yield from (f"simp_all{text[4:]}", f"{text}; rfl", f"{text} <;> assumption")
        elif self.word in _REWRITES:
            yield f"{text} <;> simp"

    def _of(self, span: WrittenTactic) -> str:
        return self._text[span.start : span.end]

    def _applications(self) -> Iterator[_Application]:
        """The applications of names and bracketed terms, also of nothing."""
        texts, number = self._tokens.texts, 0
        while number < len(texts):
            atoms: list[WrittenTactic] = []
            begin = number
            while number < len(texts) and (end := self._atom(number)) is not None:
                atoms.append(self._span(number, end))
                number = end
            if atoms and number < len(texts) and texts[number] in FUNCTIONS:
                atoms.append(self._span(number, first_outside(texts, number, len(texts), _ENDS)))
            if atoms and len(atoms) <= _MOST_ARGUMENTS + 1 and texts[begin] != "[":
                yield _Application(atoms[0], tuple(atoms[1:]))
            yield from self._within(begin, number)
            number += number == begin

    def _within(self, begin: int, end: int) -> Iterator[_Application]:
        """The applications in the brackets among these tokens."""
        number = begin
        while number < end:
            if self._tokens.texts[number] in OPENERS:
                last = close(self._tokens.texts, number, end)
                inner = self._span(number + 1, last) if last > number + 1 else None
                if inner is not None:
                    yield from Rewritten(self._text, inner, self._offset, self._names)._applications()
                number = last
            number += 1

    def _atom(self, number: int) -> int | None:
        """The token after the atom that begins with a token; None if none does."""
        texts = self._tokens.texts
        text = texts[number]
        if text == "@":
            after = number + 1
            is_joined = after < len(texts) and self._is_joined(after) and is_identifier(texts[after])
            end = after + 1 if is_joined else None
        elif text in OPENERS and text != "{":
            end = close(texts, number, len(texts)) + 1
        elif is_identifier(text) or _IS_FIELD.match(text):
            end = None if text in _HEADS else number + 1
        else:
            end = number + 1 if text[0].isdigit() or text in ("_", "?_") else None
        while end is not None and end < len(texts) and _IS_FIELD.match(texts[end]) and self._is_joined(end):
            end += 1
        return end

    def _is_joined(self, number: int) -> bool:
        """Whether there is no space before a token."""
        return self._tokens.starts[number] == self._tokens.end(number - 1)

    def _span(self, begin: int, end: int) -> WrittenTactic:
        start = self._part.start
        return WrittenTactic(start + self._tokens.starts[begin], start + self._tokens.end(end - 1))
