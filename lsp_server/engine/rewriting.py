"""Suggestions for a selected part of the goal: what rewrites it, and `rw` with each, as Lean accepts it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lean_extract.records import Goal, TacticOutcome
from prover.candidates import Candidate
from retriever.lean.offer import RankedPremise
from retriever.lean.rewriting_search import Direction

NOTHING = (
    "No statement that is indexed has a side of which `{part}` is an instance. "
    "What is listed is ranked for rewriting the goal as a whole."
)
_FALLS = 0.03
"""How much the score of a candidate falls from one rank to the next."""


def rewrites(
    premises: Sequence[RankedPremise], directions: Mapping[str, Direction], limit: int
) -> tuple[Candidate, ...]:
    """`rw` with each premise that can be used there, from the side that matches, best first."""
    usable = [one.premise for one in premises if one.in_scope is not False and one.premise.name in directions]
    return tuple(
        Candidate(
            f"rw [{'← ' if directions[premise.name] == 'backward' else ''}{premise.written}]",
            1.0 / (1.0 + _FALLS * rank),
            "premise",
        )
        for rank, premise in enumerate(usable[:limit])
    )


def is_rewritten(part: str, goal: Goal, outcome: TacticOutcome) -> bool:
    """Whether a part of the target stands there less often after a tactic; of another outcome, whether it is kept."""
    if outcome.state is None or not outcome.state.goals:
        return True
    folded = " ".join(part.split())
    before = " ".join(goal.target.split()).count(folded)
    return " ".join(outcome.state.goals[0].target.split()).count(folded) < before
