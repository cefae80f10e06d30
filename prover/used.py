"""Which of the listed premises a tactic's text uses. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from lean_extract.records import Goal
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from lean_extract.syntax.operators import INFIX
from prover.shapes import head, last_named, tokens

_ROOT = "_root_."
_PROJECTIONS = frozenset({"mp", "mpr", "symm", "trans", "left", "right", "le", "ge", "ne", "ne'", "elim"})
"""What may follow the name of a theorem without being a part of it; `.1` is a token of its own."""


class ListedPremises:
    """The names of premises that are listed for a goal, as tactics for it may write them.

    Args:
        goal: the goal; a hypothesis `h : a = b` gives `h.trans` its meaning.
        names: the names under which they are listed.
        spelled: those that have to be written otherwise there, each as it is written.
        namespaces: those that the goal is in, innermost first, the root (empty) included or not.
    """

    def __init__(
        self,
        goal: Goal,
        names: Iterable[str],
        spelled: Mapping[str, str] | None = None,
        namespaces: Sequence[str] = (),
    ) -> None:
        self._types = {name: one.type for one in last_named(goal) for name in one.names}
        self._names = {name: name for name in names}
        self._names |= {written: name for name, written in (spelled or {}).items() if name in self._names}
        self._namespaces = [*filter(None, namespaces)]
        self._fields: dict[str, list[str]] = {}
        for name in self._names.values():
            self._fields.setdefault(name.rpartition(".")[2], []).append(name)

    def used_by(self, tactic: str) -> list[str]:
        """The names that a tactic uses, in the order of its text, each once."""
        words = (token.rstrip() for token in raw_tokens(tactic) if is_identifier(token))
        return list(dict.fromkeys(found for word in words if (found := self._meant(word)) is not None))

    def _meant(self, word: str) -> str | None:
        """The listed premise that a word means; None if it means none."""
        first, _, fields = word.partition(".")
        if first in self._types:
            return self._of_hypothesis(self._types[first], fields)
        return next((name for one in _without_projections(word) if (name := self._named(one))), None)

    def _named(self, word: str) -> str | None:
        written = (*(f"{space}.{word}" for space in self._namespaces), word, word.removeprefix(_ROOT))
        return next((self._names[one] for one in written if one in self._names), None)

    def _of_hypothesis(self, type_: str, fields: str) -> str | None:
        """The premise `Eq.trans` of `h.trans`, where `h` is an equation."""
        field = fields.partition(".")[0]
        alike = self._fields.get(field, ())
        if not alike:
            return None
        outer = head(tokens(type_), self._types.keys())
        owner = INFIX[outer].constant if outer in INFIX else outer
        return next((name for name in alike if f".{name}".endswith(f".{owner}.{field}")), None)


def _without_projections(word: str) -> Iterator[str]:
    """A word, and what is left of it without the projections at its end."""
    yield word
    while (parts := word.rpartition("."))[2] in _PROJECTIONS and parts[0]:
        word = parts[0]
        yield word
