"""Reads the text of one module into premises and proofs, without running Lean.

`read_module` is pure and does not raise on any text. What cannot be parsed is recorded as a problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lean_extract.common.files.reading import read_source
from lean_extract.records import FileProblem, Module, Position, Premise
from lean_extract.source.grammar.context_commands import parse_header
from lean_extract.source.grammar.notations import Notation
from lean_extract.source.grammar.premise_making import Alias
from lean_extract.source.names.scopes import (
    Open,
    Scope,
)
from lean_extract.source.proofs.printed_goals import PrintedGoal, PrintedGoals
from lean_extract.source.proofs.proof import SourceProof
from lean_extract.source.reader_commands import CommandReader
from lean_extract.source.reader_state import Known, allowance, unknown
from lean_extract.syntax.lexer import tokenize


@dataclass(frozen=True, slots=True)
class SourceModule:
    """What was read from the text of one module. The names in its proofs are not resolved yet."""

    module: Module
    premises: tuple[Premise, ...]
    scopes: tuple[Scope, ...]
    """For each premise, the scope in which the names of its statement are resolved."""
    proofs: tuple[SourceProof, ...]
    problems: tuple[FileProblem, ...]
    aliases: tuple[Alias, ...] = ()
    """Aliases. If the target is in another module, the premise has no statement unless that module is known."""
    exports: tuple[Open, ...] = ()
    parents: tuple[tuple[str, tuple[str, ...], Scope], ...] = ()
    """Structures with the structures that they extend, as written, and the scope."""
    notations: tuple[Notation, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    """The values of short definitions, by name."""
    is_prelude: bool = False
    namespace: str = ""
    """The namespace that is open at the end of the text."""

    @property
    def has_bare_aliases(self) -> bool:
        """Whether the target of an alias, and with it its statement, is to be found in another module."""
        return any(is_bare(premise) for premise in self.premises)


def is_bare(premise: Premise) -> bool:
    """Whether a premise is an alias without a statement."""
    return premise.kind == "alias" and not premise.conclusion


def read_file(path: Path, name: str, *, states: bool = False, known: Known = unknown) -> SourceModule:
    """Read a source file; with `states`, also the proof states that its text determines.

    `known` gives the declarations of other modules. Raises BadSource as `read_source` does, and Cancelled.
    """
    return read_module(read_source(path), name, str(path), states=states, known=known)


def read_module(
    text: str,
    name: str,
    path: str,
    *,
    states: bool = False,
    printed: Mapping[Position, PrintedGoal] | None = None,
    known: Known = unknown,
) -> SourceModule:
    """Read a module's text. A part that cannot be parsed is recorded as a problem, and reading continues.

    Time is linear in the length of the text. Where the output could grow faster, the rest is left out and a
    problem is recorded. Raises Cancelled soon after the result is no longer wanted.

    Args:
        text: the module's text.
        name: the module's name.
        path: the path that problems and the module's record name.
        states: whether to infer the proof states that the text determines.
        printed: targets that Lean printed, by where their tactic begins. Proofs with any get states, too.
        known: gives the declarations of other modules: an alias has the statement of its target.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    tokens = tokenize(text)
    imports, in_module_system, is_prelude = parse_header(tokens)
    module = Module(name, path, imports, None, in_module_system)
    goals = PrintedGoals(tokens, printed or {})
    reader = CommandReader(tokens, module, allowance(len(text)), states, goals, known)
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
        reader.stack.top.scope.namespace,
    )
