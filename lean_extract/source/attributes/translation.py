"""Translates names and statements as `to_additive` and `to_dual` do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from types import MappingProxyType

from lean_extract.limits import MAX_NAME_CHARACTERS
from lean_extract.source.attributes import translation_tables as tables
from lean_extract.source.attributes.fixed_types import FixedTerms, fixed_in
from lean_extract.source.attributes.translated_terms import Operators, Rules, TermTranslator
from lean_extract.source.names.scopes import split_name
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.statement_syntax import words_of

_PARTS = re.compile(r"_|(?:LE|LT|GE|GT|WF|Coe(?:TC|HTCT|T))(?=[A-Z])|[A-Z]+[^A-Z_]*|[^A-Z_]+")

_MOST_PARTS = 16
"""Parts of a name that are corrected together."""


@dataclass(frozen=True)
class Translation:
    """One translating attribute: its dictionaries for names and symbols."""

    attribute: str
    parts: Mapping[str, str]
    corrections: Mapping[str, str]
    symbols: Mapping[str, str]
    fixed: frozenset[str]
    namespaces: Mapping[str, str]
    is_additive: bool
    """Whether products become sums, powers multiples, and inverses negatives."""
    swapped: frozenset[str]
    """Operators whose sides are swapped."""
    swapped_arguments: frozenset[str]
    """Functions whose two explicit arguments are swapped, by the last component of their names."""

    def component(self, name: str) -> str:
        """One component of a name, translated: `mul_comm'` becomes `add_comm'`."""
        if name in self.fixed or len(name) > MAX_NAME_CHARACTERS:
            return name
        known = self.namespaces.get(name)
        return known if known is not None else _guess(self, name)

    def name(self, name: str) -> str:
        """A dotted name, each component translated."""
        if name in self.fixed:
            return name
        known = self.namespaces.get(name)
        if known is not None:
            return known
        return ".".join([self.component(part) for part in split_name(name)])

    def statement(self, text: str, fixed: Set[str] | None = None) -> str:
        """A binder or a conclusion, translated.

        `fixed` holds the variables with a type that is not translated; without it, those that the text binds.
        """
        words = words_of(text)
        if not any(self._needs_syntax(word.text) for word in words):
            return "".join([_word(self, word.text, False) + word.space for word in words]).strip()
        fixed = fixed_in([text]) if fixed is None else fixed
        terms = FixedTerms(fixed, adds_numbers=self.is_additive)
        operators = Operators(self.is_additive, self.swapped, self.swapped_arguments)
        return TermTranslator(words, Rules(operators, partial(_word, self), terms)).text()

    def _needs_syntax(self, word: str) -> bool:
        """Whether the translation of what is around a word depends on its syntax, or that of the word on it."""
        if word in self.symbols or word in self.swapped or word in _SORTS or "[" in word[1:]:
            return True
        return word in _OF_PRODUCTS if self.is_additive else word.rpartition(".")[2] in self.swapped_arguments

    def with_hint(self, source: str, target: str) -> Translation:
        """With a name hint: a word of names and its translation, both capitalised."""
        key = _lowered(source)
        if len(_PARTS.findall(key)) == 1:
            return replace(self, parts=MappingProxyType({**self.parts, key.lower(): target}))
        return replace(self, corrections=MappingProxyType({**self.corrections, key: target}))

    def with_namespace(self, source: str, target: str) -> Translation:
        """With the translation of one more namespace."""
        return replace(self, namespaces=MappingProxyType({**self.namespaces, source: target}))

    def __hash__(self) -> int:
        return hash(self.attribute)


@lru_cache(maxsize=1 << 16)
def _guess(translation: Translation, name: str) -> str:
    """The translation of every part of a component. Parts are separated at `_`, at capitals and at primes."""
    return "'".join([_guess_plain(translation, piece) for piece in name.split("'")])


def _guess_plain(translation: Translation, name: str) -> str:
    parts: list[str] = []
    for part in _PARTS.findall(name):
        known = translation.parts.get(part.lower())
        parts.append(part if known is None else _cased(part, known))
    return _corrected(translation, parts)


def _cased(like: str, word: str) -> str:
    """`word`, with its leading capitals in lower case unless `like` begins with a capital."""
    if "A" <= like[:1] <= "Z":
        return word
    return _lowered(word)


def _lowered(word: str) -> str:
    count = 0
    while count < len(word) and "A" <= word[count] <= "Z":
        count += 1
    # An entry such as `AddMonoid` holds two words. Only the first must be lowered, which this also does.
    return word[:count].lower() + word[count:]


def _corrected(translation: Translation, parts: list[str]) -> str:
    parts = [piece for part in parts for piece in (_PARTS.findall(part) or [part])]
    result = ""
    start = 0
    while start < len(parts):
        for stop in range(start + 1, min(len(parts), start + _MOST_PARTS) + 1):
            run = "".join(parts[start:stop])
            if parts[stop - 1] == "_" and "A" <= run[0] <= "Z":
                stop = len(parts) + 1
                break
            found = translation.corrections.get(_lowered(run))
            if found is not None:
                result += _cased(run, found)
                start = stop
                break
        else:
            stop = len(parts) + 1
        if stop == len(parts) + 1:
            result += parts[start]
            start += 1
    return result


_OF_PRODUCTS = frozenset(("^", "⁻¹", "ˣ", "1"))
_SORTS = frozenset(("Type", "Sort"))
_ARROW_MARKS = frozenset("→≃")


def _word(translation: Translation, word: str, is_fixed: bool) -> str:
    """A token, translated; `is_fixed`: it belongs to a term of fixed type, whose operators and numbers stay."""
    head, brace, universes = word.partition(".{")
    if is_identifier(word):
        return word if word in ("Type*", "Sort*") else translation.name(head) + brace + universes
    if is_fixed:
        return word
    if translation.is_additive and word == "1":
        return "0"
    if translation.is_additive and word[0] in _ARROW_MARKS and not {"+", "₀"} & set(word):
        return word.replace("*", "+")
    return translation.symbols.get(word, word)


_NONE: Mapping[str, str] = MappingProxyType({})
TO_ADDITIVE = Translation(
    "to_additive",
    tables.ADDITIVE_PARTS,
    tables.ADDITIVE_CORRECTIONS,
    tables.ADDITIVE_SYMBOLS,
    tables.ADDITIVE_FIXED,
    tables.ADDITIVE_NAMESPACES,
    True,
    frozenset(),
    frozenset(),
)
TO_DUAL = Translation(
    "to_dual",
    tables.DUAL_PARTS,
    tables.DUAL_CORRECTIONS,
    tables.DUAL_SYMBOLS,
    tables.DUAL_FIXED,
    _NONE,
    False,
    tables.DUAL_SWAPPED,
    tables.DUAL_SWAPPED_ARGUMENTS,
)
TRANSLATIONS: Mapping[str, Translation] = MappingProxyType({"to_additive": TO_ADDITIVE, "to_dual": TO_DUAL})
