"""Mentions into names: through namespaces, opened namespaces, dot notation and the import graph.

The rules are Lean's own (`resolveGlobalName`): the innermost namespace wins; behind the namespaces come
the root and everything opened; a protected name needs one more component; trailing components that name
nothing are fields of what the front part gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lean_extract.records import Import, InnerGoal, Proof, TacticStep
from lean_extract.source.environment import Entry, Environment, visibility
from lean_extract.source.lexer import is_identifier
from lean_extract.source.local_names import Alternative, Field, Mention, ResultField
from lean_extract.source.proofs import SourceProof
from lean_extract.source.reader import SourceModule
from lean_extract.source.scopes import Open, Scope, join_names, namespaces_of, split_name

_OPERATOR_CONSTANTS = {
    "=": "Eq", "≠": "Ne", "↔": "Iff", "<->": "Iff", "∧": "And", "/\\": "And", "∨": "Or", "\\/": "Or", "¬": "Not",
    "∃": "Exists", "∃!": "ExistsUnique", "≤": "LE.le", "<=": "LE.le", "<": "LT.lt", "≥": "GE.ge", ">=": "GE.ge",
    ">": "GT.gt", "∣": "Dvd.dvd", "∈": "Membership.mem", "⊆": "HasSubset.Subset", "⊂": "HasSSubset.SSubset",
    "×": "Prod", "⊕": "Sum", "≃": "Equiv", "→": "Function", "->": "Function", "≃*": "MulEquiv",
    "≃+": "AddEquiv", "≅": "CategoryTheory.Iso",
}  # fmt: skip
_NUMBERED = {"And": ("left", "right"), "Iff": ("mp", "mpr"), "Prod": ("fst", "snd")}


@dataclass(frozen=True, slots=True)
class UnlinkedModule:
    """What linking needs of a module once its premises are on their way."""

    name: str
    imports: tuple[Import, ...]
    takes_init: bool
    proofs: tuple[SourceProof, ...]


class Linker:
    """Gathers modules, then resolves their proofs."""

    def __init__(self) -> None:
        self.environment = Environment()
        self._modules: list[UnlinkedModule] = []

    def add(self, source: SourceModule) -> None:
        """Declare what a module declares; its premises need not be kept."""
        index = self.environment.module_index(source.module.name)
        if index != len(
            self._modules
        ):  # a second file of the same name: its premises count, its proofs do not
            return
        self._modules.append(
            UnlinkedModule(source.module.name, source.module.imports, not source.is_prelude, source.proofs)
        )
        for order, (premise, head) in enumerate(zip(source.premises, source.heads, strict=True), start=1):
            self.environment.add_premise(premise, index, order, head, None)
        for name, parents, scope in source.parents:
            self.environment.parents[name] = (parents, scope)
        for notation in source.notations:
            self.environment.notations.setdefault(notation.symbol, notation.target)
        for opened in source.exports:
            for name in opened.only or ():
                self.environment.add(
                    join_names(opened.within, name),
                    Entry(index, 0, target=join_names(opened.namespace, name)),
                )

    def link(self) -> Iterator[Proof]:
        """Every proof, its mentions resolved, module by module; the unresolved ones are let go."""
        self.environment.visible = visibility(
            [module.imports for module in self._modules],
            self.environment.indices,
            [module.takes_init for module in self._modules],
        )
        for index, module in enumerate(self._modules):
            resolver = Resolver(self.environment, index)
            for proof in module.proofs:
                yield resolver.proof(proof, module.name)
            self._modules[index] = UnlinkedModule(module.name, (), False, ())


def resolve(modules: Iterable[SourceModule]) -> Iterator[Proof]:
    """The proofs of the modules, their mentions resolved among the modules' own premises."""
    linker = Linker()
    for module in modules:
        linker.add(module)
    return linker.link()


class Resolver:
    """Resolution as one module sees it."""

    def __init__(self, environment: Environment, module: int) -> None:
        self._environment = environment
        self._module = module
        self._opened: dict[Scope, tuple[_Opened, ...]] = {}
        self._cache: dict[Scope, dict[Mention, tuple[int, tuple[str, ...]]]] = {}
        self._current: dict[Mention, tuple[int, tuple[str, ...]]] = {}

    def proof(self, proof: SourceProof, module: str) -> Proof:
        """The proof with the names of its premises."""
        self._current = self._cache.setdefault(proof.scope, {})
        found = [self._mention(mention, proof) for mention in proof.mentions]
        steps = tuple(
            [
                TacticStep(step.tactic, step.span, _flat(found[step.first : step.last], proof.theorem))
                for step in proof.steps
            ]
        )
        goals = tuple(
            [
                InnerGoal(
                    goal.keyword,
                    goal.conclusion,
                    goal.context,
                    _flat(found[goal.first : goal.last], proof.theorem),
                )
                for goal in proof.inner_goals
            ]
        )
        return Proof(proof.theorem, module, _flat(found, proof.theorem), steps, goals, proof.is_tactic)

    def _mention(self, mention: Mention, proof: SourceProof) -> tuple[str, ...]:
        cached = self._current.get(mention)
        # what was found stays found further down; what was not may have been declared since
        if cached is not None and (cached[1] or cached[0] == proof.order):
            return cached[1]
        names = tuple(self._resolve(mention, proof.scope, proof.order))
        self._current[mention] = (proof.order, names)
        return names

    def _resolve(self, mention: Mention, scope: Scope, order: int) -> list[str]:
        if isinstance(mention, Field):
            owner = self._type(mention.receiver, scope, order)
            return self._fields(owner, split_name(mention.field), order) if owner else []
        if isinstance(mention, Alternative):
            return self._alternative(mention, scope, order)
        if isinstance(mention, ResultField):
            function, rest = self.name(mention.function, scope, order)
            return (
                self._result_fields(function, [*rest, *split_name(mention.field)], order) if function else []
            )
        if mention[0] == ".":
            return []
        name, rest = self.name(mention, scope, order)
        if name is None:
            return []
        return [name, *self._result_fields(name, rest, order)] if rest else [name]

    def name(self, text: str, scope: Scope, order: int) -> tuple[str | None, list[str]]:
        """The constant that a name's longest meaningful front part stands for, and the parts left over."""
        if text.startswith("_root_."):
            text, scope = text[7:], Scope()
        parts = split_name(text)
        namespaces = namespaces_of(scope.namespace)[:-1]
        for count in range(len(parts), 0, -1):
            front = ".".join(parts[:count]) if count < len(parts) else text
            for namespace in namespaces:
                found = self._exact(f"{namespace}.{front}", order, count == 1)
                if found is not None:
                    return found, parts[count:]
            found = self._exact(front, order, False) or self._in_opened(front, scope, order, count == 1)
            if found is not None:
                return found, parts[count:]
        return None, []

    def _exact(self, name: str, order: int, is_bare: bool) -> str | None:
        entry = self._environment.find(name, self._module, order)
        if entry is None or (is_bare and entry.is_protected):
            return None
        return entry.target or name

    def _in_opened(self, front: str, scope: Scope, order: int, is_bare: bool) -> str | None:
        if not scope.opens:
            return None
        for opened in reversed(self._opens(scope)):
            name = opened.meaning(front)
            if name is not None:
                found = self._exact(name, order, is_bare and opened.is_whole)
                if found is not None:
                    return found
        return None

    def _opens(self, scope: Scope) -> tuple[_Opened, ...]:
        """What the scope opens, each with the full names of the namespaces that it may mean."""
        known = self._opened.get(scope)
        if known is None:
            gathered: list[_Opened] = []
            for opened in scope.opens:
                gathered += [_Opened(name, opened) for name in self._namespaces(opened, gathered)]
            known = self._opened[scope] = tuple(gathered)
        return known

    def _namespaces(self, opened: Open, before: Sequence[_Opened]) -> list[str]:
        """The namespaces that an `open` means, in all that is known."""
        known = self._environment.namespaces
        if opened.namespace.startswith("_root_."):
            return [opened.namespace[7:]]
        candidates = [join_names(namespace, opened.namespace) for namespace in namespaces_of(opened.within)]
        candidates += [f"{other.namespace}.{opened.namespace}" for other in before if other.is_whole]
        return list(dict.fromkeys(name for name in candidates if name in known))

    def _type(self, head: str, scope: Scope, order: int) -> str | None:
        """The constant that a type's head stands for."""
        if not is_identifier(head) or head in self._environment.notations:
            target = self._environment.notations.get(head) or _OPERATOR_CONSTANTS.get(head)
            if target is None:
                return None
            head = target
            if self._environment.find(head, self._module, order) is None:
                return head
        name, rest = self.name(head, scope, order)
        return None if rest else name

    def _alternative(self, mention: Alternative, scope: Scope, order: int) -> list[str]:
        """A constructor: of the type that is known, else of the one type that has all the names."""
        owner = self._type(mention.receiver, scope, order) if mention.receiver else None
        if owner is not None and (found := self._exact(f"{owner}.{mention.name}", order, False)):
            return [found]
        fitting = [
            owner
            for owner in self._environment.owners.get(mention.name, ())
            if mention.all_names <= self._environment.constructors[owner]
            and self._environment.find(owner, self._module, order)
        ]
        if not fitting:
            return []
        closest = min(fitting, key=lambda owner: len(self._environment.constructors[owner]))
        names = self._environment.constructors[closest]
        same = [owner for owner in fitting if len(self._environment.constructors[owner]) == len(names)]
        inside = [owner for owner in same if f"{scope.namespace}.".startswith(f"{owner}.")]
        chosen = inside or same
        return [f"{chosen[0]}.{mention.name}"] if len(chosen) == 1 or len(inside) else []

    def _fields(self, owner: str, parts: list[str], order: int) -> list[str]:
        """`owner.first`, looked up in what `owner` extends too, then the other parts on its result."""
        if not parts:
            return []
        name = self._field(owner, parts[0], order, set())
        if name is None:
            return []
        return [name, *self._result_fields(name, parts[1:], order)]

    def _field(self, owner: str, part: str, order: int, seen: set[str]) -> str | None:
        if part.isdigit():
            names = _NUMBERED.get(owner) or tuple(self._environment.fields.get(owner, ()))
            if not 0 < int(part) <= len(names):
                return None
            part = names[int(part) - 1]
        found = self._exact(f"{owner}.{part}", order, False)
        if found is not None or owner in seen:
            return found
        seen.add(owner)
        parents, scope = self._environment.parents.get(owner, ((), Scope()))
        for parent in parents:
            name, _ = self.name(parent, scope, order)
            found = self._field(name, part, order, seen) if name else None
            if found is not None:
                return found
        return None

    def _result_fields(self, function: str, parts: list[str], order: int) -> list[str]:
        """The fields of what a constant concludes, where its statement says so plainly."""
        if not parts:
            return []
        entry = self._environment.find(function, self._module, order)
        if entry is None or not entry.head:
            return []
        owner = self._type(entry.head, Scope(function.rpartition(".")[0]), order)
        return self._fields(owner, parts, order) if owner else []


@dataclass(frozen=True, slots=True)
class _Opened:
    """An opened namespace by its full name."""

    namespace: str
    opened: Open

    @property
    def is_whole(self) -> bool:
        """Whether all its names are opened (protected ones are not, then)."""
        return self.opened.only is None

    def meaning(self, name: str) -> str | None:
        """What a name stands for if this opening gives it."""
        opened = self.opened
        for old, new in opened.renaming:
            if new == name:
                return f"{self.namespace}.{old}"
        if opened.only is not None and name not in opened.only:
            return None
        return None if name in opened.hiding else f"{self.namespace}.{name}"


def _flat(found: Sequence[tuple[str, ...]], theorem: str) -> tuple[str, ...]:
    """The names in order of first use, the theorem itself left out."""
    names = dict.fromkeys([name for group in found for name in group])
    names.pop(theorem, None)
    return tuple(names)
