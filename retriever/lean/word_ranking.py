"""The ranking for a query in words: a weighted sum of a few columns over candidates.

Candidates are the best by words (`words.fields`: BM25F over names, doc strings and statements) and by names
(`words.name_search`). The weights are in `words/ranking.json`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from lean_extract.common.arrays import Bools, Floats, Ids
from lean_extract.records import Premise
from retriever.lean.explanation import Explanation, ScoredTable, explanations
from retriever.lean.index.content import Flag, flags_of
from retriever.lean.local import tokens_of
from retriever.lean.ranker.kinds import group_of, kind_columns
from retriever.lean.snapshot import Snapshot
from retriever.lean.theorems import is_theorem
from retriever.lean.words.fields import WordTable
from retriever.lean.words.name_search import NameQuery, NameSearch, name_scores
from retriever.lean.words.reading import has_foreign_letters, without_preamble
from retriever.lean.words.related import related_words
from retriever.lean.words.settings import COLUMNS, word_settings
from retriever.lean.words.vocabulary import query_words
from retriever.limits import MAX_QUERY_CHARACTERS, MAX_QUERY_WORDS
from retriever.search.fusion import Fusion
from retriever.search.top import top

_BY_WORDS, _BY_NAME = 3000, 300
"""How many candidates each list gives."""
_SHORT = 4
"""A query of so many words is short."""
_FLATNESS = 4.0
_LOOKED_AT = 10
"""How many of the best have to have words of the query."""
_KNOWN, _UNKNOWN = 0.9, 1.45
"""How many of a few words one of them has to have, if all words are equally rare: more where the index lacks one."""
_ENOUGH = 0.6
"""The share of the words that is enough whatever else there is."""


@dataclass(frozen=True, slots=True)
class RankedWords:
    """The candidates for a query in words."""

    ids: Ids
    """int64[m]: their numbers; premises of the open file come first."""
    scores: Floats
    """float32[m] in [0, 1]; 0.5 is the floor."""
    table: ScoredTable
    fit_well: bool
    """Whether there are words, the best reaches the floor or has most of them, and one of the best has enough of
    them: not looked at where nothing has a doc string."""

    def explanations(self, numbers: Sequence[int]) -> list[Explanation]:
        """What each column group adds to the scores of some of the candidates, before they are put into [0, 1]."""
        return explanations([self.table], np.searchsorted(self.ids, numbers))


def rank_words(
    snapshot: Snapshot, own: Sequence[Premise], allowed: Bools, scope: Bools | None, text: str
) -> RankedWords:
    """Rank premises for a query in words.

    Args:
        snapshot: the index, of n premises.
        own: premises of the open file.
        allowed: bool[len(own) + n]: what may be found.
        scope: bool[n]: what the open file can use, if that is known.
        text: the query.
    """
    text = without_preamble(text)
    query, table = NameQuery.of(text), WordTable.of_premises(own, tokens_of)
    settings = word_settings()
    known = query_words(text[:MAX_QUERY_CHARACTERS], settings.sign, settings.letter)
    english = {word: weight for word, weight in known.items() if not has_foreign_letters(word)}
    words = dict(islice(english.items(), MAX_QUERY_WORDS))
    found = snapshot.word_fields.matches(words, table, related_words())
    names = [NameSearch.of_names(premise.name for premise in own), *snapshot.searched_names]
    uses = np.concatenate([np.zeros(len(own), dtype=np.int32), snapshot.view.uses])
    fits, typed = name_scores(names, query, uses)
    by_name = fits + typed
    lists = [
        top(found.scores, _BY_WORDS, allowed & (found.scores > 0)),
        top(found.related, _BY_WORDS, allowed & (found.related > 0)),
        top(by_name, _BY_NAME, allowed & (by_name > 0)),
    ]
    ids = np.unique(np.concatenate(lists))
    flags = np.array([*map(flags_of, own)], dtype=np.uint8)
    groups = np.array([group_of(one.kind, is_theorem=is_theorem(one)) for one in own], dtype=np.int8)
    reached = np.full(len(allowed), 0.5) if scope is None else np.append(np.ones(len(own)), scope)
    marks = np.concatenate([flags, snapshot.view.flags])[ids]
    kinds = kind_columns(np.concatenate([groups, snapshot.kind_groups])[ids])
    is_short = len(words) <= _SHORT
    rows = np.column_stack(
        [
            found.scores[ids],
            found.related[ids],
            found.name_cover[ids],
            np.log1p(snapshot.word_fields.doc_lengths(table)[ids]),
            fits[ids],
            np.log(np.concatenate([part.lengths for part in names])[ids]),
            np.log1p(uses[ids]),
            kinds[:, 1:],  # not that of definitions
            (marks & Flag.GENERATED) != 0,
            (marks & Flag.DEPRECATED) != 0,
            reached[ids],
            is_short * np.column_stack([found.scores[ids], fits[ids], np.log1p(uses[ids])]),
        ]
    ).astype(np.float32)
    scorer = Fusion(COLUMNS, tuple(settings.weights[name] for name in COLUMNS))
    sums = scorer.score(rows) - settings.floor
    cover = float(found.cover[ids[top(sums, _LOOKED_AT)]].max(initial=0.0))
    least = (_KNOWN if found.unknown < 1 else _UNKNOWN) / max(1.0, sum(words.values()))
    is_covered = not snapshot.word_fields.has_docs or cover >= max(settings.least_cover, least)
    fit_well = bool(words) and is_covered and (cover >= _ENOUGH or bool((sums > 0).any()))
    return RankedWords(ids, _chance(sums), ScoredTable(scorer, rows), fit_well)


def _chance(sums: Floats) -> Floats:
    """float32[m] in (0, 1): the logistic function, flat enough that float32 keeps the order."""
    return np.asarray(1 / (1 + np.exp(-sums.astype(np.float64) / _FLATNESS)), dtype=np.float32)
