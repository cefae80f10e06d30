"""An error of a declaration, and the tactic or term that fails. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lean_extract.session.document import LeanDocument
from lean_extract.session.faults import Fault, is_misparsed, is_unsolved
from lean_extract.session.tactic_spans import WrittenTactic, WrittenTactics
from lean_extract.syntax.keywords import STRONG_COMMAND_WORDS
from lean_extract.syntax.lexer import tokenize
from lsp_server.engine.repair_text import Block, clause_value, proof_start


@dataclass(frozen=True)
class Failure:
    """An error, and the tactic or term that it is about."""

    path: Path
    text: str
    declaration: int
    fault: Fault
    is_theorem: bool

    @cached_property
    def document(self) -> LeanDocument:
        """The file."""
        return LeanDocument(self.text)

    @cached_property
    def offset(self) -> int:
        """That of the error."""
        return self.document.offset(self.fault.position)

    @cached_property
    def written(self) -> WrittenTactics:
        """The tactics of the declaration."""
        return WrittenTactics(self.document, self.offset)

    @cached_property
    def part(self) -> WrittenTactic | None:
        """What fails: where goals are left unsolved, the last tactic of that block."""
        part = self._found()
        return None if part is None or has_commands(self.text[slice(*part)]) else part

    def _found(self) -> WrittenTactic | None:
        if is_misparsed(self.fault.message):
            return self.written.unread(self.offset)
        if is_unsolved(self.fault.message):
            block = Block.below(self.written, self.offset)
            if block is not None:
                return block.tactics[-1]
        return self._clause or self.written.failing(self.offset) or self.written.beginning(self.offset)

    @cached_property
    def is_term(self) -> bool:
        """Whether it is a term, not a tactic: the value of a declaration, or of a part of it."""
        part = self.part
        return part is not None and (part == self._clause or self.text[: part.start].rstrip().endswith(":="))

    @property
    def end(self) -> int:
        """The offset after what fails; that of the error if it is not known."""
        return self.part.end if self.part is not None else self.offset

    @cached_property
    def _clause(self) -> WrittenTactic | None:
        """The value of the field or alternative with the error, if the declaration has such."""
        if not self.text[: self.value.start].rstrip().endswith(("where", "|")):
            return None
        return clause_value(self.document, *self.document.declaration(self.declaration), self.offset)

    @property
    def scope(self) -> WrittenTactic:
        """Where the text may change: the value of a theorem, and of others only what fails."""
        return self.value if self.is_theorem or self.part is None else self.part

    @cached_property
    def value(self) -> WrittenTactic:
        """The value of the declaration."""
        start, end = self.document.declaration(self.declaration)
        begin = proof_start(self.document, start, end)
        text = self.text[begin:end]
        return WrittenTactic(begin + len(text) - len(text.lstrip()), begin + len(text.rstrip()))


def has_commands(text: str) -> bool:
    """Whether a text has a word that begins a command: then it is not known where a proof ends."""
    return not STRONG_COMMAND_WORDS.isdisjoint(tokenize(text).texts)
