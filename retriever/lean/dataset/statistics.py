"""The paper's Table 2 and Figure 3 for datasets of ours.

    python -m retriever statistics DATASET [DATASET ...] [--records RECORDS] [--svg FILE]

A row for each part of each dataset: theorems, queries, gold premises of a statement, and, with the RECORDS
that they were built from, proof length and premise frequency (`strategies.py` says how these are counted),
of all proofs and of tactic proofs alone, as the paper has no others. Below, how long contexts are and how
many premises a tactic names, over the first dataset; `--svg` draws both.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from lean_extract.common.files.atomic import replacing
from lean_extract.common.terminal_text import complaints_printed
from retriever.lean.dataset.dataset import Dataset, DatasetManifest, load_dataset
from retriever.lean.dataset.resplit import facts_for
from retriever.lean.dataset.strategies import ProofFacts, ProofSize
from retriever.metrics.bootstrap import table
from retriever.metrics.charts import Histogram, as_svg, as_text, require_charts
from retriever.search.splits import SPLITS, Split

_HEADER = (
    "Split", "Part", "Theorems", "Statements", "Inner goals", "Traced states", "Gold", "Proof length",
    "Premise frequency", "Length, tactic proofs", "Frequency, tactic proofs", "Pool",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PartFigures:
    """A row of Table 2. Means are None where there is nothing to take them of."""

    part: Split
    theorems: int
    queries: dict[str, int]
    """By origin."""
    gold: float | None
    """Mean gold premises of a statement."""
    length: float | None
    frequency: float | None
    tactic_length: float | None
    tactic_frequency: float | None
    pool: int


def _figures_of(dataset: Dataset, part: Split, facts: ProofFacts | None) -> PartFigures:
    """The row of one part; without facts no proof is known."""
    queries = [query for query in dataset.queries if query.split == part]
    theorems = {query.theorem for query in queries}
    sizes = [facts.sizes[name] for name in theorems if name in facts.sizes] if facts else []
    tactic = [size for size in sizes if size.is_tactic]
    return PartFigures(
        part,
        len(theorems),
        dict(Counter(query.origin for query in queries)),
        _mean([len(query.gold) for query in queries if query.origin == "statement"]),
        *_length_and_frequency(sizes),
        *_length_and_frequency(tactic),
        len(dataset.corpus),
    )


def _length_and_frequency(sizes: Sequence[ProofSize]) -> tuple[float | None, float | None]:
    return _mean([size.length for size in sizes]), _mean([size.frequency for size in sizes])


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _table_2(rows: Iterable[tuple[str, PartFigures]]) -> str:
    """Table 2 as Markdown: the name of each row's split, and its figures."""
    lines = []
    for name, row in rows:
        counts = [f"{row.queries.get(origin, 0):,}" for origin in ("statement", "inner", "step")]
        means = (row.gold, row.length, row.frequency, row.tactic_length, row.tactic_frequency)
        shown = ["-" if mean is None else f"{mean:.2f}" for mean in means]
        lines.append([name, row.part, f"{row.theorems:,}", *counts, *shown, f"{row.pool:,}"])
    return table(_HEADER, lines)


def _figure_3(dataset: Dataset, facts: ProofFacts | None) -> tuple[Histogram, ...]:
    """Context lengths of all states and, with facts, premises of the tactics that name any."""
    contexts = (sum(len(item.names) for item in query.goal.hypotheses) for query in dataset.queries)
    lengths = Histogram.of("Context length (variables of a state)", contexts, width=3, bars=12)
    if facts is None:
        return (lengths,)
    named = (count for size in facts.sizes.values() if size.is_tactic for count in size.counts if count)
    return lengths, Histogram.of(
        "Premise number (of a tactic that names any)", named, width=1, bars=10, first=1
    )


def _report(
    folders: Sequence[Path],
    records: Path | None,
    complaints: list[str] | None = None,
) -> tuple[Histogram, ...]:
    """Print Table 2 of the datasets; returns Figure 3 of the first. Raises BadRecords."""
    rows: list[tuple[str, PartFigures]] = []
    histograms: tuple[Histogram, ...] = ()
    facts: ProofFacts | None = None
    for folder in folders:
        dataset = load_dataset(folder, complaints)
        if records is not None:
            facts = facts_for(dataset, records, complaints, known=facts)
        histograms = histograms or _figure_3(dataset, facts)
        rows += [(dataset.manifest.strategy, _figures_of(dataset, part, facts)) for part in SPLITS]
        print(_summary(dataset.manifest))
    print(f"\n{_table_2(rows)}")
    return histograms


def _summary(manifest: DatasetManifest) -> str:
    lost = ", ".join(f"{count:,} {kind}" for kind, count in (manifest.left_out or {}).items())
    return f"- `{manifest.strategy}`: data `{manifest.digest[:16]}`; left out: {lost or 'nothing'}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("datasets", type=Path, nargs="+", help="dataset folders")
    parser.add_argument("--records", type=Path, help="the records that all of them were built from")
    parser.add_argument("--svg", type=Path, help="where to draw Figure 3")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    if options.svg:
        require_charts()
    with complaints_printed() as complaints:
        histograms = _report(options.datasets, options.records, complaints)
    for histogram in histograms:
        print(f"\n{as_text(histogram)}")
    if options.svg:
        with replacing(options.svg) as stream:
            stream.write(as_svg(histograms))
