"""A source in, a corpus in the released JSON layout out; prints the rows of Tables 3 and 14 (means).

    python -m retriever naturalproofs-build stacks|stein|trench|proofwiki SOURCE OUT.json

What does not fit in the source goes to standard error with its file and line, and the rest goes on. SOURCE is
a checkout of github.com/stacks/stacks-project or github.com/williamstein/ent (or the book's body.tex),
Trench's TRENCH_REAL_ANALYSIS.tex (or its folder), or an XML dump of ProofWiki.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from lean_extract.common.errors import BadSettings, BadSource
from lean_extract.common.terminal_text import complaints_printed
from retriever.documents.schema import Corpus
from retriever.documents.store import write_corpus
from retriever.naturalproofs.readers.books import read_stein, read_trench
from retriever.naturalproofs.readers.counts import figures, table
from retriever.naturalproofs.readers.proofwiki import read_proofwiki
from retriever.naturalproofs.readers.stacks import read_stacks

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
    print(table(figures(corpus)))
