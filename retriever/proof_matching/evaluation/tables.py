"""Rows of results, and the tables of the thesis made of them (Tables 3.1, 7.1, 7.2 and 7.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from retriever.metrics.bootstrap import Interval
from retriever.metrics.tables import cell, table
from retriever.proof_matching.metrics import StatementCounts
from retriever.proof_matching.schema import LEVELS, MODALITIES, Level, Modality

Decoding = Literal["local", "global"]
NO_TRAINING = "none"
"""The objective of a model that is not trained."""
_TITLES = {"npt": "NPT", "bert": "ScratchBERT"}


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
    def title(self) -> str:
        """As Table 7.1 has it; a hybrid objective is the Global of its rows."""
        if self.objective == NO_TRAINING:
            return f"{self.encoder}-{self.decoding.capitalize()}"
        objective = "Local" if self.objective == "local" else "Global"
        return f"{_TITLES.get(self.encoder, self.encoder)}-{objective}-{self.decoding.capitalize()}"


def main_table(rows: Sequence[MatchRow], *, intervals: bool = True) -> str:
    """Table 7.1: trained and tested on the same level, whole texts."""
    chosen = [row for row in rows if row.modality == "both" and row.trained in (None, row.tested)]
    lines = []
    for title in dict.fromkeys(row.title for row in chosen):
        by_level = {row.tested: row for row in chosen if row.title == title}
        lines.append([title, *_cells(by_level, LEVELS, intervals)])
    return table(["Table 7.1", *_columns(LEVELS)], lines)


def input_table(rows: Sequence[MatchRow], *, intervals: bool = True) -> str:
    """Table 7.2: local training and decoding on text, math, and both."""
    levels: tuple[Level, ...] = ("conservation", "full")
    lines = []
    local = [row for row in rows if row.decoding == "local" and row.objective in ("local", NO_TRAINING)]
    for encoder in dict.fromkeys(row.encoder for row in local):
        for modality in sorted(MODALITIES, key=("text", "math", "both").index):
            chosen = {
                row.tested: row
                for row in local
                if (row.encoder, row.modality) == (encoder, modality)
                and row.trained in (None, row.tested)
                and row.tested in levels
            }
            if chosen:
                name = f"{_TITLES.get(encoder, encoder)}, {modality}"
                lines.append([name, *_cells(chosen, levels, intervals)])
    return table(["Table 7.2", *_columns(levels)], lines)


def cross_table(rows: Sequence[MatchRow], encoder: str, *, intervals: bool = True) -> str:
    """Table 7.3: an encoder trained on one level and tested on another, local training and decoding."""
    chosen = [
        row
        for row in rows
        if (row.encoder, row.objective, row.decoding, row.modality) == (encoder, "local", "local", "both")
    ]
    lines = []
    for level in LEVELS:
        by_level = {row.tested: row for row in chosen if row.trained == level}
        if by_level:
            lines.append([level, *_cells(by_level, LEVELS, intervals)])
    title = f"Table 7.3, {_TITLES.get(encoder, encoder)}: trained on"
    return table([title, *_columns(LEVELS)], lines)


def count_table(counts: StatementCounts, title: str = "") -> str:
    """Table 3.1: proofs by the number of statements to which local decoding assigns them."""
    named = [(f"{bound} or more", number) for bound, number in counts.at_least.items()]
    named += [("1", counts.one), ("0", counts.none)]
    lines = [[name, f"{number:,}", f"{100 * number / counts.proofs:.1f}"] for name, number in named]
    head = f"Table 3.1, {title}: statements" if title else "Table 3.1: statements"
    return table([head, "proofs", "%"], lines)


def plain_rows(rows: Sequence[MatchRow]) -> list[dict[str, object]]:
    """The rows as JSON values; `row_of` reads them."""
    return [asdict(row) for row in rows]


def row_of(plain: dict[str, object]) -> MatchRow:
    """A row from what `plain_rows` gave. Raises TypeError on other names."""
    figures = {name: Interval(**values) for name, values in plain["figures"].items()}  # type: ignore[attr-defined]
    return MatchRow(**{**plain, "figures": figures})  # type: ignore[arg-type]


def _columns(levels: Sequence[Level]) -> list[str]:
    return [f"{level} {name}" for level in levels for name in ("MRR", "Acc")]


def _cells(by_level: dict[Level, MatchRow], levels: Sequence[Level], intervals: bool) -> list[str]:
    cells = []
    for level in levels:
        figures = by_level[level].figures if level in by_level else {}
        cells += [
            cell(figures[name], intervals=intervals) if name in figures else "-" for name in ("MRR", "Acc")
        ]
    return cells
