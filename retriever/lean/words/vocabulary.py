r"""One vocabulary for English, LaTeX and Lean: `the join of`, `\sqcup`, `⊔` and `sup_comm` share a word.

Symbols become the words that Mathlib's names have for them, LaTeX's commands those of what they print, and names
their parts. Words are compared by their stems; phrases that `synonyms.txt` marks are the word that names have.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile

from lean_extract.syntax import operators
from lean_extract.syntax.words import WORDS
from retriever.documents.latex_names import FONTS_OF, IDENTIFIERS, LEFT_OUT, OPERATORS, PROSE, SILENT
from retriever.lean.words.splitting import SHORTEST_STEM, SMALL_WORDS, split, stem
from retriever.lean.words.synonyms import same_words
from retriever.limits import CACHED_STEMS
from retriever.search.index.table import Vocabulary

_MORE_SYMBOLS = """
≥ le | > lt | >= le | <= le | => | ⇔ iff | <-> iff | ⟺ iff | ⟷ iff | -> | != ne | ∉ not mem
⊊ ssubset | ⊋ ssubset | ⊃ ssubset | ⊇ subset | ⊂ ssubset | ∖ sdiff | ∄ not exists | ∤ not dvd | ⋁ sup | ⋀ inf
⊎ disjoint union | ⨄ disjoint union | ⊕ direct sum | ⨁ direct sum | ⨂ tensor | ∐ coprod | ⨿ coprod | · mul | ⋅ mul
↪ embedding | ↠ surjective | ⟂ orthogonal | ∥ parallel | ∇ gradient | ∮ integral | ∫⁻ lintegral | ℘ powerset
⊴ normal | ⋊ semidirect prod | ⋉ semidirect prod | ⁅ bracket | ⌊ floor | ⌈ ceil | ℵ aleph | ∼ rel | ≺ lt | ≼ le
⪯ le | Σ sigma | Π pi | a.e. ae
"""
"""Symbols, with their words, that the tables of Lean's operators lack or read in one of several senses."""
_COMPOUNDS = {
    "notmem": "not mem", "symmdiff": "symm diff", "isup": "sup", "iinf": "inf", "iunion": "union",
    "iinter": "inter", "sunion": "union", "sinter": "inter", "covby": "cov",
}  # fmt: skip
"""Operators' words in names that are several words."""
_COMMANDS = {
    "frac": "div", "dfrac": "div", "tfrac": "div", "sqrt": "sqrt", "binom": "choose", "lim": "limit",
    "trianglelefteq": "normal", "models": "realize", "#": "card",
}  # fmt: skip
"""LaTeX's commands with words other than those of what they print."""
_BOARD = re.compile(r"\\(?:mathbb|mathds|Bbb|mathbf) ?\{? ?([NZQRC])(?![A-Za-z]) ?\}?")
_BOARD_LETTERS = dict(zip("NZQRC", "ℕℤℚℝℂ", strict=True))
_BAR = r"(?:\\mid(?![A-Za-z])|\|)"
_MARKS = r"[*+-]|\\(?:circ|times|top)(?![A-Za-z])"
_NO_NUMBERS = r"[A-Z]|\\(?:dagger|infty|perp|operatorname|text|math)"
_READ_AS = (
    (re.compile(r"\\\|"), "‖"),
    (re.compile(r"\\(?:begin|end) ?\{[a-z]+\*?\}"), " "),
    (re.compile(r"\\int ?\^ ?\{?-\}?"), "∫⁻"),
    (re.compile(r"(?:\\aleph|ℵ)(?: ?_ ?\{?0\}?|₀)"), " aleph0 "),
    (re.compile(r"\\xrightarrow ?\{ ?\\sim ?\}"), "≅"),
    (re.compile(r"\^ ?\{? ?- ?1 ?\}?"), "⁻¹"),
    (re.compile(rf"\^ ?(?:\{{? ?(?:{_MARKS})|(?=\{{? ?(?:{_NO_NUMBERS})))"), " "),
    (re.compile(r"(?:→|->|\\to\b|\\rightarrow\b)(?= ?[-+]? ?(?:∞|\\infty\b|0))"), " tendsto "),
    (re.compile(rf"(?<![_^])\{{([^{{}}:|]*?){_BAR}"), r"{\1 "),
    (re.compile(rf"\[([^\[\]|]{{0,80}}?){_BAR}([^\[\]|]{{0,80}})\]"), r"[\1 cond \2]"),
    (re.compile(r"(?<=[^\W\d_])\\?'(?=\()"), " deriv "),
)
"""Notation of several characters, and the words or the signs that it is read as: powers are of numbers, bars in
brackets are conditions, and those that begin the condition of a set are nothing."""
_FORMULA = re.compile(r"\$[^$]+\$|(?<=\w)\([A-Z]{2}\)")
_TWO_LETTERS = re.compile(r"(?<![A-Za-z\\{])([A-Za-z])([A-Za-z])(?![A-Za-z])")
"""A product, in a formula."""
_POSSESSIVE = re.compile(r"['’]s\b")
_MORE_SMALL_WORDS = "all also and any are be can every fun itself not or same some that we which"
_FILLERS = SMALL_WORDS | {*_MORE_SMALL_WORDS.split()}
"""Words that say nothing about what a text is about."""


def word_tokens(text: str) -> list[str]:
    """The words of a text, in order, by their stems and without those that say nothing."""
    return [token for piece in _pieces(text) for token in _piece_tokens(piece)]


def query_words(text: str, sign: float, letter: float) -> dict[str, float]:
    """The words of a query, each once and in order, and how much each counts.

    Args:
        text: the query.
        sign: how much the word of a sign counts, where 1 is what a word as such counts.
        letter: the same of a letter or a digit alone: names of variables mostly.
    """
    found: dict[str, float] = {}
    for piece in _pieces(text):
        is_sign = piece in _SPELLED or _sign(piece) in _SPELLED
        for token in _piece_tokens(piece):
            is_letter = len(token) == 1 or (token in _NAMED and piece.lower() != token)
            weight = letter if is_letter else sign if is_sign else 1.0
            found[token] = max(weight, found.get(token, 0.0))
    return found


@lru_cache(maxsize=CACHED_STEMS)
def term_words(token: str) -> tuple[str, ...]:
    """The words of one of `premise_tokens`. None for a name of several parts: each part is a token too."""
    if token in _SPELLED:
        return _tokens(_SPELLED[token])
    if token in _COMPOUNDS:
        return _tokens(_COMPOUNDS[token].split())
    return _tokens((token,)) if token.isalnum() and token == token.lower() else ()


def terms_with(word: str, terms: Vocabulary) -> list[str]:
    """Terms that have a word by `term_words`, ascending, twice where they have it twice.

    All of them that are among `terms`, which ascend.
    """
    found = {word, *_terms_by_word().get(word, ())}
    if len(word) >= SHORTEST_STEM:
        places = range(bisect_left(terms, word), len(terms))
        found.update(takewhile(lambda term: term.startswith(word), map(terms.__getitem__, places)))
    return [term for term in sorted(found) for one in term_words(term) if one == word]


@lru_cache(maxsize=1)
def _terms_by_word() -> Mapping[str, list[str]]:
    """The terms whose words are in tables, by word; each other term begins with its one word."""
    found: dict[str, list[str]] = {}
    tables = (*_SPELLED, *_COMPOUNDS, *_GREEK, *same_words(), *(f"{word}s" for word in same_words()))
    for term in tables:
        for word in term_words(term):
            found.setdefault(word, []).append(term)
    return found


def spelled_words(text: str) -> list[str]:
    """All words of a text in lower case, in order, its symbols spelled out: `f'' ≤ sup_i` is `f le sup i`."""
    return [word for piece in _pieces(text) for word in _piece_words(piece)]


def _pieces(text: str) -> list[str]:
    """Commands, phrases, words and symbols as they are written."""
    text = _BOARD.sub(lambda found: _BOARD_LETTERS[found[1]], text)
    for pattern, read in _READ_AS:
        text = pattern.sub(read, text)
    text = _FORMULA.sub(lambda found: _TWO_LETTERS.sub(r"\1·\2", found[0]), text)
    return _PIECE.findall(text)


@lru_cache(maxsize=CACHED_STEMS)
def _piece_tokens(piece: str) -> tuple[str, ...]:
    same = same_words().get(" ".join(piece.lower().split()))
    return (stem(same),) if same else _tokens(_piece_words(piece))


@lru_cache(maxsize=CACHED_STEMS)
def _piece_words(piece: str) -> tuple[str, ...]:
    if piece in _SPELLED:
        return _SPELLED[piece]
    if piece[0] == "\\":
        return _command(piece)
    plain = unicodedata.normalize("NFD", _POSSESSIVE.sub("", piece))
    return tuple(split("".join(one for one in plain if one.isalnum() or one in "._- ")))


def _command(piece: str) -> tuple[str, ...]:
    """The words of one of LaTeX's commands."""
    name, sign = piece[1:], _sign(piece)
    if name in _COMMANDS:
        return (_COMMANDS[name],)
    if sign in _SPELLED:
        return _SPELLED[sign]
    if name in OPERATORS or name in _UNSEEN:
        return ()
    return tuple(split(name))


def _sign(piece: str) -> str:
    """The sign that one of LaTeX's commands prints; empty if it prints none, or if the piece is no command."""
    return (OPERATORS.get(piece[1:]) or IDENTIFIERS.get(piece[1:], "")) if piece[0] == "\\" else ""


def _tokens(words: Iterable[str]) -> tuple[str, ...]:
    """The words that say something, by their stems."""
    return tuple(stem(_same(word).lower()) for word in words if word not in _FILLERS)


def _same(word: str) -> str:
    """The word in names for one, or for the one that it is the plural of."""
    same = same_words()
    return _GREEK.get(word) or same.get(word) or same.get(word.removesuffix("s"), word)


def _spelled() -> dict[str, tuple[str, ...]]:
    """The words of Lean's symbols."""
    named: list[Mapping[str, str]] = [
        {symbol: one.constant for symbol, one in operators.INFIX.items()},
        {symbol: one.constant.partition(" ")[0] for symbol, one in operators.BRACKETED.items()},
        {symbol: name for symbol, (_, name) in (*operators.PREFIX.items(), *operators.BIG.items())},
        operators.NULLARY,
        operators.POSTFIX,
    ]
    found: dict[str, Sequence[str]] = {
        symbol: split(name.rpartition(".")[2]) for table in named for symbol, name in table.items()
    }
    for symbol, word in WORDS.items():
        if not symbol[0].isalpha() or not symbol.isascii():
            found[symbol] = _COMPOUNDS.get(word, word).split()
    for row in _MORE_SYMBOLS.replace("\n", "|").split("|"):
        if row.strip():
            symbol, *found[symbol] = row.split()
    return {symbol: tuple(words) for symbol, words in found.items()}


def _pattern() -> re.Pattern[str]:
    """What finds the pieces of a text. Hyphens, strokes and stars inside and around words are no operators."""
    phrases = "|".join(r"\s+".join(phrase.split()) for phrase in same_words() if " " in phrase)
    apart = ("-", "/", "*", "+", "!", "#", "''")
    signs = sorted((sign for sign in _SPELLED if sign not in apart and not sign[0].isdigit()), key=len)
    return re.compile(
        rf"\b(?i:{phrases})\b|\\(?:[A-Za-z]+|.)|(?<=\s)''(?=\s)|(?<!\*)(?<![^\W\d_]{{2}})[-/*+](?!\*|[^\W\d_]{{2}})"
        rf"|(?<=\b\w)!|#(?=[\w{{(])|{'|'.join(map(re.escape, reversed(signs)))}|[^\W_](?:[\w.'’]*\w)?"
    )


_SPELLED = _spelled()
_GREEK = {
    letter: name.removeprefix("var")
    for name, letter in IDENTIFIERS.items()
    if letter.isalpha() and letter not in _SPELLED
}
"""The names of letters."""
_NAMED = frozenset(map(stem, _GREEK.values()))
_UNSEEN = FONTS_OF.keys() | LEFT_OUT | PROSE | SILENT
_PIECE = _pattern()
