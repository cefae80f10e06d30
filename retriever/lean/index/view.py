"""A view of stores of Lean premises, with the columns that Lean's segments have more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools
from lean_extract.records import Premise
from lean_extract.source.grammar.notations import Notation
from retriever.lean.index.content import premise_of
from retriever.lean.index.flags import Flag
from retriever.lean.index.modules import node_of, notations_of
from retriever.lean.scope import ModuleNode
from retriever.search.index.files import REBUILD, damaged
from retriever.search.index.opening import SegmentPart, open_stores
from retriever.search.index.store import IndexStore
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.index.view import IndexView


class LeanView(IndexView):
    """A view whose documents are premises; see `IndexView`.

    A bundled premise also gives way to one of its name that was read here (a lemma of Mathlib's that has gone to
    Lean's core).

    Raises IndexDamaged where a segment does not have Lean's columns.
    """

    def __init__(self, parts: Sequence[SegmentPart]) -> None:
        super().__init__(parts)
        self.flags: npt.NDArray[np.uint8] = self.column("flags", np.uint8)
        self.lines: npt.NDArray[np.int32] = self.column("lines", np.int32)
        """int32[n]: where each is declared, from 0; -1 where that is not known."""
        self.uses: npt.NDArray[np.int32] = self.column("uses", np.int32)
        """int32[n]: how many training proofs use each."""
        self.structure = [_structure_of(part) for part in parts]
        """Of each segment."""
        self.alive &= ~self._read_again()

    @classmethod
    def open(cls, stores: Sequence[IndexStore], fingerprint: str) -> LeanView:
        """A view of what stores hold now. Raises IndexMissing, IndexDamaged, ModelError."""
        return cls(open_stores(stores, fingerprint).parts)

    def _read_again(self) -> Bools:
        """bool[n]: the bundled premises whose names are declared in what was read here, too."""
        read = self.alive & ~self.bundled & ((self.flags & Flag.PRIVATE) == 0)
        if not self.bundled.any() or not read.any():
            return np.zeros(len(self), dtype=np.bool_)
        hashes = np.concatenate([segment.tables.proofs.hashes for segment in self.segments])
        return np.asarray(self.bundled & np.isin(hashes, hashes[read]))

    def module_graph(self) -> dict[str, ModuleNode]:
        """The import graph over all live files. Raises IndexDamaged."""
        with self._reading("imports"):
            return {file.module: node_of(file) for file in self.live_files}

    def notations(self) -> list[Notation]:
        """The notations of all live files, their constants as written. Raises IndexDamaged."""
        with self._reading("notations"):
            return [one for file in self.live_files for one in notations_of(file)]

    @contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError) as error:
            raise damaged(self.segments[0].folder, f"the {what} of a file: {error}", REBUILD) from error

    def premise(self, number: int) -> Premise:
        """A premise's record (without statement where none is shipped). Raises IndexDamaged."""
        segment, local = self.locate(number)
        return premise_of(segment, local, self.file(number))


def _structure_of(part: SegmentPart) -> StructureColumns:
    structure = part.segment.tables.structure
    if structure is None:
        raise damaged(part.segment.folder, "it has no columns of structure")
    return structure
