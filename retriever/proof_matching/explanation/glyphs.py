"""Tokens as people read them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from retriever.proof_matching.schema import Token

_FONTS = MappingProxyType(
    {
        "bold": ("BOLD",),
        "italic": ("ITALIC",),
        "bold-italic": ("BOLD ITALIC",),
        "double-struck": ("DOUBLE-STRUCK",),
        "script": ("SCRIPT",),
        "bold-script": ("BOLD SCRIPT",),
        "fraktur": ("FRAKTUR", "BLACK-LETTER"),
        "bold-fraktur": ("BOLD FRAKTUR",),
        "sans-serif": ("SANS-SERIF",),
        "bold-sans-serif": ("SANS-SERIF BOLD",),
        "sans-serif-italic": ("SANS-SERIF ITALIC",),
        "sans-serif-bold-italic": ("SANS-SERIF BOLD ITALIC",),
        "monospace": ("MONOSPACE",),
    }
)
"""What Unicode's names call the fonts of MathML."""


def glyph(token: Token) -> str:
    """A token in its font, where Unicode's mathematical alphabets have it: `ℝ`, `𝐱`, `𝓕`.

    What cannot be printed becomes a replacement character, so nothing here controls a terminal.
    """
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in token.text)
    return "".join(_styled(char, token.font) for char in text)


def spaced(tokens: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    """Each token behind the space that stands in front of it; "" at the start and where none belongs."""
    before: Token | None = None
    for token in tokens:
        yield "" if before is None or _joined(before, token) else " ", token
        before = token


def _joined(before: Token, token: Token) -> bool:
    if token.text in (",", ".", ";", ":", ")", "]", "?", "!"):
        return True
    return before.text in ("(", "[") or (before.is_math and token.is_math and token.text in ("(", "'"))


def _styled(char: str, font: str) -> str:
    """A character in another font; itself where Unicode has no such."""
    letter = unicodedata.name(char, "").removeprefix("LATIN ").removeprefix("GREEK ").replace(" LETTER ", " ")
    for style in _FONTS.get(font, ()):
        for name in (f"MATHEMATICAL {style} {letter}", f"{style} {letter}"):
            try:
                return unicodedata.lookup(name)
            except KeyError:
                continue
    return char
