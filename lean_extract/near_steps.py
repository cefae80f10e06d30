"""Steps of known proofs whose states resemble a goal: what the retriever finds and the prover adapts."""

from __future__ import annotations

from dataclasses import dataclass

from lean_extract.records import Goal, Premise


@dataclass(frozen=True, slots=True)
class NearStep:
    """A step of a known proof, near to a goal."""

    theorem: str
    """The full name of the theorem that it proves a part of."""
    module: str
    """The module of that theorem."""
    tactic: str
    """On one line, with the full names of the premises that are known here."""
    goal: Goal
    """Its goal: the target, and the hypotheses that the tactic mentions."""
    similarity: float
    """The inner product of the states' vectors, at most 1."""
    local: tuple[str, ...] = ()
    """The names of the goal's other hypotheses."""
    premises: tuple[Premise, ...] = ()
    """The premises that the tactic mentions; those of the bundled index have no statements."""
    out_of_scope: tuple[str, ...] = ()
    """Those of them that the open file does not import."""
