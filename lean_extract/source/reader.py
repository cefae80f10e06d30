"""One module's text into premises and proofs, with no Lean.

`read_module` is pure, and raises on no text: what cannot be read becomes a problem.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from lean_extract.files.reading import read_source
from lean_extract.records import FileProblem, Module, Position, Premise
from lean_extract.source.attributes.generated import Subject, generate
from lean_extract.source.attributes.related import command_iff, default_constructor, irreducible_lemma
from lean_extract.source.attributes.simps import simps_projections
from lean_extract.source.attributes.translation import TRANSLATIONS, Translation
from lean_extract.source.attributes.translation_hints import HINT_WORDS, hinted
from lean_extract.source.budget import MAX_TOKENS, Budget
from lean_extract.source.grammar import context_commands as contexts
from lean_extract.source.grammar.aliases import Alias, parse_alias
from lean_extract.source.grammar.commands import Command, split_commands
from lean_extract.source.grammar.declarations import (
    Attribute,
    Declaration,
    Prefix,
    parse_attributes,
    parse_declaration,
    parse_prefix,
)
from lean_extract.source.grammar.module_header import parse_header
from lean_extract.source.grammar.notations import NOTATION_WORDS, Notation, parse_notation
from lean_extract.source.grammar.premise_making import (
    alias_premise,
    declared_premise,
    member_premise,
)
from lean_extract.source.grammar.structures import (
    local_declarations,
    parse_members,
    structure_itself,
)
from lean_extract.source.names import variables
from lean_extract.source.names.binders import Binder
from lean_extract.source.names.declared import ScopedPremises
from lean_extract.source.names.instances import instance_name
from lean_extract.source.names.scopes import (
    MAX_OPENS,
    Open,
    Scope,
    ScopeStack,
    is_too_long,
    join_names,
    namespaces_of,
)
from lean_extract.source.proofs.proof import SourceProof, read_proof
from lean_extract.syntax.keywords import DECLARATION_WORDS, SCOPE_WORDS, THEOREM_WORDS, TYPE_WORDS
from lean_extract.syntax.lexer import Tokens, comment_left_open, is_identifier, tokenize
from lean_extract.wanted import check_wanted


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


def read_module(text: str, name: str, path: str, *, states: bool = False) -> SourceModule:
    """Read a module's text. What makes no sense becomes a problem; the rest is read on.

    Time is linear in the text: where what is made of it could grow faster, the rest is left out, and a
    problem says so. Raises Unwanted soon after nobody waits for it any more.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    tokens = tokenize(text)
    imports, in_module_system, is_prelude = parse_header(tokens)
    module = Module(name, path, imports, None, in_module_system)
    least, factor = _MOST_MADE
    reader = _Reader(tokens, module, Budget(least + factor * len(text)), states)
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


_MOST_MADE = 1 << 20, 8
"""Characters that a file's attributes, aliases, variables and parameters may add to what it says itself, and
how many for each of its own."""
_ASKED_EVERY = 1 << 16
"""Characters between two questions whether to stop: some hundredths of a second."""
_MOST_PREMISES = 20_000
"""Premises of one file. The largest files of Lean and Mathlib have a tenth of it."""
_MOST_ATTRIBUTES = 100
"""Attributes of one declaration that `attribute` commands may add."""
_MOST_HINTS = 500
"""Name hints for translations in one file: each is a new table of words."""
_REFERENCE = 8
"""Characters that a binder counts for which declarations share."""

_Inclusion = tuple[variables.Variables, frozenset[str], frozenset[str], frozenset[str]]


@dataclass
class _Reader:
    """The state while the commands of one file are read in order."""

    tokens: Tokens
    module: Module
    made: Budget
    states: bool = False
    stack: ScopeStack = field(default_factory=ScopeStack)
    declared: ScopedPremises = field(default_factory=ScopedPremises)
    translations: Mapping[str, Translation] = field(default_factory=lambda: TRANSLATIONS)
    """The translating attributes, with the name hints given so far."""
    values: dict[str, str] = field(default_factory=dict)
    taken: dict[_Inclusion, list[Binder]] = field(default_factory=dict)
    """The variables that were included before, by what that depends on."""
    proofs: list[SourceProof] = field(default_factory=list)
    problems: list[FileProblem] = field(default_factory=list)
    aliases: list[Alias] = field(default_factory=list)
    exports: list[Open] = field(default_factory=list)
    parents: list[tuple[str, tuple[str, ...], Scope]] = field(default_factory=list)
    notations: list[Notation] = field(default_factory=list)
    told: set[str] = field(default_factory=set)
    hints: int = 0

    def run(self) -> None:
        """Read every command. Raises Unwanted."""
        asked = 0
        for command in split_commands(self.tokens):
            begin = self.tokens.starts[command.begin]
            if begin > asked + _ASKED_EVERY:
                asked = begin
                check_wanted()
            if len(self.declared.premises) >= _MOST_PREMISES:
                self._limit(command.begin, f"This file declares more than {_MOST_PREMISES:,} premises")
                break
            try:
                self._command(command)
            except (IndexError, ValueError, RecursionError) as error:
                self._problem(command.begin, f"This command could not be read ({type(error).__name__}).")
        if comment_left_open(self.tokens) is not None:
            self._problem_at(len(self.tokens.text), "The file ends inside a comment.")

    def _problem(self, index: int, message: str) -> None:
        self._problem_at(self.tokens.starts[index], message)

    def _limit(self, index: int, what: str) -> None:
        """Say, once a file, that there is too much of something."""
        if what not in self.told:
            self.told.add(what)
            self._problem(index, f"{what}; the rest is left out.")

    def _problem_at(self, offset: int, message: str) -> None:
        position = self.tokens.position(offset) if self.tokens.text else Position(0, 0)
        self.problems.append(FileProblem(self.module.path, position, message))

    def _command(self, command: Command) -> None:
        """One command, with every `... in` before it and whatever follows on its line."""
        index, end = command.begin, command.end
        while index < end:
            prefix, place = parse_prefix(self.tokens, index, end)
            if place >= end:
                break
            behind = self._dispatch(prefix, index, place, end)
            if behind is None:
                break
            index = behind
        self.stack.leave_temporary()

    def _dispatch(self, prefix: Prefix, begin: int, place: int, end: int) -> int | None:
        """Read what begins at `place`; where to read on, or None at the command's end."""
        word = self.tokens.texts[place]
        if word in DECLARATION_WORDS:
            self._declaration(prefix, begin, place, end)
            return None
        if word in _CONTEXT:
            return self._context(word, place, end)
        if word == "alias":
            self._alias(prefix, begin, place, end)
        elif word == "attribute":
            return self._attribute(place, end)
        elif word == "export":
            self._export(place, end)
        elif word == "mk_iff_of_inductive_prop":
            self._iff_of(place, end)
        elif word in HINT_WORDS:
            self._hint(place, end)
        elif word in NOTATION_WORDS and (
            notation := parse_notation(self.tokens, place, end, self.stack.top.scope)
        ):
            self.notations.append(notation)
        elif word in _MAY_GOVERN or word == "#":
            inside = contexts.find_in(self.tokens, place + 1, end)
            if inside is not None:
                self.stack.enter_temporary()
                return inside + 1
        return None

    def _context(self, word: str, place: int, end: int) -> int | None:
        """A command that changes what is in force; with `in` behind it, for one command only."""
        tokens, stack = self.tokens, self.stack
        index = place + 1
        if word == "end":
            matched, index = contexts.leave(stack, tokens, index, end)
            if not matched:
                self._problem(place, "This `end` does not match what is open.")
            return index
        if word in SCOPE_WORDS:
            fits, index = contexts.enter(stack, word, tokens, index, end)
            if not fits:
                self._limit(place, "The name of this namespace is too long")
            return index
        inside = contexts.find_in(tokens, index, end) if self._has_in(index, end) else None
        if inside is not None:
            stack.enter_temporary()
            end = inside
        behind = index
        if word == "open":
            opened, behind = contexts.parse_open(tokens, index, end, stack.top.scope.namespace)
            if not stack.open(*opened):
                self._limit(place, f"More than {MAX_OPENS} namespaces are open here")
        elif word == "variable":
            behind = contexts.declare_variables(stack, tokens, index, end)
            if stack.top.variables.is_full:
                self._limit(place, "Very many variables are in force here")
        elif word == "include":
            behind = contexts.include(stack, tokens, index, end)
        elif word == "omit":
            behind = contexts.omit(stack, tokens, index, end)
        else:
            while behind < end and is_identifier(tokens.texts[behind]) and not tokens.is_first(behind):
                behind += 1
        return behind if inside is None else inside + 1

    def _has_in(self, begin: int, end: int) -> bool:
        near = min(end, begin + _NEAR)
        return near < end or "in" in self.tokens.texts[begin:near]

    def _hint(self, place: int, end: int) -> None:
        self.hints += 1
        if self.hints > _MOST_HINTS or end - place > _MOST_HINTS:
            self._limit(place, "There are very many name hints here")
            return
        self.translations = hinted(self.translations, self.tokens.texts, place, end)

    def _may_make(self, index: int, premise: Premise) -> bool:
        """Whether there is room for a premise that is made of others, with their binders."""
        size = len(premise.conclusion) + sum(map(len, premise.context))
        if self.made.take(size) and not is_too_long(premise.name):
            return True
        self._limit(index, "Attributes make very much of what is declared here")
        return False

    def _add(self, premise: Premise) -> None:
        self.declared.add(premise, self.stack.top.scope)

    def _add_made(self, subject: Subject, attributes: list[Attribute]) -> None:
        """Declare what the attributes of a declaration make of it."""
        for made in generate(self.tokens, subject, attributes, self.translations):
            if not self._may_make(attributes[0].begin, made):
                return
            self._add(made)

    def _attribute(self, place: int, end: int) -> int | None:
        """`attribute [simp, to_additive] foo bar`, perhaps followed by `in`."""
        tokens = self.tokens
        if place + 1 >= end or tokens.texts[place + 1] != "[":
            return None
        behind = tokens.brackets.close(place + 1, end) + 1
        is_local = tokens.texts[place + 2] in ("local", "scoped", "-")
        attributes = parse_attributes(tokens, place + 2, behind - 1)
        index = behind
        while index < end and is_identifier(tokens.texts[index]) and tokens.texts[index] != "in":
            target = self.declared.find(tokens.texts[index], self.stack.top.scope)
            if target is not None and not is_local:
                self._add_attributes(target, attributes)
            index += 1
        if index < end and tokens.texts[index] == "in":
            return index + 1
        return None

    def _add_attributes(self, target: int, attributes: list[Attribute]) -> None:
        premise = self.declared.premises[target]
        if len(premise.attributes) + len(attributes) > _MOST_ATTRIBUTES:
            return
        texts = tuple([attribute.text for attribute in attributes])
        self.declared.premises[target] = replace(premise, attributes=premise.attributes + texts)
        self._add_made(Subject(premise), attributes)

    def _export(self, place: int, end: int) -> None:
        """`export Namespace (a b)`: the names are there in the current namespace too."""
        opened, _ = contexts.parse_open(self.tokens, place + 1, end, self.stack.top.scope.namespace)
        self.exports += opened
        for names in opened:
            self.declared.export(names)

    def _alias(self, prefix: Prefix, begin: int, place: int, end: int) -> None:
        scope = self.stack.top.scope
        for alias in parse_alias(self.tokens, place, end, scope):
            found = self.declared.find(alias.target, scope)
            target = self.declared.premises[found] if found is not None else None
            if target is not None and not self.made.take(len(target.conclusion)):
                self._limit(place, "Aliases repeat very much of what is declared here")
                return
            premise = alias_premise(self.tokens, self.module.name, alias, target, prefix, (begin, end))
            self.aliases.append(alias)
            self._add(premise)
            self._add_made(Subject(premise), prefix.attributes)

    def _iff_of(self, place: int, end: int) -> None:
        """`mk_iff_of_inductive_prop Foo foo_iff`."""
        if place + 2 >= end:
            return
        found = self.declared.find(self.tokens.texts[place + 1], self.stack.top.scope)
        premise = self.declared.premises[found] if found is not None else None
        made = command_iff(self.tokens, place, end, premise, self.module.name)
        if made is not None:
            self._add(made)

    def _declaration(self, prefix: Prefix, begin: int, place: int, end: int) -> None:
        declaration = parse_declaration(self.tokens, prefix, begin, place, end)
        if declaration is None or declaration.keyword == "example":
            return
        if not declaration.name and declaration.keyword != "instance":
            self._problem(place, f"This `{declaration.keyword}` has no name.")
            return
        if declaration.value_begin - declaration.header_begin > MAX_TOKENS:
            self._problem(place, f"This statement has more than {MAX_TOKENS:,} tokens; it is left out.")
            return
        context = self._context_of(declaration)
        if not declaration.name:
            texts = self.tokens.texts
            name = instance_name(texts, declaration.type_begin, declaration.type_end, context)
            declaration.name = self.declared.unused(name, self.stack.top.scope.namespace)
        namespace = self.stack.top.scope.namespace
        if is_too_long(join_names(namespace, declaration.name)):
            self._problem(place, "The name of this declaration is too long; it is left out.")
            return
        premise = declared_premise(self.tokens, self.module.name, namespace, declaration, context)
        self._add(premise)
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
        self._add_made(subject, prefix.attributes)

    def _context_of(self, declaration: Declaration) -> list[Binder]:
        """The variables that the declaration includes, then its own binders."""
        frame = self.stack.top
        if not frame.variables.groups:
            return declaration.binders
        header_end = declaration.value_begin
        end = header_end if declaration.keyword in THEOREM_WORDS else declaration.end
        used = variables.mentioned(
            self.tokens, declaration.header_begin, header_end, end, frame.variables, declaration.binders
        )
        key = (frame.variables, used, frame.included, frame.omitted)
        taken = self.taken.get(key)
        if taken is None:
            taken = self.taken[key] = variables.included(*key)
        if not self.made.take(sum([len(binder.text) for binder in taken])):
            self._limit(declaration.begin, "Declarations take very many variables here")
            return declaration.binders
        return [*taken, *declaration.binders]

    def _proof(self, declaration: Declaration, premise: Premise) -> None:
        begin = declaration.value_begin
        if begin < declaration.end and self.tokens.texts[begin] == ":=":
            begin += 1
        if begin >= declaration.end:
            return
        if declaration.end - begin > MAX_TOKENS:
            self._problem(begin, f"This proof has more than {MAX_TOKENS:,} tokens; it is not read.")
            return
        proof = read_proof(
            self.tokens,
            begin,
            declaration.end,
            theorem=premise.name,
            scope=self._inner_scope(premise.name),
            order=len(self.declared.premises),
            binders=(*self.stack.top.variables.groups, *declaration.binders),
            statement=(declaration.type_begin, declaration.type_end),
            context=premise.context,
            states=self.states,
        )
        if proof.is_cut:
            self._limit(begin, "This proof states very much inside of itself")
        self.proofs.append(proof)

    def _value(self, declaration: Declaration, premise: Premise) -> None:
        """Note what a short definition stands for; of an irreducible one that is a lemma."""
        begin = declaration.value_begin
        if 1 < declaration.end - begin <= _SHORT and self.tokens.texts[begin] == ":=":
            self.values[premise.name] = self.tokens.source(begin + 1, declaration.end)
        if declaration.keyword == "irreducible_def":
            header = declaration.name_index + 1, declaration.header_begin
            self._add(irreducible_lemma(self.tokens, premise, header, self.values.get(premise.name, "")))

    def _inner_scope(self, name: str) -> Scope:
        """What the body of a declaration is read in: `theorem Foo.bar` stands in the namespace `Foo`."""
        scope = self.stack.top.scope
        namespace = _namespace_of(name)
        return scope if namespace == scope.namespace else replace(scope, namespace=namespace)

    def _members(self, declaration: Declaration, premise: Premise, context: list[Binder]) -> tuple[str, ...]:
        """Declare fields and constructors; the names of the fields.

        As in Lean the type's parameters are implicit there, and a field takes the structure itself.
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
                self._limit(member.begin, "This type has very many parameters and members")
                break
            outer = (*parameters, itself) if is_field else parameters
            made = member_premise(self.tokens, member, premise, outer)
            self._add(made)
            self._add_made(Subject(made), member.prefix.attributes)
            fields += [made] if is_field else []
        if declaration.keyword in ("structure", "class") and len(fields) == len(found.members):
            self._add(default_constructor(premise, fields))
        return tuple([member.name for member in found.members if member.kind == "field"])

    def _length(self, begin: int, end: int) -> int:
        """Characters from one token to another."""
        return self.tokens.starts[end - 1] - self.tokens.starts[begin] if begin < end else 0

    def _local_declarations(self, declaration: Declaration, premise: Premise) -> None:
        """`where go := ...` behind a value declares `f.go`; behind a theorem it is one, too."""
        if "where" not in self.tokens.texts[declaration.value_begin + 1 : declaration.end]:
            return
        kind = "theorem" if declaration.keyword in THEOREM_WORDS else "def"
        outer = premise.context[: len(premise.context) - len(declaration.binders)]
        for member in local_declarations(self.tokens, declaration):
            if is_too_long(join_names(premise.name, member.name)):
                continue
            self._add(replace(member_premise(self.tokens, member, premise, outer), kind=kind))


def _namespace_of(name: str) -> str:
    return name.rpartition(".")[0] if "«" not in name else ".".join(namespaces_of(name)[1:2])


_NEAR = 200
_SHORT = 60
"""Tokens of a definition that is worth unfolding."""
_CONTEXT = SCOPE_WORDS | frozenset(
    ("open", "variable", "variables", "universe", "universes", "include", "omit", "set_option")
)
_MAY_GOVERN = frozenset(
    ("local", "scoped", "notation", "infix", "unseal", "seal", "count_heartbeats", "attribute")
)
