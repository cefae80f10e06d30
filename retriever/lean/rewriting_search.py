"""The premises that rewrite a part of a goal's target, by name, with the side that the part is an instance of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from lean_extract.errors import UserError
from lean_extract.records import Goal
from retriever.lean.goal_context import GoalContext
from retriever.lean.patterns.rewriting import is_part, rewriting, term_of
from retriever.lean.patterns.trees import trees_of_premise
from retriever.lean.service import PremiseService
from retriever.lean.text_search import offer_at
from retriever.search.index.tree_columns import TreeColumns

Direction = Literal["forward", "backward"]
"""Whether the part is an instance of the left side (`rw [name]`), or of the right one (`rw [← name]`)."""
_LONGEST = 4_000


def rewriting_premises(
    service: PremiseService, goal: Goal, part: str, where: GoalContext | None = None
) -> Mapping[str, Direction]:
    """The premises whose conclusion is an equation or equivalence that rewrites a part of the target.

    Raises UserError: the target has no such part; and what `PremiseService.reading` raises.
    """
    local = frozenset(name for hypothesis in goal.hypotheses for name in hypothesis.names)
    term = term_of(checked_part(goal, part), local)
    if not is_part(term, term_of(goal.target, local)):
        raise UserError(
            f"`{part}` is not a subexpression of the goal's target.",
            "Select a whole subexpression: of `a * b + c` one is `a * b`, and `b + c` is none.",
        )
    with service.reading() as snapshot:
        offer = offer_at(snapshot, where, None)
        found: dict[str, Direction] = {}
        base = 0
        own = TreeColumns.of_rows(map(trees_of_premise, offer.own))
        may_be_found = offer.may_be_found
        for trees in (own, *(s.trees or TreeColumns.nothing(len(s)) for s in snapshot.view.segments)):
            sides = rewriting(trees, term, local)
            for number in np.flatnonzero(sides.left | sides.right).tolist():
                if may_be_found[base + number]:
                    name = offer.name(base + number)
                    found.setdefault(name, "forward" if sides.left[number] else "backward")
            base += len(trees)
        return found


def checked_part(goal: Goal, part: str) -> str:
    """A selected part, without white space around it. Raises UserError: the target does not have it."""
    folded = " ".join(part.split())
    if not folded or folded not in " ".join(goal.target.split()) or len(folded) > _LONGEST:
        raise UserError(
            f"The goal's target has no part `{folded[:100]}`.", "Give a part of it as Lean prints it."
        )
    return folded
