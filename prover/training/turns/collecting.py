"""Collects what the sources propose: at the steps of a file, and at the theorems of a library, whose proofs are cut
out and where Lean tries it.

What is collected is kept goal by goal, so that a command that was stopped goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from lean_extract.common.errors import BadRecords, LeanError, NoGoalHere
from lean_extract.common.files.atomic import replacing
from lean_extract.common.typed import read_typed
from lean_extract.records import Proof, ProofState
from lean_extract.session import LeanSession
from lean_extract.syntax.complete_tactics import complete
from lean_extract.toolchains import packaged
from lean_extract.toolchains.toolchain import project_oleans, resolve_lean
from prover.candidates import Candidate, key_of
from prover.limits import SEARCH_TACTIC_SECONDS
from prover.search.problems import Problem, all_theorems
from prover.training.steps import WantedStep, last_parts
from prover.training.turns.proposing import Sources
from prover.verify import GoalPosition, verify
from retriever.search.splits import split_of
from retriever.training.running.partial_results import partial_results

_Trials = Callable[[WantedStep, Sequence[Sequence[Candidate]]], Awaitable[list["Trial"]]]
"""A step and what each source proposes there -> Lean's verdicts."""


def kept(path: Path, about: dict[str, Any]) -> list[LabelledGoal] | None:
    """What an earlier command with the same description collected; None if there is nothing of the kind.

    Raises BadRecords: the file is damaged.
    """
    if not path.exists():
        return None
    try:
        with path.open(encoding="utf-8") as stream:
            if json.loads(next(stream, "null")) != about:
                return None
            return [_of_plain(json.loads(line)) for line in stream]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecords(f"{path} cannot be read: {error}.", "Delete it, or collect with --again.") from error


async def collect(
    path: Path,
    about: dict[str, Any],
    sources: Sources,
    steps: Sequence[WantedStep],
    generated: frozenset[str],
    trials: _Trials | None = None,
) -> list[LabelledGoal]:
    """Ask the sources at these steps, have Lean try what they propose, and write the file. Raises OSError.

    `trials`: None where there is no Lean.
    """
    with partial_results(path, json.dumps(about)) as (done, keep):
        left = [step for step in steps if _key_of_step(step) not in done]
        pairs = zip(left, sources.propose(left, generated), strict=True)
        unit = "steps" if trials is None else "theorems"
        for step, found in tqdm(pairs, total=len(left), desc=unit, disable=None):
            tried = await trials(step, found) if trials else None
            values = asdict(_labelled(step, found, tried))
            del values["verdicts"]
            keep(_key_of_step(step), values)
        rows = [done[_key_of_step(step)] for step in steps]
        with replacing(path) as stream:
            stream.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in (about, *rows))
        return [_of_plain(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Trial:
    """Lean's verdict on a tactic, and how long it took."""

    tactic: str
    status: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class LabelledGoal:
    """A goal, what the sources propose there, and Lean's verdicts, if there is a Lean.

    `own`: the tactic of the goal's own proof; empty where it is proved by a term.
    """

    theorem: str
    own: str
    lists: tuple[tuple[Candidate, ...], ...]
    trials: tuple[Trial, ...] = ()
    is_tried: bool = False
    verdicts: Mapping[str, Trial] = field(default_factory=dict, compare=False)

    def is_kept(self, tactic: str) -> bool:
        """Whether it closes the goal, or is the proof's own and Lean, if it tried it, accepts it."""
        if not self.is_tried:
            return self.is_own(tactic)
        verdict = self.verdicts.get(key_of(tactic))
        return self.closes(tactic) or (
            verdict is not None and verdict.status == "progress" and self.is_own(tactic)
        )

    def closes(self, tactic: str) -> bool:
        """Whether it closes the goal, according to Lean."""
        return self.was_tried(tactic) and self.verdicts[key_of(tactic)].status == "closes"

    def was_tried(self, tactic: str) -> bool:
        """Whether Lean tried it."""
        return key_of(tactic) in self.verdicts

    def is_own(self, tactic: str) -> bool:
        """Whether it is the proof's own tactic, compared by the last parts of names."""
        return bool(self.own) and last_parts(tactic) == last_parts(self.own)


def _labelled(
    step: WantedStep, lists: Sequence[Sequence[Candidate]], trials: Sequence[Trial] | None = None
) -> LabelledGoal:
    """The goal of a step with what was found; `trials` is None where there is no Lean."""
    found = tuple(tuple(one) for one in lists)
    return _with_verdicts(
        LabelledGoal(step.theorem, step.tactic, found, tuple(trials or ()), trials is not None)
    )


def _of_plain(values: Mapping[str, Any]) -> LabelledGoal:
    """From JSON values. Raises TypeError, ValueError, KeyError."""
    lists = tuple(tuple(read_typed(Candidate, each) for each in one) for one in values["lists"])
    trials = tuple(read_typed(Trial, each) for each in values["trials"])
    return _with_verdicts(LabelledGoal(values["theorem"], values["own"], lists, trials, values["is_tried"]))


def _with_verdicts(one: LabelledGoal) -> LabelledGoal:
    verdicts = {key_of(trial.tactic): trial for trial in one.trials}
    return LabelledGoal(one.theorem, one.own, one.lists, one.trials, one.is_tried, verdicts)


def _key_of_step(step: WantedStep) -> str:
    """What names a step from one run to the next."""
    text = f"{step.theorem}\0{step.goal}\0{step.tactic}"
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


_TRIED = 16
"""How many tactics of each source are tried at a goal."""


@dataclass(frozen=True, slots=True)
class _LibraryGoal:
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

    `on_minicore`: whether it builds on the mini core, which the packaged Lean alone has.
    """
    toolchain = resolve_lean(root, environment={} if on_minicore else os.environ)
    if toolchain.kind == "packaged":
        packaged.build_library(root, project_oleans(root), packaged.prepare())
    return await LeanSession.start(root, toolchain)


async def goals_of(
    session: LeanSession, problems: Sequence[Problem], firsts: Mapping[str, str]
) -> AsyncIterator[_LibraryGoal]:
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
            yield _LibraryGoal(step, GoalPosition(theorem.path, theorem.text, theorem.position), state)


async def tried(
    session: LeanSession, goal: _LibraryGoal, lists: Sequence[Sequence[Candidate]]
) -> list[Trial]:
    """Lean's verdicts on the first tactics of each source; none where Lean cannot try any there."""
    found: list[Trial] = []
    verdicts = verify(
        session, goal.at, goal.state, _first_of_each(lists), timeout=SEARCH_TACTIC_SECONDS, keep_failures=True
    )
    try:
        async with aclosing(verdicts) as stream:
            async for one in stream:
                found.append(Trial(one.tactic, one.status, round(one.milliseconds, 1)))
    except (LeanError, NoGoalHere):
        return found
    return found


def _first_of_each(lists: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """The first tactics of each source, each once."""
    found: dict[str, Candidate] = {}
    counts: dict[str, int] = {}
    for candidate in (candidate for one in lists for candidate in one):
        counts[candidate.source] = counts.get(candidate.source, 0) + 1
        if counts[candidate.source] <= _TRIED:
            found.setdefault(key_of(candidate.tactic), candidate)
    return list(found.values())
