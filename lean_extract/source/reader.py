"""One module's text into premises and proofs, with no Lean.

`read_module` is pure, and raises on no text: what cannot be read becomes a problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lean_extract.files.reading import read_source
from lean_extract.records import FileProblem, Module, Position, Premise
from lean_extract.source.grammar.aliases import Alias
from lean_extract.source.grammar.module_header import parse_header
from lean_extract.source.grammar.notations import Notation
from lean_extract.source.names.scopes import (
    Open,
    Scope,
)
from lean_extract.source.proofs.printed_goals import PrintedGoal, PrintedGoals
from lean_extract.source.proofs.proof import SourceProof
from lean_extract.source.reader_commands import CommandReader
from lean_extract.source.reader_state import allowance
from lean_extract.syntax.lexer import tokenize


@dataclass(frozen=True, slots=True)
class SourceModule:
    """What the text of one module gives; the mentions of its proofs are not resolved yet."""

    module: Module
    premises: tuple[Premise, ...]
    scopes: tuple[Scope, ...]
    """For each premise, what its statement is read in."""
    proofs: tuple[SourceProof, ...]
    problems: tuple[FileProblem, ...]
    aliases: tuple[Alias, ...] = ()
    """Aliases whose target may stand in another module; their premises have no statement yet."""
    exports: tuple[Open, ...] = ()
    parents: tuple[tuple[str, tuple[str, ...], Scope], ...] = ()
    """Structures with what they extend, as written."""
    notations: tuple[Notation, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    """Short definitions by name: what they stand for."""
    is_prelude: bool = False


def read_file(path: Path, name: str, *, states: bool = False) -> SourceModule:
    """Read a source file, with `states` also the proof states that its text determines.

    Raises BadSource where `read_source` does, and Unwanted.
    """
    return read_module(read_source(path), name, str(path), states=states)


def read_module(
    text: str,
    name: str,
    path: str,
    *,
    states: bool = False,
    printed: Mapping[Position, PrintedGoal] | None = None,
) -> SourceModule:
    """Read a module's text. What makes no sense becomes a problem; the rest is read on.

    Time is linear in the text: where what is made of it could grow faster, the rest is left out, and a
    problem says so. Raises Unwanted soon after nobody waits for it any more.

    Args:
        states: whether to work out the proof states that the text determines.
        printed: targets that Lean printed, by where their tactic begins; proofs that have any get states, too.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    tokens = tokenize(text)
    imports, in_module_system, is_prelude = parse_header(tokens)
    module = Module(name, path, imports, None, in_module_system)
    reader = CommandReader(tokens, module, allowance(len(text)), states, PrintedGoals(tokens, printed or {}))
    reader.run()
    return SourceModule(
        module,
        tuple(reader.declared.premises),
        tuple(reader.declared.scopes),
        tuple(reader.proofs),
        tuple(reader.problems),
        tuple(reader.aliases),
        tuple(reader.exports),
        tuple(reader.parents),
        tuple(reader.notations),
        reader.values,
        is_prelude,
    )
