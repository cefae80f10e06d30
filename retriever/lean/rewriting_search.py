"""The parts of a goal's target, and the premises that rewrite one: by name, with the side that matches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from lean_extract.common.errors import UserError
from lean_extract.records import Goal
from lean_extract.syntax.inaccessible import without_marks
from lean_extract.syntax.placed import TextRange
from lean_extract.syntax.symbol_terms import parse_term
from retriever.lean.goal_context import GoalContext
from retriever.lean.patterns.rewriting import (
    LONGEST_PART,
    is_free_part,
    is_part,
    parts_of,
    rewriting,
)
from retriever.lean.patterns.trees import trees_of_premise
from retriever.lean.search_pool import search_pool
from retriever.lean.service import PremiseService
from retriever.search.index.structure_columns import TreeColumns

Direction = Literal["forward", "backward"]
"""Whether the part is an instance of the left side (`rw [name]`), or of the right one (`rw [← name]`)."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What rewrites a part of a target."""

    directions: Mapping[str, Direction]
    """The names of the premises, each with its side."""
    is_bound: bool
    """Whether the part has a variable that is bound around it; then `simp only` can rewrite it, and `rw` cannot."""


def target_parts(goal: Goal) -> list[TextRange]:
    """The parts of the target that can be selected: each once, a part before those inside it."""
    return parts_of(goal.target, _local(goal))


def rewriting_premises(
    service: PremiseService, goal: Goal, part: str, where: GoalContext | None = None
) -> Rewriting:
    """The premises whose conclusion is an equation or equivalence that rewrites a part of the target.

    Raises UserError: the target has no such part; and what `PremiseService.reading` raises.
    """
    local = _local(goal)
    term, target = parse_term(checked_part(goal, part), local), parse_term(goal.target, local)
    if not is_part(term, target):
        raise UserError(
            f"`{part}` is not a subexpression of the goal's target.",
            "Select a whole subexpression: in `a * b + c`, `a * b` is one and `b + c` is not.",
        )
    with service.reading() as snapshot:
        offer = search_pool(snapshot, where, None)
        found: dict[str, Direction] = {}
        base = 0
        own = TreeColumns.of_rows(map(trees_of_premise, offer.own))
        may_be_found = offer.may_be_found
        for trees in (own, *(s.tables.trees or TreeColumns.empty(len(s)) for s in snapshot.view.segments)):
            sides = rewriting(trees, term, local)
            for number in np.flatnonzero(sides.left | sides.right).tolist():
                if may_be_found[base + number]:
                    name = offer.name(base + number)
                    found.setdefault(name, "forward" if sides.left[number] else "backward")
            base += len(trees)
        return Rewriting(found, not is_free_part(term, target))


def _local(goal: Goal) -> frozenset[str]:
    return frozenset(without_marks(name) for hypothesis in goal.hypotheses for name in hypothesis.names)


def checked_part(goal: Goal, part: str) -> str:
    """A selected part, without white space around it. Raises UserError: the target does not have it."""
    folded = " ".join(part.split())
    if not folded or folded not in " ".join(goal.target.split()) or len(folded) > LONGEST_PART:
        raise UserError(
            f"The goal's target has no part `{folded[:100]}`.", "Give a part of it as Lean prints it."
        )
    return folded
