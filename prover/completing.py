"""Completes a step whose goals left are hypotheses, or may be closed by one tactic. Pure; Lean judges the result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, TacticOutcome
from lean_extract.syntax.inaccessible import DAGGER
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from prover.limits import MAX_COMPLETED_GOALS, MAX_COMPLETIONS
from prover.states import has_unknowns

_CLOSER = "simp_all"
_JOINS = ("\n", ";", "<;>")


@dataclass(frozen=True, slots=True)
class Completion:
    """A tactic that may close the goal: a step, and what closes each goal that it leaves."""

    step: str
    """The step as it was tried."""
    tactic: str
    guessed: int
    """How many of the goals are no hypotheses."""


def completions(steps: Iterable[TacticOutcome], closing: Sequence[str]) -> list[Completion]:
    """The completions to try, best first: those of hypotheses before the guessed ones; at most `MAX_COMPLETIONS`.

    Args:
        steps: accepted steps, likeliest first.
        closing: the tactics that close the goal. If there are any, nothing is guessed, and what they use is not tried
            in a step again.
    """
    used = frozenset(name for tactic in closing for name in _names(tactic))
    found = [
        completion
        for step in steps
        if used.isdisjoint(_names(step.shown)[:1])
        if (completion := completion_of(step)) is not None and not (closing and completion.guessed)
    ]
    return sorted(found, key=lambda one: one.guessed)[:MAX_COMPLETIONS]


def completion_of(step: TacticOutcome) -> Completion | None:
    """The step with what closes its goals below it; None if it leaves too many, or unknowns."""
    tactic = step.shown
    goals = step.state.goals if step.state is not None else ()
    if step.state is None or not 1 <= len(goals) <= MAX_COMPLETED_GOALS or has_unknowns(step.state):
        return None
    if any(sign in tactic for sign in _JOINS):
        return None
    closers = [_hypothesis(goal) for goal in goals]
    guessed = closers.count("")
    written = [closer or _CLOSER for closer in closers]
    if len(goals) == 1:
        return Completion(step.tactic, f"{tactic}\n{written[0]}", guessed)
    if guessed == len(goals):
        return Completion(step.tactic, f"{tactic} <;> {_CLOSER}", guessed)
    return Completion(step.tactic, "\n".join([tactic, *(f"· {closer}" for closer in written)]), guessed)


def _hypothesis(goal: Goal) -> str:
    """The tactic that closes a goal which is a hypothesis; empty if it is none."""
    target = " ".join(goal.target.split())
    for hypothesis in reversed(goal.hypotheses):
        if " ".join(hypothesis.type.split()) == target and hypothesis.names:
            name = hypothesis.names[-1]
            return "assumption" if DAGGER in name else f"exact {name}"
    return ""


def _names(tactic: str) -> list[str]:
    """The names in a tactic after its first word."""
    words = [token.strip() for token in raw_tokens(tactic)[1:]]
    return [word for word in words if is_identifier(word) and word != "_"]
