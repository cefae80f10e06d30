"""The words of premises by field (names, doc strings, statements), scored together: BM25F.

BM25F (Robertson, Zaragoza and Taylor 2004) adds the occurrences of a word in all fields, weighted and normalised by
the fields' lengths, before it saturates them: a word in a name, a doc string and a statement is still one word.

    score(q, d) = sum over w in q:  c(w) * idf(w) * t / (t + k1),  t = sum over fields f:  weight(f) * tf / norm(f)
    norm(f) = 1 - b(f) + b(f) * |d in f| / (mean length of f)

c(w) is how much a word counts. The sum is divided by that of c(w) * idf(w), so that 1 is the most a premise can have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Floats, Int32s, Int64s
from lean_extract.records import Premise
from retriever.lean.tokens import premise_tokens
from retriever.lean.words.doc_words import doc_words
from retriever.lean.words.name_search import NameSearch
from retriever.lean.words.vocabulary import term_words, terms_with
from retriever.limits import MAX_QUERY_WORDS
from retriever.search.index.postings import Postings, build_postings

FIELDS = ("name", "doc", "statement")
Occurrences = Iterator[tuple[Int32s, npt.NDArray[np.uint16] | int]]
"""Ascending documents, each list without repetition, and how often each has the word."""


@dataclass(frozen=True, slots=True)
class FieldParameters:
    """`weight` of an occurrence; `b` in [0, 1]: how much the field's length counts."""

    weight: float
    b: float


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of n documents."""

    lengths: Floats | Int32s
    """[n]"""
    find: Callable[[str], Occurrences]
    """Where a word occurs."""


@dataclass(frozen=True, slots=True)
class WordTable:
    """The words of n premises: fields in the order of FIELDS."""

    fields: tuple[_Field, ...]

    @classmethod
    def of(cls, names: NameSearch, docs: Postings | None, statements: Postings) -> WordTable:
        """Those of a segment. Where there are no doc strings, no premise has any."""
        none = _Field(np.zeros(len(names), dtype=np.float32), lambda word: iter(()))
        return cls(
            (
                _Field(
                    names.lengths,
                    lambda word: ((names.having(one), 1) for one in terms_with(word, names.words)),
                ),
                none if docs is None else _Field(docs.lengths, lambda word: iter([docs.find(word)])),
                _Field(
                    statements.lengths,
                    lambda word: map(statements.find, terms_with(word, statements.terms)),
                ),
            )
        )

    @classmethod
    def of_premises(
        cls, premises: Sequence[Premise], tokens: Callable[[Premise], Sequence[str]]
    ) -> WordTable:
        """Those of premises outside an index, given the tokens of their statements."""
        return cls.of(
            NameSearch.of_names(premise.name for premise in premises),
            build_postings(doc_words(premises)),
            build_postings(map(tokens, premises)),
        )

    @classmethod
    def none(cls) -> WordTable:
        """That of no premises."""
        return cls.of_premises((), premise_tokens)

    def __len__(self) -> int:
        return len(self.fields[0].lengths)


def words_of(premise: Premise) -> list[str]:
    """The distinct words of a premise: of its name, what is written about it, and its statement."""
    tokens = dict.fromkeys(premise_tokens(premise))
    words = [*next(doc_words([premise])), *(word for token in tokens for word in term_words(token))]
    return list(dict.fromkeys(words))[:MAX_QUERY_WORDS]


@dataclass(frozen=True, slots=True)
class WordMatches:
    """Of the words of a query, by their weights and idf, the shares that n premises have."""

    scores: Floats
    """float32[n]: by BM25F."""
    cover: Floats
    """float32[n]: of the words that are there, however often and in whichever field."""
    name_cover: Floats
    """float32[n]: of those that are in the name."""
    related: Floats
    """float32[n]: by BM25F, where words that are related to one of the query's count in part as that one."""
    unknown: float = 0.0
    """How much the words count that no premise has."""

    @classmethod
    def none(cls, count: int) -> WordMatches:
        """Of n premises that have none."""
        return cls(*np.zeros((4, count), dtype=np.float32))


class WordFields:
    """BM25F over the concatenation of tables.

    Args:
        tables: the words of the premises.
        parameters: in the order of FIELDS.
        k1: how soon repetition stops counting.
    """

    def __init__(self, tables: Sequence[WordTable], parameters: Sequence[FieldParameters], k1: float) -> None:
        self._tables, self._parameters, self._k1 = tables, parameters, np.float32(k1)
        self._means = [_mean([table.fields[i].lengths for table in tables]) for i in range(len(FIELDS))]

    def __len__(self) -> int:
        return sum(map(len, self._tables))

    @property
    def has_docs(self) -> bool:
        """Whether anything is written about a premise of the tables: doc strings, or names of fields."""
        return bool(self._means[FIELDS.index("doc")] > 1e-6)

    def doc_lengths(self, first: WordTable) -> Floats:
        """float32[len(first) + n]: how many words are written about each premise."""
        lengths = [table.fields[FIELDS.index("doc")].lengths for table in (first, *self._tables)]
        return np.concatenate(lengths, dtype=np.float32)

    def matches(
        self,
        words: Mapping[str, float],
        first: WordTable,
        related: Mapping[str, Mapping[str, float]] = MappingProxyType({}),
    ) -> WordMatches:
        """How much of the words each premise has.

        Args:
            words: how much each counts, which multiplies its idf.
            first: premises outside the index, which come before those of the tables; their words count alike.
            related: by words, others and the part in [0, 1] of an occurrence that one of theirs is (Darwish and Oard
                2003).
        """
        parts = [table for table in (first, *self._tables) if len(table)]
        found = WordMatches.none(len(first) + len(self))
        idfs, related_idfs, unknown = 1e-9, 1e-9, 0.0
        for word in sorted(words):
            often, named = np.zeros_like(found.scores), np.zeros(len(found.scores), dtype=np.bool_)
            self._count(word, 1.0, parts, often, named)
            having = np.flatnonzero(often > 0)
            idf = words[word] * _idf(len(having), len(often))
            idfs += idf
            unknown += 0.0 if len(having) else words[word]
            self._add(found.scores, idf, often, having)
            found.cover[having] += np.float32(idf)
            found.name_cover[named] += np.float32(idf)
            expected = float(len(having))
            for other, part in related.get(word, {}).items():
                expected += part * self._count(other, part, parts, often, named)
            having = np.flatnonzero(often > 0)
            idf = words[word] * _idf(min(expected, len(having)), len(often))
            related_idfs += idf
            self._add(found.related, idf, often, having)
        for column in (found.scores, found.cover, found.name_cover):
            column /= np.float32(idfs)
        found.related[:] /= np.float32(related_idfs)
        return replace(found, unknown=unknown)

    def _add(self, scores: Floats, idf: float, often: Floats, having: Int64s) -> None:
        chosen = often[having]
        scores[having] += np.float32(idf) * chosen / (chosen + self._k1)

    def _count(self, word: str, part: float, tables: Iterable[WordTable], often: Floats, named: Bools) -> int:
        """Add the weighted occurrences of a word in all fields, times `part`; returns how many there are.

        Args:
            word: the word.
            part: in (0, 1].
            tables: of n premises, one after another.
            often: float32[n], what is added to.
            named: bool[n]: where names have the word, which is set.
        """
        total = end = 0
        for table in tables:
            here = slice(end, end := end + len(table))
            for name, field, one, mean in zip(
                FIELDS, table.fields, self._parameters, self._means, strict=True
            ):
                for documents, times in field.find(word):
                    lengths = field.lengths[documents].astype(np.float32)
                    norms = np.maximum(1 - one.b + one.b * lengths / mean, np.float32(1e-3))
                    often[here][documents] += np.float32(part * one.weight) / norms * times
                    total += len(documents)
                    if name == "name":
                        named[here][documents] = True
        return total


def _idf(having: float, count: int) -> float:
    return float(np.log1p((count - having + 0.5) / (having + 0.5)))


def _mean(lengths: Sequence[Floats | Int32s]) -> np.float32:
    """The mean length of a field, of the premises that have it."""
    every = np.concatenate([np.zeros(0, dtype=np.float32), *lengths], dtype=np.float32)
    return np.float32(every.sum() / max(np.count_nonzero(every), 1) + 1e-9)
