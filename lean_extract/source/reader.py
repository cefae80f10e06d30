"""Reads the text of one module into premises and proofs, without running Lean.

`read_module` is pure and does not raise on any text. What cannot be parsed is recorded as a problem.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from lean_extract.common.cancellation import check_cancelled
from lean_extract.common.files.reading import read_source
from lean_extract.limits import MAX_ATTRIBUTES, MAX_FILE_PREMISES, MAX_NAME_HINTS, MAX_OPEN_NAMESPACES
from lean_extract.records import FileProblem, Module, Position, Premise
from lean_extract.source.attributes.generated import HINT_WORDS, Subject, hinted
from lean_extract.source.attributes.related import command_iff
from lean_extract.source.grammar import context_commands as contexts
from lean_extract.source.grammar.commands import Command, governing_ins, split_commands
from lean_extract.source.grammar.context_commands import parse_header
from lean_extract.source.grammar.declarations import Attribute, Prefix, parse_attributes, parse_prefix
from lean_extract.source.grammar.notations import NOTATION_WORDS, Notation, parse_notation
from lean_extract.source.grammar.premise_making import Alias, alias_premise, parse_alias
from lean_extract.source.module_docs import with_module_docs
from lean_extract.source.names.scopes import ROOT, Open, Scope
from lean_extract.source.proofs.printed_goals import PrintedGoal, PrintedGoals
from lean_extract.source.proofs.proof import SourceProof
from lean_extract.source.reader_declarations import DeclarationReader, Known, allowance, unknown
from lean_extract.syntax.keywords import CONTEXT_WORDS, DECLARATION_WORDS, GOVERNING_WORDS, SCOPE_WORDS
from lean_extract.syntax.lexer import comment_left_open, is_identifier, tokenize

_CHECK_EVERY = 1 << 16
"""Characters between two checks whether to stop: a few hundredths of a second."""
_MOST_INS = 50
"""`in`s inside a command that are looked at for the one that ends it."""
_IN_REACH = 200
_CONTEXT = SCOPE_WORDS | CONTEXT_WORDS | {"set_option"}


class _CommandReader(DeclarationReader):
    """Reads the commands of one file."""

    @cached_property
    def ins(self) -> list[int]:
        """The indices of the `in`s that a command may follow, ascending."""
        return governing_ins(self.tokens)

    def run(self) -> None:
        """Read all commands. Raises Cancelled."""
        last_check = 0
        for command in split_commands(self.tokens):
            begin = self.tokens.starts[command.begin]
            if begin > last_check + _CHECK_EVERY:
                last_check = begin
                check_cancelled()
            if len(self.declared.premises) >= MAX_FILE_PREMISES:
                self.limit(command.begin, f"This file declares more than {MAX_FILE_PREMISES:,} premises")
                break
            try:
                self._command(command)
            except (IndexError, ValueError, RecursionError) as error:
                self.problem(command.begin, f"This command could not be read ({type(error).__name__}).")
        if comment_left_open(self.tokens) is not None:
            self.problem_at(len(self.tokens.text), "The file ends inside a comment.")

    def _command(self, command: Command) -> None:
        """Read one command, with every `... in` before it and whatever follows on its line."""
        index, end = command.begin, command.end
        while index < end:
            prefix, position = parse_prefix(self.tokens, index, end)
            if position >= end:
                break
            after = self._dispatch(prefix, index, position, end)
            if after is None:
                break
            index = after
        self.stack.leave_temporary()

    def _dispatch(self, prefix: Prefix, begin: int, position: int, end: int) -> int | None:
        """Read what begins at the token `position`. Returns where to continue; None at the command's end."""
        word = self.tokens.texts[position]
        if word in _CONTEXT:
            return self._context(prefix, word, position, end)
        if word == "attribute":
            return self._attribute(position, end)
        inside = self._governing_in(word, begin, position, end)
        if inside is None:
            self._single(word, prefix, begin, position, end)
            return None
        self.stack.enter_temporary()
        self._single(word, prefix, begin, position, inside)
        return inside + 1

    def _governing_in(self, word: str, begin: int, position: int, end: int) -> int | None:
        """The `in` after which another command follows in the tokens [position, end), whatever the first one is.

        It is at the end of a line, and the next line begins no further right than the command.
        """
        tokens = self.tokens
        first = bisect_left(self.ins, position)
        for index in self.ins[first : first + _MOST_INS]:
            if index + 1 >= end:
                break
            if not tokens.is_first(index + 1) or tokens.column(index + 1) <= tokens.column(begin):
                return index
        if word in GOVERNING_WORDS or word == "#":
            return contexts.find_in(tokens, position + 1, end)
        return None

    def _single(self, word: str, prefix: Prefix, begin: int, position: int, end: int) -> None:
        """Read a command that changes no scope. What is not known is skipped."""
        if word in DECLARATION_WORDS:
            self.declaration(prefix, begin, position, end)
        elif word == "alias":
            self._alias(prefix, begin, position, end)
        elif word == "export":
            self._export(position, end)
        elif word == "mk_iff_of_inductive_prop":
            self._iff_of(position, end)
        elif word in HINT_WORDS:
            self._hint(position, end)
        elif word in NOTATION_WORDS and (
            notation := parse_notation(
                self.tokens, position, end, self.stack.top.scope, is_local="local" in prefix.modifiers
            )
        ):
            self.notations.append(notation)
            self.symbols[notation.symbol] = notation.target

    def _context(self, prefix: Prefix, word: str, position: int, end: int) -> int | None:
        """Read a command that changes the scope; followed by `in`, it does so for one command only."""
        tokens, stack = self.tokens, self.stack
        index = position + 1
        if word == "end":
            matched, index = contexts.leave(stack, tokens, index, end)
            if not matched:
                self.problem(position, "This `end` does not match the open namespace or section.")
            return index
        if word in SCOPE_WORDS:
            is_public = "public" in prefix.modifiers
            fits, index = contexts.enter(stack, word, tokens, index, end, is_public=is_public)
            if not fits:
                self.limit(position, "The name of this namespace is too long")
            return index
        inside = contexts.find_in(tokens, index, end) if self._has_in(index, end) else None
        if inside is not None:
            stack.enter_temporary()
            end = inside
        after = index
        if word == "open":
            opened, after = contexts.parse_open(tokens, index, end, stack.top.scope.namespace)
            if not stack.open(*opened):
                self.limit(position, f"More than {MAX_OPEN_NAMESPACES} namespaces are open here")
        elif word == "variable":
            after = contexts.declare_variables(stack, tokens, index, end)
            if stack.top.variables.is_full:
                self.limit(position, "Too many variables are in scope here")
        elif word == "include":
            after = contexts.include(stack, tokens, index, end)
        elif word == "omit":
            after = contexts.omit(stack, tokens, index, end)
        else:
            while after < end and is_identifier(tokens.texts[after]) and not tokens.is_first(after):
                after += 1
        return after if inside is None else inside + 1

    def _has_in(self, begin: int, end: int) -> bool:
        near = min(end, begin + _IN_REACH)
        return near < end or "in" in self.tokens.texts[begin:near]

    def _hint(self, position: int, end: int) -> None:
        self.hints += 1
        if self.hints > MAX_NAME_HINTS or end - position > MAX_NAME_HINTS:
            self.limit(position, "There are too many name hints here")
            return
        self.translations = hinted(self.translations, self.tokens.texts, position, end)

    def _attribute(self, position: int, end: int) -> int | None:
        """Read `attribute [simp, to_additive] foo bar`, perhaps followed by `in`."""
        tokens = self.tokens
        if position + 1 >= end or tokens.texts[position + 1] != "[":
            return None
        after = tokens.brackets.close(position + 1, end) + 1
        is_local = tokens.texts[position + 2 : position + 3] in (["local"], ["scoped"], ["-"])
        attributes = parse_attributes(tokens, position + 2, after - 1)
        index = after
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
        if len(premise.attributes) + len(attributes) > MAX_ATTRIBUTES:
            return
        texts = tuple([attribute.text for attribute in attributes])
        self.declared.premises[target] = replace(premise, attributes=premise.attributes + texts)
        self.add_made(Subject(premise), attributes)

    def _export(self, position: int, end: int) -> None:
        """Read `export Namespace (a b)`, which makes the names available in the current namespace too."""
        opened, _ = contexts.parse_open(self.tokens, position + 1, end, self.stack.top.scope.namespace)
        self.exports += opened
        for names in opened:
            self.declared.export(names)

    def _alias(self, prefix: Prefix, begin: int, position: int, end: int) -> None:
        scope = self.stack.top.scope
        for alias in parse_alias(self.tokens, position, end, scope):
            found = self.declared.find(alias.target, scope)
            target = self.declared.premises[found] if found is not None else self.known(alias.target, scope)
            size = len(target.conclusion) + sum(map(len, target.context)) if target is not None else 0
            if not self.made.take(size):
                self.limit(position, "Aliases repeat too much text here")
                return
            is_private = self.is_private(prefix)
            where = begin, end
            premise = alias_premise(
                self.tokens, self.module.name, alias, target, prefix, where, is_private=is_private
            )
            self.aliases.append(alias)
            self.add(premise)
            self.add_made(Subject(premise), prefix.attributes)

    def _iff_of(self, position: int, end: int) -> None:
        """Read `mk_iff_of_inductive_prop Foo foo_iff`."""
        if position + 2 >= end:
            return
        found = self.declared.find(self.tokens.texts[position + 1], self.stack.top.scope)
        premise = self.declared.premises[found] if found is not None else None
        made = command_iff(self.tokens, position, end, premise, self.module.name)
        if made is not None:
            self.add(made)


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
    scope: Scope = ROOT
    """The scope at the end of the text."""

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
    problem is recorded. Raises Cancelled soon after the result is no longer needed.

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
    reader = _CommandReader(tokens, module, allowance(len(text)), states, goals, known)
    reader.run()
    return SourceModule(
        module,
        with_module_docs(tokens, reader.declared.premises),
        tuple(reader.declared.scopes),
        tuple(reader.proofs),
        tuple(reader.problems),
        tuple(reader.aliases),
        tuple(reader.exports),
        tuple(reader.parents),
        tuple(reader.notations),
        reader.values,
        is_prelude,
        reader.stack.top.scope,
    )
