"""Suggestions for a selected part of the goal: what rewrites it, and `rw` with each, as Lean accepts it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lean_extract.goals import offset_in_print
from lean_extract.records import Goal, Premise
from lean_extract.source.proofs.propositions import top_level
from lsp_server.engine.schema_items import PartItem
from prover.candidates import Candidate
from prover.rewriting import Side, instantiated, rewritten
from retriever.lean.eligibility import RankedPremise
from retriever.lean.rewriting_search import Rewriting, target_parts

NOTHING = (
    "No statement that is indexed has a side of which `{part}` is an instance. "
    "What is listed is ranked for rewriting the goal as a whole."
)
_LESS = 0.99
"""How much less likely a premise with its arguments is: where both rewrite the part, the shorter is shown."""
_MOST_RULES = 8
"""Rules of one list that are applied as text."""
_FALLS = 0.03
"""How much the score of a candidate falls from one rank to the next."""


def rewrites(
    premises: Sequence[RankedPremise], found: Rewriting, part: str, limit: int
) -> tuple[Candidate, ...]:
    """`rw` with each premise that can be used there, from the side that matches, best first.

    `rw` rewrites the first instance of a premise's side; so the premise is also tried with the arguments that make
    the side this part. It is `simp only` where a variable is bound around the part: `rw` does not see below binders.
    """
    usable = [one.premise for one in premises if one.in_scope is not False]
    candidates: list[Candidate] = []
    for rank, premise in enumerate(usable[:limit]):
        direction = found.directions.get(premise.name)
        if direction is None:
            continue
        turn = "← " if direction == "backward" else ""
        side: Side = "right" if turn else "left"
        fit = 1.0 / (1.0 + _FALLS * rank)
        rule = None if found.is_bound else instantiated(premise, part, side)
        tactic = "simp only" if found.is_bound else "rw"
        candidates.append(Candidate(f"{tactic} [{turn}{premise.written}]", fit, "premise"))
        if rule is not None:
            candidates.append(Candidate(f"rw [{turn}{rule}]", _LESS * fit, "premise"))
    return tuple(candidates)


def after_rules(goal: Goal, rules: str, stated: Callable[[str], Premise | None]) -> Goal:
    """The goal with its target as `rw [rules]` would leave it, by the text of what the rules state.

    A rule of which nothing is known, or that matches no part, leaves the target as it is. `stated`: the premise that
    a name means.
    """
    for rule in top_level(rules, ",")[:_MOST_RULES]:
        turned = rule.strip().removeprefix("←").removeprefix("<-").strip()
        premise = stated(turned.split()[0].strip("()")) if turned else None
        if premise is not None:
            side: Side = "left" if turned == rule.strip() else "right"
            goal = replace(goal, target=rewritten(premise, goal.target, target_parts(goal), side))
    return goal


def parts_of_goal(goal: Goal) -> list[PartItem]:
    """The parts of the target that can be selected, as ranges of the printed goal."""
    return [
        PartItem(offset_in_print(goal, start), offset_in_print(goal, end))
        for start, end in target_parts(goal)
    ]
