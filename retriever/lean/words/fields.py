"""The words of premises by field (names, doc strings, statements), scored together: BM25F.

BM25F (Robertson, Zaragoza and Taylor 2004) adds the occurrences of a word in all fields, weighted and normalised by
the fields' lengths, before it saturates them: a word in a name, a doc string and a statement is still one word.

    score(q, d) = sum over w in q:  c(w) * idf(w) * t / (t + k1),  t = sum over fields f:  weight(f) * tf / norm(f)
    norm(f) = 1 - b(f) + b(f) * |d in f| / (mean length of f)

c(w) is how much a word counts. The sum is divided by that of c(w) * idf(w), so that 1 is the most a premise can have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Floats, Int32s
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
    unknown: float = 0.0
    """How much the words count that no premise has."""

    @classmethod
    def none(cls, count: int) -> WordMatches:
        """Of n premises that have none."""
        return cls(*np.zeros((3, count), dtype=np.float32))


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
        """Whether any premise of the tables has a doc string."""
        return bool(self._means[FIELDS.index("doc")] > 1e-6)

    def doc_lengths(self, first: WordTable) -> Floats:
        """float32[len(first) + n]: how many words are written about each premise."""
        lengths = [table.fields[FIELDS.index("doc")].lengths for table in (first, *self._tables)]
        return np.concatenate(lengths, dtype=np.float32)

    def matches(self, words: Mapping[str, float], first: WordTable) -> WordMatches:
        """How much of the words each premise has.

        Args:
            words: how much each counts, which multiplies its idf.
            first: premises outside the index, which come before those of the tables; their words count alike.
        """
        parts = (first, *self._tables)
        found = WordMatches.none(len(first) + len(self))
        idfs, unknown = 1e-9, 0.0
        for word in sorted(words):
            often, named = map(
                np.concatenate, zip(*(self._occurrences(word, part) for part in parts), strict=True)
            )
            having = np.flatnonzero(often)
            idf = words[word] * float(np.log1p((len(often) - len(having) + 0.5) / (len(having) + 0.5)))
            idfs += idf
            unknown += 0.0 if len(having) else words[word]
            chosen = often[having]
            found.scores[having] += np.float32(idf) * chosen / (chosen + self._k1)
            found.cover[having] += np.float32(idf)
            found.name_cover[named] += np.float32(idf)
        for column in (found.scores, found.cover, found.name_cover):
            column /= np.float32(idfs)
        return replace(found, unknown=unknown)

    def _occurrences(self, word: str, table: WordTable) -> tuple[Floats, Bools]:
        """(float32[n], bool[n]): the weighted occurrences of a word in all fields; whether the name has it."""
        often = np.zeros(len(table), dtype=np.float32)
        named = np.zeros(len(table), dtype=np.bool_)
        for name, field, one, mean in zip(FIELDS, table.fields, self._parameters, self._means, strict=True):
            for documents, times in field.find(word):
                lengths = field.lengths[documents].astype(np.float32)
                norms = np.maximum(1 - one.b + one.b * lengths / mean, np.float32(1e-3))
                often[documents] += one.weight / norms * times
                if name == "name":
                    named[documents] = True
        return often, named


def _mean(lengths: Sequence[Floats | Int32s]) -> np.float32:
    """The mean length of a field, of the premises that have it."""
    every = np.concatenate([np.zeros(0, dtype=np.float32), *lengths], dtype=np.float32)
    return np.float32(every.sum() / max(np.count_nonzero(every), 1) + 1e-9)
