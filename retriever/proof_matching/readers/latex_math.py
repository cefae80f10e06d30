r"""Formulas in LaTeX as tokens: their leaves, in the order of the source, as Presentation MathML has them.

Not pylatexenc, which recurses at every brace and takes a hundred times as long (see the other reader of LaTeX,
`retriever.naturalproofs.readers.latex`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from retriever.documents.latex_names import (
    BOARD,
    FONTS_OF,
    IDENTIFIERS,
    LEFT_OUT,
    NAMES,
    OPERATORS,
    PROSE,
    SILENT,
    SWITCHES,
)
from retriever.proof_matching.schema import Kind, Token
from retriever.proof_matching.tokens import is_prose, kind_of, symbols

_PIECE = re.compile(r"\\([A-Za-z]+|.|$)\*?|[0-9]+(?:\.[0-9]+)?|\s+|.", re.DOTALL)
_OPTION = re.compile(r"\s*\[[^\[\]]*\]")
_ARROW = re.compile(
    r"(?:\s*@(?:\{[^{}]*\}|/[^/]*/|<[^<>]*>|\([^()]*\)|[^@\s\\{}\[\]&]*)|\s*\[[a-z]*(?:\d[a-z]*)*\])*"
)
_MATRIX = re.compile(r"\s*@[^{}\\$]*(?=\{)")
_COLUMNS = frozenset(("array", "tabular", "alignat", "alignat*", "alignedat"))
_ESCAPED = {char: char for char in "{}#%&$_"} | {"|": "‖"}

Prose = Callable[[str], list[Token]]
"""What reads text inside a formula."""


@dataclass(slots=True)
class _Group:
    font: str = ""
    name: bool = False
    """Whether its letters are one name."""


def linearise(text: str, prose: Prose) -> list[Token]:
    r"""The symbols of a formula, without its `$`.

    Braces, `^`, `_`, `&`, `\\` and commands that only arrange are left out, as they are no leaves; links,
    labels and citations go with what they point at. An unknown command is a name (`\Spec`). Never raises.
    """
    reader = _Reader(text, prose)
    while reader.step():
        pass
    return reader.tokens


@dataclass(slots=True)
class _Reader:
    text: str
    prose: Prose
    at: int = 0
    tokens: list[Token] = field(default_factory=list)
    groups: list[_Group] = field(default_factory=lambda: [_Group()])
    pending: _Group | None = None
    """What a font command sets for its argument, which comes next."""
    letters: list[str] = field(default_factory=list)
    """Of a name that goes on."""

    def step(self) -> bool:
        """Read the next piece; whether there was one."""
        match = _PIECE.match(self.text, self.at)
        if match is None:
            self.end_name()
            return False
        piece, self.at = match[0], match.end()
        if piece[0] == "\\":
            self.end_name()
            self.command(match[1])
        elif piece == "{":
            self.end_name()
            above = self.groups[-1]
            self.groups.append(self.pending or _Group(above.font, above.name))
            self.pending = None
        elif piece == "}":
            self.end_name()
            if len(self.groups) > 1:
                self.groups.pop()
        elif piece.isascii() and piece.isalpha() and self.pending is None and self.groups[-1].name:
            self.letters.append(piece)
        elif piece not in "^_&~$" and not piece.isspace():
            self.end_name()
            self.emit(piece, kind_of(piece))
        return True

    def emit(self, text: str, kind: Kind) -> None:
        """Add a symbol in the font that holds here."""
        font = (self.pending or self.groups[-1]).font
        self.pending = None
        self.tokens += symbols(text, kind, "" if kind == "operator" else font)

    def end_name(self) -> None:
        """Add the name whose letters have been read."""
        if self.letters:
            letters, self.letters = self.letters, []
            self.emit("".join(letters), "identifier")

    def command(self, name: str) -> None:
        """Read what a command stands for, and what belongs to it."""
        if name in IDENTIFIERS:
            self.emit(IDENTIFIERS[name], "identifier")
        elif name in OPERATORS:
            self.tokens += symbols(OPERATORS[name], "operator")
        elif name in _ESCAPED:
            self.emit(_ESCAPED[name], "operator")
        elif name in FONTS_OF:
            self.font(name)
        elif name in LEFT_OUT:
            self.skip(_OPTION)
            self.argument()
        elif name in PROSE:
            self.words(self.argument())
        elif name in ("begin", "end"):
            if self.argument() in _COLUMNS and name == "begin":
                self.skip(_OPTION)
                self.argument()
        elif name == "ar":
            self.skip(_ARROW)
        elif name in SILENT:
            self.skip(_MATRIX)
        elif name.isalpha() and name.isascii():
            self.unknown(name)

    def font(self, name: str) -> None:
        """Take note of a font command."""
        group = _Group(FONTS_OF[name], name in NAMES)
        if name in SWITCHES:
            self.groups[-1] = group
        else:
            self.pending = group

    def words(self, text: str) -> None:
        """Add text inside a formula."""
        if is_prose(text):
            self.tokens += self.prose(text)
        else:
            self.tokens += symbols(text, "identifier", "normal")

    def unknown(self, name: str) -> None:
        """Add a command of the author's own."""
        font = "double-struck" if name in BOARD else "normal"
        self.tokens += symbols(name, "identifier", font)

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Pass over what the pattern finds here."""
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()

    def argument(self) -> str:
        """Pass over the group in braces that comes here, and return what is in it; "" without one."""
        start = self.at
        while start < len(self.text) and self.text[start].isspace():
            start += 1
        if self.text[start : start + 1] != "{":
            return ""
        stop = _closing_brace(self.text, start)
        self.at = stop + 1
        return self.text[start + 1 : stop]


def _closing_brace(text: str, start: int) -> int:
    """Where the brace closes that opens at `start`; the end of the text where it never does."""
    depth = 0
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0 and match[0] == "}":
            return match.start()
    return len(text)
