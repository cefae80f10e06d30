"""The state of a reader while it reads the commands of one file, and what it has made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lean_extract.records import FileProblem, Module, Position, Premise
from lean_extract.source.attributes.generated import Subject, generate
from lean_extract.source.attributes.translation import TRANSLATIONS, Translation
from lean_extract.source.budget import Budget
from lean_extract.source.grammar.declarations import (
    Attribute,
    Prefix,
)
from lean_extract.source.grammar.notations import Notation
from lean_extract.source.grammar.premise_making import Alias
from lean_extract.source.names import variables
from lean_extract.source.names.binders import Binder
from lean_extract.source.names.scopes import (
    Open,
    Scope,
    ScopedPremises,
    ScopeStack,
    is_too_long,
)
from lean_extract.source.proofs.printed_goals import PrintedGoals
from lean_extract.source.proofs.proof import SourceProof
from lean_extract.syntax.lexer import Tokens

_MOST_MADE = 1 << 20, 8
"""Characters that attributes, aliases, variables and parameters may add to a file's own text: a constant, and
how many per character of the file."""

Known = Callable[[str, Scope], Premise | None]
"""What a name means among the declarations of other modules, if it is declared there."""


def unknown(name: str, scope: Scope) -> None:
    """Nothing is known of other modules."""


_Inclusion = tuple[variables.Variables, frozenset[str], frozenset[str], frozenset[str]]


def allowance(characters: int) -> Budget:
    """The budget for what is made of a text with this many characters."""
    least, factor = _MOST_MADE
    return Budget(least + factor * characters)


@dataclass
class ReaderState:
    """The state while the commands of one file are read in order."""

    tokens: Tokens
    module: Module
    made: Budget
    states: bool = False
    printed: PrintedGoals | None = None
    """Goals that Lean printed; with them the states of the proofs that have any are worked out."""
    known: Known = unknown
    stack: ScopeStack = field(default_factory=ScopeStack)
    declared: ScopedPremises = field(default_factory=ScopedPremises)
    translations: Mapping[str, Translation] = field(default_factory=lambda: TRANSLATIONS)
    """The translating attributes, with the name hints given so far."""
    values: dict[str, str] = field(default_factory=dict)
    taken: dict[_Inclusion, list[Binder]] = field(default_factory=dict)
    """A cache of the variables that a declaration includes, by what that depends on."""
    types: dict[variables.Variables, Mapping[str, str]] = field(default_factory=dict)
    """The types of section variables by name: a cache."""
    symbols: dict[str, str] = field(default_factory=dict)
    """The constants of the notations so far, by symbol."""
    proofs: list[SourceProof] = field(default_factory=list)
    problems: list[FileProblem] = field(default_factory=list)
    aliases: list[Alias] = field(default_factory=list)
    exports: list[Open] = field(default_factory=list)
    parents: list[tuple[str, tuple[str, ...], Scope]] = field(default_factory=list)
    notations: list[Notation] = field(default_factory=list)
    limits_met: set[str] = field(default_factory=set)
    hints: int = 0

    def problem(self, index: int, message: str) -> None:
        """Record a problem at a token."""
        self.problem_at(self.tokens.starts[index], message)

    def limit(self, index: int, what: str) -> None:
        """Record, once per file, that there is too much of something."""
        if what not in self.limits_met:
            self.limits_met.add(what)
            self.problem(index, f"{what}; the rest is left out.")

    def problem_at(self, offset: int, message: str) -> None:
        """Record a problem at an offset in the text."""
        position = self.tokens.position(offset) if self.tokens.text else Position(0, 0)
        self.problems.append(FileProblem(self.module.path, position, message))

    def may_make(self, index: int, premise: Premise) -> bool:
        """Whether the budget allows a premise that is generated from others, with their binders."""
        size = len(premise.conclusion) + sum(map(len, premise.context))
        if self.made.take(size) and not is_too_long(premise.name):
            return True
        self.limit(index, "Attributes generate too much text here")
        return False

    def variable_types(self) -> Mapping[str, str]:
        """The types of the variables in scope, by name."""
        scope = self.stack.top.variables
        if scope not in self.types:
            self.types = {scope: {name: group.type for group in scope.groups for name in group.names}}
        return self.types[scope]

    def is_private(self, prefix: Prefix) -> bool:
        """Whether a declaration is seen in its own module only. In Lean's module system, most are by default."""
        is_public = self.stack.top.is_public or "public" in prefix.modifiers
        return "private" in prefix.modifiers or (self.module.in_module_system and not is_public)

    def add(self, premise: Premise) -> None:
        """Declare a premise in the current scope."""
        self.declared.add(premise, self.stack.top.scope)

    def add_made(self, subject: Subject, attributes: list[Attribute]) -> None:
        """Declare what the attributes of a declaration generate from it."""
        for made in generate(self.tokens, subject, attributes, self.translations):
            if not self.may_make(attributes[0].begin, made):
                return
            self.add(made)
