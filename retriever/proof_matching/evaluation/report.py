"""Rows of results, files of finished rows, and the tables of the thesis made of them (3.1, 7.1, 7.2 and 7.3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from lean_extract.common.errors import BadSettings
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import read_json
from lean_extract.common.typed import read_typed
from retriever.metrics.bootstrap import Interval, cell, table
from retriever.proof_matching.metrics import COLUMNS, StatementCounts
from retriever.proof_matching.schema import LEVELS, Level, Modality

Decoding = Literal["local", "global"]
NO_TRAINING = "none"
"""The objective of a model that is not trained."""
TABLES = ("3.1", "7.1", "7.2", "7.3")
_TITLES = {"npt": "NPT", "bert": "ScratchBERT"}
_COUNTED: Level = "conservation"
"""The level that Table 3.1 is printed of."""


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One model, decoded one way, on one part's pairs at one level."""

    encoder: str
    """`npt`, `bert`, or the name of a model that is not trained."""
    objective: str
    """What it was trained on: local, global, hybrid, or `none`."""
    decoding: Decoding
    trained: Level | None
    """The level of its training pairs; None without training."""
    tested: Level
    modality: Modality
    figures: dict[str, Interval]
    """MRR and Acc in percent; Acc alone of global decoding."""

    @property
    def name(self) -> str:
        """Of the encoder, as the tables have it."""
        return _TITLES.get(self.encoder, self.encoder)

    @property
    def title(self) -> str:
        """As Table 7.1 has it; a hybrid objective is the Global of its rows."""
        if self.objective == NO_TRAINING:
            return f"{self.encoder}-{self.decoding.capitalize()}"
        objective = "Local" if self.objective == "local" else "Global"
        return f"{self.name}-{objective}-{self.decoding.capitalize()}"

    def cells(self, *, intervals: bool) -> list[str]:
        """Its figures."""
        return _cells_of(self.figures, intervals=intervals)


def _cells_of(figures: Mapping[str, Interval], *, intervals: bool) -> list[str]:
    """MRR and Acc, each `-` where it is missing."""
    return [cell(figures[name], intervals=intervals) if name in figures else "-" for name in COLUMNS]


@dataclass(frozen=True, slots=True)
class FinishedMatcher:
    """A row file's content."""

    name: str
    rows: tuple[MatchRow, ...]
    counts: dict[str, StatementCounts]
    """By the level tested on."""
    seconds: float
    """Of its training, all stages."""


def write_finished(path: Path, finished: FinishedMatcher, digest: str) -> None:
    """Keep a model's rows, measured on pairs of this digest."""
    values = asdict(finished)
    plain = {
        "name": finished.name,
        "pairs_sha256": digest,
        "seconds": round(finished.seconds, 1),
        "rows": values["rows"],
        "counts": values["counts"],
    }
    with replacing(path) as stream:
        json.dump(plain, stream, indent=2)
        stream.write("\n")


def read_finished(path: Path, digest: str) -> FinishedMatcher:
    """A model's rows. Raises BadSettings when the file is damaged, or of other pairs."""
    try:
        plain = read_json(path)
        measured_on = plain.pop("pairs_sha256")
        finished: FinishedMatcher = read_typed(FinishedMatcher, plain)
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        hint = "Remove it and run the same command again."
        raise BadSettings(f"{path} is not a file of rows: {error}.", hint) from error
    if measured_on != digest:
        raise BadSettings(f"{path} was measured on other pairs.", "Name another folder.")
    return finished


def report(finished: Sequence[FinishedMatcher], tables: Sequence[str], *, intervals: bool = True) -> str:
    """The tables of these numbers."""
    rows = [row for one in finished for row in one.rows]
    parts: list[str] = []
    if "3.1" in tables:
        parts += [count_table(one.counts[_COUNTED], one.name) for one in finished if _is_counted(one)]
    if "7.1" in tables:
        parts.append(main_table(rows, intervals=intervals))
    if "7.2" in tables:
        parts.append(input_table(_at_both_levels(rows), intervals=intervals))
    if "7.3" in tables:
        parts += [cross_table(rows, encoder, intervals=intervals) for encoder in ("bert", "npt")]
    return "\n\n".join(parts)


def main_table(rows: Sequence[MatchRow], *, intervals: bool = True) -> str:
    """Table 7.1: trained and tested on the same level, whole texts."""
    chosen = [row for row in rows if row.modality == "both" and row.trained in (None, row.tested)]
    return _by_level("Table 7.1", ((row.title, row) for row in chosen), LEVELS, intervals)


def input_table(rows: Sequence[MatchRow], *, intervals: bool = True) -> str:
    """Table 7.2: local training and decoding on text, math, and both."""
    levels: tuple[Level, ...] = ("conservation", "full")
    local = [
        row
        for row in rows
        if row.decoding == "local"
        and row.objective in ("local", NO_TRAINING)
        and row.trained in (None, row.tested)
        and row.tested in levels
    ]
    encoders = list(dict.fromkeys(row.encoder for row in rows))
    inputs = ("text", "math", "both")
    local.sort(key=lambda row: (encoders.index(row.encoder), inputs.index(row.modality)))
    return _by_level("Table 7.2", ((f"{row.name}, {row.modality}", row) for row in local), levels, intervals)


def cross_table(rows: Sequence[MatchRow], encoder: str, *, intervals: bool = True) -> str:
    """Table 7.3: an encoder trained on one level and tested on another, local training and decoding."""
    chosen = [
        (level, row)
        for level in LEVELS
        for row in rows
        if (row.encoder, row.objective, row.decoding, row.modality) == (encoder, "local", "local", "both")
        and row.trained == level
    ]
    title = f"Table 7.3, {_TITLES.get(encoder, encoder)}: trained on"
    return _by_level(title, chosen, LEVELS, intervals)


def _by_level(
    title: str, rows: Iterable[tuple[str, MatchRow]], levels: Sequence[Level], intervals: bool
) -> str:
    """A table with a line for each name, in the order in which they come first, and the levels tested on."""
    lines: dict[str, dict[Level, MatchRow]] = {}
    for name, row in rows:
        lines.setdefault(name, {})[row.tested] = row
    columns = [f"{level} {name}" for level in levels for name in COLUMNS]
    nothing = _cells_of({}, intervals=intervals)
    return table(
        [title, *columns],
        [
            [
                name,
                *(
                    text
                    for level in levels
                    for text in (found[level].cells(intervals=intervals) if level in found else nothing)
                ),
            ]
            for name, found in lines.items()
        ],
    )


def count_table(counts: StatementCounts, title: str = "") -> str:
    """Table 3.1: proofs by the number of statements to which local decoding assigns them."""
    named = [(f"{bound} or more", number) for bound, number in counts.at_least.items()]
    named += [("1", counts.one), ("0", counts.none)]
    lines = [[name, f"{number:,}", f"{100 * number / counts.proofs:.1f}"] for name, number in named]
    head = f"Table 3.1, {title}: statements" if title else "Table 3.1: statements"
    return table([head, "proofs", "%"], lines)


def _is_counted(finished: FinishedMatcher) -> bool:
    """Whether Table 3.1 shows it: whole texts at a level that it was trained for."""
    return any(
        row.tested == _COUNTED and row.modality == "both" and row.trained in (None, _COUNTED)
        for row in finished.rows
    )


def _at_both_levels(rows: Sequence[MatchRow]) -> list[MatchRow]:
    """With the rows of what reads words alone at the other level of Table 7.2: they are the same there."""
    copies = [
        replace(row, trained=row.trained and "full", tested="full")
        for row in rows
        if row.modality == "text" and row.tested == "conservation" and row.trained is not None
    ]
    return [*rows, *copies]
