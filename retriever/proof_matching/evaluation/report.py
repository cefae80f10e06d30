"""What the runs of the tables came to: files of finished rows, and the tables made of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lean_extract.common.errors import BadSettings
from lean_extract.common.files.atomic import replacing
from retriever.proof_matching.evaluation.tables import (
    MatchRow,
    count_table,
    cross_table,
    input_table,
    main_table,
    plain_rows,
    row_of,
)
from retriever.proof_matching.metrics import StatementCounts
from retriever.proof_matching.schema import Level

TABLES = ("3.1", "7.1", "7.2", "7.3")
_COUNTED: Level = "conservation"
"""The level that Table 3.1 is printed of."""


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
    plain = {
        "name": finished.name,
        "pairs_sha256": digest,
        "seconds": round(finished.seconds, 1),
        "rows": plain_rows(finished.rows),
        "counts": {level: asdict(counts) for level, counts in finished.counts.items()},
    }
    with replacing(path) as stream:
        json.dump(plain, stream, indent=2)
        stream.write("\n")


def read_finished(path: Path, digest: str) -> FinishedMatcher:
    """A model's rows. Raises BadSettings when they were measured on other pairs."""
    plain: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if plain["pairs_sha256"] != digest:
        raise BadSettings(f"{path} was measured on other pairs.", "Name another folder.")
    counts = {
        level: StatementCounts(
            **{**own, "at_least": {int(bound): number for bound, number in own["at_least"].items()}}
        )
        for level, own in plain["counts"].items()
    }
    return FinishedMatcher(plain["name"], tuple(map(row_of, plain["rows"])), counts, plain["seconds"])


def report(finished: Sequence[FinishedMatcher], tables: Sequence[str], *, intervals: bool = True) -> str:
    """The tables that are asked for."""
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


def _is_counted(finished: FinishedMatcher) -> bool:
    """Whether Table 3.1 shows it: whole texts at a level that it was trained for."""
    shown = (
        row.tested == _COUNTED and row.modality == "both" and row.trained in (None, _COUNTED)
        for row in finished.rows
    )
    return any(shown)


def _at_both_levels(rows: Sequence[MatchRow]) -> list[MatchRow]:
    """With the rows of what reads words alone at the other level of Table 7.2: they are the same there."""
    copies = [
        replace(row, trained=row.trained and "full", tested="full")
        for row in rows
        if row.modality == "text" and row.tested == "conservation" and row.trained is not None
    ]
    return [*rows, *copies]
