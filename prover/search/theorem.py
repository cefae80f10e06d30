"""A theorem to prove: a Lean file in which `sorry` stands for its proof."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.errors import BadSource
from lean_extract.records import Position
from lean_extract.session.document import LeanDocument
from lean_extract.source.reader import read_module
from lean_extract.syntax.lexer import tokenize

_ENDS_IN_SORRY = re.compile(r":=\s*(?:by\s+)?sorry\s*\Z")
_ENDS_OPEN = re.compile(r":=\s*(?:by)?\s*\Z")
_BEHIND_BY = re.compile(r"(?<![\w.'])by\s*\Z")
_NEEDS_TERM = re.compile(r"(?::=|[(⟨,])\s*\Z")
_NAMED = re.compile(r"(?<![\w.'])(?:theorem|lemma|def|abbrev|instance)\s+((?:«[^»]*»|[^\s:({\[⦃«])+)")


@dataclass(frozen=True, slots=True)
class Theorem:
    """Where a proof is wanted.

    `path`: the file, which need not exist; its folder says nothing about where Lean runs. `text`: the
    file's text. `position`: where the `sorry` begins that stands for the proof.
    """

    path: Path
    text: str
    position: Position

    @classmethod
    def stated(cls, path: Path, header: str, statement: str) -> Theorem:
        """A header (imports, `open`, ...) and a statement, with `:= sorry`, `:= by` or nothing behind it.

        Raises:
            BadSource: it declares no theorem by name.
        """
        bare = _ENDS_OPEN.sub("", _ENDS_IN_SORRY.sub("", statement.strip())).rstrip()
        text = f"{header.rstrip()}\n\n{bare} := by\n  ".lstrip("\n")
        end = LeanDocument(text).position(len(LeanDocument(text).text))
        return cls._checked(path, f"{text}sorry\n", end)

    @classmethod
    def at(cls, path: Path, text: str, position: Position) -> Theorem:
        """The theorem around a place: the `sorry` that it touches, else the next one of its declaration.

        Raises:
            BadPosition: the text has no such place.
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
        """The theorem around the first `sorry` of a text. Raises BadSource: there is none, or no name."""
        document = LeanDocument(text)
        for found in _sorries(document.text):
            return cls._checked(path, text, document.position(found))
        raise BadSource(f"There is no `sorry` in {path.name}.", "Write `sorry` where the proof belongs.")

    @classmethod
    def _checked(cls, path: Path, text: str, position: Position) -> Theorem:
        theorem = cls(path, text, position)
        theorem.name  # noqa: B018  Raises where there is none.
        return theorem

    @property
    def name(self) -> str:
        """The theorem's name as it is declared, without the namespace around it.

        Raises:
            BadSource: it has none (`example`).
        """
        document = LeanDocument(self.text)
        start, _ = document.declaration(document.offset(self.position))
        found = _NAMED.search(document.text, start, document.offset(self.position))
        if found is None:
            raise BadSource(
                f"What is to be proved in line {self.position.line + 1} of {self.path.name} has no name.",
                "State it as `theorem NAME ... := by sorry`.",
            )
        return found[1]

    @property
    def full_name(self) -> str:
        """The name with the namespaces around it: a protected theorem is known by no shorter one."""
        line = self.position.line
        for premise in read_module(self.text, "", str(self.path)).premises:
            if premise.span and premise.span.start.line <= line <= premise.span.end.line:
                return premise.name
        return self.name

    def with_proof(self, tactics: Sequence[str]) -> str:
        """The text up to the end of the theorem, the tactics in the place of `sorry`, each on its line.

        What follows the theorem is left out: a namespace may stay open, which Lean allows.
        """
        document = LeanDocument(self.text)
        begin = document.offset(self.position)
        _, end = document.declaration(begin)
        before, behind = document.text[:begin], document.text[begin + len("sorry") : end]
        return f"{_joined(before, document.line(self.position.line), tactics)}{behind.rstrip()}\n"

    @property
    def lines(self) -> tuple[int, int]:
        """The lines, from 0, between which the declaration stands: its first, and that of `sorry`."""
        document = LeanDocument(self.text)
        start, _ = document.declaration(document.offset(self.position))
        return document.position(start).line, self.position.line


def _sorries(text: str) -> Iterator[int]:
    """Where the `sorry`s of a text begin, those in comments and strings left out."""
    tokens = tokenize(text)
    for token, start in zip(tokens.texts, tokens.starts, strict=True):
        if token == "sorry":
            yield start


def script(tactics: Sequence[str]) -> str:
    """Tactics below each other, those of several lines with their own indentation kept."""
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
