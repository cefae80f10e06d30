"""The states that a search has reached."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lean_extract.goals import format_goal
from lean_extract.records import ProofState
from prover.search.environment import TacticPath

NEXT_GOAL = "rotate_left"
"""The step that puts the second goal in front of the others, so that it is proved though the first may never be."""
_NodeStatus = Literal["open", "expanded", "proved"]
AttemptStatus = Literal["fails", "timeout", "known", "closes"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A tactic that led to no new state: Lean refused it, it took too long, its state was known already, or a
    shorter tactic closes the same goals."""

    tactic: str
    status: AttemptStatus
    message: str = ""
    """The first line of Lean's message."""


@dataclass(slots=True)
class TreeNode:
    """A state of the tree; the first has no parent and no tactic.

    `scores`: for each goal, how promising the steps are that led to it, without those that proved other goals; for
    the end of a proof one number.
    `parent`: the parent's index in the tree. `tactic`: what led here from the parent. `expanded`: the position in the
    order of expansion, from 0.
    """

    state: ProofState
    scores: tuple[float, ...] = (0.0,)
    parent: int | None = None
    tactic: str = ""
    status: _NodeStatus = "open"
    expanded: int | None = None
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def score(self) -> float:
        """That of the main goal."""
        return self.scores[0]

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals as Lean prints them, the main goal first; empty if the proof is complete."""
        return tuple(map(format_goal, self.state.goals))


@dataclass(slots=True)
class SearchTree:
    """The states that a search reached; the first is the theorem's."""

    nodes: list[TreeNode] = field(default_factory=list)

    def ancestry(self, index: int) -> tuple[int, ...]:
        """The indices of the states from the first to this one."""
        found = [index]
        while (parent := self.nodes[found[-1]].parent) is not None:
            found.append(parent)
        return tuple(reversed(found))

    def path(self, index: int) -> TacticPath:
        """The tactics that lead from the first state to this one."""
        return tuple(self.nodes[one].tactic for one in self.ancestry(index)[1:])

    @property
    def proved(self) -> int | None:
        """The index of the state without goals that ends the proof, if one was found."""
        return next((index for index, node in enumerate(self.nodes) if node.status == "proved"), None)
