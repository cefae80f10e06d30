"""Translates names and statements as `to_additive` and `to_dual` do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from lean_extract.source.attributes import translation_tables as tables
from lean_extract.source.names.scopes import MAX_NAME, split_name
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.lexer import is_identifier, raw_tokens

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
    changes_numerals: bool
    swapped: frozenset[str]
    """Relations whose sides are swapped."""
    swapped_arguments: frozenset[str]
    """Functions whose two explicit arguments are swapped, by the last component of their names."""

    def component(self, name: str) -> str:
        """One component of a name, translated: `mul_comm'` becomes `add_comm'`."""
        if name in self.fixed or len(name) > MAX_NAME:
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

    def statement(self, text: str) -> str:
        """A binder or a conclusion, translated."""
        return _statement(self, text)

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


_OPERAND_EDGES = frozenset(
    ("→", "↔", "∧", "∨", ",", ":", "=", "≠", "¬", ":=", "|", "//", "↦", "=>", "∣", "∈", "⊢", ";")
)


def _statement(translation: Translation, text: str) -> str:
    raw = raw_tokens(text)
    before = [token.rstrip() for token in raw]
    spaces = [token[len(word) :] for token, word in zip(raw, before, strict=True)]
    words = [_word(translation, before, index) for index in range(len(before))]
    if translation.swapped_arguments and len(words) <= _MOST_WORDS:
        _swap_arguments(translation.swapped_arguments, words, spaces)
    if translation.changes_numerals:
        _swap_powers(words, spaces)
        _negate(words, spaces)
    if translation.swapped:
        _swap_sides(translation.swapped, words, spaces)
    return "".join([word + space for word, space in zip(words, spaces, strict=True)]).strip()


def _word(translation: Translation, words: list[str], index: int) -> str:
    word = words[index]
    if index and words[index - 1] in ("Type", "Sort"):  # a universe, which is not translated
        return word
    if word in translation.symbols:
        return translation.symbols[word]
    if word == "1" and translation.changes_numerals:
        return "0" if _is_unit(words, index) else "1"
    if is_identifier(word):
        return word if word in ("Type*", "Sort*") else translation.name(word)
    if word[:1] == "." and is_identifier(word[1:]):
        return "." + translation.name(word[1:])
    return word


_MOST_WORDS = 2000
"""In longer statements arguments are not swapped, since nested operands are read again at each level."""


def _swap_arguments(swapped_arguments: frozenset[str], words: list[str], spaces: list[str]) -> None:
    """Turn `Icc a b` into `Icc b a`, innermost applications first."""
    for index in range(len(words) - 3, -1, -1):
        if words[index].rpartition(".")[2] not in swapped_arguments:
            continue
        first = _argument_end(words, index + 1)
        second = _argument_end(words, first)
        if index + 1 < first < second:
            begin, space = index + 1, spaces[second - 1]
            left, right = words[begin:first], words[first:second]
            left_spaces, right_spaces = spaces[begin:first], spaces[first : second - 1]
            words[begin:second] = [*right, *left]
            spaces[begin:second] = [*right_spaces, " ", *left_spaces[:-1], space]


def _argument_end(words: list[str], index: int) -> int:
    """The index after the argument that begins at `index`; `index` itself if none begins there."""
    if index >= len(words) or not (is_identifier(words[index]) or words[index] in ("(", "⊤", "⊥")):
        return index + 1 if index < len(words) and words[index].isdigit() else index
    return _operand_end(words, index) + 1


def _swap_sides(swapped: frozenset[str], words: list[str], spaces: list[str]) -> None:
    """Turn `a ≤ b` into `b ≤ a`."""
    index = 0
    while index < len(words) - 1:
        relation, following = words[index], index + 1
        if relation in swapped:
            begin, end = _side_begin(swapped, words, index), _side_end(swapped, words, index)
            if begin < index < end - 1:
                left, right = words[begin:index], words[index + 1 : end]
                left_spaces, right_spaces = spaces[begin:index], spaces[index + 1 : end]
                words[begin:end] = [*right, relation, *left]
                spaces[begin:end] = [
                    *right_spaces[:-1],
                    " ",
                    spaces[index],
                    *left_spaces[:-1],
                    right_spaces[-1],
                ]
                following = begin + len(right) + 1
        index = following


_TIGHT_QUANTIFIERS = frozenset(("⨆", "⨅", "⋃", "⋂", "∑", "∏"))
"""Quantifiers whose body ends before a relation."""


def _side_begin(swapped: frozenset[str], words: list[str], index: int) -> int:
    depth = 0
    in_tight = False
    for position in range(index - 1, -1, -1):
        word = words[position]
        depth -= DEPTH.get(word, 0)
        if depth < 0:
            return position + 1
        if depth or (word not in _OPERAND_EDGES and word not in swapped):
            if not depth and word in _TIGHT_QUANTIFIERS:
                in_tight = False
            continue
        if word == "," and _is_tight(words, position):
            in_tight = True
        elif not in_tight:
            return position + 1
    return 0


def _is_tight(words: list[str], comma: int) -> bool:
    """Whether the comma belongs to a quantifier whose body ends before a relation."""
    depth = 0
    for position in range(comma - 1, -1, -1):
        depth -= DEPTH.get(words[position], 0)
        if depth < 0:
            return False
        if depth == 0 and words[position] in _TIGHT_QUANTIFIERS:
            return True
        if depth == 0 and words[position] in ("∀", "∃", "fun", ","):
            return False
    return False


def _side_end(swapped: frozenset[str], words: list[str], index: int) -> int:
    depth = 0
    for position in range(index + 1, len(words)):
        depth += DEPTH.get(words[position], 0)
        if depth < 0 or (depth == 0 and (words[position] in _OPERAND_EDGES or words[position] in swapped)):
            return position
    return len(words)


def _is_unit(words: list[str], index: int) -> bool:
    """Whether a `1` is the unit, not a number beside `+`, in an exponent, or ascribed a numeric type."""
    before = words[index - 1] if index else ""
    after = words[index + 1] if index + 1 < len(words) else ""
    if before in ("+", "-", "^", "∑") and before != "":
        return False
    if after in ("+", "-"):
        return False
    return not (after == ":" and index + 2 < len(words) and words[index + 2] in ("ℕ", "ℤ", "ℝ", "Nat", "Int"))


def _operand_begin(words: list[str], index: int) -> int:
    """The first token of the operand that ends at `index`."""
    begin = index
    while True:
        if DEPTH.get(words[begin]) == -1:
            depth = 0
            while begin >= 0:
                depth += DEPTH.get(words[begin], 0)
                if depth == 0:
                    break
                begin -= 1
            begin = max(begin, 0)
        if begin and words[begin][:1] == "." and len(words[begin]) > 1:
            begin -= 1
            continue
        return begin


def _operand_end(words: list[str], index: int) -> int:
    """The last token of the operand that begins at `index`."""
    depth = 0
    end = index
    if words[index] in ("-", "↑"):
        end += 1
    while end < len(words):
        depth += DEPTH.get(words[end], 0)
        if depth <= 0:
            break
        end += 1
    end = min(end, len(words) - 1)
    while end + 1 < len(words) and words[end + 1][:1] == "." and len(words[end + 1]) > 1:
        end += 1
    return end


def _swap_powers(words: list[str], spaces: list[str]) -> None:
    """Turn `a ^ n` into `n • a`."""
    index = 1
    while index < len(words) - 1:
        if words[index] == "^":
            begin, end = _operand_begin(words, index - 1), _operand_end(words, index + 1)
            base, power = words[begin:index], words[index + 1 : end + 1]
            base_spaces, power_spaces = spaces[begin:index], spaces[index + 1 : end + 1]
            last_space = power_spaces[-1]
            words[begin : end + 1] = [*power, "•", *base]
            spaces[begin : end + 1] = [*power_spaces[:-1], " ", " ", *base_spaces[:-1], last_space]
        index += 1


def _negate(words: list[str], spaces: list[str]) -> None:
    """Turn `a⁻¹` into `-a`."""
    index = 1
    while index < len(words):
        if words[index] == "⁻¹" and not (index + 1 < len(words) and words[index + 1] == "'"):
            begin = _operand_begin(words, index - 1)
            last_space = spaces[index]
            del words[index], spaces[index]
            spaces[index - 1] = last_space
            if begin and (is_identifier(words[begin - 1]) or DEPTH.get(words[begin - 1]) == -1):
                spaces[index - 1] = ""
                words[begin:begin], spaces[begin:begin] = ["(", "-"], ["", ""]
                words.insert(index + 2, ")")
                spaces.insert(index + 2, last_space)
            else:
                words.insert(begin, "-")
                spaces.insert(begin, "")
        index += 1


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
