"""Which terms the documents of a segment have, and how often: what BM25 counts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from lean_extract.common.arrays import Ids, Int32s, UInt16s
from retriever.search.index.table import Axis, Table, Vocabulary, column, sorted_keys, starts_of

_MOST = (1 << 16) - 1
"""Occurrences in one document beyond that are not counted."""


@dataclass(frozen=True, slots=True)
class Postings(Table):
    """Inverted lists of n documents over m sorted terms (by code point), as compressed sparse rows.

    Term i occurs in the documents `documents[starts[i]:starts[i + 1]]`, ascending, as often as
    `frequencies` says in the same places (uint16, capped).
    """

    prefix, about = "posting_", "postings"

    terms: Vocabulary = column(Axis.KEYS, file="terms")
    starts: Ids = column(Axis.KEY_STARTS, np.int64)
    documents: Int32s = column(Axis.ENTRIES, np.int32)
    frequencies: UInt16s = column(Axis.ENTRIES, np.uint16)
    lengths: Int32s = column(Axis.DOCUMENTS, np.int32, file="lengths")
    """int32[n]: tokens of each document."""

    def find(self, term: str) -> tuple[Int32s, UInt16s]:
        """(documents, frequencies) of a term; empty if it does not occur."""
        index = bisect_left(self.terms, term)
        if index == len(self.terms) or self.terms[index] != term:
            return self.documents[:0], self.frequencies[:0]
        start, stop = int(self.starts[index]), int(self.starts[index + 1])
        return self.documents[start:stop], self.frequencies[start:stop]

    def spread(self, keys: dict[str, int]) -> _Occurrences:
        """The entries one by one, with the numbers of `keys`."""
        numbers = np.array([keys.setdefault(term, len(keys)) for term in self.terms], dtype=np.int64)
        terms = np.repeat(numbers, np.diff(self.starts))
        return _Occurrences(self.documents, terms, self.frequencies, self.lengths)

    @classmethod
    def gathered(cls, spread: _Occurrences, keys: Sequence[str]) -> Postings:
        """The inverse of `spread`, with the terms that occur."""
        terms, position = sorted_keys(keys, spread.terms)
        rows = position[spread.terms]
        order = np.lexsort((spread.owners, rows))
        starts = starts_of(np.bincount(rows, minlength=len(terms)))
        return cls(terms, starts, spread.owners[order], spread.frequencies[order], spread.lengths)


@dataclass(frozen=True, slots=True)
class DocPostings(Postings):
    """Postings of what is written about the documents for people; most documents have none of it."""

    prefix, about = "doc_", "postings of doc strings"

    terms: Vocabulary = column(Axis.KEYS)
    lengths: Int32s = column(Axis.DOCUMENTS, np.int32)

    @classmethod
    def of(cls, found: Postings) -> DocPostings:
        """These postings as a table of their own."""
        return cls(found.terms, found.starts, found.documents, found.frequencies, found.lengths)


@dataclass(frozen=True, slots=True)
class _Occurrences(Table):
    """That a term is in a document, in any order."""

    owners: Int32s = column(Axis.OWNERS, np.int32)
    terms: Ids = column(Axis.ROWS, np.int64)
    """Their numbers."""
    frequencies: UInt16s = column(Axis.ROWS, np.uint16)
    lengths: Int32s = column(Axis.DOCUMENTS, np.int32)


def build_postings(texts: Iterable[Sequence[str]]) -> Postings:
    """Postings of tokenised documents, in memory."""
    numbers: dict[str, int] = {}
    occurrences = [[numbers.setdefault(token, len(numbers)) for token in tokens] for tokens in texts]
    lengths = [len(found) for found in occurrences]
    terms = np.fromiter(chain.from_iterable(occurrences), dtype=np.int64, count=sum(lengths))
    return count_postings([*numbers], terms, np.repeat(np.arange(len(lengths)), lengths), len(lengths))


def count_postings(vocabulary: Sequence[str], terms: Ids, owners: Ids, documents: int) -> Postings:
    """Postings of every occurrence of a term: of `vocabulary[terms[i]]` in the document `owners[i]`."""
    found, rows = sorted_keys(vocabulary, terms)
    both, counts = np.unique(rows[terms] * documents + owners, return_counts=True)
    rows, places = np.divmod(both, max(documents, 1))
    return Postings(
        found,
        starts_of(np.bincount(rows, minlength=len(found))),
        places.astype(np.int32),
        np.minimum(counts, _MOST).astype(np.uint16),
        np.bincount(owners, minlength=documents).astype(np.int32),
    )
