"""The numbers of the ranking for queries in words: `ranking.json`, and what its columns are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lean_extract.common.files.json_text import read_json
from lean_extract.common.typed import read_typed
from retriever.lean.words.fields import FIELDS, FieldParameters, WordFields, WordTable

COLUMNS = (
    "lexical",  # BM25F, in [0, 1]
    "lexical_related",  # the same where related words count in part
    "name_cover",  # the share of the query's words that its name has, in [0, 1]
    "lexical_doc_length",  # ln(1 + how many words are written about it)
    "name_fit",  # how well the name's words and the query's are the same, in [0, 1]
    "name_length",  # ln of the name's number of words
    "use_count",  # ln(1 + how many training proofs use it)
    "kind_instance",
    "kind_structure",
    "kind_member",
    "kind_generated",  # 1 if an attribute made it of another declaration
    "kind_deprecated",
    "in_scope",  # 1 if the open file can use it, 0 if not, 0.5 if that is not known
    "lexical_short",  # `lexical` for a query of few words, else 0: there a name says more
    "name_fit_short",
    "use_count_short",
)


@dataclass(frozen=True, slots=True)
class WordSettings:
    """`ranking.json`."""

    k1: float
    fields: Mapping[str, FieldParameters]
    """Of each of FIELDS."""
    sign: float
    """What the word of a sign counts, where a word as such counts 1 (`vocabulary.query_words`)."""
    letter: float
    """The same of a letter or a digit alone."""
    weights: Mapping[str, float]
    """Of each of COLUMNS."""
    floor: float
    """The weighted sum that the best premise has to have."""
    least_cover: float
    """The share of the query's words, weighted by idf, that one of the best premises has to have."""
    fitted_on: str


@lru_cache(maxsize=1)
def word_settings() -> WordSettings:
    """The shipped numbers."""
    return read_typed(WordSettings, read_json(Path(__file__).with_name("ranking.json")))


def word_fields(tables: Sequence[WordTable]) -> WordFields:
    """The words of several tables with the shipped parameters."""
    chosen = word_settings()
    return WordFields(tables, [chosen.fields[name] for name in FIELDS], chosen.k1)
