"""An index view with everything that answering from it needs, built once for each state of the stores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Int8s
from lean_extract.common.errors import IndexMissing
from lean_extract.common.lru import Cache
from retriever.lean.index.content import Flag
from retriever.lean.index.view import Coverage, LeanView, proof_graph
from retriever.lean.internal import InternalNames
from retriever.lean.notations import Notations, core_notations
from retriever.lean.ranker.kinds import groups_of
from retriever.lean.ranker.place import UsesByPlace, starting_with
from retriever.lean.scope import ModuleNode, importable, importers
from retriever.lean.structure.index import StructureIndex
from retriever.lean.symbols import Mepo
from retriever.limits import CACHED_KINDS, CACHED_MODULES, CACHED_PROOFS, CACHED_SCOPES
from retriever.models.text import named_texts
from retriever.search.bm25 import Bm25
from retriever.search.fusion import Fusion
from retriever.search.index.proof_columns import StepIndex
from retriever.search.index.segment import search_over
from retriever.search.index.store import IndexStore, Stamp
from retriever.search.index.view import LiveNames, OpenStores, open_stores
from retriever.search.votes import ProofGraph

if TYPE_CHECKING:
    from retriever.lean.words.fields import WordFields
    from retriever.lean.words.name_search import NameSearch
from collections.abc import Iterator, Set

from lean_extract.source.open_file import uses_in
from lean_extract.source.proofs.proof import SourceProof
from lean_extract.source.reader import SourceModule


class Snapshot:
    """One state of the stores, opened for asking; immutable to its users, safe in several threads."""

    def __init__(self, opened: OpenStores, fusion: Fusion) -> None:
        self._opened = opened
        self.view = view = LeanView(opened.parts)
        self.coverage = Coverage(view)
        self.manifests = opened.manifests
        self.left_out = opened.left_out
        segments = view.segments
        self.search = search_over(segments)
        self.bm25 = Bm25([segment.tables.postings for segment in segments], fusion.bm25, view.alive)
        self.is_theorem: Bools = (view.flags & Flag.THEOREM) != 0
        self.is_private: Bools = (view.flags & Flag.PRIVATE) != 0
        self._scopes: Cache[Bools] = Cache(CACHED_SCOPES)
        self._importers: Cache[frozenset[str]] = Cache(CACHED_SCOPES)
        self._of_kinds: Cache[Bools] = Cache(CACHED_KINDS)
        self._module_vectors: Cache[dict[tuple[str, str, str], Floats]] = Cache(CACHED_MODULES)

    @classmethod
    def open(cls, stores: Sequence[IndexStore], fingerprint: str, fusion: Fusion) -> Snapshot:
        """Open the stores as they are now. Raises IndexMissing, IndexDamaged, ModelError."""
        if not stores:
            raise IndexMissing("There is no premise index.", "Run `premise-suggest index` to build it.")
        return cls(open_stores(stores, fingerprint), fusion)

    @property
    def stamps(self) -> tuple[Stamp, ...]:
        """Of the stores, from before they were opened."""
        return self._opened.stamps

    def is_current(self) -> bool:
        """Whether the stores are still those that were opened."""
        return self._opened.is_current()

    @cached_property
    def _graph(self) -> dict[str, ModuleNode]:
        return self.view.module_graph()

    @cached_property
    def overlap(self) -> Mepo:
        """How much of a premise's tokens a goal has."""
        return Mepo(self.bm25.segments)

    @cached_property
    def structure(self) -> StructureIndex:
        """Which premises a goal is an instance of."""
        return StructureIndex(self.view.structure)

    @cached_property
    def names(self) -> LiveNames:
        """The premises that count, by name."""
        return LiveNames.of(self.view)

    @cached_property
    def internal(self) -> InternalNames:
        """The premises that their libraries call internal."""
        return InternalNames.of_view(self.view)

    @cached_property
    def notations(self) -> Notations:
        """The notations that the indexed files declare, and those of Lean's core."""
        return Notations(self.view.notations(), core_notations())

    @cached_property
    def proofs(self) -> ProofGraph:
        """What the proofs of the indexed theorems use, as far as that is known."""
        return proof_graph(self.view, self.names)

    @cached_property
    def uses_by_place(self) -> UsesByPlace:
        """The same uses, counted by modules and namespaces."""
        modules = [file.module for file in self.view.files]
        return UsesByPlace(self.proofs, modules, self.view.file_of, self._in_namespace)

    def _in_namespace(self, namespace: str) -> Bools:
        tables = [segment.names for segment in self.view.segments]
        found = [starting_with(table.data, table.starts[:-1], f"{namespace}.") for table in tables]
        return np.concatenate([np.zeros(0, dtype=np.bool_), *found])

    @cached_property
    def kind_groups(self) -> Int8s:
        """int8[n]: what each premise is (`retriever.lean.ranker.kinds`)."""
        bounds = self.view.bounds
        found = [
            groups_of(segment.kind_names, segment.kinds, self.is_theorem[start:stop])
            for segment, start, stop in zip(self.view.segments, bounds, bounds[1:], strict=False)
        ]
        return np.concatenate([np.zeros(0, dtype=np.int8), *found])

    @cached_property
    def steps(self) -> StepIndex:
        """The steps of the indexed proofs whose states are known."""
        segments = zip(self.view.segments, self.view.bounds, strict=False)
        return StepIndex([(segment.tables.steps, base) for segment, base in segments])

    @cached_property
    def nearby(self) -> NearbyUses:
        """What the proofs of open files use."""
        return NearbyUses(self.names)

    @cached_property
    def searched_names(self) -> list[NameSearch]:
        """The names of all premises, one after another, to be searched by letters and words."""
        from retriever.lean.words.name_search import NameSearch  # with tables of words, which no goal needs

        return [NameSearch(names.data, names.starts) for names in (one.names for one in self.view.segments)]

    @cached_property
    def word_fields(self) -> WordFields:
        """The words of all premises: of names, doc strings and statements."""
        from retriever.lean.words.fields import WordTable  # with tables of words, which no goal needs
        from retriever.lean.words.settings import word_fields

        tables = [
            WordTable.of(names, segment.tables.docs, segment.tables.postings)
            for names, segment in zip(self.searched_names, self.view.segments, strict=True)
        ]
        return word_fields(tables)

    def is_definition(self, kinds: frozenset[str]) -> Bools:
        """bool[n]: premises of these kinds, as `Premise` names them, that are not theorems."""
        return self._of_kinds.get_or_make(kinds, lambda: self.view.of_kinds(kinds) & ~self.is_theorem)

    def in_scope(self, imports: tuple[str, ...], *, is_prelude: bool = False) -> Bools:
        """bool[n]: what a file with these imports can use."""

        def read() -> Bools:
            return self.view.in_modules(importable(self._graph, imports, is_prelude=is_prelude))

        return self._scopes.get_or_make((imports, is_prelude), read)

    def out_of_reach(
        self, modules: Iterable[str], imports: tuple[str, ...], *, is_prelude: bool = False
    ) -> frozenset[str]:
        """Those of the modules that a file with these imports cannot use. What is not indexed is not among them."""
        return frozenset(modules) & self._graph.keys() - importable(
            self._graph, imports, is_prelude=is_prelude
        )

    def can_import(self, importer: str | None, module: str, *, in_module_system: bool = False) -> bool:
        """Whether a file may import a module: not where that would be a cycle, and a file that is in Lean's module
        system only what is in it, too. `importer`: the file's own module; None: not known."""
        node = self._graph.get(module)
        if in_module_system and node is not None and not node.in_module_system:
            return False
        return importer is None or module not in self.importers(importer)

    def importers(self, module: str) -> frozenset[str]:
        """The modules that import this one, directly or through others."""
        return self._importers.get_or_make(module, lambda: importers(self._graph, module))

    def having(self, token: str) -> Bools:
        """bool[n]: which premises have one of `premise_tokens`."""
        found = np.zeros(len(self.view), dtype=np.bool_)
        for segment, base in zip(self.view.segments, self.view.bounds, strict=False):
            found[segment.tables.postings.find(token)[0] + base] = True
        return found

    def in_module(self, module: str) -> Bools:
        """bool[n]: what this module declares."""
        return self.view.in_modules(frozenset({module}))

    def module_vectors(self, module: str) -> dict[tuple[str, str, str], Floats]:
        """The vectors of a module's premises by their texts (empty where statements are not kept)."""
        return self._module_vectors.get_or_make(module, lambda: self._read_vectors(module))

    def _read_vectors(self, module: str) -> dict[tuple[str, str, str], Floats]:
        view = self.view
        vectors: dict[tuple[str, str, str], Floats] = {}
        numbers = np.flatnonzero(self.in_module(module) & view.alive & ~view.bundled).tolist()
        view.prefetch(numbers)
        for number in numbers:
            vectors[named_texts(view.premise(number))] = view.vector(number)
        return vectors


_Key = tuple[object, ...]


class NearbyUses:
    """Resolves proofs of open files against an index; what was found is kept, as files change little.

    Safe to use from several threads: at worst something is found twice.
    """

    def __init__(self, names: LiveNames) -> None:
        self._names = names
        self._known: Cache[bool] = Cache(CACHED_PROOFS)
        self._uses: Cache[tuple[str, ...]] = Cache(CACHED_PROOFS)

    def uses(self, source: SourceModule, theorems: Set[str]) -> list[tuple[str, ...]]:
        """The names that each of the proofs of these theorems uses, in the order of the file."""
        proofs = {key: proof for key, proof in _keyed(source) if proof.theorem in theorems}
        uses = {key: names for key in proofs if (names := self._uses.get(key)) is not None}
        missing = {key: proof for key, proof in proofs.items() if key not in uses}
        if missing:
            found = uses_in(source, self._is_known, list(missing.values()))
            for key, names in zip(missing, found, strict=True):
                self._uses.put(key, names)
                uses[key] = names
        return [uses[key] for key in proofs]

    def _is_known(self, name: str) -> bool:
        return self._known.get_or_make(name, lambda: bool(self._names.find_names([name])[0] >= 0))


def _keyed(source: SourceModule) -> Iterator[tuple[_Key, SourceProof]]:
    """The proofs, each under what its uses depend on: its text, and what the file declares above it."""
    declared = [hash(source.module.name)]
    for premise in source.premises:
        declared.append(hash((declared[-1], premise.name)))
    for proof in source.proofs:
        yield (declared[proof.order], proof.theorem, proof.scope, proof.mentions), proof
