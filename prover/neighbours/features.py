"""The features by which neighbours' tactics are ranked for our goal. Pure."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from lean_extract.records import Goal, NearStep, Premise
from prover.generator.prompt import words_of
from prover.neighbours.adapting import Adapted, ContextView
from prover.shapes import last_parts, symbols, tokens
from prover.templates import GoalView, PremiseView, fits, is_theorem, occurs_in

FEATURES = (
    "near", "wide", "count", "rank", "module", "namespace", "mapped", "mentioned", "target", "fit", "known",
    "words", "premise", "head", "length", "several", "ranked", "exchanged",
)  # fmt: skip
"""The names of the features, in order."""
_NEAR, _WIDE, _VOTES = 0.03, 0.1, 0.06
"""The differences of similarity over which a neighbour's weight falls to a third: for the two counts of
neighbours, and for the votes on premises."""
_LEAST = 1e-3
"""Keeps logarithms finite."""
_UNCLEAR_FIT = 0.5
_REWRITES = frozenset(("rw", "rwa", "erw", "simp_rw", "simp", "simpa"))
_TERMS = frozenset(("exact", "apply", "refine", "refine'"))
_MOST_MENTIONED = 4


@dataclass(frozen=True, slots=True)
class StepQuery:
    """The goal that tactics are wanted for, and its place."""

    goal: Goal
    module: str = ""
    theorem: str = ""


@dataclass(slots=True)
class Proposal:
    """A tactic for our goal, with all neighbours that propose it, nearest first."""

    tactic: str
    premises: tuple[Premise, ...]
    """Those that it mentions."""
    origin: str
    """The theorem of the nearest neighbour."""
    rank: int
    """The rank of the nearest neighbour, from 0."""
    is_exchanged: bool = False
    """Whether a ranked premise replaces the neighbour's."""
    features: dict[str, float] = field(default_factory=dict)

    @property
    def head(self) -> str:
        """The tactic's first word."""
        return self.tactic.split(maxsplit=1)[0]


class Weighing:
    """Counts what neighbours propose, and describes each proposal by its features."""

    def __init__(self, query: StepQuery, steps: Sequence[NearStep], premises: Sequence[Premise] = ()) -> None:
        self._query = query
        self._nearest = steps[0].similarity if steps else 0.0
        self._goal = GoalView.of(query.goal)
        self._words = words_of(query.goal.target)
        self._symbols = last_parts(symbols(tokens(query.goal.target), self._goal.local))
        self._votes: defaultdict[str, float] = defaultdict(float)
        for step in steps:
            for premise in step.premises:
                self._votes[premise.name] += self._weight(step, _VOTES)
        self._views: dict[str, PremiseView | None] = {}
        self._ranks = {premise.name: rank for rank, premise in enumerate(premises)}

    def note(self, proposal: Proposal, step: NearStep, adapted: Adapted, theirs: ContextView) -> None:
        """Count one more neighbour of a proposal."""
        known = proposal.features
        found = {
            "module": float(step.module == self._query.module)
            + 0.2 * _shared(step.module, self._query.module),
            "namespace": float(_shared(step.theorem, self._query.theorem)),
            "mapped": adapted.share,
            "target": self._shared_symbols(step, theirs),
        }
        for name, value in found.items():
            known[name] = max(known.get(name, 0.0), value)
        known["mentioned"] = float(min(adapted.mentioned, _MOST_MENTIONED))
        for name, spread in (("near", _NEAR), ("wide", _WIDE)):
            known[name] = known.get(name, 0.0) + self._weight(step, spread)
        known["count"] = known.get("count", 0.0) + 1

    def describe(self, proposals: Sequence[Proposal]) -> list[list[float]]:
        """The features of each proposal, in the order of `FEATURES`."""
        heads: defaultdict[str, float] = defaultdict(float)
        for one in proposals:
            heads[one.head] += one.features["wide"]
        total = sum(heads.values())
        return [self._row(one, heads[one.head] / total) for one in proposals]

    def _row(self, one: Proposal, head_share: float) -> list[float]:
        known = one.features
        names = [premise.name for premise in one.premises]
        view = self._view(one.premises[0]) if one.premises else None
        share = max((self._votes.get(name, 0.0) for name in names), default=0.0) / max(
            self._all_votes, _LEAST
        )
        values = {
            **{name: known[name] for name in ("module", "namespace", "mapped", "mentioned", "target")},
            "near": math.log(known["near"] + _LEAST),
            "wide": math.log(known["wide"] + _LEAST),
            "count": math.log(known["count"]),
            "rank": math.log1p(one.rank),
            "fit": self._fit(one, view) if view is not None else 0.0,
            "known": float(view is not None),
            "words": max((self._shared_words(name) for name in names), default=0.0),
            "premise": math.log(share + _LEAST) if names else 0.0,
            "head": math.log(head_share + _LEAST),
            "length": math.log(len(one.tactic)),
            "several": float(len(names) > 1),
            "ranked": sum(map(self._rank, names)) / len(names) if names else 0.0,
            "exchanged": float(one.is_exchanged),
        }
        return [values[name] for name in FEATURES]

    @cached_property
    def _all_votes(self) -> float:
        return sum(self._votes.values())

    def _rank(self, name: str) -> float:
        """1 for the premise that is ranked first, less for the next, 0 for one that is not ranked."""
        return 1 / math.sqrt(1 + self._ranks[name]) if name in self._ranks else 0.0

    def _weight(self, step: NearStep, spread: float) -> float:
        return math.exp((step.similarity - self._nearest) / spread)

    def _shared_symbols(self, step: NearStep, theirs: ContextView) -> float:
        """The share of the symbols of both targets that both have."""
        other = last_parts(symbols(tokens(step.goal.target), theirs.local))
        every = self._symbols | other
        return len(self._symbols & other) / len(every) if every else 0.0

    def _shared_words(self, name: str) -> float:
        words = words_of(name)
        return len(words & self._words) / len(words) if words else 0.0

    def _view(self, premise: Premise) -> PremiseView | None:
        """The view of a theorem whose statement is known."""
        if premise.name not in self._views:
            is_readable = bool(premise.conclusion) and is_theorem(premise)
            self._views[premise.name] = PremiseView.of(premise) if is_readable else None
        return self._views[premise.name]

    def _fit(self, one: Proposal, view: PremiseView) -> float:
        """How well the tactic's first premise fits the goal, by its shape, 0 to 1."""
        if one.head in _REWRITES:
            if view.shape.kind not in ("eq", "iff"):
                return 0.3
            is_turned = f"← {view.name}" in one.tactic
            side = view.shape.right if is_turned else view.shape.left
            return occurs_in(self._goal, side, view.variables)
        if one.head in _TERMS:
            return fits(self._goal, view.shape, view.core, view.variables)
        return _UNCLEAR_FIT

    def fit_of(self, premise: Premise, like: Proposal) -> float:
        """How well another premise fits the goal in the place of the proposal's; 0 where it is not known."""
        view = self._view(premise)
        return self._fit(like, view) if view is not None else 0.0

    def kind_of(self, premise: Premise) -> str:
        """The outermost connective of what a premise says; empty where that is not known."""
        view = self._view(premise)
        return view.shape.kind if view is not None else ""


def _shared(one: str, other: str) -> int:
    """How many leading components two dotted names share."""
    count = 0
    for left, right in zip(one.split("."), other.split("."), strict=False):
        if left != right:
            break
        count += 1
    return count


def weighted(row: Sequence[float], weights: Mapping[str, float]) -> float:
    """The weighted sum of a row of features."""
    return sum(weights[name] * value for name, value in zip(FEATURES, row, strict=True))
