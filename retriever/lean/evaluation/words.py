"""How well an index answers queries in words: the benchmark MathlibQR (LeanSearch v2, arXiv 2605.13137).

    python -m retriever evaluate-words QUERIES [--style NAME ...] [--index FOLDER] [--all] [--missed] [--json FILE]

QUERIES is a JSON list of declarations, each with `full_name` and its queries by style. A query has one right answer,
so nDCG@10 is 1 / log2(1 + rank) where the rank is at most 10. Names that the index does not have count as misses.
Without --all, only the queries on which all published systems are compared (`shared`).
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.errors import BadRecords, BadSettings
from lean_extract.common.files.json_text import read_json
from lean_extract.common.typed import read_value
from lean_extract.common.verbs import write_json
from retriever.lean.index import bundled
from retriever.lean.service import PremiseService
from retriever.lean.text_search import search_words
from retriever.metrics.ranking import ndcg_at, recall_at
from retriever.search.index.store import IndexStore

STYLES: Mapping[str, str] = {
    "lean": "q1a_lean",
    "latex": "q1b_latex",
    "natural": "q1c_natural",
    "slogan": "q2_slogan",
    "nickname": "q3_nickname",
    "special": "q4_special_case",
    "verbatim": "verbatim",
    "reworded": "reworded",
    "question": "question",
}
"""The styles, each with its field: those of MathlibQR, and of queries about one's own declarations."""
PUBLISHED = (
    ("LeanSearch v2", 0.623, 0.780),
    ("octo 0.3.3", 0.564, 0.730),
    ("Lean Finder", 0.533, 0.698),
    ("LeanSearch v2 without re-ranker", 0.494, 0.657),
    ("LeanExplore", 0.393, 0.569),
)
"""nDCG@10 and R@10 that others published, on all 810 shared queries."""
FIRST = 10
_DEPTHS = (1, FIRST, 100)
COLUMNS = (f"nDCG@{FIRST}", *(f"R@{k}" for k in _DEPTHS))


@dataclass(frozen=True, slots=True)
class WordQuery:
    """A query in words, the full name of its one right answer, and its style."""

    text: str
    gold: str
    style: str
    is_shared: bool
    """Whether published systems are compared on it."""


@dataclass(frozen=True, slots=True)
class WordAnswer:
    """What was found for a query."""

    query: WordQuery
    found: tuple[str, ...]
    """The names, best first."""

    @property
    def figures(self) -> list[float]:
        """The metrics of `COLUMNS`."""
        return figures_of(self.found.index(self.query.gold) if self.query.gold in self.found else None)


def figures_of(place: int | None) -> list[float]:
    """The metrics of `COLUMNS` where the right answer is at this place, from 0; None: nowhere."""
    grades = [0.0] * (place or 0) + [float(place is not None)]
    gold = {-1 if place is None else place}
    return [ndcg_at(grades, [1.0], FIRST), *(recall_at(range(len(grades)), gold, k) for k in _DEPTHS)]


def read(path: Path, styles: Sequence[str] = tuple(STYLES), *, shared_only: bool = True) -> list[WordQuery]:
    """The queries of a file. Raises OSError, BadRecords."""
    try:
        rows = read_value(tuple[dict[str, Any], ...], read_json(path))
        return [
            WordQuery(text, str(row["full_name"]), style, bool(row["shared"]))
            for row in rows
            if row["shared"] or not shared_only
            for style in styles
            if (text := str(row.get(STYLES[style], "")).strip())
        ]
    except (ValueError, KeyError) as error:
        raise BadRecords(f"{path} is not a list of queries: {error}.", "See the docstring.") from error


def answers_of(service: PremiseService, queries: Sequence[WordQuery]) -> list[WordAnswer]:
    """The first answers of an index to each query. Raises what `PremiseService.rank` raises."""
    return [
        WordAnswer(query, tuple(one.premise.name for one in search_words(service, query.text, max(_DEPTHS))))
        for query in queries
    ]


def missing_names(service: PremiseService, queries: Sequence[WordQuery]) -> list[str]:
    """The right answers that the index does not have."""
    names = sorted({query.gold for query in queries})
    with service.reading() as snapshot:
        ids = snapshot.names.find_names(names)
    return [name for name, number in zip(names, ids.tolist(), strict=True) if number < 0]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("queries", type=Path, metavar="QUERIES")
    parser.add_argument("--style", choices=STYLES, nargs="+", default=list(STYLES), help="default: all")
    add_index_options(parser)
    parser.add_argument("--all", action="store_true", help="also queries that published systems do not share")
    parser.add_argument(
        "--missed", action="store_true", help="print the queries with no hit in the first ten"
    )
    parser.add_argument("--json", type=Path, help="write the figures to this file")


def add_index_options(parser: argparse.ArgumentParser) -> None:
    """Declare which indexes are searched, and by which model."""
    parser.add_argument("--index", type=Path, nargs="+", help="folders of indexes; default: the bundled one")
    parser.add_argument("--bundled", action="store_true", help="the bundled index beside those of --index")
    parser.add_argument("--model", type=Path, default=bundled.DATA.parent / "encoder")


@contextmanager
def opened(folders: Sequence[Path], model: Path, *, is_bundled: bool) -> Iterator[PremiseService]:
    """The service over indexes, and over the bundled one, too. Raises what `PremiseService.open` raises."""
    with tempfile.TemporaryDirectory() as cache:
        stores = list(map(IndexStore, folders))
        if is_bundled:
            stores.append(bundled.unpack(Path(cache)))
        yield PremiseService.open(stores, model)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    queries = read(options.queries, options.style, shared_only=not options.all)
    if not queries:
        raise BadSettings(f"{options.queries} has no query of these styles.", "Try --all.")
    folders = options.index or ()
    with opened(folders, options.model, is_bundled=options.bundled or not folders) as service:
        answers, missing = answers_of(service, queries), missing_names(service, queries)
    styles = [*dict.fromkeys(query.style for query in queries), "all"]
    rows = {
        style: _row([answer for answer in answers if style in (answer.query.style, "all")])
        for style in styles
    }
    about = {
        "data": hashlib.sha256(options.queries.read_bytes()).hexdigest()[:16],
        "queries": len(queries),
        "declarations": len({query.gold for query in queries}),
        "missing": len(missing),
    }
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    print(f"\n{_markdown(rows)}")
    if options.missed:
        _print_missed(answers, missing)
    if options.json:
        write_json(options.json, {**about, "rows": rows})


def _row(answers: Sequence[WordAnswer]) -> dict[str, float]:
    means = np.mean([answer.figures for answer in answers], axis=0)
    return {"queries": len(answers)} | dict(zip(COLUMNS, means.round(4).tolist(), strict=True))


def _markdown(rows: Mapping[str, Mapping[str, float]]) -> str:
    """The table, with what others published below."""
    lines = [f"| | queries | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 2) + "|"]
    for style, row in rows.items():
        figures = " | ".join(f"{row[name]:.3f}" for name in COLUMNS)
        lines.append(f"| {style} | {row['queries']} | {figures} |")
    lines += [
        f"| {name} (published) | 810 | {ndcg:.3f} | | {recall:.3f} | |" for name, ndcg, recall in PUBLISHED
    ]
    return "\n".join(lines)


def _print_missed(answers: Sequence[WordAnswer], missing: Sequence[str]) -> None:
    if missing:
        print(f"\nnot in the index: {', '.join(missing)}")
    for answer in answers:
        if answer.query.gold not in answer.found[:FIRST]:
            print(f"\n{answer.query.style}: {answer.query.text}\n  wanted {answer.query.gold}")
            print(f"  found {', '.join(answer.found[:FIRST])}")
