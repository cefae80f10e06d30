"""Splits terms into words (tokens with the white space after them), and reads their syntax.

This is what needs the text of a term's parts: attributes that make new statements of written ones, and the
printers of terms with and without notation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lean_extract.common.lru import kept_if_short
from lean_extract.syntax.brackets import BARS, INNER_PAIRS, PAIRS, QUOTIENT_PAIRS, ROUNDING_PAIRS, close
from lean_extract.syntax.inaccessible import DAGGER, SUPERSCRIPTS
from lean_extract.syntax.lexer import raw_tokens
from lean_extract.syntax.operators import BIG, BRACKETED, GLUED, OPERATORS, OVER, PREFIX
from lean_extract.syntax.placed import PlacedToken
from lean_extract.syntax.term_grammar import MEASURE, BinderRule, Grammar, is_word, powers
from lean_extract.syntax.terms import SyntaxNode, read_term, read_terms

ITERATE = "^["
"""Opens the number of `f^[n]`."""
AFTER_CLOSER = ("ₘ", "₊", "ₑ")
"""Marks after the closing bar of `|a|ₘ`, `‖a‖₊`, `‖a‖ₑ`."""
_MARKED = frozenset("|‖⌋⌉")
_SYMBOLS = (
    "ᵐᵒᵖ",
    "ᵃᵒᵖ",
    "ᵒᵈ",
    "ᵈᵐᵃ",
    "⁺ᵐ",
    "⁻ᵐ",
    "/ₛ",
    "∀ᵉ",
    "∃ᵉ",
    "C^",
    ITERATE,
    "<+:",
    "<:+",
    "<:+:",
    "<+~",
    "<$>",
    ">>=",
    "<*>",
    "<|>",
    "⨍⁻",
)
_BAR = "| "
"""For the parser, a bar that begins an argument: white space precedes it, and none follows."""
_PAIRS = (
    {_BAR: "|", ITERATE: "]", "⁅": "⁆", "‹": "›"}
    | PAIRS
    | BARS
    | ROUNDING_PAIRS
    | QUOTIENT_PAIRS
    | INNER_PAIRS
)
_ENDS = frozenset(
    (",", MEASURE, ":", ":=", "↦", "=>", ";", "//", "then", "else", "with", "from", "in", "do", "by")
)
BODIES = {
    **dict.fromkeys(("∀", "∃", "∃!", "fun", "λ", "Π", "Σ"), 0),
    **{symbol: BIG[symbol][0] for symbol in ("∑", "∏", "∑'", "∏'", "∑ᶠ", "∏ᶠ", "⨆", "⨅", "⋃", "⋂")},
    **dict.fromkeys(("∐", "∫", "∫⁻", "⨍", "⨍⁻", "∮", "∯"), 60),
    **dict.fromkeys(("∀ᶠ", "∃ᶠ", "∀ᵐ", "∃ᵐ", "∀ᵉ", "∃ᵉ"), 0),
}
"""The binders, and the least precedence of operators in their bodies."""
INTEGRALS = frozenset(("∫", "∫⁻", "⨍", "⨍⁻"))
_READ_OTHERWISE = frozenset("∂|")
_MEASURE = 70
"""The least precedence of operators in the measure of an integral."""

_POSTFIX = (
    *OVER,
    "⁻¹",
    "ᶜ",
    "!",
    "ˣ",
    "ᵐᵒᵖ",
    "ᵃᵒᵖ",
    "ᵒᵖ",
    "ᵒᵈ",
    "ᵈᵐᵃ",
    "⁺ᵐ",
    "⁻ᵐ",
    "⁺",
    "⁻",
    "ᵀ",
    *AFTER_CLOSER,
)


def _over_ring(operator: str) -> str:
    """For the parser, an operator with brackets: `⊗[R]` binds tighter than `⊗`."""
    return f"{operator} " if operator in BRACKETED and operator in OPERATORS else operator


GRAMMAR = Grammar(
    infix={
        symbol: powers(one.precedence, is_right=one.is_right)
        for symbol, one in (*OPERATORS.items(), *((_over_ring(name), one) for name, one in BRACKETED.items()))
    },
    prefix={symbol: PREFIX[symbol][0] for symbol in ("¬", "-", "√", "⋃₀", "⋂₀")},
    binders={
        **{
            symbol: BinderRule(least, frozenset((",", "↦", "=>")), _MEASURE if symbol in INTEGRALS else 0)
            for symbol, least in BODIES.items()
        },
        "if": BinderRule(0, frozenset(("else",))),  # its condition and first branch are in the place of names
    },
    last_arguments=frozenset(BODIES),
    pairs=_PAIRS,
    no_arguments=frozenset("|"),
    ends=_ENDS | (frozenset(_PAIRS.values()) - BARS.keys()),
    postfix=dict.fromkeys(_POSTFIX, False),
    coercions=frozenset("↑⇑↥@#"),
    is_atom=lambda token: is_word(token) or token in "∅⊤⊥∞·_?",
    separators=_ENDS,
    deepest=60,
)
_OVER_OPENERS = frozenset(symbol[0] for symbol in OVER)
_BEFORE_OVER = frozenset((")", *OVER))
_MARKS_OF_NAMES = frozenset(DAGGER + SUPERSCRIPTS)
_UNIVERSES = 40
"""The most tokens of `.{u, v}`, and of the brackets of an operator."""
_ARROWS = frozenset("→≃")
_JOINING = frozenset(("[", ".", *_OVER_OPENERS, *_MARKS_OF_NAMES, *AFTER_CLOSER))
"""The first characters of tokens that may be joined with those around them, besides the parts of symbols."""


def _symbols() -> dict[str, list[list[str]]]:
    """The tokens of symbols that the lexer splits, by the first token, the longest symbol first."""
    found: dict[str, list[list[str]]] = {}
    glued = (symbol for symbol in GLUED if symbol[-1] not in AFTER_CLOSER or symbol[0] not in "‖⌋⌉")
    for symbol in sorted({*glued, *OPERATORS, *_SYMBOLS}, key=len, reverse=True):
        parts = raw_tokens(symbol)
        if len(parts) > 1:
            found.setdefault(parts[0], []).append(parts)
    return found


_SPLIT_SYMBOLS = _symbols()


class Word(NamedTuple):
    """A token, and the white space after it."""

    text: str
    space: str


FIELD = Word(".", "")
"""What precedes the name or number of a field."""


@kept_if_short(8192)
def words_of(text: str) -> tuple[Word, ...]:
    """The tokens of a text, where `=ᵐ[μ]`, `⁻¹` and `Foo.{u}` are one each, and `.foo` after a bracket is two."""
    raw = raw_tokens(text.lstrip())
    bare = list(map(str.rstrip, raw))
    spaces = [token[len(plain) :] for token, plain in zip(raw, bare, strict=True)]
    found: list[Word] = []
    index = 0
    for joining in [at for at, token in enumerate(bare) if _may_join(token, spaces[at])]:
        if joining < index:
            continue
        found += map(Word, bare[index:joining], spaces[index:joining])
        index = _after(raw, bare, joining, found[-1] if found else FIELD)
        joined = "".join(raw[joining:index])
        token = joined.rstrip()
        space = joined[len(token) :]
        if _is_continued(token, found):
            found[-1] = Word(found[-1].text + token, space)
            continue
        if token[0] == "." and len(token) > 1 and is_word(token[1]):
            found.append(FIELD)
            token = token[1:]
        found.append(Word(token, space))
    return (*found, *map(Word, bare[index:], spaces[index:]))


def _may_join(token: str, space: str) -> bool:
    """Whether a token may be joined with those around it."""
    return token[0] in _JOINING or (not space and token in _SPLIT_SYMBOLS)


def _after(raw: Sequence[str], bare: Sequence[str], index: int, last: Word) -> int:
    """The index after the word that begins at a token."""
    is_over = bare[index] in _OVER_OPENERS and "".join(raw[index : index + 3]).rstrip() in OVER
    if is_over and not last.space and (is_word(last.text) or last.text in _BEFORE_OVER):
        return index + 3
    if not last.space and (bare[index] == ".{" or (bare[index] == "[" and _takes_brackets(last.text))):
        return close(bare, index, min(len(raw), index + _UNIVERSES)) + 1
    parts = next((p for p in _SPLIT_SYMBOLS.get(bare[index], ()) if _is_there(raw, index, p)), None)
    return index + (1 if parts is None else len(parts))


def _is_continued(token: str, found: Sequence[Word]) -> bool:
    """Whether a token belongs to the word before it: universes, a mark that no closing bar precedes, `[μ]`."""
    if not found or found[-1].space:
        return False
    if token[0] == "[" and _takes_brackets(found[-1].text):
        return True
    if token[0] in _MARKS_OF_NAMES and (token[0] == DAGGER or DAGGER in found[-1].text):
        return is_word(found[-1].text)
    return token.startswith(".{") or (token in AFTER_CLOSER and found[-1].text not in _MARKED)


def _takes_brackets(operator: str) -> bool:
    return operator in BRACKETED or operator[0] in _ARROWS or operator == "𝓝"


def _is_there(raw: Sequence[str], index: int, parts: Sequence[str]) -> bool:
    last = index + len(parts) - 1
    return last < len(raw) and list(raw[index:last]) == list(parts[:-1]) and raw[last].rstrip() == parts[-1]


def placed_words(text: str) -> list[PlacedToken]:
    """The words with their places in the text."""
    found: list[PlacedToken] = []
    at = len(text) - len(text.lstrip())
    for word, space in words_of(text):
        found.append(PlacedToken(word, at, at + len(word)))
        at += len(word) + len(space)
    return found


def read_words(words: Sequence[Word]) -> SyntaxNode:
    """The syntax tree of the term that begins with the first word; it has no tokens if none begins there."""
    return read_term(parser_tokens(words), GRAMMAR)


def read_all_words(words: Sequence[Word]) -> list[SyntaxNode]:
    """The syntax trees of the terms in a text. Words with which no term begins may be between them."""
    return read_terms(parser_tokens(words), GRAMMAR)


def parser_tokens(words: Sequence[Word]) -> list[str]:
    """What the parser reads for the words."""
    tokens = [_operator_of(text) if "[" in text else text for text, _ in words]
    if _READ_OTHERWISE.isdisjoint(tokens):
        return tokens
    has_integral = False
    for index, token in enumerate(tokens):
        if token in INTEGRALS:
            has_integral = True
        elif token == "∂" and has_integral:
            tokens[index] = MEASURE
        elif token == "|" and not words[index].space and index and words[index - 1].space:
            tokens[index] = _BAR
    return tokens


def _operator_of(word: str) -> str:
    """The operator without its brackets: `=ᵐ` for `=ᵐ[μ]`; any other word as it is."""
    operator = word.partition("[")[0]
    return _over_ring(operator) if operator and _takes_brackets(operator) else word
