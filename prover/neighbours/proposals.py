"""Tactics copied from the nearest steps of known proofs, and adapted to our goal. Pure: Lean judges them later.

Tactician (Coq) and TacticToe (HOL4) work in this way. Nothing is trained but the encoder that finds the steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from lean_extract.common.cancellation import check_cancelled
from lean_extract.records import Goal, NearStep, Premise
from lean_extract.source.budget import Budget
from prover.candidates import Candidate, is_unfinished, key_of, merge, varied
from prover.limits import MAX_HYPOTHESIS_PAIRS, MAX_NEIGHBOUR_CHARACTERS, MAX_SEQUENCES
from prover.neighbours.adapting import Adapted, ContextView, adapted
from prover.neighbours.features import Proposal, StepQuery, Weighing, weighted

SOURCE = "neighbour"
"""The source of these candidates."""
_CERTAIN = 0.9
"""The score of a tactic that all neighbours propose, about that of the best templates. Set by hand."""
_IN_SEQUENCE = 0.1
"""How much less likely several steps are all meant than the scores say. Set by hand."""
_ALIKE, _VARIED = 4, 8
"""This many of the best may have the same first word; the next, up to the second number, have different ones.

Neighbours agree on a tactic's first word more often than on its arguments, so the best of one word alike are mostly
wrong alike."""
_EXCHANGING = frozenset(("rw", "rwa", "simp_rw", "erw", "simp", "simpa", "apply", "exact", "refine"))
_MOST_EXCHANGED = 4
"""Ranked premises that take the place of a neighbour's only premise."""
_MOST_TRIED = 8
"""Ranked premises among which one is chosen in the place of one that is not imported."""

WEIGHTS: Mapping[str, float] = {
    "near": 0.3, "wide": 0.5, "count": -0.3, "rank": 0.1, "module": 0.5, "namespace": 0.1, "mapped": 3.0,
    "mentioned": 0.3, "target": 2.5, "fit": 1.3, "known": -0.7, "words": 1.0, "premise": 0.2, "head": 0.4,
    "length": -0.8, "several": -0.7, "ranked": 1.5, "exchanged": -1.5,
}  # fmt: skip
"""Set by hand near a fit on LeanDojo Benchmark 4's val-tune: a softmax over a step's proposals, in which the proof's
own tactic is to be likely. `python -m prover evaluate-neighbours --fit` fits them anew."""


def candidates(
    query: StepQuery,
    steps: Sequence[NearStep],
    premises: Sequence[Premise],
    limit: int,
    weights: Mapping[str, float] = WEIGHTS,
) -> list[Candidate]:
    """At most `limit` adapted tactics, best first.

    Args:
        query: the goal and its place.
        steps: the nearest known steps, nearest first.
        premises: ranked premises that can be used here, best first.
        limit: how many.
        weights: those of `FEATURES`.
    """
    found, rows = proposals(query, steps, premises)
    if not found:
        return []
    chances = [weighted(row, weights) for row in rows]
    highest = max(chances)
    total = sum(math.exp(chance - highest) for chance in chances)
    # The square root, since Lean accepts many a tactic that is not the proof's own.
    made = [
        Candidate(one.tactic, _CERTAIN * math.sqrt(math.exp(chance - highest) / total), SOURCE, one.origin)
        for one, chance in zip(found, chances, strict=True)
    ]
    ranked = merge([made], len(made))
    order = zip(varied(ranked, _ALIKE, _VARIED), ranked, strict=True)
    return [replace(one, score=place.score) for one, place in order][: max(limit, 0)]


def sequences(query: StepQuery, steps: Sequence[NearStep], limit: int = MAX_SEQUENCES) -> list[Candidate]:
    """At most `limit` candidates of two and three consecutive steps each, likeliest first; arguments as above.

    All names of a neighbour's context that they mention have one of ours.
    """
    found = candidates(query, [longer for step in steps for longer in step.continued], (), limit)
    return [replace(one, score=_IN_SEQUENCE * one.score) for one in found]


def proposals(
    query: StepQuery, steps: Sequence[NearStep], premises: Sequence[Premise]
) -> tuple[list[Proposal], list[list[float]]]:
    """The adapted tactics, equal ones merged, and the features of each. Raises Cancelled."""
    ours = ContextView.of(query.goal)
    weighing = Weighing(query, steps, premises)
    pairs, text = Budget(MAX_HYPOTHESIS_PAIRS), Budget(MAX_NEIGHBOUR_CHARACTERS)
    known: dict[str, Proposal] = {}
    counted: set[tuple[str, str, Goal]] = set()
    for rank, step in enumerate(steps):
        check_cancelled()
        same = (step.theorem, key_of(step.tactic), step.goal)
        if same in counted:  # one step of two records of the same library
            continue
        counted.add(same)
        if not text.take(sum(len(h.type) for h in step.goal.hypotheses) + len(step.goal.target)):
            continue
        theirs = ContextView.of(step.goal, step.local)
        made = adapted(step, theirs, ours, pairs)
        if made is None or is_unfinished(made.tactic) or ("\n" in made.tactic and made.share < 1):
            continue
        proposal = _proposal(rank, step, made, weighing, premises)
        if proposal is None:
            continue
        for one in (proposal, *_exchanged(proposal, weighing, premises)):
            kept = known.setdefault(key_of(one.tactic), one)
            kept.is_exchanged &= one.is_exchanged
            weighing.note(kept, step, made, theirs)
    found = list(known.values())
    return found, weighing.describe(found)


def _proposal(
    rank: int, step: NearStep, made: Adapted, weighing: Weighing, premises: Sequence[Premise]
) -> Proposal | None:
    """The proposal of one neighbour. One premise that is not imported is exchanged; None if there are more."""
    proposal = Proposal(made.tactic, step.premises, step.theorem, rank)
    missing = [premise for premise in step.premises if premise.name in step.out_of_scope]
    if not missing:
        return proposal
    if len(missing) > 1 or made.tactic.count(missing[0].name) != 1:
        return None
    other = _instead(missing[0], proposal, weighing, premises[:_MOST_TRIED])
    if other is None:
        return None
    kept = tuple(other if premise is missing[0] else premise for premise in step.premises)
    tactic = made.tactic.replace(missing[0].name, other.written)
    return replace(proposal, tactic=tactic, premises=kept)


def _exchanged(proposal: Proposal, weighing: Weighing, premises: Sequence[Premise]) -> Iterator[Proposal]:
    """The same with the best ranked premises of the same kind, each in the place of the only premise."""
    if len(proposal.premises) != 1 or proposal.head not in _EXCHANGING:
        return
    [own] = proposal.premises
    if proposal.tactic.count(own.name) != 1:
        return
    kind = weighing.kind_of(own)
    alike = (
        premise
        for premise in premises[:_MOST_TRIED]
        if premise.name != own.name and (not kind or weighing.kind_of(premise) == kind)
    )
    for premise in islice(alike, _MOST_EXCHANGED):
        tactic = proposal.tactic.replace(own.name, premise.written)
        yield replace(proposal, tactic=tactic, premises=(premise,), is_exchanged=True, features={})


def _instead(
    missing: Premise, proposal: Proposal, weighing: Weighing, premises: Sequence[Premise]
) -> Premise | None:
    """The ranked premise of the same shape that fits the goal best in the place of one that is not imported."""
    kind = weighing.kind_of(missing)
    alike = [premise for premise in premises if not kind or weighing.kind_of(premise) == kind]
    return max(alike, key=lambda premise: weighing.fit_of(premise, proposal), default=None)
