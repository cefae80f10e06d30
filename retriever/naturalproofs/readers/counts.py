"""The figures of Tables 3 and 14: how many statements and proofs there are, and how long."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from retriever.documents.schema import Corpus, DocumentProof, Statement


@dataclass(frozen=True, slots=True)
class TextFigures:
    """Of one row's texts; what is not a number of them is a mean."""

    name: str
    number: int
    chars: float
    """Without line ends."""
    tokens: float
    """Split at white space, as the paper's figures are."""
    lines: float
    refs: float
    """Links that lead to a statement of the corpus, repeated as they are."""


def figures(corpus: Corpus) -> tuple[TextFigures, ...]:
    """The rows of Table 3, and of Table 4 the number of examples with their references an example."""
    proofs = [proof for theorem in corpus.theorems for proof in theorem.proofs]
    return (
        _row("Theorem", corpus.theorems),
        _row("Proof", proofs),
        _row("Definition", corpus.definitions),
        _row("Other", corpus.others),
        _row("Example", [proof for proof in proofs if proof.ref_ids]),
    )


def table(rows: Iterable[TextFigures]) -> str:
    """The rows as a Markdown table."""
    head = ["| | N | Chars | Tokens | Lines | Refs |", "|---|---|---|---|---|---|"]
    return "\n".join((*head, *map(_line, rows)))


def _line(row: TextFigures) -> str:
    if not row.number:
        return f"| {row.name} | 0 | - | - | - | - |"
    means = " | ".join(f"{mean:,.1f}" for mean in (row.chars, row.tokens, row.lines, row.refs))
    return f"| {row.name} | {row.number:,} | {means} |"


def _row(name: str, texts: Iterable[Statement | DocumentProof]) -> TextFigures:
    sizes = [
        (
            sum(map(len, one.contents)),
            sum(len(line.split()) for line in one.contents),
            len(one.contents),
            len(one.ref_ids),
        )
        for one in texts
    ]
    if not sizes:
        return TextFigures(name, 0, 0.0, 0.0, 0.0, 0.0)
    return TextFigures(name, len(sizes), *(fmean(column) for column in zip(*sizes, strict=True)))
