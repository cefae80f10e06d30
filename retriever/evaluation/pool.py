"""What a ranking is drawn from, and what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lean_extract.records import Goal, Module, Premise
from retriever.lexical import Bm25, Bm25Parameters, build_postings, premise_tokens
from retriever.scope import ModuleNode, importable
from retriever.training.dataset_files import Dataset
from retriever.training.splits import Split, root_name

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Question:
    """A state, where it stands, and what its proof uses."""

    goal: Goal
    theorem: str
    module: str
    line: int | None
    gold: frozenset[int]

    @property
    def namespace(self) -> str:
        """The theorem's namespace, `""` at the top level."""
        return self.theorem.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates by number."""

    names: tuple[str, ...]
    modules: tuple[str, ...]
    module_numbers: Ints
    """[n] Places in `module_names`."""
    module_names: tuple[str, ...]
    lines: Ints
    families: Ints
    use_counts: Ints
    graph: dict[str, ModuleNode]
    bm25: Bm25
    roots: dict[str, int]
    """Family by root name."""
    members: dict[int, Ints]
    """The candidates of each module, by its number."""

    def __len__(self) -> int:
        return len(self.names)

    def family_of(self, theorem: str) -> int:
        """The family of a theorem of the pool; -1 if it is not there."""
        place = self.roots.get(theorem)
        return -1 if place is None else place

    def offered(self, question: Question) -> Bools:
        """[n] Everything but the theorem itself and its generated twins."""
        return np.asarray(self.families != self.family_of(question.theorem))

    def importable(self, question: Question) -> Bools:
        """[n] What is declared in a visible module, or before the theorem in its own file."""
        node = self.graph.get(question.module, ModuleNode())
        reached = importable(self.graph, (item.module for item in node.imports))
        visible = np.array([name in reached for name in self.module_names], dtype=np.bool_)
        result = visible[self.module_numbers]
        if question.line is not None and question.module in self.module_names:
            own = self.module_names.index(question.module)
            result |= (self.module_numbers == own) & (self.lines < question.line)
        return np.asarray(result)


def pool_of(dataset: Dataset, parameters: Bm25Parameters) -> Pool:
    """The corpus of a dataset as candidates; use counts come from its training split alone."""
    corpus = dataset.corpus
    families = dataset.families()
    module_names = tuple(sorted({premise.module for premise in corpus}))
    numbers = {name: place for place, name in enumerate(module_names)}
    module_numbers = np.array([numbers[premise.module] for premise in corpus], dtype=np.int64)
    return Pool(
        names=tuple(premise.name for premise in corpus),
        modules=tuple(premise.module for premise in corpus),
        module_numbers=module_numbers,
        members={place: np.flatnonzero(module_numbers == place) for place in range(len(module_names))},
        module_names=module_names,
        lines=np.array([_line(premise) for premise in corpus], dtype=np.int64),
        families=families,
        use_counts=dataset.use_counts(),
        graph={module.name: _node(module) for module in dataset.modules},
        bm25=Bm25([build_postings(premise_tokens(premise) for premise in corpus)], parameters),
        roots={
            name: int(family)
            for premise, family in zip(corpus, families, strict=True)
            for name in (premise.name, root_name(premise))
        },
    )


def _node(module: Module) -> ModuleNode:
    return ModuleNode(module.imports, module.in_module_system)


def _line(premise: Premise) -> int:
    return premise.span.start.line if premise.span else 0


def questions_of(dataset: Dataset, split: Split, limit: int, seed: int = 0) -> list[Question]:
    """The statements of a held-out split; a fixed sample of them where there are more than `limit`."""
    found = [query for query in dataset.queries if query.split == split and query.origin == "statement"]
    if len(found) > limit:
        chosen = np.sort(np.random.default_rng(seed).permutation(len(found))[:limit])
        found = [found[place] for place in chosen]
    return [
        Question(query.goal, query.theorem, query.module, query.line, frozenset(query.gold))
        for query in found
    ]
