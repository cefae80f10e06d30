"""Match statements with proofs: MRR and accuracy of runs under local and global decoding.

python -m retriever match-evaluate PAIRS.jsonl [--run RUN ...] [--part valid|test]
    [--replacement LEVEL ...] [--modality both|text|math] [--decoding local|global] [--plain] [--json FILE]

PAIRS.jsonl is a file that `match-build` wrote, or a folder of the authors' release. TF-IDF is measured
and the runs, with frequencies as they are (the thesis' baseline) and by their logarithms. Every statement
is ranked against all proofs of the part; a run is tested at its own level of symbol replacement unless others
are named, and on its own kind of tokens. Figures are percent with a 95% bootstrap interval over statements.
Global decoding needs the package `lap`. Table 3.1 is printed of every local decoding.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lean_extract.common.errors import BadRecords
from lean_extract.common.verbs import add_json_option, write_json
from retriever.metrics.bootstrap import table
from retriever.proof_matching.decoding import global_decoding, local_decoding
from retriever.proof_matching.evaluation.report import (
    NO_TRAINING,
    Decoding,
    MatchRow,
    count_table,
)
from retriever.proof_matching.metrics import (
    COLUMNS,
    StatementCounts,
    assignment_counts,
    assignment_figures,
    own_ranks,
    ranking_figures,
)
from retriever.proof_matching.pairs import load_pairs, of_modality
from retriever.proof_matching.schema import LEVELS, MODALITIES, Level, Modality, StatementProof
from retriever.proof_matching.tfidf import tfidf_scores
from retriever.proof_matching.training.matcher import OpenMatcher, open_matcher
from retriever.search.splits import Split

DECODINGS: tuple[Decoding, ...] = ("local", "global")
BASELINES = {"TF-IDF": False, "TF-IDF, log": True}
"""Name -> whether repetition counts by its logarithm."""


@dataclass(frozen=True, slots=True)
class Tested:
    """The pairs that models are held against."""

    pairs: Sequence[StatementProof]
    part: Split
    level: Level
    digest: str


@dataclass(frozen=True, slots=True)
class Result:
    """A model's rows, and how often its local decoding takes each proof."""

    rows: tuple[MatchRow, ...]
    counts: StatementCounts


def open_part(source: Path, part: Split, level: Level) -> Tested:
    """A part's pairs at a level. Raises BadRecords when there are none."""
    loaded = load_pairs(source, level, (part,))
    pairs = loaded.pairs.part(part)
    if not pairs:
        raise BadRecords(f"{source} has no pairs of the part {part}.", "Build a larger set.")
    return Tested(pairs, part, level, loaded.digest)


def baseline(
    name: str, tested: Tested, modality: Modality = "both", decodings: Sequence[Decoding] = DECODINGS
) -> Result:
    """One of `BASELINES` on the pairs."""
    statements, proofs = (
        [of_modality(side, modality) for side in sides]
        for sides in zip(*((pair.statement, pair.proof) for pair in tested.pairs), strict=True)
    )
    scores = tfidf_scores(statements, proofs, damped=BASELINES[name])
    return result_of(
        scores, MatchRow(name, NO_TRAINING, "local", None, tested.level, modality, {}), decodings
    )


def run_result(
    model: OpenMatcher,
    tested: Tested,
    modality: Modality | None = None,
    decodings: Sequence[Decoding] = DECODINGS,
) -> Result:
    """A run on the pairs."""
    config, chosen = model.config, modality or model.config.modality
    about = MatchRow(config.encoder, config.objective, "local", config.replacement, tested.level, chosen, {})
    return result_of(model.matrix(tested.pairs, chosen), about, decodings)


def result_of(
    scores: NDArray[np.float32], about: MatchRow, decodings: Sequence[Decoding] = DECODINGS
) -> Result:
    """The rows of a matrix of scores, gold pairs on its diagonal; `about` has all but the figures."""
    rows = []
    for decoding in decodings:
        if decoding == "local":
            figures = ranking_figures(own_ranks(scores))
        else:
            figures = assignment_figures(global_decoding(scores).proofs)
        rows.append(replace(about, decoding=decoding, figures=figures))
    return Result(tuple(rows), assignment_counts(local_decoding(scores), scores.shape[1]))


def _results(chosen: argparse.Namespace, runs: Sequence[Path]) -> Iterator[tuple[str, Tested, Result]]:
    """(name, what it was tested on, result) of all baselines and runs, level by level."""
    models = {run: open_matcher(run) for run in runs}
    own = [model.config.replacement for model in models.values()] or ["conservation"]
    for level in chosen.replacement or sorted(set(own), key=LEVELS.index):
        tested = open_part(chosen.pairs, chosen.part, level)
        for name in BASELINES:
            yield name, tested, baseline(name, tested, chosen.modality or "both", chosen.decoding)
        for run, model in models.items():
            if chosen.replacement or model.config.replacement == level:
                yield run.name, tested, run_result(model, tested, chosen.modality, chosen.decoding)


def report(rows: Sequence[MatchRow], *, intervals: bool = True) -> str:
    """All rows in one table."""
    lines = [
        [row.title, row.trained or "-", row.tested, row.modality, *row.cells(intervals=intervals)]
        for row in rows
    ]
    return table(["", "trained on", "tested on", "input", *COLUMNS], lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("pairs", type=Path, help="a file of pairs, or a folder of the authors' release")
    parser.add_argument("--run", type=Path, nargs="+", default=[], help="run folders of kind match")
    parser.add_argument(
        "--part", choices=("valid", "test"), default="valid", help="default: valid, the one to tune on"
    )
    parser.add_argument("--replacement", nargs="+", choices=LEVELS, help="default: each run's own")
    parser.add_argument("--modality", choices=MODALITIES, help="default: each run's own; TF-IDF's is both")
    parser.add_argument("--decoding", choices=DECODINGS, help="default: both")
    parser.add_argument("--plain", action="store_true", help="print no intervals")
    add_json_option(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    options.decoding = (options.decoding,) if options.decoding else DECODINGS
    found = list(_results(options, options.run))
    tested = found[0][1]
    print(f"{tested.part}: {len(tested.pairs):,} pairs; sha256 {tested.digest[:12]}\n")
    rows = [row for _, _, result in found for row in result.rows]
    print(report(rows, intervals=not options.plain))
    for name, one, result in found:
        print(f"\n{count_table(result.counts, f'{name} on {one.level}')}")
    models = [{"name": name, "tested": one.level, **asdict(result)} for name, one, result in found]
    about = {"part": tested.part, "pairs_sha256": tested.digest, "pairs": len(tested.pairs)}
    write_json(options.json, {**about, "models": models})
