"""Compares runs: as a table for the terminal, as Markdown, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lsp_server.evaluation.figures import Rate, RunFigures, figures_of
from prover.evaluation.run_folder import RESULTS, RunDescription, read_description, read_rows


@dataclass(frozen=True, slots=True)
class Run:
    """The content of an evaluation's folder."""

    folder: Path
    description: RunDescription
    figures: RunFigures
    complaints: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its name in tables: retriever and source of tactics."""
        settings = self.description.settings
        return f"{settings['retriever']}, {settings['tactics_from']}"

    @property
    def expected(self) -> int:
        """How many rows the finished run has."""
        return self.description.problems * self.description.passes


def read_run(folder: Path) -> Run:
    """Read a run's folder. Raises BadRecords: it is not the folder of an evaluation."""
    description = read_description(folder)
    rows, complaints = read_rows(folder / RESULTS)
    return Run(folder, description, figures_of(rows), tuple(complaints))


def names_of(runs: Sequence[Run]) -> list[str]:
    """A different name for each run; equal names are followed by their folders."""
    names = [run.name for run in runs]
    return [
        name if names.count(name) == 1 else f"{name} ({run.folder.name})"
        for name, run in zip(names, runs, strict=True)
    ]


def notes(runs: Sequence[Run]) -> list[str]:
    """Sentences that a reader of the table needs to know."""
    found = []
    if len({run.description.settings["data"] for run in runs}) > 1:
        found.append("These runs are over different problems.")
    if len({_limits(run) for run in runs}) > 1:
        found.append("These runs had different limits (seconds, nodes, tactics a state).")
    for run in runs:
        if run.figures.rows < run.expected:
            found.append(f"{run.folder}: {run.figures.rows} of {run.expected} searches are done.")
        if run.figures.refused:
            found.append(f"{run.folder}: Lean refused {run.figures.refused} of the proofs that were found.")
        found += run.complaints
    return found


def table(runs: Sequence[Run], *, intervals: bool = True) -> list[list[str]]:
    """The rows of the table, starting with the header."""
    levels = sorted({level for run in runs for level in run.figures.levels if level})
    passes = max((run.figures.passes for run in runs), default=1)
    head = ["retriever, tactics", "problems", "pass@1 %"]
    head += [f"pass@{passes} %"] if passes > 1 else []
    head += [level if not level.isdigit() else f"level {level}" for level in levels]
    head += ["failed", "s per proof", "s", "nodes", "tactics"]
    lines = [head]
    for name, run in zip(names_of(runs), runs, strict=True):
        figures = run.figures
        line = [name, str(figures.pass_1.problems if figures.pass_1 else 0)]
        line.append(_rate(figures.pass_1, intervals))
        line += [_rate(figures.pass_n, intervals)] if passes > 1 else []
        line += [_count(figures.levels.get(level)) for level in levels]
        line += [str(figures.failed), _number(figures.proof_seconds, "{:.1f}")]
        line += [_number(figures.seconds, "{:.1f}"), _number(figures.nodes), _number(figures.tactics)]
        lines.append(line)
    return lines


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """The table as Markdown."""
    rows = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([rows[0], "|---" * len(lines[0]) + "|", *rows[1:]])


def plain(lines: Sequence[Sequence[str]]) -> str:
    """The table for a terminal, with aligned columns and numbers on the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines
    )


def to_json(runs: Sequence[Run]) -> list[dict[str, object]]:
    """The runs as plain values."""
    return [
        {
            "name": name,
            "folder": str(run.folder),
            "settings": dict(run.description.settings),
            "settings_hash": run.description.digest,
            "problems": run.description.problems,
            "passes": run.description.passes,
            "figures": asdict(run.figures),
        }
        for name, run in zip(names_of(runs), runs, strict=True)
    ]


def _limits(run: Run) -> tuple[object, ...]:
    return tuple(
        run.description.settings.get(name) for name in ("seconds", "nodes", "tactics", "tactic_seconds")
    )


def _rate(rate: Rate | None, intervals: bool) -> str:
    if rate is None:
        return "-"
    percent = rate.percent
    return (
        f"{percent.mean:.1f} [{percent.low:.1f}, {percent.high:.1f}]" if intervals else f"{percent.mean:.1f}"
    )


def _count(rate: Rate | None) -> str:
    return "-" if rate is None else f"{rate.percent.mean:.1f}% of {rate.problems}"


def _number(value: float | None, form: str = "{:g}") -> str:
    return "-" if value is None else form.format(value)
