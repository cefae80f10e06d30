"""Train and measure the matchers of the thesis' tables, and print Tables 3.1, 7.1, 7.2 and 7.3 of ours.

    python -m retriever match-experiments PAIRS OUT [--scale cpu|gpu] [--part valid|test]
        [--only NAME ...] [--minutes M] [--seed N] [--presets FOLDER] [--table 3.1|7.1|7.2|7.3]
        [--print] [--plain]

What is made goes to the folder OUT: the vocabulary, a run a matcher, a file of rows a matcher and part.
A finished row is kept and not made again; a stopped run goes on where it was. PAIRS is a file
that `match-build` wrote, or a folder of the authors' release. --scale gpu trains with the sizes of the thesis.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path

from lean_extract.common.files.atomic import replacing
from retriever.evaluation.experiments import ExperimentRun, make_rows
from retriever.proof_matching.evaluation.evaluate import BASELINES, DECODINGS, baseline, open_part, run_result
from retriever.proof_matching.evaluation.plan import Planned, Scale, all_runs, stages_of
from retriever.proof_matching.evaluation.report import (
    TABLES,
    FinishedMatcher,
    MatchRow,
    read_finished,
    report,
    write_finished,
)
from retriever.proof_matching.metrics import StatementCounts
from retriever.proof_matching.schema import LEVELS, MODALITIES
from retriever.proof_matching.store import digest_of
from retriever.proof_matching.training.matcher import open_matcher
from retriever.proof_matching.vocabulary import vocabulary_of
from retriever.search.splits import Split


@dataclass(frozen=True, slots=True)
class _MatchExperiments:
    """The matchers of the tables, and the folder where they are made."""

    pairs: Path
    folder: Path
    scale: Scale
    part: Split
    digest: str
    """Of the pairs."""
    seed: int = 0
    presets: tuple[Path, ...] | None = None
    """Folders to read presets from; None: those of the corpora."""
    run: ExperimentRun = field(default_factory=ExperimentRun)

    def row_file(self, name: str) -> Path:
        """Where a matcher's finished rows are kept."""
        return self.folder / "rows" / f"{name}-{self.part}.json"

    def baselines(self) -> None:
        """The rows of TF-IDF, unless they are there."""
        for name in BASELINES:
            if self.row_file(name).exists():
                continue
            rows: list[MatchRow] = []
            counts: dict[str, StatementCounts] = {}
            for level in LEVELS:
                tested = open_part(self.pairs, self.part, level)
                for modality in MODALITIES:
                    result = baseline(name, tested, modality)
                    rows += result.rows
                    if modality == "both":
                        counts[level] = result.counts
            self._keep(FinishedMatcher(name, tuple(rows), counts, 0.0))

    def is_finished(self, planned: Planned) -> bool:
        """Whether a matcher was measured before."""
        return self.row_file(planned.name).exists()

    def make(self, planned: Planned) -> None:
        """Train and measure one matcher. Raises ExperimentStopped, ModelError, BadRecords."""
        self._vocabulary()
        stages = stages_of(planned, self.pairs, self.folder, self.scale, self.seed, self.presets)
        seconds = sum(self.run.train(stage).seconds for stage in stages)
        model = open_matcher(stages[-1].run)
        rows: list[MatchRow] = []
        counts: dict[str, StatementCounts] = {}
        for level in planned.tested:
            tested = open_part(self.pairs, self.part, level)
            result = run_result(model, tested, None, DECODINGS if level == planned.level else ("local",))
            rows += result.rows
            counts[level] = result.counts
        self._keep(FinishedMatcher(planned.name, tuple(rows), counts, seconds))

    def _vocabulary(self) -> None:
        path = self.folder / "tokenizer.json"
        if not path.exists():
            with replacing(path) as stream:
                stream.write(vocabulary_of(self.pairs).to_str())

    def _keep(self, finished: FinishedMatcher) -> None:
        write_finished(self.row_file(finished.name), finished, self.digest)

    def finished(self) -> list[FinishedMatcher]:
        """What is done, in the order of the plan. Raises BadSettings when a row is of other pairs."""
        names = [*BASELINES, *(planned.name for planned in all_runs())]
        files = [self.row_file(name) for name in names]
        return [read_finished(path, self.digest) for path in files if path.exists()]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("pairs", type=Path, help="a file of pairs, or a folder of the authors' release")
    parser.add_argument("out", type=Path, help="the folder for all that is made")
    parser.add_argument("--scale", choices=("cpu", "gpu"), default="cpu", help="the sizes; default: cpu")
    parser.add_argument(
        "--part", choices=("valid", "test"), default="valid", help="default: valid, the one to tune on"
    )
    parser.add_argument("--only", nargs="+", default=[], help="the matchers to make, by name")
    parser.add_argument(
        "--minutes", type=float, help="stop after this many minutes (run the same command again to continue)"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--presets", type=Path, help="a folder of presets of the same names")
    parser.add_argument("--table", choices=TABLES, help="default: all of them")
    parser.add_argument("--print", action="store_true", help="print what is finished, make nothing")
    parser.add_argument("--plain", action="store_true", help="print no intervals")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    tables = (options.table,) if options.table else TABLES
    digest = digest_of(options.pairs)
    experiments = _MatchExperiments(
        options.pairs,
        options.out,
        options.scale,
        options.part,
        digest,
        options.seed,
        (options.presets,) if options.presets else None,
        ExperimentRun.of_minutes(options.minutes),
    )
    if not options.print:
        make_rows(all_runs(), options.only, experiments.is_finished, experiments.make)
        experiments.baselines()
    finished = experiments.finished()
    seconds = sum(one.seconds for one in finished if not one.name.endswith("-hybrid"))
    print(
        f"{options.part}; pairs sha256 {digest[:12]}; {len(finished)} models, "
        f"{seconds / 60:.0f} minutes of local training\n"
    )
    print(report(finished, tables, intervals=not options.plain))
