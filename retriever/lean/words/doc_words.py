"""The words that are written about premises: their doc strings, and what the module docs of their file say of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lean_extract.records import Premise
from lean_extract.source.attributes.translation import TRANSLATIONS
from retriever.lean.tokens import premise_tokens
from retriever.lean.words.vocabulary import term_words, word_tokens
from retriever.limits import MAX_DOC_CHARACTERS

_PARTS = ("field", "constructor")
_MOST_OF_STATEMENT = 40


def doc_words(premises: Sequence[Premise]) -> Iterator[list[str]]:
    """The words about each of a file's premises.

    The translation of a declaration (`to_additive`) that has no doc string of its own has the words of the
    declaration's: they fit both, but only the declaration shows them. They do not fit what `simps` makes of it.
    A structure has the names of its fields, too, an inductive type those of its constructors.
    """
    docs = {premise.name: premise.doc for premise in premises if premise.doc}
    parts: dict[str, list[str]] = {}
    for premise in premises:
        whole, _, part = premise.name.rpartition(".")
        if premise.kind in _PARTS and part != "mk":
            parts.setdefault(whole, []).append(part)
    for premise in premises:
        is_translation = premise.generated_by in TRANSLATIONS
        doc = premise.doc or (docs.get(premise.generated_from or "", "") if is_translation else "")
        texts = (doc[:MAX_DOC_CHARACTERS], premise.module_doc or "", *parts.get(premise.name, ()))
        yield [word for text in texts if text for word in word_tokens(text)]


def statement_words(premise: Premise) -> list[str]:
    """Each word of a premise's statement that its name does not have, without letters alone."""
    own = {*word_tokens(premise.name)}
    words = dict.fromkeys(word for token in premise_tokens(premise) for word in term_words(token))
    return [word for word in words if len(word) > 1 and word not in own][:_MOST_OF_STATEMENT]
