"""Tokens of text and of formulas (section 3.3), and their form in files.

A line of tokens has a space between two: a word as it is, a symbol as `$` with i, o or n (identifier,
operator, number), its font, `:` and its text, such as `let $i:x be in $idouble-struck:R`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from retriever.limits import CACHED_TOKENS
from retriever.proof_matching.schema import FONTS, Kind, Token

_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_CONNECTIVES = frozenset(
    ("and", "or", "if", "is", "in", "for", "with", "where", "otherwise", "else", "to", "of")
)
_LETTERS: dict[Kind, str] = {"identifier": "i", "operator": "o", "number": "n"}
_KINDS: dict[str, Kind] = {letter: kind for kind, letter in _LETTERS.items()}
_NUMBER = re.compile(r"[.,]*\d[\d.,]*")
_INVISIBLE = dict.fromkeys(range(0x2061, 0x2065)) | dict.fromkeys((0x200B, 0xFEFF))
_SAME = {0x2212: "-", 0x2217: "*", 0x2223: "|", 0x2032: "'", 0x2254: ":="}
"""Characters that one LaTeX converter writes and another does not."""
_SHORT, _MOST_MARKS = 1000, 30
"""In a text that is not short, so many marks on one character are read: to bring them in order takes time
that grows with their square (UAX #15, "stream-safe text").
"""
UNICODE_STYLES = {
    "double-struck": "DOUBLE-STRUCK",
    "sans-serif": "SANS-SERIF",
    "bold-sans-serif": "SANS-SERIF BOLD",
    "sans-serif-italic": "SANS-SERIF ITALIC",
    "sans-serif-bold-italic": "SANS-SERIF BOLD ITALIC",
}
"""What Unicode's names call a font; the others as MathML does, with spaces between their words."""
_FONTS_OF = {style: font for font, style in UNICODE_STYLES.items()} | {
    "DOUBLE-STRUCK ITALIC": "double-struck"
}
_ALPHABETS = re.compile(
    r"(?:MATHEMATICAL )?"
    r"(BOLD ITALIC|BOLD SCRIPT|BOLD FRAKTUR|DOUBLE-STRUCK ITALIC|SANS-SERIF BOLD ITALIC|SANS-SERIF BOLD"
    r"|SANS-SERIF ITALIC|DOUBLE-STRUCK|SANS-SERIF|MONOSPACE|FRAKTUR|SCRIPT|ITALIC|BOLD)"
    r" (?:SMALL|CAPITAL|DIGIT|NABLA|PARTIAL|EPSILON|THETA|KAPPA|PHI|RHO|PI)\b"
)


def words(text: str) -> list[Token]:
    """The words of running text in lower case: runs of letters, of digits, and every other character."""
    plain = _normalised(text.translate(_INVISIBLE)).lower()
    return [_shared(word, "word", "") for word in _WORD.findall(plain)]


def symbols(text: str, kind: Kind, font: str = "") -> list[Token]:
    """The symbols that a leaf of a formula holds: what is between its white space, each in its font.

    Letters of Unicode's mathematical alphabets become plain ones in that font, so that `ℝ` and a
    double-struck R are one symbol; signs that are not seen are left out.
    """
    return [_symbol(piece, kind, font) for piece in text.translate(_INVISIBLE).split()]


def kind_of(text: str) -> Kind:
    """The kind of a symbol whose markup does not say it."""
    if _NUMBER.fullmatch(text):
        return "number"
    return "identifier" if text[:1].isalpha() else "operator"


def is_prose(text: str) -> bool:
    r"""Whether text in a formula is running text (`\text{ for all }`), and not a name (`\text{Mod}`)."""
    return not text.isalpha() or text in _CONNECTIVES


def encode(tokens: Iterable[Token]) -> str:
    """Tokens as a line."""
    return " ".join(
        token.text if token.kind == "word" else f"${_LETTERS[token.kind]}{token.font}:{token.text}"
        for token in tokens
    )


def decode(line: str) -> tuple[Token, ...]:
    """The tokens of a line. Raises ValueError, with the piece in question, when `encode` did not write it."""
    return tuple(map(_decoded, line.split(" "))) if line else ()


def _normalised(text: str) -> str:
    """In Unicode's form C."""
    if len(text) > _SHORT and not text.isascii():
        kept: list[str] = []
        marks = 0
        for character in text:
            marks = marks + 1 if unicodedata.combining(character) else 0
            if marks <= _MOST_MARKS:
                kept.append(character)
        text = "".join(kept)
    return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=CACHED_TOKENS)
def _shared(text: str, kind: Kind, font: str) -> Token:
    return Token(text, kind, font)


@lru_cache(maxsize=CACHED_TOKENS)
def _symbol(piece: str, kind: Kind, font: str) -> Token:
    letters, own = _plain(_normalised(piece))
    return _shared(letters, kind, _settled(letters, kind, own or font))


@lru_cache(maxsize=CACHED_TOKENS)
def _decoded(piece: str) -> Token:
    if len(piece) == 1 or not piece.startswith("$"):
        if [token.text for token in words(piece)] != [piece]:
            raise ValueError(f"{piece!r} is not a word")
        return _shared(piece, "word", "")
    mark, colon, text = piece[1:].partition(":")
    if mark[:1] not in _KINDS or mark[1:] not in FONTS or not colon or [text] != text.split():
        raise ValueError(f"{piece!r} is not a symbol")
    return _shared(text, _KINDS[mark[0]], mark[1:])


def _plain(piece: str) -> tuple[str, str]:
    """Letters of the mathematical alphabets as plain ones, and their font where all have the same."""
    fonts = set()
    letters = []
    for char in piece.translate(_SAME):
        font = _alphabet(char)
        fonts.add(font)
        letters.append(unicodedata.normalize("NFKC", char) if font else char)
    font = fonts.pop() if len(fonts) == 1 else None
    return "".join(letters), font or ""


def _alphabet(char: str) -> str | None:
    """The font by a character's name."""
    if char == "ℎ":
        return "italic"
    if char < "ℂ":
        return None
    match = _ALPHABETS.match(unicodedata.name(char, "").replace("BLACK-LETTER", "FRAKTUR"))
    if match is None or unicodedata.normalize("NFKC", char) == char:
        return None
    return _FONTS_OF.get(match[1], match[1].lower().replace(" ", "-"))


def _settled(text: str, kind: Kind, font: str) -> str:
    """A font as FONTS has it: none where it is the symbol's own, or is not known."""
    single = kind == "identifier" and len(text) == 1 and text.isalpha()
    leans = single and (text.isascii() or text.islower())
    if font not in FONTS or font == ("italic" if leans else "normal"):
        return ""
    return font
