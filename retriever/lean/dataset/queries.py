"""The queries of a dataset: the states of a proof, each with the premises that it asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lean_extract.records import PRINTED, PRINTED_IN_PART, Goal, Premise, Proof
from lean_extract.source.proofs.sequents import goal_of
from retriever.search.splits import Split

_STEPS = ("step", PRINTED, PRINTED_IN_PART)


@dataclass(frozen=True, slots=True)
class DatasetQuery:
    """A state and what its proof uses (section 3.1.1)."""

    theorem: str
    module: str
    line: int | None
    split: Split
    origin: str
    """`statement`, `inner` (`have`, `show`, ...) or `step` (a tactic whose state Lean traced, or the text tells);
    `comment` and `comment-truncated`: a step whose target Lean printed, whole or its beginning."""
    goal: Goal
    gold: tuple[int, ...]
    """Numbers of corpus premises, ascending."""
    later: tuple[int, ...] = ()
    """Of a step: those that the proof uses in later steps only, ascending."""
    earlier: tuple[int, ...] = ()
    """Of a step: what else the proof uses, ascending."""


def queries_of_proof(
    theorem: Premise, proof: Proof, split: Split, number: Mapping[str, int]
) -> Iterator[DatasetQuery]:
    """The states of a proof that have gold premises; `number` gives a corpus premise's number by its name."""
    line = theorem.span.start.line if theorem.span else None

    def numbers(names: Iterable[str]) -> set[int]:
        return {number[name] for name in names if name in number and name != theorem.name}

    for origin, goal, names, later in _states(theorem, proof):
        if gold := numbers(names):
            rest = numbers(later) - gold
            others = numbers(proof.premises) - gold - rest if origin in _STEPS else ()
            told = [tuple(sorted(part)) for part in (gold, rest, others)]
            yield DatasetQuery(theorem.name, theorem.module, line, split, origin, goal, *told)


def _states(theorem: Premise, proof: Proof) -> Iterator[tuple[str, Goal, Iterable[str], Iterable[str]]]:
    """(origin, goal, premises, premises of later steps) of each state of a proof."""
    yield "statement", goal_of(theorem.context, theorem.conclusion), proof.premises, ()
    for inner in proof.inner_goals:
        yield "inner", goal_of(inner.context, inner.conclusion), inner.premises, ()
    for goal, found in _step_goals(proof).items():
        later = [name for step in proof.steps[found.first + 1 :] for name in step.premises]
        yield found.origin, goal, found.premises, later


@dataclass(slots=True)
class _StepGoal:
    """What is known of a goal between steps: the first step it belongs to, and the premises of all of them."""

    origin: str
    first: int
    premises: dict[str, None] = field(default_factory=dict)


def _step_goals(proof: Proof) -> dict[Goal, _StepGoal]:
    """The distinct main goals before and after the steps, each with the premises of all steps it belongs to.

    Section 3.1.1 relates the states before and after a step to its premises. The state behind a step that
    closes its goal is one that the step had nothing to do with, and belongs to the next step only.
    """
    found: dict[Goal, _StepGoal] = {}
    for place, step in enumerate(proof.steps):
        before = step.before.goals if step.before else ()
        after = step.after.goals if step.after else ()
        touched = after if not before or after != before[1:] else ()
        for goal in (*before[:1], *touched[:1]):
            origin = step.origin if step.origin in (PRINTED, PRINTED_IN_PART) else "step"
            known = found.setdefault(goal, _StepGoal(origin, place))
            known.premises.update(dict.fromkeys(step.premises))
    return found
