"""Resolves the mentions in proofs, and the targets of aliases.

All modules are collected first, then linked one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lean_extract.common.lru import Cache
from lean_extract.limits import CACHED_MODULES, MAX_ALIAS_MODULES
from lean_extract.records import Import, InnerGoal, Premise, Proof, ProofState, TacticStep
from lean_extract.source.attributes.related import TYPES
from lean_extract.source.names.scopes import Open, Scope, join_names
from lean_extract.source.proofs.local_names import Mention
from lean_extract.source.proofs.proof import SourceProof, SourceStep
from lean_extract.source.reader import SourceModule
from lean_extract.source.reader_declarations import Known, unknown
from lean_extract.source.resolution.mention_resolution import MentionResolver
from lean_extract.source.resolution.name_resolution import Entry, NameEnvironment, NameResolver, visibility

_END = sys.maxsize
"""An order after everything that a module declares."""


@dataclass(frozen=True, slots=True)
class _Unlinked:
    """What linking needs from a module after its premises have been declared."""

    name: str
    imports: tuple[Import, ...]
    takes_init: bool
    proofs: tuple[SourceProof, ...]


class Linker:
    """Collects modules, then resolves the mentions in their proofs."""

    def __init__(self, environment: NameEnvironment | None = None) -> None:
        self.environment = environment or NameEnvironment()
        self._modules: list[_Unlinked] = []
        self._exports: list[tuple[int, Open]] = []

    def add(self, source: SourceModule) -> None:
        """Add the declarations of a module. The caller need not keep its premises.

        A second module of the same name is ignored.
        """
        environment = self.environment
        index = environment.module_index(source.module.name)
        if index != len(self._modules):
            return
        self._modules.append(
            _Unlinked(source.module.name, source.module.imports, not source.is_prelude, source.proofs)
        )
        for order, (premise, scope) in enumerate(zip(source.premises, source.scopes, strict=True), start=1):
            statement = _statement(premise, source)
            is_type = premise.kind in TYPES
            entry = Entry(index, order, premise.is_private, premise.is_protected, statement, scope, is_type)
            environment.add_premise(premise, entry)
        for name, parents, scope in source.parents:
            environment.parents[name] = (parents, scope)
        for notation in source.notations:
            environment.notations.setdefault(notation.symbol, (notation.target, notation.scope))
        self._exports += [(index, opened) for opened in source.exports]

    def complete(self, source: SourceModule) -> None:
        """Take the statements of a module's aliases, which were not known when the module was added."""
        index = self.environment.indices[source.module.name]
        for premise in source.premises:
            entry = self.environment.find(premise.name, index, _END) if premise.kind == "alias" else None
            if entry is not None and entry.module == index:
                entry.statement = premise.conclusion

    def prepare(self) -> None:
        """Work out, once all modules are added, what each of them sees. `link` calls it."""
        self.environment.visible = visibility(
            [module.imports for module in self._modules],
            self.environment.indices,
            [module.takes_init for module in self._modules],
        )
        self.declare_exports()

    def link(self) -> Iterator[Proof]:
        """All proofs with their mentions resolved, module by module. Unresolved mentions are dropped."""
        self.prepare()
        for index, module in enumerate(self._modules):
            resolver = _ProofResolver(self.environment, index)
            for proof in module.proofs:
                yield resolver.proof(proof, module.name)
            self._modules[index] = _Unlinked(module.name, (), False, ())

    def declare_exports(self) -> None:
        """Declare the exports of the added modules, resolved in the namespace of the command."""
        for index, opened in self._exports:
            names = NameResolver(self.environment, index)
            for name in opened.only or ():
                target, rest = names.resolve(f"{opened.namespace}.{name}", Scope(opened.within), _END)
                if target is not None and not rest:
                    short = join_names(opened.within, name)
                    self.environment.add(short, Entry(index, 0, target=target))
        self._exports = []


def resolve(modules: Iterable[SourceModule]) -> Iterator[Proof]:
    """The proofs of the modules, with their mentions resolved among the modules' own premises."""
    linker = Linker()
    for module in modules:
        linker.add(module)
    return linker.link()


def _statement(premise: Premise, source: SourceModule) -> str:
    """The text used when a name is unfolded: the value of a short definition, otherwise the conclusion."""
    if premise.kind in TYPES:
        return ""
    if premise.generated_by is None and premise.kind in ("def", "abbrev"):
        return source.values.get(premise.name) or premise.conclusion
    return premise.conclusion


class _ProofResolver:
    """Resolves the proofs of one module. Results are cached by mention and scope."""

    def __init__(self, environment: NameEnvironment, module: int) -> None:
        self._resolver = MentionResolver(environment, module)
        self._known: dict[tuple[int, Mention], tuple[int, tuple[str, ...]]] = {}

    def proof(self, proof: SourceProof, module: str) -> Proof:
        """The proof, with the names of its premises."""
        theorem = proof.theorem
        found = [self._mention(mention, proof) for mention in proof.mentions]
        steps = [_linked(step, found, theorem) for step in proof.steps]
        terms = [_linked(step, found, theorem) for step in proof.terms]
        goals = [
            InnerGoal(
                goal.keyword, goal.conclusion, goal.context, _flat(found[goal.first : goal.last], theorem)
            )
            for goal in proof.inner_goals
        ]
        return Proof(
            theorem, module, _flat(found, theorem), tuple(steps), tuple(goals), proof.is_tactic, tuple(terms)
        )

    def _mention(self, mention: Mention, proof: SourceProof) -> tuple[str, ...]:
        # the proofs keep their scopes alive, so the id of a scope is a safe key
        key = (id(proof.scope), mention)
        known = self._known.get(key)
        # a result stays valid further down the file, but a name that was not found may have been declared since
        if known is not None and (known[1] or known[0] == proof.order):
            return known[1]
        names = tuple(self._resolver.resolve(mention, proof.scope, proof.order))
        self._known[key] = (proof.order, names)
        return names


def _linked(step: SourceStep, found: Sequence[tuple[str, ...]], theorem: str) -> TacticStep:
    before = ProofState((step.before,)) if step.before is not None else None
    premises = _flat(found[step.first : step.last], theorem)
    return TacticStep(step.tactic, step.span, premises, before, origin=step.origin)


def _flat(found: Sequence[tuple[str, ...]], theorem: str) -> tuple[str, ...]:
    """The names in order of first use, without the theorem itself."""
    names = dict.fromkeys([name for group in found for name in group])
    names.pop(theorem, None)
    return tuple(names)


class AliasTargets:
    """The targets of aliases among the modules of a linker.

    Args:
        linker: knows all modules.
        read: reads a module again, with the declarations of others. None if it can no longer be read.
        waiting: the modules that have aliases without statements.
    """

    def __init__(
        self, linker: Linker, read: Callable[[str, Known], SourceModule | None], waiting: frozenset[str]
    ) -> None:
        linker.prepare()
        self._environment = linker.environment
        self._names = {index: name for name, index in linker.environment.indices.items()}
        self._read = read
        self._waiting = waiting
        self._open: list[str] = []
        """The modules that are being completed: of each, an alias is of an alias in the next one."""
        self._premises: Cache[Mapping[str, Premise]] = Cache(CACHED_MODULES)

    def completed(self, module: str) -> SourceModule | None:
        """A module, with the statements of its aliases as far as they are found. None if it cannot be read."""
        index = self._environment.indices[module]
        resolver = NameResolver(self._environment, index)
        self._open.append(module)
        read = self._read(module, lambda name, scope: self._find(name, scope, resolver, index))
        self._open.pop()
        return read

    def _find(self, name: str, scope: Scope, resolver: NameResolver, module: int) -> Premise | None:
        # order 0: the reader itself knows the declarations above the alias
        full, rest = resolver.resolve(name, scope, 0)
        entry = self._environment.find(full, module, _END) if full is not None and not rest else None
        if full is None or entry is None:
            return None
        return self._premises_of(self._names[entry.module]).get(full)

    def _premises_of(self, module: str) -> Mapping[str, Premise]:
        """The premises of a module by name. Aliases of aliases are followed, but not in a circle."""
        known = self._premises.get(module)
        if known is None:
            is_next = (
                module in self._waiting and module not in self._open and len(self._open) < MAX_ALIAS_MODULES
            )
            read = self.completed(module) if is_next else self._read(module, unknown)
            known = {} if read is None else {premise.name: premise for premise in read.premises}
            self._premises.put(module, known)
        return known
