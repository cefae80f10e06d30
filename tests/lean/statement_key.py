"""Statements compared up to the names of variables and the order of arguments, by their text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lean_extract.source.names.binders import Binder, parse_binders
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.lexer import tokenize

_UNIVERSE = re.compile(r"\b(Type|Sort)(\*| ?\([^()]*\)| max(?: \w+)+| \w+)?|\.\{[^}]*\}")


@dataclass(frozen=True, slots=True)
class StatementKey:
    """A statement without its variables' names; equal for statements that differ in nothing else.

    Variables are numbered as the conclusion mentions them. In a hypothesis, those that the conclusion
    does not mention are all the same, so a few different statements have one key, too.
    """

    conclusion: tuple[str, ...]
    context: tuple[tuple[str, ...], ...]


def statement_key(context: Sequence[str], conclusion: str) -> StatementKey:
    """The key of a statement; `context` and `conclusion` as in `lean_extract.records.Premise`."""
    binders = _binders(" ".join(_without_universes(text) for text in context))
    words = tokenize(_without_universes(conclusion)).texts
    binders, words = _introduced(binders, words)
    names = {name for binder in binders for name in binder.names} | set(_bound(words))
    for binder in binders:
        names |= set(_bound(tokenize(binder.type).texts))
    mentioned = dict.fromkeys(head for head in map(_head, words) if head in names)
    numbers = {name: f"#{number}" for number, name in enumerate(mentioned)}
    hidden = dict.fromkeys(names, "#")
    renamed = {**hidden, **numbers}
    assumed = [
        (renamed.get(name, "#"), *_renamed(tokenize(binder.type).texts, renamed))
        for binder in binders
        for name in binder.names or ("#",)
    ]
    return StatementKey(tuple(_renamed(words, renamed)), tuple(sorted(assumed)))


def _without_universes(text: str) -> str:
    return _UNIVERSE.sub(lambda match: match[1] or "", text)


def _binders(text: str) -> list[Binder]:
    tokens = tokenize(text)
    return parse_binders(tokens, 0, len(tokens.texts))[0]


def _introduced(binders: list[Binder], words: Sequence[str]) -> tuple[list[Binder], list[str]]:
    """What `intro` would move in front of the colon, moved there."""
    binders, words = list(binders), list(words)
    while words:
        if words[0] == "∀" and (comma := _at_top(words, ",")) is not None:
            text = " ".join(words[1:comma])
            binders += _binders(text if words[1] in "({[⦃" else f"({text})")
            words = words[comma + 1 :]
        elif words[0] != "∃" and _at_top(words, "↔") is None and (arrow := _at_top(words, "→")):
            binders.append(Binder((), "(", " ".join(words[:arrow]), ""))
            words = words[arrow + 1 :]
        else:
            break
    return binders, words


def _at_top(words: Sequence[str], wanted: str) -> int | None:
    """Where a token stands first outside brackets."""
    depth = 0
    for index, word in enumerate(words):
        depth += DEPTH.get(word, 0)
        if depth == 0 and word == wanted:
            return index
    return None


def _bound(words: Sequence[str]) -> Iterable[str]:
    """The names that `∀`, `∃` and `fun` bind in a term."""
    binding = False
    for word in words:
        if word in ("∀", "∃", "fun"):
            binding = True
        elif word in (",", "=>", ":"):
            binding = False
        elif binding and word[:1].isalpha():
            yield word


def _head(word: str) -> str:
    return word.partition(".")[0]


def _renamed(words: Sequence[str], names: dict[str, str]) -> list[str]:
    """The words with a name, or the first part of a dotted one, replaced."""
    found = []
    for word in words:
        head, dot, rest = word.partition(".")
        found.append(f"{names[head]}{dot}{rest}" if head in names else word)
    return found
