"""The result of one problem, as a line of JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lean_extract.common.files.json_text import parse_json
from lean_extract.common.typed import read_typed
from lean_extract.records import to_json

RowStatus = Literal["proved", "exhausted", "limit", "failed", "refused"]


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One problem in one pass.

    `status`: how the search ended (`prover.search.SearchResult`), but `proved` only if a fresh Lean accepted
    the whole file, and `refused` if it did not. `failed`: Lean cannot be asked about this problem, or Lean gave
    up. `error`: the reason, in all cases but `proved`. `seconds`: the search's wall time. `nodes`, `tactics`:
    states expanded, tactics tried. `axioms`: those that the proof depends on. `settings`: the hash of the run's
    settings.
    """

    name: str
    pass_number: int
    status: RowStatus
    level: str = ""
    proof: tuple[str, ...] = ()
    axioms: tuple[str, ...] = ()
    seconds: float = 0.0
    nodes: int = 0
    tactics: int = 0
    error: str = ""
    retriever: str = ""
    tactics_from: str = ""
    generator: str = ""
    settings: str = ""

    @property
    def is_proved(self) -> bool:
        """Whether there is a proof that Lean accepted."""
        return self.status == "proved"


def to_line(row: ProblemRow) -> str:
    """The row as a line of JSON, with its line end."""
    return json.dumps(to_json(row), ensure_ascii=False) + "\n"


def from_line(line: bytes) -> ProblemRow:
    """The row of a line. Raises ValueError, TypeError: the line is not a row."""
    return read_typed(ProblemRow, parse_json(line))


def first_rows(rows: Sequence[ProblemRow]) -> dict[tuple[str, int], ProblemRow]:
    """The rows by problem and pass; the first of several counts."""
    found: dict[tuple[str, int], ProblemRow] = {}
    for row in rows:
        found.setdefault((row.name, row.pass_number), row)
    return found
