"""The state of the reader of one file, and how it reads declarations: premises, proofs and members of types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from lean_extract.limits import MADE_CHARACTERS, MADE_PER_CHARACTER, MAX_TOKENS
from lean_extract.records import FileProblem, Module, Position, Premise
from lean_extract.source.attributes.generated import Subject, generate
from lean_extract.source.attributes.related import default_constructor, irreducible_lemma
from lean_extract.source.attributes.simps import simps_projections
from lean_extract.source.attributes.translation import TRANSLATIONS, Translation
from lean_extract.source.budget import Budget
from lean_extract.source.grammar.declarations import Attribute, Declaration, Prefix, parse_declaration
from lean_extract.source.grammar.notations import Notation
from lean_extract.source.grammar.premise_making import Alias, declared_premise, member_premise
from lean_extract.source.grammar.structures import local_declarations, parse_members, structure_itself
from lean_extract.source.names import variables
from lean_extract.source.names.binders import Binder
from lean_extract.source.names.instance_context import Surroundings
from lean_extract.source.names.instances import instance_name
from lean_extract.source.names.scopes import (
    Open,
    Scope,
    ScopedPremises,
    ScopeStack,
    is_too_long,
    join_names,
    namespaces_of,
)
from lean_extract.source.proofs.printed_goals import PrintedGoals
from lean_extract.source.proofs.proof import SourceProof, read_proof
from lean_extract.syntax.keywords import THEOREM_WORDS, TYPE_WORDS
from lean_extract.syntax.lexer import Tokens

_SHORT = 60
"""The most tokens of a definition that is worth unfolding."""
_REFERENCE = 8
"""The cost, in characters, of a binder that several declarations share."""

Known = Callable[[str, Scope], Premise | None]
"""What a name means among the declarations of other modules, if it is declared there."""


def unknown(name: str, scope: Scope) -> None:
    """Nothing is known of other modules."""


_Inclusion = tuple[variables.Variables, frozenset[str], frozenset[str], frozenset[str]]


def allowance(characters: int) -> Budget:
    """The budget for what is made of a text with this many characters."""
    return Budget(MADE_CHARACTERS + MADE_PER_CHARACTER * characters)


@dataclass
class DeclarationReader:
    """Reads the declarations of one file, and holds the state while its commands are read in order."""

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

    def declaration(self, prefix: Prefix, begin: int, position: int, end: int) -> None:
        """Read the declaration in the tokens [begin, end), whose keyword is at index `position`."""
        declaration = parse_declaration(self.tokens, prefix, begin, position, end)
        if declaration is None or declaration.keyword == "example":
            return
        if not declaration.name and declaration.keyword != "instance":
            self.problem(position, f"This `{declaration.keyword}` has no name.")
            return
        if declaration.value_begin - declaration.header_begin > MAX_TOKENS:
            self.problem(position, f"This statement has more than {MAX_TOKENS:,} tokens; it is left out.")
            return
        context = self._context_of(declaration)
        if not declaration.name:
            type_ = self.tokens.source(declaration.type_begin, declaration.type_end)
            name = instance_name(type_, declaration.binders, self._surroundings())
            declaration.name = self.declared.unused(name, self.stack.top.scope.namespace)
        namespace = self.stack.top.scope.namespace
        if is_too_long(join_names(namespace, declaration.name)):
            self.problem(position, "The name of this declaration is too long; it is left out.")
            return
        premise = declared_premise(
            self.tokens, self.module.name, namespace, declaration, context, is_private=self.is_private(prefix)
        )
        self.add(premise)
        if declaration.keyword in THEOREM_WORDS:
            self._proof(declaration, premise)
        elif declaration.keyword in ("def", "abbrev", "irreducible_def"):
            self._value(declaration, premise)
        subject = Subject(premise)
        if declaration.keyword.split()[0] in TYPE_WORDS:
            subject = Subject(premise, self._members(declaration, premise, context))
        else:
            self._local_declarations(declaration, premise)
            if any("simps" in attribute.text for attribute in prefix.attributes):
                subject = Subject(premise, (), simps_projections(self.tokens, declaration))
        self.add_made(subject, prefix.attributes)

    def _surroundings(self) -> Surroundings:
        """What the name of an anonymous instance depends on."""
        top = self.stack.top
        return Surroundings(
            top.scope,
            self.module.name.partition(".")[0],
            self.variable_types(),
            lambda name: self.declared.get(name, top.scope),
            self.symbols,
        )

    def _context_of(self, declaration: Declaration, with_proof: bool = False) -> list[Binder]:
        """The section variables that the declaration includes, then its own binders.

        With `with_proof` also those that a theorem's proof mentions, which Lean included before 4.12.
        """
        frame = self.stack.top
        if not frame.variables.groups:
            return declaration.binders
        header_end = declaration.value_begin
        is_short = declaration.keyword in THEOREM_WORDS and not with_proof
        end = header_end if is_short else declaration.end
        used = variables.mentioned(
            self.tokens, declaration.header_begin, header_end, end, frame.variables, declaration.binders
        )
        key = (frame.variables, used, frame.included, frame.omitted)
        taken = self.taken.get(key)
        if taken is None:
            taken = self.taken[key] = variables.included(*key)
        if not self.made.take(sum([len(binder.text) for binder in taken])):
            self.limit(declaration.begin, "Declarations include too many variables here")
            return declaration.binders
        return [*taken, *declaration.binders]

    def _proof(self, declaration: Declaration, premise: Premise) -> None:
        begin = declaration.value_begin
        if begin < declaration.end and self.tokens.texts[begin] == ":=":
            begin += 1
        if begin >= declaration.end:
            return
        if declaration.end - begin > MAX_TOKENS:
            self.problem(begin, f"This proof has more than {MAX_TOKENS:,} tokens; it is left out.")
            return
        printed = self.printed.within(begin, declaration.end) if self.printed else None
        proof = read_proof(
            self.tokens,
            begin,
            declaration.end,
            theorem=premise.name,
            scope=self._inner_scope(premise.name),
            order=len(self.declared.premises),
            binders=(*self.stack.top.variables.groups, *declaration.binders),
            statement=(declaration.type_begin, declaration.type_end),
            context=tuple([binder.text for binder in self._context_of(declaration, True)])
            if printed
            else premise.context,
            states=self.states,
            printed=printed,
        )
        if proof.is_cut:
            self.limit(begin, "This proof states too many goals inside it")
        self.proofs.append(proof)

    def _value(self, declaration: Declaration, premise: Premise) -> None:
        """Record the value of a short definition; for an `irreducible_def`, also its lemma."""
        begin = declaration.value_begin
        if 1 < declaration.end - begin <= _SHORT and self.tokens.texts[begin] == ":=":
            self.values[premise.name] = self.tokens.source(begin + 1, declaration.end)
        if declaration.keyword == "irreducible_def":
            header = declaration.name_index + 1, declaration.header_begin
            self.add(irreducible_lemma(self.tokens, premise, header, self.values.get(premise.name, "")))

    def _inner_scope(self, name: str) -> Scope:
        """The scope of the body of a declaration: that of `theorem Foo.bar` is in the namespace `Foo`."""
        scope = self.stack.top.scope
        namespace = _namespace_of(name)
        return scope if namespace == scope.namespace else replace(scope, namespace=namespace)

    def _members(self, declaration: Declaration, premise: Premise, context: list[Binder]) -> tuple[str, ...]:
        """Declare fields and constructors, and return the names of the fields.

        As in Lean, the type's parameters become implicit, and a field takes the structure itself as an argument.
        """
        parameters = tuple([binder.implicit().text for binder in context])
        itself = structure_itself(declaration.keyword, premise.name, context)
        found = parse_members(self.tokens, declaration)
        if found.parents:
            self.parents.append((premise.name, tuple(found.parents), self.stack.top.scope))
        fields: list[Premise] = []
        for member in found.members:
            is_field = member.kind == "field"
            size = self._length(member.type_begin, member.type_end) + _REFERENCE * len(parameters)
            if not self.made.take(size) or is_too_long(join_names(premise.name, member.name)):
                self.limit(member.begin, "This type has too many parameters and members")
                break
            outer = (*parameters, itself) if is_field else parameters
            made = member_premise(self.tokens, member, premise, outer)
            self.add(made)
            self.add_made(Subject(made), member.prefix.attributes)
            fields += [made] if is_field else []
        if declaration.keyword in ("structure", "class") and len(fields) == len(found.members):
            self.add(default_constructor(premise, fields))
        return tuple([member.name for member in found.members if member.kind == "field"])

    def _length(self, begin: int, end: int) -> int:
        """The number of characters from the token `begin` to the last token before `end`."""
        return self.tokens.starts[end - 1] - self.tokens.starts[begin] if begin < end else 0

    def _local_declarations(self, declaration: Declaration, premise: Premise) -> None:
        """Declare `f.go` for `where go := ...` after the value of `f`; in a theorem it is a theorem too."""
        if "where" not in self.tokens.texts[declaration.value_begin + 1 : declaration.end]:
            return
        kind = "theorem" if declaration.keyword in THEOREM_WORDS else "def"
        outer = premise.context[: len(premise.context) - len(declaration.binders)]
        for member in local_declarations(self.tokens, declaration):
            if is_too_long(join_names(premise.name, member.name)):
                continue
            self.add(replace(member_premise(self.tokens, member, premise, outer), kind=kind))


def _namespace_of(name: str) -> str:
    return name.rpartition(".")[0] if "«" not in name else ".".join(namespaces_of(name)[1:2])
