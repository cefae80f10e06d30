"""Has Lean try what the sources propose for the theorems of a library, whose proofs are cut out."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import LeanError, NoGoalHere
from lean_extract.records import Proof, ProofState
from lean_extract.session import LeanSession
from lean_extract.syntax.complete_tactics import complete
from lean_extract.toolchains import packaged
from lean_extract.toolchains.toolchain import project_oleans, resolve_lean
from prover.candidates import Candidate, key_of
from prover.search.library import all_theorems
from prover.search.problems import Problem
from prover.training.steps import WantedStep
from prover.training.turns.labelled import Trial
from prover.verify import GoalPosition, verify
from retriever.search.splits import split_of

TRIED = 16
"""So many of the first tactics of each source are tried at a goal."""
_SECONDS = 5.0
"""For one tactic."""


@dataclass(frozen=True, slots=True)
class LibraryGoal:
    """A theorem's goal in Lean's words, and where its `sorry` is."""

    step: WantedStep
    at: GoalPosition
    state: ProofState


def problems_of(root: Path) -> list[Problem]:
    """The theorems of a project's own files that are not of the test split. Raises BadSource."""
    posed = all_theorems(root)
    return [one for one in posed if isinstance(one, Problem) and split_of(one.full_name) != "test"]


def first_steps(proofs: Sequence[Proof]) -> dict[str, str]:
    """By theorem, its proof's first tactic; a theorem proved by a term has none."""
    firsts = {proof.theorem: complete(proof.steps[0].tactic) for proof in proofs if proof.steps}
    return {theorem: tactic for theorem, tactic in firsts.items() if tactic}


async def started(root: Path, *, on_minicore: bool) -> LeanSession:
    """A Lean for the library, which is compiled if Lake does not do that. Raises LeanError.

    `on_minicore`: whether it stands on the mini core, which the packaged Lean alone has.
    """
    toolchain = resolve_lean(root, environment={} if on_minicore else os.environ)
    if toolchain.kind == "packaged":
        packaged.build_library(root, project_oleans(root), packaged.prepare())
    return await LeanSession.start(root, toolchain)


async def goals_of(
    session: LeanSession, problems: Sequence[Problem], firsts: Mapping[str, str]
) -> AsyncIterator[LibraryGoal]:
    """The goals of the theorems; one that Lean cannot state by itself is left out. Raises LeanError."""
    for problem in problems:
        theorem = problem.theorem
        try:
            state = await session.goals_at(theorem.path, theorem.text, theorem.position)
        except NoGoalHere:
            continue
        if state.goals:
            own = firsts.get(problem.full_name, "")
            step = WantedStep(problem.full_name, problem.module, state.goals[0], own)
            yield LibraryGoal(step, GoalPosition(theorem.path, theorem.text, theorem.position), state)


async def tried(session: LeanSession, goal: LibraryGoal, lists: Sequence[Sequence[Candidate]]) -> list[Trial]:
    """Lean's verdicts on the first tactics of each source; none where Lean cannot try any there."""
    found: list[Trial] = []
    verdicts = verify(
        session, goal.at, goal.state, first_of_each(lists), timeout=_SECONDS, keep_failures=True
    )
    try:
        async with aclosing(verdicts) as stream:
            async for one in stream:
                found.append(Trial(one.tactic, one.status, round(one.milliseconds, 1)))
    except (LeanError, NoGoalHere):
        return found
    return found


def first_of_each(lists: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """The first tactics of each source, each once."""
    found: dict[str, Candidate] = {}
    counts: dict[str, int] = {}
    for candidate in (candidate for one in lists for candidate in one):
        counts[candidate.source] = counts.get(candidate.source, 0) + 1
        if counts[candidate.source] <= TRIED:
            found.setdefault(key_of(candidate.tactic), candidate)
    return list(found.values())
