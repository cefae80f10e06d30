"""The paper's data in memory (section 3, Figure 2, the variables of appendix D)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

StatementType = Literal["theorem", "definition", "other"]


@dataclass(frozen=True, slots=True)
class DocumentProof:
    """A proof's text, line by line, and the statements that it links to, in order, repeated as they are."""

    contents: tuple[str, ...]
    refs: tuple[str, ...] = ()
    """Labels, one for each link; also those that lead to no statement of the corpus."""
    ref_ids: tuple[int, ...] = ()
    """Ids of those that lead to a statement, in the same order."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A theorem, a definition, or another page that proofs refer to."""

    id: int
    """Unique in the corpus."""
    type: StatementType
    label: str
    title: str
    contents: tuple[str, ...]
    """Lines of mixed text and LaTeX."""
    refs: tuple[str, ...] = ()
    ref_ids: tuple[int, ...] = ()
    proofs: tuple[DocumentProof, ...] = ()
    """Of a theorem; may be empty."""
    categories: tuple[str, ...] = ()
    toplevel_categories: tuple[str, ...] = ()
    recursive_categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Corpus:
    """Statements by type, each in the order of its source."""

    theorems: tuple[Statement, ...]
    definitions: tuple[Statement, ...] = ()
    others: tuple[Statement, ...] = ()

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All: what a proof can refer to."""
        return (*self.theorems, *self.definitions, *self.others)


Example = tuple[int, int]
"""(id of a theorem, number of its proof from 0)."""


@dataclass(frozen=True, slots=True)
class Split:
    """The examples of a part, and the ids of the references that are ranked for them (Table 4)."""

    examples: tuple[Example, ...]
    ref_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Splits:
    """Section 4: evaluation theorems are leaves of the reference graph."""

    train: Split
    valid: Split
    test: Split
