"""What a search may use, and what it gives: frozen records, plain enough for JSON (`records.to_json`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lean_extract.errors import BadSettings

SearchStatus = Literal["proved", "exhausted", "limit", "failed"]
NodeStatus = Literal["open", "expanded", "proved"]
AttemptStatus = Literal["fails", "timeout", "known", "closes"]


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Bounds of one search. Raises BadSettings where one is not positive.

    `seconds`: wall time from when the first state is there. `nodes`: how many states are expanded.
    `tactics`: how many are tried on a state. `tactic_seconds`: for one tactic.
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
    """A tactic without a state of its own: Lean refused it, it took too long, its state was known already, or
    it closes what a shorter one closes."""

    tactic: str
    status: AttemptStatus
    message: str = ""
    """The first line of what Lean said."""


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A state of the tree; the first has no parent and no tactic.

    `goals`: as Lean prints them, main goal first; none where the proof is complete. `score`: the sum
    of the log-probabilities of the tactics up to here. `parent`: that node's place in the tree.
    `tactic`: what led here from there. `expanded`: which one of the expanded states this was, from 0.
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
    """The states that a search reached, each behind its parent."""

    nodes: tuple[TreeNode, ...] = ()

    def path(self, place: int) -> tuple[int, ...]:
        """The places from the first state to this one."""
        found = [place]
        while (parent := self.nodes[found[-1]].parent) is not None:
            found.append(parent)
        return tuple(reversed(found))

    @property
    def proved(self) -> int | None:
        """The place of the state without goals at which the proof ends, if one was found."""
        return next((place for place, node in enumerate(self.nodes) if node.status == "proved"), None)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """How a search ended.

    `proved`: `proof` holds the tactics, in order, each for the main goal that those before it leave.
    `exhausted`: nothing was left to expand. `limit`: `reason` names the limit. `failed`: the
    environment or the proposer gave up; `reason` is what it said.
    `seconds`: wall time, the environment's start not counted. `nodes`: states expanded. `tactics`:
    tactics with a verdict.
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
    """How far a search is, told after each expansion: expanded, tried, waiting, seconds since its start."""

    nodes: int
    tactics: int
    waiting: int
    seconds: float
