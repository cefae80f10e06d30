"""LaTeX as far as statements and proofs need it: environments with their place, without comments.

Comments and what stands in verbatim are blanked, character by character, so that places stay what they were.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lean_extract.errors import BadSource

_TOKENS = re.compile(
    r"\\begin\{(?P<kind>verbatim\*?|Verbatim|lstlisting|comment)\}(?P<inside>.*?)\\end\{(?P=kind)\}"
    r"|\\verb\*?(?P<bar>[^\w\s*])(?P<short>[^\n]*?)(?P=bar)"
    r"|(?P<escaped>\\.)"
    r"|(?P<comment>%[^\n]*)",
    re.DOTALL,
)
_ENDS = re.compile(r"\\(begin|end)\s*\{([^{}\n]*)\}")
_DOCUMENT = re.compile(r"\\begin\s*\{document\}")
_NOT_NEWLINE = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Environment:
    """`\\begin{name} ... \\end{name}`."""

    name: str
    start: int
    """Where `\\begin` starts, in code points."""
    inside: int
    """Where the body starts."""
    stop: int
    """Where the body ends; for one that is never closed, where it starts."""
    end: int
    """Behind `\\end{name}`."""
    closed: bool = True


class Source:
    """One file's text.

    Attributes:
        name: the file's name, for messages.
        text: without comments (blank instead).
        code: also without what stands in verbatim.
    """

    def __init__(self, name: str, text: str, comments: bool = False) -> None:
        """With `comments`, they are read as if they were none (what the authors' scripts do)."""
        self.name = name
        self.text, self.code = (text, text) if comments else _blanked(text)
        preamble = _DOCUMENT.search(self.code)
        if preamble:
            self.code = _blank(self.code[: preamble.start()]) + self.code[preamble.start() :]
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]

    def line(self, place: int) -> int:
        """The line of a place, from 1."""
        return bisect_right(self._lines, place)

    @classmethod
    def read(cls, path: Path, complaints: list[str], comments: bool = False) -> Source:
        """A file's text; one that is not UTF-8 is read as Latin-1 and told of. Raises BadSource."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BadSource(f"{path} cannot be read: {error.strerror}.", "Name the LaTeX source.") from error
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            complaints.append(f"{path.name}:{line}: is not UTF-8; the file is read as Latin-1.")
            text = data.decode("latin-1")
        return cls(path.name, text.replace("\r\n", "\n"), comments)

    def at(self, place: int) -> str:
        """`file:line`, for messages."""
        return f"{self.name}:{self.line(place)}"


def environments(source: Source, complaints: list[str]) -> list[Environment]:
    """Every environment by where it starts; those that do not fit together are told in `complaints`.

    An environment that is never closed is among them, with `closed` false.
    """
    found: list[Environment] = []
    open_: list[tuple[str, re.Match[str]]] = []

    def never_closed(depth: int) -> None:
        name, start = open_[depth]
        complaints.append(f"{source.at(start.start())}: \\begin{{{name}}} is never closed.")
        found.append(_environment(name, start, None))

    for match in _ENDS.finditer(source.code):
        end, name = match[1] == "end", match[2].strip()
        if not end:
            open_.append((name, match))
            continue
        depth = next((n for n in reversed(range(len(open_))) if open_[n][0] == name), None)
        if depth is None:
            complaints.append(f"{source.at(match.start())}: \\end{{{name}}} closes nothing.")
            continue
        for inner in range(depth + 1, len(open_)):
            never_closed(inner)
        found.append(_environment(name, open_[depth][1], match))
        del open_[depth:]
    for depth in range(len(open_)):
        never_closed(depth)
    return sorted(found, key=lambda environment: environment.start)


def marked(source: Source, name: str, head: str, tail: str) -> Iterator[Environment]:
    r"""Stretches from a command to another, such as `\proof` to `\bbox`, as environments.

    One that another head cuts off, or the end of the file, is not closed.
    """
    pattern = re.compile(rf"\\(?:(?P<head>{head})|(?P<tail>{tail}))(?![A-Za-z@])")
    start: re.Match[str] | None = None
    for match in pattern.finditer(source.code):
        if match["head"]:
            if start:
                yield _environment(name, start, None)
            start = match
        elif start:
            yield _environment(name, start, match)
            start = None
    if start:
        yield _environment(name, start, None)


def _environment(name: str, start: re.Match[str], end: re.Match[str] | None) -> Environment:
    if end is None:
        return Environment(name, start.start(), start.end(), start.end(), start.end(), closed=False)
    return Environment(name, start.start(), start.end(), end.start(), end.end())


def bracketed(text: str, place: int) -> tuple[str, int]:
    r"""What stands in `[...]` at a place, and where it ends; "" and the place where nothing does.

    Brackets in braces do not count: `[Theorem {[2]}]`. No line may be empty in between.
    """
    start = place
    while start < len(text) and text[start] in " \t":
        start += 1
    if start >= len(text) or text[start] != "[":
        return "", place
    depth = 0
    for here in range(start + 1, len(text)):
        letter = text[here]
        if letter == "]" and depth <= 0:
            return text[start + 1 : here], here + 1
        if text.startswith("\n\n", here):
            break
        depth += (letter == "{") - (letter == "}")
    return "", place


def lines(text: str) -> tuple[str, ...]:
    """The lines that are not blank, without spaces at their end."""
    return tuple(line.rstrip() for line in text.split("\n") if line.strip())


def _blanked(text: str) -> tuple[str, str]:
    shown: list[str] = []
    code: list[str] = []
    done = 0
    for match in _TOKENS.finditer(text):
        if match["escaped"]:
            continue
        between = text[done : match.start()]
        blank = _blank(match[0])
        shown += (between, blank if match["comment"] is not None or match["kind"] == "comment" else match[0])
        code += (between, blank)
        done = match.end()
    return "".join(shown) + text[done:], "".join(code) + text[done:]


def _blank(text: str) -> str:
    return _NOT_NEWLINE.sub(" ", text)
