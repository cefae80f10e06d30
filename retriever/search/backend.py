"""What a backend is: a corpus, the texts that models read of it, labels, metrics, and how a hit is shown.

Encoder, index, trainer and evaluator know their corpus through this interface alone. What one corpus needs
and another has not (a proof state's hypotheses, a statement's pages) stays inside the backend.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from retriever.search.splits import Split

if TYPE_CHECKING:  # a suggestion measures nothing
    from retriever.metrics.bootstrap import Interval
    from retriever.metrics.ranks import Ranks


@dataclass(frozen=True, slots=True)
class Document:
    """One thing that can be found."""

    key: str
    """Unique in its collection."""
    kind: str
    title: str
    text: str
    """What models read."""
    body: str
    """What a person is shown."""
    where: str = ""
    """The part of its source that contains it, in the source's own words."""


@dataclass(frozen=True, slots=True)
class Question:
    """A query whose answers are known. `documents` of its collection go by their number."""

    key: str
    text: str
    """What models read."""
    references: tuple[int, ...]
    """What it is answered by, in the order of its source, repeated as there; never empty."""
    split: Split
    own: int | None = None
    """The document that the question itself is, if it is one."""
    name: str = ""
    """The theorem's full name: what a model may learn from is decided by it, besides the split."""

    @property
    def gold(self) -> tuple[int, ...]:
        """The distinct answers, ascending; may hold `own`."""
        return tuple(sorted(set(self.references)))


@dataclass(frozen=True, slots=True)
class Collection:
    """A corpus with its labels."""

    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    pools: Mapping[Split, tuple[int, ...]]
    """Documents that are ranked for the questions of a split, ascending; `train`'s may be trained on."""
    digest: str
    """sha256 of what it was read from, in hex."""

    def of(self, split: Split) -> tuple[Question, ...]:
        """The questions of one split."""
        return tuple(question for question in self.questions if question.split == split)


@dataclass(frozen=True, slots=True)
class DisplayedHit:
    """A hit as a person reads it."""

    title: str
    kind: str
    body: str
    where: str = ""


class Backend(Protocol):
    """One kind of corpus."""

    @property
    def name(self) -> str:
        """What `--backend` calls it."""

    @property
    def about(self) -> str:
        """What it searches, in a few words."""

    @property
    def pieces(self) -> str:
        """A regular expression of what its tokenizer never joins; what it does not match is split off."""

    def read(self, source: Path) -> Collection:
        """The corpus in a file or folder. Raises BadRecords, BadSource."""

    def query_text(self, typed: str) -> str:
        """What models read of a query that a person typed. Raises UserError when it is not a valid query."""

    def terms(self, text: str) -> list[str]:
        """The terms that BM25 counts in a text that models read."""

    def figures(self, ranks: Sequence[Ranks], seed: int = 0) -> dict[str, Interval]:
        """The corpus's metrics over all questions of a part, in percent, in a table's order."""

    def show(self, document: Document) -> DisplayedHit:
        """How a hit is shown."""
