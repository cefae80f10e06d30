r"""Text with formulas, as LaTeX sources have it, as tokens."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property, partial

from retriever.documents.latex_names import LEFT_OUT
from retriever.limits import MAX_CLOSERS_IN_BRACES, MAX_FORMULA_DEPTH
from retriever.proof_matching.readers.latex_math import linearise
from retriever.proof_matching.schema import Token
from retriever.proof_matching.tokens import words

_ENVIRONMENTS = "equation|align|alignat|flalign|eqnarray|gather|multline|displaymath|math"
_OPENER = re.compile(rf"\\begin\s*\{{(?P<name>(?:{_ENVIRONMENTS})\*?)\}}|\\[\[(]|\\.|\$\$?", re.DOTALL)
_BRACE = re.compile(r"\\.|([{}])", re.DOTALL)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_NOTES = "reference|history|slogan"
_NOTE = re.compile(rf"\\begin\s*\{{({_NOTES})\}}")
_NOTE_END = re.compile(rf"\\end\s*\{{({_NOTES})\}}")
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


def read_text(text: str, problems: list[str], depth: int = 0) -> list[Token]:
    r"""The words and symbols of text, in order. Never raises.

    Comments, `\label`, `\ref`, `\cite` and their kin go with their arguments, and so do the notes that Stacks
    has in its statements (reference, history, slogan); other commands go, and their arguments stay. What is
    wrong is added to `problems`.
    """
    text = _without_notes(_COMMENT.sub(r"\1", text))
    tokens: list[Token] = []
    prose = partial(read_text, problems=problems, depth=depth + 1) if depth < MAX_FORMULA_DEPTH else words
    for is_math, piece in _segments(text, problems):
        tokens += linearise(piece, prose) if is_math else words(_plain(piece))
    return tokens


def _without_notes(text: str) -> str:
    """Text without the notes of Stacks; one that is never closed is kept."""
    ends: dict[str, list[re.Match[str]]] = {}
    for closer in _NOTE_END.finditer(text):
        ends.setdefault(closer[1], []).append(closer)
    parts: list[str] = []
    done = at = 0
    while ends and (match := _NOTE.search(text, at)) is not None:
        at = match.end()
        closers = ends.get(match[1], [])
        number = bisect_left(closers, at, key=lambda closer: closer.start())
        if number < len(closers):
            parts += (text[done : match.start()], " ")
            done = at = closers[number].end()
    return "".join(parts) + text[done:]


def _segments(text: str, problems: list[str]) -> Iterator[tuple[bool, str]]:
    """Text and formulas in turn; whether each is a formula."""
    start = at = 0
    closers = _Closers(text)
    while (match := _OPENER.search(text, at)) is not None:
        closer = _closer(match)
        at = match.end()
        if not closer:
            continue
        yield False, text[start : match.start()]
        stop, start = closers.after(at, closer)
        if stop < 0:
            line_end = text.find("\n", at)
            problems.append(f"{match[0]} is never closed")
            stop = start = len(text) if line_end < 0 else line_end
        yield True, text[at:stop]
        at = start
    yield False, text[start:]


def _closer(match: re.Match[str]) -> str:
    """What closes the formula that opens here; "" where none does."""
    if match["name"] is not None:
        return rf"\\end\s*\{{{re.escape(match['name'])}\}}"
    return {r"\[": r"\\\]", r"\(": r"\\\)", "$": r"\$", "$$": r"\$(?=(\$))"}.get(match[0], "")


class _Closers:
    """Where formulas of a text may end: looked for once for each kind, however many open."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[str, tuple[list[int], list[tuple[int, int]]]] = {}

    @cached_property
    def _braces(self) -> tuple[list[int], list[int]]:
        """Where braces are, and how many are open before each and after the last."""
        positions, depths = [], [0]
        for match in _BRACE.finditer(self._text):
            if match[1]:
                positions.append(match.start())
                depths.append(depths[-1] + (1 if match[1] == "{" else -1))
        return positions, depths

    def _depth(self, position: int) -> int:
        positions, depths = self._braces
        return depths[bisect_left(positions, position)]

    def _all(self, closer: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Where closers of a kind start; and for each how many braces are open there, and where it ends."""
        known = self._found.get(closer)
        if known is None:
            pattern = re.compile(rf"({closer})|\\.", re.DOTALL)
            found = [match for match in pattern.finditer(self._text) if match[1] is not None]
            starts = [match.start() for match in found]
            ends = (match.end(pattern.groups) for match in found)  # of `$$` the last group looks ahead
            known = starts, list(zip(map(self._depth, starts), ends, strict=True))
            self._found[closer] = known
        return known

    def after(self, start: int, closer: str) -> tuple[int, int]:
        """Where a formula ends that begins at `start`, and where its closer does, (-1, -1) without any.

        A closer in braces closes nothing (`\\text{$x$}`), but where the braces do not add up the first one
        does.
        """
        positions, others = self._all(closer)
        first = bisect_left(positions, start)
        depth = self._depth(start) if first < len(positions) else 0
        for number in range(first, min(first + MAX_CLOSERS_IN_BRACES + 1, len(positions))):
            if others[number][0] <= depth:
                return positions[number], others[number][1]
        return (positions[first], others[first][1]) if first < len(positions) else (-1, -1)


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
