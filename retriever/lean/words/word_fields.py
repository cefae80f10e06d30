"""The words of premises that the word vectors read: of the name, of what is written about it, of the statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lean_extract.records import Premise
from retriever.lean.tokens import name_parts, premise_tokens
from retriever.lean.words.doc_words import doc_words
from retriever.lean.words.vocabulary import term_words, word_tokens


def field_words(premises: Sequence[Premise]) -> Iterator[tuple[list[str], list[str], list[str]]]:
    """The words of each of a file's premises, in the order of `words.fields.FIELDS`."""
    for premise, about in zip(premises, doc_words(premises), strict=True):
        tokens = premise_tokens(premise)[len(name_parts(premise.name)) :]
        yield word_tokens(premise.name), about, [word for token in tokens for word in term_words(token)]
