"""The regression of "it is kept" on what is known of a tactic before it is tried, and its figures. Pure."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lean_extract.common.arrays import Doubles, Int64s
from lean_extract.common.errors import BadRecords
from lean_extract.syntax.complete_tactics import head
from prover.odds import FEATURES, FORMAT, SOURCES, VERSION, AcceptanceModel, described
from prover.training.steps import last_parts, share_table, shares
from prover.training.turns.collecting import LabelledGoal
from prover.training.turns.effects import has_effect
from retriever.metrics.bootstrap import Interval

_Sets = Mapping[str, Sequence[LabelledGoal]]
"""The goals of each set, by its name."""

_FOLDS = 5
_PENALTY = 3.0
"""The L2 penalty on the weights, in rows; none on the first."""
_ROUNDS = 30
_PLACES = 8
"""How many places of a source's list have an expected chance."""
_LEAST_TRIALS = 30
"""Fewer trials of a first word give no time."""
_FEW = 8
_COUNTS = (1, _FEW, 32)


@dataclass(frozen=True, slots=True)
class _Rows:
    """What is known of each tactic of some goals, n in all."""

    matrix: Doubles
    """float64[n, len(FEATURES) + 1]; the last column says whether the row is of the second set."""
    kept: Doubles
    """float64[n], 0 or 1"""
    weights: Doubles
    """float64[n]: 1 for a row of the first set; another set's weigh a given part of the first set's together."""
    folds: Int64s
    """int64[n]: the fold of the row's theorem."""

    def outside(self, fold: int) -> _Rows:
        """The rows of the other folds."""
        left = self.folds != fold
        return _Rows(self.matrix[left], self.kept[left], self.weights[left], self.folds[left])


def rows_of(sets: _Sets, part: float) -> _Rows:
    """The rows of all goals; a set after the first weighs this part of the first.

    At a goal where Lean tried tactics, those that it did not try are left out. Raises BadRecords: nothing can be
    fitted.
    """
    numbers = {name: number for number, name in enumerate(FEATURES)}
    vectors, kept, which, folds = [], [], [], []
    for place, goals in enumerate(sets.values()):
        for goal in goals:
            for proposed, values in described(goal.lists):
                if goal.is_tried and not goal.was_tried(proposed.tactic):
                    continue
                row = np.zeros(len(FEATURES) + 1)
                for name, value in values.items():
                    row[numbers[name]] = value
                row[-1] = place
                vectors.append(row)
                kept.append(goal.is_kept(proposed.tactic))
                which.append(place)
                folds.append(_fold_of(goal))
    if not vectors or not any(kept) or all(kept):
        raise BadRecords(
            "Nothing can be fitted: there are no tactics, or all were kept, or none.", "Give more goals."
        )
    sizes = np.bincount(which, minlength=len(sets))
    share = np.where(np.arange(len(sizes)) == 0, 1.0, part * sizes[0] / np.maximum(sizes, 1))
    return _Rows(np.stack(vectors), np.array(kept, dtype=np.float64), share[which], np.array(folds))


def _regressed(rows: _Rows) -> Doubles:
    """float64[len(FEATURES) + 1]: the weights of a logistic regression with an L2 penalty, by Newton's method."""
    penalty = np.full(rows.matrix.shape[1], _PENALTY)
    penalty[0] = 1e-6
    weights = np.zeros(rows.matrix.shape[1])
    for _ in range(_ROUNDS):
        chances = 1 / (1 + np.exp(-np.clip(rows.matrix @ weights, -30, 30)))
        gradient = rows.matrix.T @ (rows.weights * (rows.kept - chances)) - penalty * weights
        curvature = (rows.matrix * (rows.weights * chances * (1 - chances))[:, None]).T @ rows.matrix
        step = np.linalg.solve(curvature + np.diag(penalty), gradient)
        weights += step
        if float(np.abs(step).max()) < 1e-6:
            break
    return weights


def fitted(sets: _Sets, rows: _Rows, seconds: Mapping[str, float]) -> AcceptanceModel:
    """The odds fitted on these rows of the sets, which say nothing yet of what can be expected of a source.

    The chance is that of the last set, where Lean tried tactics: at the steps of a file, what Lean would also have
    kept is not known. `seconds`: see `_seconds_of`.
    """
    weights = _regressed(rows)
    by_name = dict(zip(FEATURES, weights[:-1].tolist(), strict=True))
    by_name["base"] += float(weights[-1]) * (len(sets) - 1)
    return AcceptanceModel({name: round(weight, 4) for name, weight in by_name.items()}, seconds, {})


def odds_of(sets: _Sets, rows: _Rows) -> AcceptanceModel:
    """The odds to ship, fitted on all rows."""
    goals = [goal for found in sets.values() for goal in found]
    odds = fitted(sets, rows, _seconds_of(goals))
    return replace(odds, expected=expected(odds, goals))


def _seconds_of(goals: Iterable[LabelledGoal]) -> dict[str, float]:
    """The mean time of a trial by first word, and of all under ""; 1 where nothing was tried."""
    times: dict[str, list[float]] = defaultdict(list)
    for goal in goals:
        for trial in goal.trials:
            times[head(trial.tactic)].append(trial.milliseconds / 1000)
            times[""].append(trial.milliseconds / 1000)
    found = {word: float(np.mean(each)) for word, each in times.items() if len(each) >= _LEAST_TRIALS}
    return {"": 1.0} | {word: round(max(mean, 1e-4), 4) for word, mean in sorted(found.items())}


def expected(odds: AcceptanceModel, goals: Sequence[LabelledGoal]) -> dict[str, tuple[float, ...]]:
    """By source, the mean chance of its n-th best tactic, for the first places."""
    sums: dict[str, Doubles] = {source: np.zeros(_PLACES) for source in SOURCES}
    counts: dict[str, int] = defaultdict(int)
    for goal in goals:
        chances: dict[str, list[float]] = {one.source: [] for each in goal.lists for one in each}
        for proposed, values in described(goal.lists):
            for source in proposed.by or {}:
                chances[source].append(odds.chance(proposed, values))
        for source, found in chances.items():
            if source in sums:
                best = sorted(found, reverse=True)[:_PLACES]
                sums[source][: len(best)] += best
                counts[source] += 1
    return {
        source: tuple(round(float(chance), 4) for chance in sums[source] / count)
        for source, count in counts.items()
    }


@dataclass(frozen=True, slots=True)
class _TurnsRow:
    """How often one of the first tactics that are tried is kept, in one set."""

    name: str
    """The set."""
    goals: int
    figures: dict[str, Interval]
    lenient: dict[str, Interval]
    """How often one of the first eight has the effect of the proof's tactic or of its first rules (`effects`), and how
    often its head; empty where Lean tried tactics."""
    heads: float
    """The mean number of different heads among the first eight."""


def cross_validated(sets: _Sets, rows: _Rows) -> list[_TurnsRow]:
    """For each set, the figures of tactics tried in the order of odds that were fitted on other theorems."""
    seconds = _seconds_of(goal for goals in sets.values() for goal in goals)
    by_fold = [fitted(sets, rows.outside(fold), seconds) for fold in range(_FOLDS)]
    found = []
    for name, goals in sets.items():
        orders = ([one.tactic for one in by_fold[_fold_of(goal)].in_turn(goal.lists)] for goal in goals)
        found.append(_row_of(name, list(zip(goals, orders, strict=True))))
    return found


def _fold_of(goal: LabelledGoal) -> int:
    """Which fold a theorem is in, by the hash of its name."""
    return int(hashlib.sha256(goal.theorem.encode(errors="surrogatepass")).hexdigest(), 16) // 50 % _FOLDS


def _hits(goal: LabelledGoal, order: Sequence[str]) -> list[float]:
    """Whether one of the first 1, 8, 32 tactics is kept, each 0 or 1.

    Where Lean tried tactics, one counts that closes the goal. Elsewhere tactics that differ only in the first
    parts of names count as one.
    """
    if goal.is_tried:
        tried = [goal.closes(tactic) for tactic in order if goal.was_tried(tactic)]
    else:
        own = last_parts(goal.own) if goal.own else None
        tried = [text == own for text in dict.fromkeys(map(last_parts, order))]
    return [float(any(tried[:count])) for count in _COUNTS]


def _row_of(name: str, ordered: Sequence[tuple[LabelledGoal, Sequence[str]]]) -> _TurnsRow:
    """The figures of goals with what is tried at each, in order."""
    names = [f"among {count}" if count > 1 else "first" for count in _COUNTS]
    figures = shares(names, [_hits(goal, order) for goal, order in ordered])
    eights = [(goal, _first_different(order, _FEW)) for goal, order in ordered]
    lenient = [_lenient(goal.own, eight) for goal, eight in eights if not goal.is_tried]
    return _TurnsRow(
        name,
        len(ordered),
        figures,
        shares([f"effect or first step among {_FEW}", f"head among {_FEW}"], lenient) if lenient else {},
        float(np.mean([len(set(map(head, eight))) for _, eight in eights])),
    )


def _first_different(order: Sequence[str], count: int) -> list[str]:
    """The first tactics that differ in more than the first parts of names."""
    found: dict[str, str] = {}
    for tactic in order:
        found.setdefault(last_parts(tactic), tactic)
    return [*found.values()][:count]


def _lenient(own: str, tactics: Sequence[str]) -> tuple[float, float]:
    """Whether one of the tactics has the effect of the proof's own, or of its first rules; and whether one has its
    head. Each 0 or 1."""
    is_like = any(last_parts(one) == last_parts(own) or has_effect(one, own) for one in tactics)
    return float(is_like), float(head(own) in map(head, tactics))


def markdown(rows: Sequence[_TurnsRow]) -> str:
    """The rows as Markdown tables, in percent."""
    exact = share_table("set", [(row.name, row.figures, str(row.goals)) for row in rows], "goals")
    counted = [(row.name, row.lenient, f"{row.heads:.1f}") for row in rows if row.lenient]
    return f"{exact}\n\n{share_table('set', counted, f'different heads among {_FEW}')}" if counted else exact


def to_json(odds: AcceptanceModel, about: Mapping[str, Any]) -> dict[str, Any]:
    """The file's JSON values."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "fitted_on": dict(about),
        "weights": dict(odds.weights),
        "seconds": dict(odds.seconds),
        "expected": {source: list(chances) for source, chances in odds.expected.items()},
    }
