"""Compares runs: pass rates with intervals, times and nodes, as a table, as Markdown, as JSON, as a picture."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from prover.search.run_folder import RESULTS, ProblemRow, RunDescription, read_description, read_rows
from prover.spending import ModelUse
from retriever.metrics import bootstrap
from retriever.metrics.bootstrap import Bootstrap, Interval
from retriever.metrics.charts import Bar, BarPanel, bar_chart

_SHORT = 2
"""Proofs of at most so many steps are short."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of problems in percent, with its 95% bootstrap interval and the number of problems."""

    problems: int
    percent: Interval


_COUNTS = ("requests", "prompt_tokens", "answer_tokens", "seconds")
"""What is counted of a model at a server, as in `ModelUse`."""


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """What a model at a server was asked.

    `total`: for all searches, with the first error. `medians`: of `_COUNTS`, for a search. `failed`: how many searches
    had an error of the model.
    """

    total: ModelUse
    medians: Mapping[str, float]
    failed: int

    @classmethod
    def of(cls, uses: Sequence[ModelUse]) -> ModelFigures:
        """Those of at least one search."""
        values: dict[str, list[Any]] = {name: [getattr(use, name) for use in uses] for name in _COUNTS}
        errors = [use.error for use in uses if use.error]
        sums: dict[str, Any] = {name: sum(found) for name, found in values.items()}
        sums["seconds"] = round(sums["seconds"], 3)
        is_estimate, error = any(use.is_estimate for use in uses), errors[0] if errors else ""
        medians = {name: statistics.median(found) for name, found in values.items()}
        return cls(ModelUse(**sums, is_estimate=is_estimate, error=error), medians, len(errors))


@dataclass(frozen=True, slots=True)
class RunFigures:
    """A run in numbers.

    `pass_1`: the chance that one pass proves a problem, over all passes that there are. `pass_n`: the
    share of problems that one of the `passes` proved; None for a single pass, or where no problem has
    them all. Medians are over what was searched, `proof_seconds` over what was proved, `short_seconds` over
    proofs of at most two steps; None where there is nothing. `memory_mb` and `processes` are the most of
    Lean in one search. `failed` counts the rows of problems that could not be searched, `refused` found
    proofs that a fresh Lean did not accept. `model`: of a model at a server; None if none was asked.
    """

    rows: int
    proved: int
    failed: int
    refused: int
    passes: int
    pass_1: Rate | None
    pass_n: Rate | None
    levels: Mapping[str, Rate]
    seconds: float | None
    proof_seconds: float | None
    short_seconds: float | None
    nodes: float | None
    tactics: float | None
    memory_mb: int
    processes: int
    model: ModelFigures | None = None


def figures_of(rows: Sequence[ProblemRow]) -> RunFigures:
    """The figures of a run's rows; the first of several rows for one problem and pass counts."""
    first: dict[tuple[str, int], ProblemRow] = {}
    for row in rows:
        first.setdefault((row.name, row.pass_number), row)
    rows = list(first.values())
    outcomes: dict[str, list[bool]] = defaultdict(list)
    level_of: dict[str, str] = {}
    for row in rows:
        outcomes[row.name].append(row.is_proved)
        level_of[row.name] = row.level
    passes = max((len(found) for found in outcomes.values()), default=0)
    full = [found for found in outcomes.values() if len(found) == passes]
    by_level: dict[str, list[list[bool]]] = defaultdict(list)
    for name, found in outcomes.items():
        by_level[level_of[name]].append(found)
    searched = [row for row in rows if row.status != "failed"]
    proved = [row for row in rows if row.is_proved]
    uses = [row.model for row in rows if row.model is not None]
    return RunFigures(
        rows=len(rows),
        proved=len(proved),
        failed=sum(row.status == "failed" for row in rows),
        refused=sum(row.status == "refused" for row in rows),
        passes=passes,
        pass_1=_rate(outcomes.values(), 1),
        pass_n=_rate(full, passes) if passes > 1 else None,
        levels={level: rate for level in sorted(by_level) if (rate := _rate(by_level[level], 1))},
        seconds=_median(row.seconds for row in searched),
        proof_seconds=_median(row.seconds for row in proved),
        short_seconds=_median(row.seconds for row in proved if len(row.proof) <= _SHORT),
        nodes=_median(row.nodes for row in searched),
        tactics=_median(row.tactics for row in searched),
        memory_mb=max((row.memory_mb for row in rows), default=0),
        processes=max((row.processes for row in rows), default=0),
        model=ModelFigures.of(uses) if uses else None,
    )


def pass_at(found: Sequence[bool], k: int) -> float:
    """The probability that at least one of k passes, drawn from all passes, proves a problem."""
    missed = len(found) - sum(found)
    return 1.0 - comb(missed, k) / comb(len(found), k)


def _rate(outcomes: Iterable[Sequence[bool]], k: int) -> Rate | None:
    shares = np.array([[100 * pass_at(found, k)] for found in outcomes], dtype=np.float64)
    if not len(shares):
        return None
    return Rate(len(shares), Bootstrap(len(shares)).intervals(shares)[0])


def _median(values: Iterable[float]) -> float | None:
    found = list(values)
    return statistics.median(found) if found else None


@dataclass(frozen=True, slots=True)
class Run:
    """The content of an evaluation's folder."""

    folder: Path
    description: RunDescription
    figures: RunFigures
    complaints: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its name in tables: retriever, source of tactics, and the model at a server, if there is one."""
        settings = self.description.settings
        _, _, model = str(settings.get("served", "")).partition("#")
        return ", ".join(filter(None, [str(settings["retriever"]), str(settings["tactics_from"]), model]))

    @property
    def expected(self) -> int:
        """How many rows the finished run has."""
        return self.description.problems * self.description.passes


def read_run(folder: Path) -> Run:
    """Read a run's folder. Raises BadRecords: it is not the folder of an evaluation."""
    description = read_description(folder)
    rows, complaints = read_rows(folder / RESULTS)
    return Run(folder, description, figures_of(rows), tuple(complaints))


def _names_of(runs: Sequence[Run]) -> list[str]:
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
        if run.figures.model is not None:
            found.append(f"{run.folder}: {_asked(run, run.figures.model)}")
        found += run.complaints
    return found


def _asked(run: Run, model: ModelFigures) -> str:
    """What a model was asked in a run, in all, in sentences."""
    settings, total = run.description.settings, model.total
    asked = (
        f"{settings['served']} was asked {total.requests:,} times about problems {settings['data']}, with at most "
        f"{settings['prompt_premises']} premises in a prompt: {total.prompt_tokens:,} tokens of prompts, "
        f"{total.answer_tokens:,} of answers, {total.seconds:,.0f} s."
    )
    if total.is_estimate:
        asked += " The server did not count all tokens, so they are an estimate."
    return f"{asked} In {model.failed} searches it failed: {total.error}" if model.failed else asked


def table(runs: Sequence[Run]) -> list[list[str]]:
    """The rows of the table, starting with the header."""
    levels = sorted({level for run in runs for level in run.figures.levels if level})
    passes = max((run.figures.passes for run in runs), default=1)
    head = ["retriever, tactics", "problems", "pass@1 %"]
    head += [f"pass@{passes} %"] if passes > 1 else []
    head += [level if not level.isdigit() else f"level {level}" for level in levels]
    head += ["failed", "s per proof", f"s, {_SHORT} steps", "s", "nodes", "tactics", "MB", "processes"]
    with_model = any(run.figures.model is not None for run in runs)
    head += ["requests", "prompt tokens", "answer tokens", "s of the model"] if with_model else []
    lines = [head]
    for name, run in zip(_names_of(runs), runs, strict=True):
        figures = run.figures
        line = [name, str(figures.pass_1.problems if figures.pass_1 else 0)]
        line.append(_percent(figures.pass_1))
        line += [_percent(figures.pass_n)] if passes > 1 else []
        line += [_count(figures.levels.get(level)) for level in levels]
        line += [str(figures.failed), _number(figures.proof_seconds, "{:.1f}")]
        line += [_number(figures.short_seconds, "{:.1f}")]
        line += [_number(figures.seconds, "{:.1f}"), _number(figures.nodes), _number(figures.tactics)]
        line += [str(figures.memory_mb), str(figures.processes)]
        line += _model_cells(figures.model) if with_model else []
        lines.append(line)
    return lines


def _model_cells(model: ModelFigures | None) -> list[str]:
    """The medians of what a model was asked for a problem."""
    return ["-"] * len(_COUNTS) if model is None else [f"{model.medians[name]:,.0f}" for name in _COUNTS]


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """The table as Markdown."""
    return bootstrap.table(lines[0], lines[1:])


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
        for name, run in zip(_names_of(runs), runs, strict=True)
    ]


def _limits(run: Run) -> tuple[object, ...]:
    return tuple(
        run.description.settings.get(name) for name in ("seconds", "nodes", "tactics", "tactic_seconds")
    )


def _percent(rate: Rate | None) -> str:
    return "-" if rate is None else bootstrap.cell(rate.percent)


def _count(rate: Rate | None) -> str:
    return "-" if rate is None else f"{rate.percent.mean:.1f}% of {rate.problems}"


def _number(value: float | None, form: str = "{:g}") -> str:
    return "-" if value is None else form.format(value)


def picture(runs: Sequence[Run]) -> str:
    """One group of bars per level, and one for all; one bar per run, with its 95% interval.

    Raises UserError: matplotlib is not installed.
    """
    levels = sorted({level for run in runs for level in run.figures.levels if level})
    rates: list[Mapping[str, Rate | None]] = [
        {**run.figures.levels, "all": run.figures.pass_1} for run in runs
    ]
    groups = [*levels, "all"]
    labels = [f"level {group}" if group.isdigit() else group for group in groups]
    series = [
        (name, [_bar(name, found.get(group)) for group in groups])
        for name, found in zip(_names_of(runs), rates, strict=True)
    ]
    return bar_chart([BarPanel("problems proved in one pass, %", labels, series, top=100)])


def _bar(name: str, rate: Rate | None) -> Bar | None:
    if rate is None:
        return None
    percent = rate.percent
    note = f"{name}: {percent.mean:.1f}% of {rate.problems} [{percent.low:.1f}, {percent.high:.1f}]"
    return Bar(percent.mean, (percent.low, percent.high), note=note)
