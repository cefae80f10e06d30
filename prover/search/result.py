"""The limits and the result of a search: frozen records that `records.to_json` can write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lean_extract.common.errors import BadSettings

SearchStatus = Literal["proved", "exhausted", "limit", "failed"]
NodeStatus = Literal["open", "expanded", "proved"]
AttemptStatus = Literal["fails", "timeout", "known", "closes"]


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The limits of one search. Raises BadSettings: a limit is not positive.

    `seconds`: wall time, from the first state on. `nodes`: states to expand. `tactics`: tactics to try on a
    state. `tactic_seconds`: time for one tactic.
    """

    seconds: float = 60.0
    nodes: int = 512
    tactics: int = 32
    tactic_seconds: float = 5.0

    def __post_init__(self) -> None:
        for name in ("seconds", "nodes", "tactics", "tactic_seconds"):
            value = getattr(self, name)
            if not value > 0:
                raise BadSettings(f"The search's limit {name} is {value}.", "Give a number above 0.")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A tactic that led to no new state: Lean refused it, it took too long, its state was known already, or a
    shorter tactic closes the same goals."""

    tactic: str
    status: AttemptStatus
    message: str = ""
    """The first line of Lean's message."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A state of the tree; the first has no parent and no tactic.

    `goals`: as Lean prints them, the main goal first; empty if the proof is complete. `score`: the sum of the
    log-probabilities of the tactics up to here. `parent`: the parent's index in the tree. `tactic`: what led here
    from the parent. `expanded`: the position in the order of expansion, from 0.
    """

    goals: tuple[str, ...]
    score: float
    parent: int | None = None
    tactic: str = ""
    status: NodeStatus = "open"
    expanded: int | None = None
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchTree:
    """The states that a search reached, each after its parent."""

    nodes: tuple[TreeNode, ...] = ()

    def path(self, index: int) -> tuple[int, ...]:
        """The indices of the states from the first to this one."""
        found = [index]
        while (parent := self.nodes[found[-1]].parent) is not None:
            found.append(parent)
        return tuple(reversed(found))

    @property
    def proved(self) -> int | None:
        """The index of the state without goals that ends the proof, if one was found."""
        return next((index for index, node in enumerate(self.nodes) if node.status == "proved"), None)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How a search ended.

    `proved`: `proof` holds the tactics in order, each for the main goal that those before it leave. `exhausted`:
    nothing was left to expand. `limit`: `reason` names the limit. `failed`: the environment or the proposer
    failed; `reason` is its error.
    `seconds`: wall time without the environment's start. `nodes`: states expanded. `tactics`: tactics with a
    verdict.
    """

    status: SearchStatus
    proof: tuple[str, ...] = ()
    seconds: float = 0.0
    nodes: int = 0
    tactics: int = 0
    reason: str = ""
    tree: SearchTree = SearchTree()


@dataclass(frozen=True, slots=True)
class SearchProgress:
    """The progress of a search after an expansion: states expanded, tactics tried, states waiting, and seconds
    since the start."""

    nodes: int
    tactics: int
    waiting: int
    seconds: float
