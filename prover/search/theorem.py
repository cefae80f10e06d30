"""A theorem to prove: a Lean file with `sorry` for its proof."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import BadSource
from lean_extract.records import Position
from lean_extract.session.document import LeanDocument
from lean_extract.source.reader import read_module
from lean_extract.syntax.keywords import THEOREM_WORDS, VALUE_WORDS, any_of
from lean_extract.syntax.lexer import tokenize

_ENDS_IN_SORRY = re.compile(r":=\s*(?:by\s+)?sorry\s*\Z")
_ENDS_OPEN = re.compile(r":=\s*+(?:by\s*)?\Z")
_BEHIND_BY = re.compile(r"(?<![\w.'])by\s*\Z")
_NEEDS_TERM = re.compile(r"(?::=|[(⟨,])\s*\Z")
_NAMED = re.compile(rf"(?<![\w.'])(?:{any_of(THEOREM_WORDS | VALUE_WORDS)})\s+((?:«[^«»]*»|[^\s:({{\[⦃«])+)")


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem without a proof.

    `path`: the file, which need not exist; Lean need not run in its folder. `text`: the file's text. `position`:
    where the `sorry` begins that stands for the proof.
    """

    path: Path
    text: str
    position: Position

    @classmethod
    def stated(cls, path: Path, header: str, statement: str) -> Theorem:
        """A header (imports, `open`, ...) and a statement, which may end with `:= sorry` or `:= by`.

        Raises:
            BadSource: the statement declares no named theorem.
        """
        bare = _ENDS_OPEN.sub("", _ENDS_IN_SORRY.sub("", statement.strip())).rstrip()
        text = f"{header.rstrip()}\n\n{bare} := by\n  ".lstrip("\n")
        end = LeanDocument(text).position(len(LeanDocument(text).text))
        return cls._checked(path, f"{text}sorry\n", end)

    @classmethod
    def at(cls, path: Path, text: str, position: Position) -> Theorem:
        """The theorem around a position: the `sorry` at the position, or else the next one of its declaration.

        Raises:
            BadPosition: the text has no such position.
            BadSource: there is no `sorry`, or the declaration has no name.
        """
        document = LeanDocument(text)
        offset = document.offset(position)
        start, end = document.declaration(offset)
        for found in _sorries(document.text):
            if start <= found < end and found + len("sorry") >= offset:
                return cls._checked(path, text, document.position(found))
        raise BadSource(
            f"There is no `sorry` at line {position.line + 1} of {path.name}.",
            "Write `sorry` where the proof belongs.",
        )

    @classmethod
    def first(cls, path: Path, text: str) -> Theorem:
        """The theorem around the first `sorry` of a text. Raises BadSource: no `sorry`, or no name."""
        document = LeanDocument(text)
        for found in _sorries(document.text):
            return cls._checked(path, text, document.position(found))
        raise BadSource(f"There is no `sorry` in {path.name}.", "Write `sorry` where the proof belongs.")

    @classmethod
    def _checked(cls, path: Path, text: str, position: Position) -> Theorem:
        theorem = cls(path, text, position)
        theorem.name  # noqa: B018  Raises if there is none.
        return theorem

    @property
    def name(self) -> str:
        """The theorem's name as it is declared, without the namespace around it.

        Raises:
            BadSource: the theorem has no name (`example`).
        """
        document = LeanDocument(self.text)
        start, _ = document.declaration(document.offset(self.position))
        found = _NAMED.search(document.text, start, document.offset(self.position))
        if found is None:
            raise BadSource(
                f"The statement in line {self.position.line + 1} of {self.path.name} has no name.",
                "State it as `theorem NAME ... := by sorry`.",
            )
        return found[1]

    @property
    def full_name(self) -> str:
        """The name with the namespaces around it, which a protected theorem needs."""
        line = self.position.line
        for premise in read_module(self.text, "", str(self.path)).premises:
            if premise.span and premise.span.start.line <= line <= premise.span.end.line:
                return premise.name
        return self.name

    def with_proof(self, tactics: Sequence[str]) -> str:
        """The text up to the end of the theorem, with the tactics instead of `sorry`, each on its own line.

        The text after the theorem is left out. A namespace may stay open, which Lean allows.
        """
        document = LeanDocument(self.text)
        begin = document.offset(self.position)
        _, end = document.declaration(begin)
        before, behind = document.text[:begin], document.text[begin + len("sorry") : end]
        return f"{_joined(before, document.line(self.position.line), tactics)}{behind.rstrip()}\n"

    @property
    def lines(self) -> tuple[int, int]:
        """The first line of the declaration and the line of `sorry`, both from 0."""
        document = LeanDocument(self.text)
        start, _ = document.declaration(document.offset(self.position))
        return document.position(start).line, self.position.line


def _sorries(text: str) -> Iterator[int]:
    """The offsets of all `sorry`s of a text outside comments and strings."""
    tokens = tokenize(text)
    for token, start in zip(tokens.texts, tokens.starts, strict=True):
        if token == "sorry":
            yield start


def script(tactics: Sequence[str]) -> str:
    """The tactics on consecutive lines; a tactic of several lines keeps its relative indentation."""
    return "\n".join(textwrap.dedent(tactic).strip() for tactic in tactics)


def _joined(before: str, line: str, tactics: Sequence[str]) -> str:
    on_line = before.rpartition("\n")[2]
    deeper = len(line) - len(line.lstrip()) + 2
    if _NEEDS_TERM.search(before):
        if not on_line.strip():
            return f"{before}by\n{textwrap.indent(script(tactics), ' ' * deeper)}"
        return f"{before.rstrip(' ')} by\n{textwrap.indent(script(tactics), ' ' * deeper)}"
    if on_line.strip() and _BEHIND_BY.search(before):
        return f"{before.rstrip(' ')}\n{textwrap.indent(script(tactics), ' ' * deeper)}"
    return before + script(tactics).replace("\n", "\n" + " " * len(on_line))
