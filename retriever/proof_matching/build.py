"""Statement-proof pairs from articles or from a corpus, as one file.

    python -m retriever match-build arxmliv FOLDER OUT [--kind mixed|unmixed] [--seed N] [--categories FILE]
    python -m retriever match-build naturalproofs CORPUS.json [...] OUT [--kind mixed|unmixed] [--seed N]

FOLDER has articles in XHTML or HTML with MathML, as arXMLiv has them (one file is taken too); --categories
names a file with a line `ARTICLE<tab>math.AG|math.NT` for each, ARTICLE being its file's name without suffix.
CORPUS.json is a file that `naturalproofs-build` wrote. Prints Tables 3.2 and 3.3 of the thesis for what was
written; --kind mixed may have pairs of one article in several parts, unmixed has not.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TypeVar

import numpy as np
from tqdm import tqdm

from lean_extract.common.errors import BadSource
from lean_extract.common.terminal_text import complaints_printed
from retriever.documents.store import read_corpus
from retriever.proof_matching.readers.arxmliv import article_files, article_pairs, read_categories
from retriever.proof_matching.readers.filters import SetKind, english, kept, split, with_own_keys
from retriever.proof_matching.readers.latex_pairs import corpus_pairs
from retriever.proof_matching.schema import StatementProof, StatementProofs, Token
from retriever.proof_matching.store import write_pairs
from retriever.search.splits import SPLITS

_Item = TypeVar("_Item")
_MOST = 13
"""Categories shown, as many as in Table 3.2."""


def _build(
    found: Iterable[StatementProof], kind: SetKind, seed: int, complaints: list[str], dropped: Counter[str]
) -> StatementProofs:
    """The set of the pairs that are kept of those found. Raises BadSource when there is none.

    Pairs of one article follow each other. `dropped` counts what is left out, by reason.
    """

    def renamed(pair: StatementProof, key: str) -> StatementProof:
        complaints.append(f"{pair.location}: {pair.key} is there before; this one is {key}.")
        return replace(pair, key=key)

    articles = (tuple(group) for _, group in groupby(found, key=lambda pair: pair.source))
    spoken = (pair for article in articles for pair in english(article, dropped))
    pairs = split(with_own_keys(kept(spoken, dropped), renamed), kind, seed, dropped)
    if not pairs.pairs:
        reasons = (
            ", ".join(f"{reason}: {number:,}" for reason, number in dropped.items()) or "none were found"
        )
        raise BadSource(f"No statement-proof pair is left: {reasons}.", "Name another source.")
    return pairs


def _from_corpora(paths: Sequence[Path], complaints: list[str]) -> Iterator[StatementProof]:
    for path in paths:
        corpus, _ = read_corpus(path, complaints)
        total = sum(len(theorem.proofs) for theorem in corpus.theorems)
        yield from _shown(corpus_pairs(corpus, path, complaints), total, "pairs")


def _from_articles(
    source: Path, categories: Path | None, complaints: list[str], dropped: Counter[str]
) -> Iterator[StatementProof]:
    topics = read_categories(categories, complaints) if categories else {}
    files = article_files(source)
    root = source if source.is_dir() else source.parent
    for path in _shown(files, len(files), "articles"):
        yield from article_pairs(path, root, topics, complaints, dropped)


def _shown(items: Iterable[_Item], total: int, unit: str) -> Iterator[_Item]:
    yield from tqdm(items, total=total, unit=f" {unit}", disable=not sys.stderr.isatty())


def tables(pairs: StatementProofs) -> str:
    """Tables 3.2 and 3.3 as Markdown, for a set with at least one pair."""
    return "\n\n".join(("\n".join(_corpus(pairs)), "\n".join(_lengths(pairs))))


def _corpus(pairs: StatementProofs) -> list[str]:
    articles: defaultdict[str, set[str]] = defaultdict(set)
    for pair in pairs.pairs:
        articles[pair.category or "-"].add(pair.source)
    by_category = Counter(pair.category or "-" for pair in pairs.pairs)
    kinds = Counter(pair.kind for pair in pairs.pairs)
    parts = Counter(pairs.splits[pair.key] for pair in pairs.pairs)
    sources = len({pair.source for pair in pairs.pairs})
    lines = [
        "| Table 3.2 | articles | pairs |",
        "|---|---|---|",
        f"| All | {sources:,} | {len(pairs.pairs):,} |",
        f"| Pairs an article | | {len(pairs.pairs) / max(sources, 1):.1f} |",
        f"| Categories | | {len(by_category):,} |",
    ]
    lines += [
        f"| {name} | {len(articles[name]):,} | {number:,} |"
        for name, number in by_category.most_common(_MOST)
    ]
    lines += [f"| *{name}* | | {number:,} |" for name, number in kinds.most_common()]
    return lines + [f"| part: {part} | | {parts[part]:,} |" for part in SPLITS]


def _lengths(pairs: StatementProofs) -> list[str]:
    lines = ["| Table 3.3 | min | max | mean ± SD |", "|---|---|---|---|"]
    spelled: tuple[set[str], set[str]] = (set(), set())
    for side in ("statement", "proof"):
        texts: list[Sequence[Token]] = [getattr(pair, side) for pair in pairs.pairs]
        math = np.array([sum(token.is_math for token in text) for text in texts])
        all_ = np.array([len(text) for text in texts])
        lines.append(f"| **{side.capitalize()}s** | | | |")
        for name, column in (("Text+math", all_), ("Text only", all_ - math), ("Math only", math)):
            lines.append(
                f"| {name} | {column.min():,} | {column.max():,} | {column.mean():.0f} ± {column.std():.0f} |"
            )
        share = 100 * math / np.maximum(all_, 1)
        mean = f"{share.mean():.0f}% ± {share.std():.0f}"
        lines.append(f"| Math proportion | {share.min():.1f}% | {share.max():.1f}% | {mean} |")
        for token in (token for text in texts for token in text):
            spelled[token.is_math].add(token.spelled)
    return [
        *lines,
        f"| Vocabulary: text | | | {len(spelled[0]):,} |",
        f"| Vocabulary: math | | | {len(spelled[1]):,} |",
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    commands = parser.add_subparsers(dest="corpora", required=True)
    articles = commands.add_parser("arxmliv", help="from articles in XHTML with MathML")
    articles.add_argument("source", type=Path, help="a folder, or one file")
    articles.add_argument("--categories", type=Path, help="a file with the categories of each article")
    corpora = commands.add_parser("naturalproofs", help="from files of the NaturalProofs layout")
    corpora.add_argument("corpus", type=Path, nargs="+", help="JSON files")
    for command in (articles, corpora):
        command.add_argument("out", type=Path, help="the file to write")
        command.add_argument("--kind", choices=("mixed", "unmixed"), default="mixed", help="of parts")
        command.add_argument("--seed", type=int, default=0, help="of the draw of parts")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    dropped: Counter[str] = Counter()
    try:
        with complaints_printed() as complaints:
            if options.corpora == "arxmliv":
                found = _from_articles(options.source, options.categories, complaints, dropped)
            else:
                found = _from_corpora(options.corpus, complaints)
            pairs = _build(found, options.kind, options.seed, complaints, dropped)
            write_pairs(options.out, pairs)
    finally:
        for reason, number in dropped.most_common():
            print(f"left out: {reason}: {number:,}", file=sys.stderr)
    print(tables(pairs))
