"""A source in, a corpus in the released JSON layout out; prints the rows of Tables 3 and 14 (means).

    python -m retriever naturalproofs-build stacks|stein|trench|proofwiki SOURCE OUT.json

What does not fit in the source goes to standard error with its file and line, and the rest goes on. SOURCE is
a checkout of github.com/stacks/stacks-project or github.com/williamstein/ent (or the book's body.tex),
Trench's TRENCH_REAL_ANALYSIS.tex (or its folder), or an XML dump of ProofWiki.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from lean_extract.common.errors import BadSettings, BadSource
from lean_extract.common.terminal_text import complaints_printed
from retriever.documents.schema import Corpus, DocumentProof, Statement
from retriever.documents.store import write_corpus
from retriever.metrics.bootstrap import table
from retriever.naturalproofs.readers.latex_sources import read_stacks, read_stein, read_trench
from retriever.naturalproofs.readers.proofwiki import read_proofwiki

KINDS = ("stacks", "stein", "trench", "proofwiki")


def build(kind: str, source: Path, complaints: list[str], published: bool = False) -> Corpus:
    """The corpus of a source of a kind (see `KINDS`).

    With `published`, LaTeX is counted as the authors' scripts do. Raises BadSource when nothing can be read,
    BadSettings when there is no such kind.
    """
    if kind == "proofwiki":
        if published:
            raise BadSettings("--published is for LaTeX sources.", "Leave it out for ProofWiki.")
        return read_proofwiki(source, complaints, quiet=not sys.stderr.isatty())
    readers = {"stacks": read_stacks, "stein": read_stein, "trench": read_trench}
    if kind not in readers:
        raise BadSettings(f"There is no source {kind!r}.", f"Choose one of {', '.join(KINDS)}.")
    corpus = readers[kind](source, complaints, published)
    if not corpus.statements:
        raise BadSource(f"{source} has no statement in the environments of {kind}.", "Name another source.")
    return corpus


def figures_table(corpus: Corpus) -> str:
    """The rows of Tables 3 and 14 as Markdown: how many texts there are, and means over them.

    Tokens are what is between white space, as the paper's figures are; references are links that lead to a
    statement of the corpus, repeated as they are. The last row has the number of examples of Table 4.
    """
    proofs = [proof for theorem in corpus.theorems for proof in theorem.proofs]
    rows: dict[str, Sequence[Statement | DocumentProof]] = {
        "Theorem": corpus.theorems,
        "Proof": proofs,
        "Definition": corpus.definitions,
        "Other": corpus.others,
        "Example": [proof for proof in proofs if proof.ref_ids],
    }
    columns = ["", "N", "Chars", "Tokens", "Lines", "Refs"]
    return table(columns, [[name, f"{len(texts):,}", *_means(texts)] for name, texts in rows.items()])


def _means(texts: Sequence[Statement | DocumentProof]) -> list[str]:
    if not texts:
        return ["-"] * 4
    means = (
        fmean(sum(map(len, one.contents)) for one in texts),
        fmean(sum(len(line.split()) for line in one.contents) for one in texts),
        fmean(len(one.contents) for one in texts),
        fmean(len(one.ref_ids) for one in texts),
    )
    return [f"{mean:,.1f}" for mean in means]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("kind", choices=KINDS, help="what the source is")
    parser.add_argument("source", type=Path, help="a folder or a file")
    parser.add_argument("out", type=Path, help="the JSON file to write")
    parser.add_argument(
        "--published",
        action="store_true",
        help="count as the authors' scripts do: gives the paper's figures, with their oversights",
    )


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    with complaints_printed() as complaints:
        corpus = build(options.kind, options.source, complaints, options.published)
        write_corpus(options.out, corpus)
    print(figures_table(corpus))
