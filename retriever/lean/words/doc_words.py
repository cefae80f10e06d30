"""The words that are written about premises: their doc strings, and what the module docs of their file say of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lean_extract.records import Premise
from retriever.lean.words.vocabulary import word_tokens
from retriever.limits import MAX_DOC_CHARACTERS


def doc_words(premises: Sequence[Premise]) -> Iterator[list[str]]:
    """The words about each of a file's premises.

    What an attribute makes of a declaration (`to_additive`), if it has no doc string of its own, has the words of the
    declaration's: they fit both, but only the declaration shows them.
    """
    docs = {premise.name: premise.doc for premise in premises if premise.doc}
    for premise in premises:
        doc = premise.doc or docs.get(premise.generated_from or "", "")
        texts = (doc[:MAX_DOC_CHARACTERS], premise.module_doc or "")
        yield [word for text in texts if text for word in word_tokens(text)]
