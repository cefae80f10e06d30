"""The premises that are ranked, and the questions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Int8s, Int64s
from lean_extract.records import Goal, Module, Premise
from retriever.lean.callers import Caller
from retriever.lean.dataset.dataset import Dataset
from retriever.lean.goal_context import texts_of
from retriever.lean.internal import InternalNames
from retriever.lean.ranker.kinds import group_of
from retriever.lean.ranker.place import Place, UsesByPlace, last_uses, starting_with
from retriever.lean.scope import ModuleNode, importable
from retriever.lean.structure.hashes import of_premise
from retriever.lean.structure.index import StructureIndex
from retriever.lean.symbols import Mepo
from retriever.lean.theorems import is_theorem
from retriever.lean.tokens import premise_tokens
from retriever.search.bm25 import Bm25, Bm25Parameters
from retriever.search.index.postings import build_postings
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.splits import Split, root_name
from retriever.search.votes import ProofGraph

OfferedKinds = Literal["theorems", "all"]
"""Which premises of a pool are offered; one made without definitions has theorems only."""


@dataclass(frozen=True, slots=True)
class HeldOutGoal:
    """A state, where it is, and what its proof uses."""

    goal: Goal
    theorem: str
    module: str
    line: int | None
    gold: frozenset[int]
    """Numbers of candidates; from `len(pool)` on those of premises that the pool lacks."""
    kinds: OfferedKinds = "theorems"
    """What is offered."""
    caller: Caller = ""
    """The tactic that premises are for, where that is known."""
    hides_file: bool = False
    """Whether nothing is known of the other proofs of its file, as in a split by files."""


@dataclass(frozen=True)
class Pool:
    """Candidates by number."""

    names: tuple[str, ...]
    modules: tuple[str, ...]
    module_numbers: Int64s
    """[n] Positions in `module_names`."""
    module_names: tuple[str, ...]
    lines: Int64s
    families: Int64s
    use_counts: Int64s
    graph: dict[str, ModuleNode]
    bm25: Bm25
    overlap: Mepo
    structure: StructureIndex
    proofs: ProofGraph
    """Of the training split's theorems."""
    uses_by_place: UsesByPlace
    kind_groups: Int8s
    """int8[n]: what each candidate is."""
    roots: dict[str, int]
    """Family by root name."""
    members: dict[int, Int64s]
    """The candidates of each module, by its number."""
    internal: InternalNames
    """Those that their libraries call internal, as a pool is of libraries."""
    _visible: dict[str, Bools] = field(default_factory=dict)
    """[modules] What each module seen so far can see; questions of one module come together."""

    def __len__(self) -> int:
        return len(self.names)

    @property
    def view(self) -> Pool:
        """What names, modules and lines are read from, as a snapshot has it."""
        return self

    def name(self, number: int) -> str:
        """A candidate's full name."""
        return self.names[number]

    def module(self, number: int) -> str:
        """The module that declares a candidate."""
        return self.modules[number]

    def family_of(self, theorem: str) -> int:
        """The family of a theorem of the pool; -1 if it is not there."""
        return self.roots.get(theorem, -1)

    def offered(self, question: HeldOutGoal, *, is_placed: bool) -> Bools:
        """[n] Premises of the wanted kinds, but not the theorem itself, its generated twins, and internal names.

        `is_placed`: whether the question's place is known; then what that names is not internal.
        """
        place = (question.theorem, question.module) if is_placed else ()
        hidden = self.internal.but_named_in([*texts_of(question.goal), *place])
        others = self.others(question) & ~hidden
        return others if question.kinds == "all" else np.asarray(others & self.is_theorem)

    def others(self, question: HeldOutGoal) -> Bools:
        """[n] All but the theorem itself and its generated twins."""
        return np.asarray(self.families != self.family_of(question.theorem))

    @cached_property
    def is_theorem(self) -> Bools:
        """[n] Which candidates are theorems."""
        return np.asarray(self.kind_groups == 0)

    def voters(self, question: HeldOutGoal) -> Bools:
        """[n] The other training theorems, which may vote whatever is known of the question's position."""
        result = self.proofs.known & self.others(question)
        if question.hides_file:
            result[self._in_file(question)] = False
        return np.asarray(result)

    def place_of(self, question: HeldOutGoal) -> Place:
        """Where a question is: its module, what that imports, what is above it."""
        above = self.above(question)
        above = above[np.argsort(self.lines[above], kind="stable")]
        known = above[:0] if question.hides_file else above
        node = self.graph.get(question.module, ModuleNode())
        return Place(
            last_uses(self.proofs, known),
            question.module,
            tuple(item.module for item in node.imports),
            question.theorem,
            self.lines[above],
        )

    def uses_elsewhere(self, question: HeldOutGoal) -> Int64s:
        """[n] In how many training proofs each premise is used, less those of the theorem and its twins."""
        left_out = self.families == self.family_of(question.theorem)
        if question.hides_file:
            left_out[self._in_file(question)] = True
        return np.asarray(self.use_counts - self.proofs.counts(np.flatnonzero(left_out)).astype(np.int64))

    def uses_above(self, question: HeldOutGoal) -> Floats:
        """[n] In how many training proofs above the theorem in its file each premise is used, if those are known."""
        return self.proofs.counts(self.above(question)[: 0 if question.hides_file else None])

    def importable(self, question: HeldOutGoal) -> Bools:
        """[n] What is declared in a visible module, or before the theorem in its own file."""
        result = self._visible_from(question.module)[self.module_numbers]
        if question.line is not None and question.module in self.module_names:
            own = self.members[self.module_names.index(question.module)]
            result[own] |= self.lines[own] < question.line
        return np.asarray(result)

    def above(self, question: HeldOutGoal) -> Int64s:
        """What is before the theorem in its own file, without its twins; nothing where no line is known."""
        own = self._in_file(question)
        if question.line is None:
            return own[:0]
        is_twin = self.families[own] == self.family_of(question.theorem)
        return np.asarray(own[(self.lines[own] < question.line) & ~is_twin])

    def not_above(self, question: HeldOutGoal) -> Bools:
        """[n] What is in the theorem's own file and not above it; nothing where the file is not known."""
        result = np.zeros(len(self), dtype=np.bool_)
        result[self._in_file(question)] = True
        result[self.above(question)] = False
        return result

    def _in_file(self, question: HeldOutGoal) -> Int64s:
        """What is declared in the theorem's own file."""
        if question.module not in self.module_names:
            return np.zeros(0, dtype=np.int64)
        return self.members[self.module_names.index(question.module)]

    def _visible_from(self, module: str) -> Bools:
        if module not in self._visible:
            node = self.graph.get(module, ModuleNode())
            reached = importable(self.graph, (item.module for item in node.imports))
            found = np.array([name in reached for name in self.module_names], dtype=np.bool_)
            self._visible[module] = found
        return self._visible[module]


def pool_of(dataset: Dataset, parameters: Bm25Parameters) -> Pool:
    """The corpus of a dataset as candidates; use counts come from its training split alone."""
    corpus = dataset.corpus
    families = dataset.families()
    module_names = tuple(sorted({premise.module for premise in corpus}))
    numbers = {name: number for number, name in enumerate(module_names)}
    module_numbers = np.array([numbers[premise.module] for premise in corpus], dtype=np.int64)
    order = np.argsort(module_numbers, kind="stable")
    proofs = _proofs_of(dataset)
    names = [premise.name.encode() for premise in corpus]
    starts = np.cumsum([0, *(len(name) + 1 for name in names)])
    joined_names = b"".join(name + b"\n" for name in names)
    bm25 = Bm25([build_postings(premise_tokens(premise) for premise in corpus)], parameters)
    return Pool(
        names=tuple(premise.name for premise in corpus),
        modules=tuple(premise.module for premise in corpus),
        module_numbers=module_numbers,
        members=dict(enumerate(np.split(order, np.cumsum(np.bincount(module_numbers))[:-1]))),
        module_names=module_names,
        lines=np.array([_line(premise) for premise in corpus], dtype=np.int64),
        families=families,
        use_counts=dataset.use_counts(),
        graph={module.name: _node(module) for module in dataset.modules},
        bm25=bm25,
        overlap=Mepo(bm25.segments),
        structure=StructureIndex([StructureColumns.of_rows([of_premise(premise) for premise in corpus])]),
        proofs=proofs,
        uses_by_place=UsesByPlace(
            proofs,
            module_names,
            module_numbers,
            lambda namespace: starting_with(joined_names, starts[:-1], f"{namespace}."),
        ),
        internal=InternalNames([(0, joined_names, starts)], len(corpus), lambda number: corpus[number].name),
        kind_groups=np.array(
            [group_of(premise.kind, is_theorem=is_theorem(premise)) for premise in corpus], dtype=np.int8
        ),
        roots={
            name: int(family)
            for premise, family in zip(corpus, families, strict=True)
            for name in (premise.name, root_name(premise))
        },
    )


def _proofs_of(dataset: Dataset) -> ProofGraph:
    """What the proofs of the training split use, over the corpus."""
    numbers = {premise.name: number for number, premise in enumerate(dataset.corpus)}
    rows = {
        numbers[query.theorem]: query.gold
        for query in dataset.queries
        if query.split == "train" and query.origin == "statement" and query.theorem in numbers
    }
    return ProofGraph.of_rows(len(dataset.corpus), rows)


def _node(module: Module) -> ModuleNode:
    return ModuleNode(module.imports, module.in_module_system)


def _line(premise: Premise) -> int:
    return premise.span.start.line if premise.span else 0


def questions_of(dataset: Dataset, split: Split, limit: int) -> list[HeldOutGoal]:
    """The statements of a held-out split; a fixed sample of them where there are more than `limit`."""
    found = [query for query in dataset.queries if query.split == split and query.origin == "statement"]
    if len(found) > limit:
        chosen = np.sort(np.random.default_rng(0).permutation(len(found))[:limit])
        found = [found[number] for number in chosen]
    return [
        HeldOutGoal(query.goal, query.theorem, query.module, query.line, theorems_of(dataset, query.gold))
        for query in found
    ]


def theorems_of(dataset: Dataset, gold: Iterable[int]) -> frozenset[int]:
    """Those of some premises that are theorems."""
    return frozenset(number for number in gold if is_theorem(dataset.corpus[number]))
