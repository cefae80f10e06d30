"""Statement-proof pairs from a corpus in the NaturalProofs layout: Stacks and the books."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from retriever.documents.schema import Corpus, Statement
from retriever.proof_matching.readers.latex_text import read_text
from retriever.proof_matching.schema import StatementProof

_KIND = re.compile(r"theorem|lemma|proposition|corollary|thm|lem|prop|cor")
_LONG = {"thm": "theorem", "lem": "lemma", "prop": "proposition", "cor": "corollary"}


def corpus_pairs(corpus: Corpus, path: Path, complaints: list[str]) -> Iterator[StatementProof]:
    """A pair for each proof of each theorem, as yet without filters; `path` is the corpus' file.

    The topic of a theorem is its category and its source; the file's name is the source where it has none.
    Titles are left out. A formula that is never closed is read to the end of its line, with a complaint.
    """
    for theorem in corpus.theorems:
        name = theorem.label or f"id-{theorem.id}"
        category = theorem.categories[0] if theorem.categories else ""
        problems: list[str] = []
        statement = tuple(read_text("\n".join(theorem.contents), problems))
        for number, proof in enumerate(theorem.proofs):
            tokens = tuple(read_text("\n".join(proof.contents), problems))
            yield StatementProof(
                key=f"{name}#{number}",
                statement=statement,
                proof=tokens,
                kind=_kind(theorem),
                category=category,
                source=category or path.stem,
                location=f"{path.name}: {name}",
            )
        complaints.extend(f"{path}: {name}: {problem}." for problem in problems)


def _kind(theorem: Statement) -> str:
    """What the label says that it is, in `algebra-lemma-flat` or `body-prop:division`."""
    found = [part for part in re.split(r"[^a-z]+", theorem.label.lower()) if _KIND.fullmatch(part)]
    return _LONG.get(found[0], found[0]) if found else theorem.type
