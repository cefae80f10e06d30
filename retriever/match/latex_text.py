r"""Text with formulas, as LaTeX sources have it, as tokens."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import partial

from retriever.match.latex_math import linearise
from retriever.match.latex_names import LEFT_OUT
from retriever.match.schema import Token
from retriever.match.tokens import words

_ENVIRONMENTS = "equation|align|alignat|flalign|eqnarray|gather|multline|displaymath|math"
_OPENER = re.compile(rf"\\begin\s*\{{(?P<name>(?:{_ENVIRONMENTS})\*?)\}}|\\[\[(]|\\.|\$\$?", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_NOTES = re.compile(r"\\begin\s*\{(reference|history|slogan)\}.*?\\end\s*\{\1\}", re.DOTALL)
_POINTING = "|".join(sorted(LEFT_OUT, key=len, reverse=True))
_POINTERS = re.compile(rf"\\(?:{_POINTING})(?![A-Za-z])\*?\s*(?:\[[^\[\]]*\]\s*)*(?:\{{[^{{}}]*\}})?")
_HREF = re.compile(r"\\href\s*\{[^{}]*\}|\\hyperref\s*\[[^\[\]]*\]")
_WIKI = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_BORDERS = re.compile(r"\\(?:begin|end)\s*\{[^{}]*\}(?:\s*\[[^\[\]]*\])?|\\item\s*\[[^\[\]]*\]")
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "v": "\u030c", "c": "\u0327", "H": "\u030b", "u": "\u0306", "k": "\u0328", "r": "\u030a",
}  # fmt: skip
_ACCENT = re.compile(r"\\(?:(['`^\"~=.])\s*|([vcHukr])(?=[\s{])\s*)\{?\\?([A-Za-z])(?![A-Za-z]*\{)\}?")
_COMMAND = re.compile(r"\\(?:([A-Za-z]+)\*?|(.?))", re.DOTALL)
_SHOWN = {"dots": "…", "ldots": "…", "S": "§", "ss": "ß", "o": "ø", "l": "ł", "ae": "æ", "oe": "œ", "i": "i"}
_DEPTH = 8
"""How many formulas in texts in formulas are read as such."""
_PASSED = 64
"""Of how many closers in braces a formula is believed not to end there."""


def read_text(text: str, problems: list[str], depth: int = 0) -> list[Token]:
    r"""The words and symbols of text, in order. Never raises.

    Comments, `\label`, `\ref`, `\cite` and their kin go with their arguments, and so do the notes that Stacks
    has in its statements (reference, history, slogan); other commands go, and their arguments stay. What is
    wrong is added to `problems`.
    """
    text = _NOTES.sub(" ", _COMMENT.sub(r"\1", text))
    tokens: list[Token] = []
    prose = partial(read_text, problems=problems, depth=depth + 1) if depth < _DEPTH else words
    for is_math, piece in _segments(text, problems):
        tokens += linearise(piece, prose) if is_math else words(_plain(piece))
    return tokens


def _segments(text: str, problems: list[str]) -> Iterator[tuple[bool, str]]:
    """Text and formulas in turn; whether each is a formula."""
    start = at = 0
    while (match := _OPENER.search(text, at)) is not None:
        closer = _closer(match)
        at = match.end()
        if not closer:
            continue
        yield False, text[start : match.start()]
        stop, start = _closed(text, at, closer)
        if stop < 0:
            line = text[at:].partition("\n")[0]
            problems.append(f"{match[0]} is never closed")
            stop = start = at + len(line)
        yield True, text[at:stop]
        at = start
    yield False, text[start:]


def _closer(match: re.Match[str]) -> str:
    """What closes the formula that opens here; "" where none does."""
    if match["name"] is not None:
        return rf"\\end\s*\{{{re.escape(match['name'])}\}}"
    return {r"\[": r"\\\]", r"\(": r"\\\)", "$": r"\$", "$$": r"\$\$"}.get(match[0], "")


def _closed(text: str, start: int, closer: str) -> tuple[int, int]:
    """Where a formula ends and where its closer does, (-1, -1) where it is not closed.

    A closer in braces closes nothing (`\\text{$x$}`), but where the braces do not add up the first one does.
    """
    depth = passed = 0
    first = (-1, -1)
    for match in re.compile(rf"({closer})|\\.|[{{}}]", re.DOTALL).finditer(text, start):
        if match[1] is not None:
            if depth <= 0:
                return match.start(), match.end()
            if not passed:
                first = match.start(), match.end()
            passed += 1
            if passed > _PASSED:
                break
        depth += {"{": 1, "}": -1}.get(match[0], 0)
    return first


def _plain(text: str) -> str:
    """Text without its commands."""
    text = _WIKI.sub(r" \1 ", _HREF.sub(" ", _POINTERS.sub(" ", text)))
    text = _BORDERS.sub(" ", _ACCENT.sub(_accented, text))
    text = _COMMAND.sub(_shown, text)
    return re.sub(r"``|''", '"', re.sub(r"[{}~]", " ", text.replace("---", "-").replace("--", "-")))


def _accented(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", match[3] + _ACCENTS[match[1] or match[2]])


def _shown(match: re.Match[str]) -> str:
    if match[1]:
        return _SHOWN.get(match[1], " ")
    return match[2] if match[2] and match[2] in "%#&$_" else " "
