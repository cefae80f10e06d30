"""The queries of a dataset: the states of a proof, each with the premises that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lean_extract.records import PRINTED, PRINTED_IN_PART, Goal, Premise, Proof
from lean_extract.source.proofs.sequents import goal_of
from retriever.lean.theorems import is_theorem
from retriever.search.splits import Split, family_roots, split_of

_STEPS = ("step", PRINTED, PRINTED_IN_PART)


@dataclass(frozen=True, slots=True)
class DatasetQuery:
    """A state and what its proof uses (section 3.1.1)."""

    theorem: str
    module: str
    line: int | None
    split: Split
    origin: str
    """`statement`, `inner` (`have`, `show`, ...) or `step` (a tactic whose state Lean traced, or the text shows);
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
            premises = [tuple(sorted(part)) for part in (gold, rest, others)]
            yield DatasetQuery(theorem.name, theorem.module, line, split, origin, goal, *premises)


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

    Section 3.1.1 relates the states before and after a step to its premises. The state after a step that
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


def _relatives(name: str, roots: Sequence[Mapping[str, str]]) -> set[str]:
    """The name and what it was generated from in one library after the other."""
    found, waiting = {name}, [name]
    while waiting:
        last = waiting.pop()
        new = {known[last] for known in roots if last in known} - found
        found |= new
        waiting.extend(new)
    return found


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Which theorems of several libraries are never learned from."""

    roots: tuple[Mapping[str, str], ...]
    """Of each library, by name, the declaration whose split a premise follows (`family_roots`)."""
    barred: frozenset[str]
    """The names held out besides those that the hash holds out, with their relatives."""

    @classmethod
    def of(cls, libraries: Iterable[Iterable[Premise]], without: Iterable[str]) -> HeldOut:
        """What the hash of a name holds out in one of the libraries, and the theorems `without`."""
        roots = tuple(family_roots(premises) for premises in libraries)
        return cls(roots, frozenset[str]().union(*(_relatives(name, roots) for name in without)))

    def names(self, theorem: str) -> bool:
        """Whether a theorem, or what it was generated from, is one of those held out by name."""
        return not _relatives(theorem, self.roots).isdisjoint(self.barred)

    def has_in(self, split: Split, theorem: str) -> bool:
        """Whether every library that has the theorem has it in this split, and no name of it is held out by name."""
        found = {split_of(roots[theorem]) for roots in self.roots if theorem in roots}
        return found == {split} and not self.names(theorem)

    def __contains__(self, theorem: str) -> bool:
        """Whether it is held out by name or by the hash of a name, in any of the libraries."""
        own = _relatives(theorem, self.roots)
        return not own.isdisjoint(self.barred) or any(split_of(name) != "train" for name in own)


def further_queries(
    premises: Iterable[Premise],
    proofs: Iterable[Proof],
    number: Mapping[str, int],
    held_out: HeldOut,
    known: set[tuple[str, str]],
    split: Split = "train",
) -> Iterator[DatasetQuery]:
    """Goals inside the proofs of further records, of another revision of the library, as queries of a split.

    They are by theorem, then in the order of the proof. The corpus, the statements and the held-out queries of a
    dataset are those of its first records. Premises go by their name, so a proof needs what the first records
    have under the same name. A theorem that is held out under any name that either library gives it or its
    generated twins gives no training query; one gives a query of another split if both libraries have it there.

    Args:
        premises: those of the further records.
        proofs: those of the further records.
        number: the corpus premises' numbers by their name.
        held_out: what is never learned from.
        known: (theorem, target) of the goals that are queries already; they are not repeated, and new ones
            are added.
    """
    statements = {premise.name: premise for premise in premises}
    for proof in sorted(proofs, key=lambda proof: (proof.theorem, proof.module)):
        theorem = statements.get(proof.theorem)
        name = proof.theorem
        is_barred = name in held_out if split == "train" else not held_out.has_in(split, name)
        if theorem is None or not is_theorem(theorem) or not theorem.conclusion or is_barred:
            continue
        for query in queries_of_proof(theorem, proof, split, number):
            key = query.theorem, query.goal.target
            if query.origin != "statement" and key not in known:
                known.add(key)
                yield query


_UNKNOWN = "_"


def goal_to_read(query: DatasetQuery) -> Goal:
    """A training query's goal without the hypotheses whose type is not known; a held-out one as it is.

    The text of a proof often names what a tactic introduces and does not show its type (`h : _`). Lean
    always prints one.
    """
    return without_unknown(query.goal) if query.split == "train" else query.goal


def without_unknown(goal: Goal) -> Goal:
    """The goal without its hypotheses `h : _`."""
    known = tuple(one for one in goal.hypotheses if one.type != _UNKNOWN or one.value is not None)
    return goal if len(known) == len(goal.hypotheses) else replace(goal, hypotheses=known)
