"""What each feature of the fusion is worth: fitted again without it, and with it as the encoder's only companion.

    python -m retriever ablation MODEL DATASET [--states FILE] [--limit 1500] [--cache DIR]
        [--json FILE]

Fitted on the `tune` half of the valid split, reported on the other; differences are paired over questions.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tqdm import tqdm

from lean_extract.common.arrays import Floats, Int64s
from lean_extract.common.verbs import add_json_option, write_json
from retriever.lean.evaluation.fit_fusion import examples_of, refit
from retriever.lean.evaluation.measure import HEADINGS, MethodRow, measure, plain, rows_of
from retriever.lean.evaluation.pool import Pool
from retriever.lean.evaluation.rankers import DEPTH, ScoredQuestion, feature_rows
from retriever.lean.evaluation.session import EvaluationSession, open_session, part_questions, read_states
from retriever.lean.features import FEATURES, load_fusion
from retriever.metrics.bootstrap import cell, table
from retriever.search.fusion import Fusion
from retriever.search.top import top

ALL = "all features"
_BASE = "dense"
"""The feature that the others are added to one by one."""


class Tables:
    """The feature table of the current question in each setting, made once for all variants."""

    def __init__(self, pool: Pool, lists: Fusion) -> None:
        self._pool, self._lists = pool, lists
        self._kept: dict[str, tuple[ScoredQuestion, Int64s, Floats]] = {}

    def of(self, scored: ScoredQuestion) -> tuple[Int64s, Floats]:
        """Candidates [n] and their features [n, FEATURES]."""
        kept = self._kept.get(scored.setting)
        if kept is None or kept[0] is not scored:
            numbers, table = feature_rows(self._pool, self._lists.lists, FEATURES, scored)
            kept = scored, numbers, table
            self._kept[scored.setting] = kept
        return kept[1], kept[2]


@dataclass(frozen=True, slots=True)
class Variant:
    """The fusion with weights of its own, zero where a feature is left out."""

    name: str
    weights: Fusion
    tables: Tables
    reads_position: bool = True

    def ranking(self, scored: ScoredQuestion) -> Int64s:
        """By the weighted sum."""
        numbers, table = self.tables.of(scored)
        return numbers[top(self.weights.score(table), DEPTH)]


def variants() -> dict[str, tuple[str, ...]]:
    """The features that each variant has, by its name."""
    others = [name for name in FEATURES if name != _BASE]
    found: dict[str, tuple[str, ...]] = {ALL: FEATURES}
    found |= {f"without {name}": tuple(kept for kept in FEATURES if kept != name) for name in FEATURES}
    found[f"{_BASE} alone"] = (_BASE,)
    return found | {f"{_BASE} and {name}": (_BASE, name) for name in others}


def _ablate(session: EvaluationSession, limit: int, states: Path | None = None) -> dict[str, list[MethodRow]]:
    """The rows of the valid half and, if requested, of traced states; each row's difference is to ALL."""
    lists = load_fusion(session.model)
    tuned = part_questions(session.dataset, "tune", limit)
    examples = list(examples_of(session, tuned, lists))
    tables = Tables(session.pool, lists)
    methods = [
        Variant(name, replace(lists, weights=refit(examples, kept)), tables)
        for name, kept in tqdm(variants().items(), desc="fitting", disable=None)
    ]
    parts = {"valid": part_questions(session.dataset, "valid", limit)}
    if states:
        parts[states.stem] = read_states(states, session.pool)
    return {part: rows_of(measure(session, methods, questions), ALL) for part, questions in parts.items()}


def _printed(found: Mapping[str, Sequence[MethodRow]]) -> str:
    """One table a part and setting."""
    parts = []
    for part, rows in found.items():
        for setting in dict.fromkeys(row.setting for row in rows):
            chosen = [row for row in rows if row.setting == setting]
            head = ["", "R@10", "points", "nDCG@10", "points", "MRR"]
            title = f"{part}, {chosen[0].questions} questions, {HEADINGS[setting]}"
            parts.append(f"{title}:\n\n{table(head, [_line(row) for row in chosen])}")
    return "\n\n".join(parts)


def _line(row: MethodRow) -> list[str]:
    cells = [row.method]
    for column in ("R@10", "nDCG@10"):
        cells.append(cell(row.figures[column], intervals=False))
        cells.append(cell(row.differences[column], signed=True) if row.differences else "")
    return [*cells, cell(row.figures["MRR"], intervals=False)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="a model folder with fusion.json")
    parser.add_argument("dataset", type=Path, help="a dataset folder")
    parser.add_argument("--states", type=Path, help="traced steps, to ask as well")
    parser.add_argument("--limit", type=int, default=1500, help="theorems of each half, at most")
    parser.add_argument("--cache", type=Path, help="where premise vectors are kept")
    add_json_option(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    bm25 = load_fusion(options.model).bm25
    session = open_session(options.model, options.dataset, options.cache, bm25)
    found = _ablate(session, options.limit, options.states)
    write_json(options.json, {part: plain(rows) for part, rows in found.items()})
    print(_printed(found))
